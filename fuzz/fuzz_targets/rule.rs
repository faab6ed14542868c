#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hookrail::fuzzing::rule(data));
