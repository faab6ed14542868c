#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hookrail::fuzzing::command_expansion(data));
