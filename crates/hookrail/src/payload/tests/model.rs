//! Model payloads in the SDK's form and in the stable form.

use super::*;

#[test]
fn payloads_in_the_sdk_form_that_cannot_be_translated() {
    // DELTA-HPAY-004: a failure of its own kind, with the place.
    use EventName::*;
    for (event, key, value, expected) in [
        (
            BeforeModel,
            "llm_request",
            json!({ "contents": 5 }),
            "`llm_request.contents`: expected an object, found the number 5",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "contents": [{ "role": "user", "parts": [{ "text": "a" }, { "text": 5 }] }] }),
            "`llm_request.contents[0].parts[1].text`: expected a text, found the number 5",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "contents": ["a", { "role": 5, "parts": [] }] }),
            "`llm_request.contents[1].role`: expected a text, found the number 5",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "contents": [{ "text": 5 }] }),
            "`llm_request.contents[0].text`: expected a text, found the number 5",
        ),
        (
            BeforeModel,
            "llm_request",
            json!({ "contents": [], "config": { "topK": "x" } }),
            "`llm_request.config.topK`: expected a number, found the text \"x\"",
        ),
        (
            BeforeToolSelection,
            "llm_request",
            json!({ "contents": [{ "role": "model", "parts": [{ "functionCall": { "args": [] } }] }] }),
            "`llm_request.contents[0].parts[0].functionCall.args`: expected an object, found a list",
        ),
        (
            AfterModel,
            "llm_response",
            json!({ "candidates": [{ "content": { "parts": "hi" } }] }),
            "`llm_response.candidates[0].content.parts`: expected a list, found the text \"hi\"",
        ),
        (
            AfterModel,
            "llm_response",
            json!({ "usageMetadata": { "totalTokenCount": -1 } }),
            "`llm_response.usageMetadata.totalTokenCount`: expected a whole number, found the number -1",
        ),
    ] {
        let error = parse_input(event, with(event, key, value)).unwrap_err();
        assert!(matches!(error, InputError::Translation(_)), "DELTA-HPAY-004 {error}");
        assert_eq!(error.to_string(), expected, "DELTA-HPAY-004");
    }
}

#[test]
fn model_payloads_reach_hooks_in_the_stable_form() {
    // DELTA-HPAY-003, HOOK-205: whatever form they came in.
    let stable = json!({
        "model": "m",
        "messages": [{ "role": "user", "content": "hi" }],
        "config": { "temperature": 0.5 },
    });
    for request in [
        stable.clone(),
        json!({ "model": "m", "contents": "hi", "config": { "temperature": 0.5 } }),
        json!({ "model": "m", "contents": { "role": "user", "parts": [{ "text": "hi" }, { "inlineData": {} }] }, "generationConfig": { "temperature": 0.5 } }),
        json!({ "model": "m", "messages": [{ "role": "user", "content": ["h", { "text": "i" }] }], "generationConfig": { "temperature": 0.5 } }),
    ] {
        for event in [EventName::BeforeModel, EventName::BeforeToolSelection] {
            let input = parse_input(event, json!({ "llm_request": request })).unwrap();
            assert_eq!(
                event_specific_fields(&input),
                json!({ "llm_request": stable }),
                "DELTA-HPAY-003 HOOK-205 {request}"
            );
        }
    }
    let stable = json!({
        "text": "hi",
        "candidates": [{ "content": { "role": "model", "parts": ["hi"] }, "finishReason": "STOP", "index": 0 }],
    });
    for response in [
        stable.clone(),
        json!({ "text": "hi" }),
        json!({ "candidates": [{ "content": { "parts": ["hi"] }, "finishReason": "STOP", "index": 0 }] }),
        json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "hi" }, { "functionCall": {} }] }, "finishReason": "STOP", "index": 0 }], "modelVersion": "x" }),
    ] {
        let input = parse_input(
            EventName::AfterModel,
            json!({ "llm_request": { "messages": [] }, "llm_response": response }),
        );
        assert_eq!(
            event_specific_fields(&input.unwrap())["llm_response"],
            stable,
            "DELTA-HPAY-003 {response}"
        );
    }
    let blocked = json!({ "llm_request": { "contents": [] }, "llm_response": { "promptFeedback": { "blockReason": "SAFETY" } } });
    let input = parse_input(EventName::AfterModel, blocked).unwrap();
    assert_eq!(event_specific_fields(&input)["llm_response"], json!({ "candidates": [] }));
}
