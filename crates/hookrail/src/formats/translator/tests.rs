//! The translator case by case.

mod fields;
mod messages;
mod response;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::*;
use crate::formats::genai::{Content, GenerateContentParameters, GenerateContentResponse, ToolConfig};
use crate::formats::json_object::JsonObject;

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

fn request(value: Value) -> GenerateContentParameters {
    serde_json::from_value(value).unwrap()
}

fn response(value: Value) -> GenerateContentResponse {
    serde_json::from_value(value).unwrap()
}

/// A conversation with a tool call, its result, an image and thinking.
fn conversation() -> GenerateContentParameters {
    request(json!({
        "model": "gemini",
        "contents": [
            { "role": "user", "parts": [{ "text": "look at " }, { "inlineData": { "data": "png" } }, { "text": "this" }] },
            { "role": "model", "parts": [
                { "text": "hm", "thought": true },
                { "text": "I will look" },
                { "functionCall": { "id": "1", "name": "read_file", "args": { "path": "a" } } },
            ] },
            { "role": "user", "parts": [{ "functionResponse": { "id": "1", "name": "read_file", "response": {} } }] },
            { "role": "model", "parts": [{ "text": "it is a cat" }] },
        ],
        "config": {
            "systemInstruction": "be kind",
            "temperature": 0.5,
            "topK": 40,
            "tools": [{ "functionDeclarations": [{ "name": "read_file" }] }],
            "toolConfig": { "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["read_file"] } },
            "abortSignal": {},
        },
    }))
}

fn shown(request: &GenerateContentParameters) -> Value {
    serde_json::to_value(DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(request)).unwrap()
}

#[test]
fn a_request_in_the_stable_format() {
    // HOOK-035, HOOK-071, HOOK-072, HOOK-074, HOOK-075, HOOK-076: the documented fields and nothing else;
    // texts only; the message that is a mere tool result is gone; no system instruction, no tools.
    assert_eq!(
        shown(&conversation()),
        json!({
            "model": "gemini",
            "messages": [
                { "role": "user", "content": "look at this" },
                { "role": "model", "content": "I will look" },
                { "role": "model", "content": "it is a cat" },
            ],
            "config": { "temperature": 0.5, "topK": 40 },
            "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["read_file"] },
        })
    );
    // HOOK-072: all steering fields of the format, also in the REST spelling.
    let config = json!({
        "temperature": 1, "maxOutputTokens": 2, "topP": 0.1, "topK": 3, "stopSequences": ["END"],
        "candidateCount": 4, "presencePenalty": -0.5, "frequencyPenalty": 0.25,
    });
    for spelling in ["config", "generationConfig"] {
        let request = request(json!({ "model": "m", "contents": "hi", spelling: config }));
        assert_eq!(shown(&request)["config"], config, "HOOK-072 {spelling}");
        assert_eq!(shown(&request)["messages"], json!([{ "role": "user", "content": "hi" }]));
    }
}

#[test]
fn roles_are_user_model_and_system() {
    for (role, expected) in
        [("user", "user"), ("model", "model"), ("system", "system"), ("function", "user"), ("tool", "user")]
    {
        let request = request(json!({ "contents": [{ "role": role, "parts": [{ "text": "x" }] }] }));
        assert_eq!(shown(&request)["messages"][0]["role"], expected, "HOOK-072 {role}");
    }
}

#[test]
fn translation_borrows_every_text() {
    let request = conversation();
    let translated = DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&request);
    assert!(matches!(translated.model, Cow::Borrowed(_)));
    for message in &translated.messages {
        assert!(matches!(message.role, Cow::Borrowed(_)));
        // Texts in several parts are joined.
        assert_eq!(
            matches!(message.content, Cow::Borrowed(_)),
            message.content != "look at this",
            "{message:?}"
        );
    }
    let response = GenerateContentResponse::from_text("said");
    let translated = DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&response);
    let parts = translated.candidates.iter().flat_map(|candidate| &candidate.content.parts);
    assert!(translated.text.iter().chain(parts).all(|text| matches!(text, Cow::Borrowed(_))));
}

#[test]
fn numbers_survive_in_fields_the_types_do_not_name() {
    let text = r#"{"model":"m","contents":[{"parts":[{"x":18446744073709551615,"y":-9223372036854775808,"z":[1e-300,0.1,1.0,1e+20]}]}]}"#;
    let request: GenerateContentParameters = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&request).unwrap(), text, "HOOK-078");
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(
        serde_json::to_value(serde_json::from_value::<GenerateContentParameters>(value.clone()).unwrap())
            .unwrap(),
        value
    );
}
