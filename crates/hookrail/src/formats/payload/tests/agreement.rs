//! The stable format is read in two places: here, from payloads of other programs, and in the translator, from answers of
//! hooks. What both accept they must read alike, and what both refuse they must report alike.

use super::*;
use crate::formats::genai::GenerateContentParameters;
use crate::formats::translator::{
    TranslationError, from_hook_llm_request, from_hook_llm_response, to_hook_llm_request,
    to_hook_llm_response,
};

/// Place, expectation and finding of an error, in the words that both readers use.
fn as_payload_error(error: TranslationError) -> String {
    ValidationError::from(error).to_string()
}

fn request_of_payload(request: &Value) -> Result<Value, String> {
    let input = parse_input(EventName::BeforeModel, json!({ "llm_request": request }));
    input.map(|input| own_fields(&input)["llm_request"].clone()).map_err(|error| error.to_string())
}

/// The same request as the answer of a hook that was shown an empty one.
fn request_of_answer(request: &Value) -> Result<Value, String> {
    let answer = request.as_object().unwrap();
    let applied = from_hook_llm_request(answer, &GenerateContentParameters::default());
    applied.map(|request| json!(to_hook_llm_request(&request))).map_err(as_payload_error)
}

fn response_of_payload(response: &Value) -> Result<Value, String> {
    let payload = json!({ "llm_request": { "messages": [] }, "llm_response": response });
    let input = parse_input(EventName::AfterModel, payload);
    input.map(|input| own_fields(&input)["llm_response"].clone()).map_err(|error| error.to_string())
}

fn response_of_answer(response: &Value) -> Result<Value, String> {
    let built = from_hook_llm_response(response.as_object().unwrap());
    built.map(|response| json!(to_hook_llm_response(&response))).map_err(as_payload_error)
}

#[test]
fn both_readers_of_requests_agree() {
    let message = |content: Value| json!({ "messages": [{ "role": "user", "content": content }] });
    let config = |config: Value| json!({ "messages": [], "config": config });
    for (request, is_sound) in [
        (json!({ "model": "m", "messages": [] }), true),
        (json!({ "model": null, "messages": [], "config": null, "toolConfig": null }), true),
        (message(json!("hi")), true),
        (message(json!(["a", { "text": "b" }])), true),
        (
            json!({ "messages": [
                { "role": "system", "content": "s" },
                { "role": "model", "content": "m" },
                { "role": "user", "content": "u" },
            ] }),
            true,
        ),
        (config(json!({ "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 2.5 })), true),
        (config(json!({ "candidateCount": 1, "presencePenalty": -1, "frequencyPenalty": 0.1 })), true),
        (config(json!({ "stopSequences": ["a", ""], "topK": null })), true),
        (json!({ "messages": [], "generationConfig": { "topK": 3 } }), true),
        (json!({ "messages": [], "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["a"] } }), true),
        (json!({ "messages": [], "toolConfig": { "mode": "AUTO" } }), true),
        (json!({ "model": 5, "messages": [] }), false),
        (json!({ "messages": "hi" }), false),
        (json!({ "messages": [5] }), false),
        (json!({ "messages": [{ "role": 5, "content": "hi" }] }), false),
        (json!({ "messages": [{ "role": "user" }] }), false),
        (message(json!(5)), false),
        (message(json!([5])), false),
        (message(json!([{ "functionCall": {} }])), false),
        (config(json!("hot")), false),
        (config(json!({ "temperature": "hot" })), false),
        (config(json!({ "stopSequences": "a" })), false),
        (config(json!({ "stopSequences": ["a", 5] })), false),
        (json!({ "messages": [], "toolConfig": 5 }), false),
        (json!({ "messages": [], "toolConfig": { "mode": "SOME" } }), false),
        (json!({ "messages": [], "toolConfig": { "allowedFunctionNames": [5] } }), false),
    ] {
        let read = request_of_payload(&request);
        assert_eq!(read, request_of_answer(&request), "{request}");
        assert_eq!(read.is_ok(), is_sound, "{request}");
    }
}

#[test]
fn both_readers_of_responses_agree() {
    // The `text` says which form it is: without it and without bare texts, a payload is in the SDK's form.
    let candidate = |candidate: Value| json!({ "text": "hi", "candidates": [candidate] });
    for (response, is_sound) in [
        (json!({ "text": "hi" }), true),
        (candidate(json!({ "content": { "parts": ["hi"] }, "finishReason": "STOP", "index": 0 })), true),
        (
            candidate(json!({
                "content": { "role": "model", "parts": [{ "text": "h" }, "i"] },
                "finishReason": "STOP",
                "index": 0,
                "safetyRatings": [{ "category": "c", "probability": "LOW" }],
            })),
            true,
        ),
        (json!({ "text": "hi", "usageMetadata": { "promptTokenCount": 1, "totalTokenCount": 2 } }), true),
        (json!({ "text": 5 }), false),
        (json!({ "text": "hi", "candidates": "hi" }), false),
        (candidate(json!(5)), false),
        (candidate(json!({ "content": { "role": 5 } })), false),
        (candidate(json!({ "content": { "parts": [5] } })), false),
        (candidate(json!({ "finishReason": 5 })), false),
        (candidate(json!({ "index": -1 })), false),
        (candidate(json!({ "safetyRatings": 5 })), false),
        (candidate(json!({ "safetyRatings": [5] })), false),
        (json!({ "text": "hi", "usageMetadata": 5 }), false),
        (json!({ "text": "hi", "usageMetadata": { "totalTokenCount": "2" } }), false),
    ] {
        let read = response_of_payload(&response);
        assert_eq!(read, response_of_answer(&response), "{response}");
        assert_eq!(read.is_ok(), is_sound, "{response}");
    }
}

#[test]
fn the_readers_differ_where_their_writers_do() {
    // A program that sends a payload has read the protocol; a script that answers may write what is shortest.
    for (request, of_payload, of_answer) in [
        (json!({ "messages": ["hi"] }), false, true),
        (json!({ "messages": [{ "content": "hi" }] }), false, true),
        (json!({ "messages": [{ "role": "user", "parts": "hi" }] }), false, true),
    ] {
        assert_eq!(request_of_payload(&request).is_ok(), of_payload, "{request}");
        assert_eq!(request_of_answer(&request).is_ok(), of_answer, "{request}");
    }
    // A payload goes on to hooks as it came; an answer becomes a request of the SDK, which knows none of this.
    let request =
        json!({ "model": "", "messages": [{ "role": "tool", "content": "", "name": "t" }], "unknown": 1 });
    assert_eq!(request_of_payload(&request), Ok(request.clone()));
    assert_eq!(request_of_answer(&request), Ok(json!({ "model": "", "messages": [] })));
}
