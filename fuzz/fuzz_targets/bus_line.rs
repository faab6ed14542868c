#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hookrail::fuzzing::bus_line(data));
