//! Responses.

use super::*;

#[test]
fn a_response_in_the_stable_format() {
    let original = response(json!({
        "candidates": [
            {
                "content": { "role": "model", "parts": [
                    { "text": "thinking", "thought": true }, { "text": "Hel" }, { "text": "lo" },
                    { "functionCall": { "name": "f" } },
                ] },
                "finishReason": "STOP",
                "index": 0,
                "safetyRatings": [{ "category": "c", "probability": "LOW", "blocked": true }],
                "citationMetadata": {},
            },
            { "finishReason": "SAFETY", "index": 1 },
        ],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3, "cachedContentTokenCount": 4 },
        "modelVersion": "x",
    }));
    // HOOK-045, HOOK-071, HOOK-073, HOOK-077: texts only, no `blocked`, the documented fields alone.
    assert_eq!(
        serde_json::to_value(DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&original)).unwrap(),
        json!({
            "text": "Hello",
            "candidates": [
                {
                    "content": { "role": "model", "parts": ["Hel", "lo"] },
                    "finishReason": "STOP",
                    "index": 0,
                    "safetyRatings": [{ "category": "c", "probability": "LOW" }],
                },
                { "content": { "role": "model", "parts": [] }, "finishReason": "SAFETY", "index": 1 },
            ],
            "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3 },
        }),
        "HOOK-073, HOOK-077"
    );
}

#[test]
fn a_response_is_built_from_texts_only() {
    for (given, expected) in [
        (json!({ "text": "hi" }), GenerateContentResponse::from_text("hi")),
        (json!({}), GenerateContentResponse::from_text("")),
        (
            json!({ "candidates": [{ "content": { "parts": ["hi", { "functionCall": { "name": "f" } }] } }] }),
            GenerateContentResponse::from_text("hi"),
        ),
        (
            json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "hi" }] }, "finishReason": "STOP" }] }),
            GenerateContentResponse::from_text("hi"),
        ),
        (json!({ "candidates": [{ "content": "hi" }] }), GenerateContentResponse::from_text("hi")),
    ] {
        let built = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_response(&object(given.clone()));
        assert_eq!(built, Ok(expected), "HOOK-079 {given}");
    }
    for (given, expected) in [
        (json!({ "candidates": {} }), "`llm_response.candidates`: expected a list, found an object"),
        (
            json!({ "candidates": [{ "content": { "parts": [5] } }] }),
            "`llm_response.candidates[0].content.parts[0]`: expected a text or an object with a `text`, found the number 5",
        ),
        (
            json!({ "usageMetadata": { "totalTokenCount": -1 } }),
            "`llm_response.usageMetadata.totalTokenCount`: expected a whole number, found the number -1",
        ),
        (json!({ "text": ["hi"] }), "`llm_response.text`: expected a text, found a list"),
    ] {
        assert_eq!(
            DEFAULT_HOOK_TRANSLATOR.from_hook_llm_response(&object(given)).unwrap_err().to_string(),
            expected
        );
    }
}

#[test]
fn a_changed_response_replaces_the_original() {
    let original = response(json!({
        "candidates": [{
            "content": { "role": "model", "parts": [{ "text": "secret" }, { "functionCall": { "name": "f" } }] },
            "finishReason": "MAX_TOKENS",
            "index": 0,
        }],
        "usageMetadata": { "totalTokenCount": 3 },
        "modelVersion": "x",
    }));
    let with_text = |text: &str| {
        response(json!({
            "candidates": [{
                "content": { "role": "model", "parts": [{ "text": text }] }, "finishReason": "MAX_TOKENS", "index": 0,
            }],
            "usageMetadata": { "totalTokenCount": 3 },
        }))
    };
    let shown = serde_json::to_value(DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&original)).unwrap();
    let changed = |key: &str, value: Value| {
        let mut given = object(shown.clone());
        given.insert(key.to_owned(), value);
        given
    };
    let said = |text: &str| json!([{ "content": { "role": "model", "parts": [text] } }]);
    for (case, given, expected) in [
        ("text alone", object(json!({ "text": "***" })), "***"),
        ("candidates alone", object(json!({ "candidates": said("***") })), "***"),
        ("the text in a whole response", changed("text", json!("***")), "***"),
        ("the candidates in a whole response", changed("candidates", said("***")), "***"),
    ] {
        let built = apply_hook_llm_response(&given, &original);
        assert_eq!(built, Ok(Some(with_text(expected))), "HOOK-079 {case}");
    }
    // Only token counts changed: nothing that was said is lost.
    let built =
        apply_hook_llm_response(&object(json!({ "usageMetadata": { "totalTokenCount": 4 } })), &original);
    let mut expected = original.clone();
    expected.usage_metadata.as_mut().unwrap().total_token_count = Some(4);
    assert_eq!(built, Ok(Some(expected)));
}
