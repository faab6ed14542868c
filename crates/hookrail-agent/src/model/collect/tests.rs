use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn collect(chunks: impl IntoIterator<Item = Value>) -> Value {
    let mut collector = ResponseCollector::new();
    for chunk in chunks {
        collector.push(serde_json::from_value(chunk).unwrap());
    }
    serde_json::to_value(collector.finish()).unwrap()
}

fn chunk_of(part: &Value) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [part] } }] })
}

#[test]
fn chunks_become_one_response() {
    let signed = json!({ "functionCall": { "name": "glob", "args": { "a": 1 }, "id": "7", "new": 2 },
            "thoughtSignature": "c2ln" });
    for (what, chunks, expected) in [
        ("HOOK-050: no chunk, no response", vec![], Value::Null),
        ("a chunk without anything", vec![json!({})], json!({ "candidates": [] })),
        (
            "HOOK-172: texts join, the rest is the last chunk's",
            vec![
                json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "Hel" }] }, "index": 0,
                              "safetyRatings": [{ "category": "A", "probability": "LOW" }] }],
                            "usageMetadata": { "promptTokenCount": 1 }, "modelVersion": "m" }),
                json!({ "candidates": [{ "content": { "parts": [{ "text": "lo" }] } }] }),
                json!({ "candidates": [{ "finishReason": "STOP", "index": 0, "citationMetadata": {} }],
                            "usageMetadata": { "totalTokenCount": 9, "thoughtsTokenCount": 3 }, "responseId": "r" }),
            ],
            json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "Hello" }] },
                            "finishReason": "STOP", "index": 0,
                            "safetyRatings": [{ "category": "A", "probability": "LOW" }], "citationMetadata": {} }],
                        "usageMetadata": { "totalTokenCount": 9, "thoughtsTokenCount": 3 },
                        "modelVersion": "m", "responseId": "r" }),
        ),
        (
            "thinking stays apart",
            vec![
                chunk_of(&json!({ "text": "hm", "thought": true })),
                chunk_of(&json!({ "text": "m", "thought": true })),
                chunk_of(&json!({ "text": "a", "thought": false })),
                chunk_of(&json!({ "text": "b" })),
            ],
            json!({ "candidates": [{ "content": { "role": "model", "parts": [
                    { "text": "hmm", "thought": true }, { "text": "ab", "thought": false }] } }] }),
        ),
        (
            "calls keep every field and their place",
            vec![
                chunk_of(&json!({ "text": "a" })),
                chunk_of(&signed),
                chunk_of(&signed),
                chunk_of(&json!({ "text": "b" })),
            ],
            json!({ "candidates": [{ "content": { "role": "model", "parts": [
                    { "text": "a" }, signed, signed, { "text": "b" }] } }] }),
        ),
        (
            "signed text stays a part of its own, also an empty one",
            vec![
                chunk_of(&json!({ "text": "a", "thoughtSignature": "x" })),
                chunk_of(&json!({ "text": "b" })),
                chunk_of(&json!({ "text": "" })),
                chunk_of(&json!({ "text": "", "thoughtSignature": "y" })),
            ],
            json!({ "candidates": [{ "content": { "role": "model", "parts": [
                    { "text": "a", "thoughtSignature": "x" }, { "text": "b" },
                    { "text": "", "thoughtSignature": "y" }] } }] }),
        ),
        (
            "candidates by index, in order",
            vec![
                json!({ "candidates": [{ "index": 1, "content": { "parts": [{ "text": "x" }] } }] }),
                json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] } },
                                           { "content": { "parts": [{ "text": "y" }] } }] }),
            ],
            json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] } },
                                       { "index": 1, "content": { "parts": [{ "text": "xy" }] } }] }),
        ),
    ] {
        assert_eq!(collect(chunks), expected, "{what}");
    }
}

proptest! {
    /// HOOK-050, HOOK-172: the complete response does not depend on how the answer was cut into chunks.
    #[test]
    fn how_a_text_is_cut_makes_no_difference(
        pieces in proptest::collection::vec((any::<bool>(), ".{0,6}"), 0..12),
    ) {
        let part = |thought: bool, text: &str| {
            if thought { json!({ "text": text, "thought": true }) } else { json!({ "text": text }) }
        };
        let coarse = pieces.iter().map(|(thought, text)| chunk_of(&part(*thought, text)));
        let fine = pieces.iter().flat_map(|(thought, text)| {
            text.chars().map(|letter| chunk_of(&part(*thought, &letter.to_string())))
        });
        // One more chunk, so that an empty answer has a chunk too.
        let end = || std::iter::once(chunk_of(&part(false, "")));
        prop_assert_eq!(collect(fine.chain(end())), collect(coarse.chain(end())));
    }
}
