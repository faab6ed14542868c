//! Bytes of an event stream, in pieces of any size. The decoder is one file without I/O, included here so that
//! the agent's HTTP stack need not be built.
#![no_main]

#[path = "../../crates/hookrail-agent/src/model/sse.rs"]
#[allow(dead_code)]
mod sse;

use sse::SseDecoder;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&size, bytes)) = data.split_first() else { return };
    let whole = decode(bytes, bytes.len().max(1));
    assert_eq!(whole, decode(bytes, usize::from(size).max(1)), "pieces of {size}");
    assert_eq!(whole, decode(bytes, 1), "pieces of one byte");
});

fn decode(bytes: &[u8], size: usize) -> (Vec<String>, Result<(), sse::EventTooLarge>, Option<String>) {
    let mut decoder = SseDecoder::new(200);
    let mut events = Vec::new();
    for piece in bytes.chunks(size) {
        if let Err(error) = decoder.push(piece, &mut events) {
            return (events, Err(error), None);
        }
    }
    (events, Ok(()), decoder.finish())
}
