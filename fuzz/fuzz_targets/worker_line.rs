#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hookrail::fuzzing::worker_line(data));
