use serde_json::{Value, json};

use super::*;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{PartialLlmRequest, PartialLlmResponse};

fn object(value: &Value) -> &JsonObject {
    value.as_object().unwrap()
}

fn in_words(problems: &[TranslationError]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// A request as a payload and as a hook's answer, and what is wrong with it in either.
fn request_of_both(request: &Value) -> [(PartialLlmRequest, Vec<String>); 2] {
    let of_program = read_request(object(request).clone(), Writer::Program);
    let of_hook = read_request(object(request).clone(), Writer::Hook);
    [of_program, of_hook].map(|(request, problems)| (request, in_words(&problems)))
}

fn response_of_both(response: &Value) -> [std::result::Result<PartialLlmResponse, String>; 2] {
    let of_program = read_response(object(response).clone(), Writer::Program);
    let of_hook = read_response(object(response).clone(), Writer::Hook);
    [of_program, of_hook].map(|response| response.map_err(|problem| problem.to_string()))
}

#[test]
fn what_is_written_by_the_protocol_is_read_alike() {
    let message = |content: Value| json!({ "messages": [{ "role": "user", "content": content }] });
    for request in [
        json!({}),
        json!({ "model": "m", "messages": [] }),
        json!({ "model": null, "messages": [], "config": null, "toolConfig": null }),
        message(json!("hi")),
        message(json!("")),
        message(json!([])),
        message(json!(["a", { "text": "b", "thought": true }])),
        json!({ "messages": [{ "role": "system", "content": "s" }, { "role": "tool", "content": "t" }] }),
        json!({ "config": { "temperature": 0.5, "maxOutputTokens": 9, "topP": 1, "topK": 2.5 } }),
        json!({ "config": { "candidateCount": 1, "presencePenalty": -1, "frequencyPenalty": 0.1 } }),
        json!({ "config": { "stopSequences": ["a", ""], "topK": null } }),
        json!({ "config": null, "generationConfig": { "topK": 3 } }),
        json!({ "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["a"], "unknown": 1 } }),
        json!({ "toolConfig": { "mode": "AUTO" } }),
    ] {
        let [of_program, of_hook] = request_of_both(&request);
        assert_eq!(of_program, of_hook, "{request}");
        assert!(of_hook.1.is_empty(), "{request}");
    }
    for response in [
        json!({}),
        json!({ "text": "hi", "candidates": [] }),
        json!({ "candidates": [{}, { "content": {} }, { "content": { "role": "x", "parts": ["hi", ""] } }] }),
        json!({ "candidates": [{
            "content": { "role": "model", "parts": [{ "text": "h" }, "i"] },
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [{ "category": "c", "probability": "LOW", "blocked": true }],
        }] }),
        json!({ "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": null, "totalTokenCount": 2 } }),
    ] {
        let [of_program, of_hook] = response_of_both(&response);
        assert_eq!(of_program, of_hook, "{response}");
        assert!(of_hook.is_ok(), "{response}");
    }
}

#[test]
fn mistakes_are_named_alike() {
    let message = |content: Value| json!({ "messages": [{ "role": "user", "content": content }] });
    for (request, place) in [
        (json!({ "model": 5 }), "model"),
        (json!({ "messages": "hi" }), "messages"),
        (json!({ "messages": [5] }), "messages[0]"),
        (json!({ "messages": [{ "role": 5, "content": "hi" }] }), "messages[0].role"),
        (json!({ "messages": [{ "role": "user" }] }), "messages[0].content"),
        (message(json!(5)), "messages[0].content"),
        (message(json!([{ "functionCall": {} }])), "messages[0].content[0]"),
        (message(json!(["a", { "text": 5 }])), "messages[0].content[1].text"),
        (json!({ "config": "hot" }), "config"),
        (json!({ "config": { "stopSequences": ["a", 5] } }), "config.stopSequences[1]"),
        (json!({ "config": null, "generationConfig": { "topK": [] } }), "generationConfig.topK"),
        (json!({ "toolConfig": 5 }), "toolConfig"),
        (json!({ "toolConfig": { "mode": "SOME" } }), "toolConfig.mode"),
        (json!({ "toolConfig": { "allowedFunctionNames": [5] } }), "toolConfig.allowedFunctionNames[0]"),
    ] {
        let [(_, of_program), (_, of_hook)] = request_of_both(&request);
        assert_eq!(of_program, of_hook, "{request}");
        assert!(of_hook.concat().starts_with(&format!("`llm_request.{place}`: ")), "{of_hook:?}");
    }
    let candidate = |candidate: Value| json!({ "candidates": [candidate] });
    for (response, place) in [
        (json!({ "text": 5 }), "text"),
        (json!({ "candidates": "hi" }), "candidates"),
        (candidate(json!(5)), "candidates[0]"),
        (candidate(json!({ "content": { "role": 5 } })), "candidates[0].content.role"),
        (candidate(json!({ "content": { "parts": [5] } })), "candidates[0].content.parts[0]"),
        (candidate(json!({ "finishReason": 5 })), "candidates[0].finishReason"),
        (candidate(json!({ "index": -1 })), "candidates[0].index"),
        (candidate(json!({ "safetyRatings": [5] })), "candidates[0].safetyRatings[0]"),
        (json!({ "usageMetadata": 5 }), "usageMetadata"),
        (json!({ "usageMetadata": { "totalTokenCount": "2" } }), "usageMetadata.totalTokenCount"),
    ] {
        let [of_program, of_hook] = response_of_both(&response).map(|read| read.unwrap_err());
        assert_eq!(of_program, of_hook, "{response}");
        assert!(of_hook.starts_with(&format!("`llm_response.{place}`: ")), "{of_hook}");
    }
}

#[test]
fn only_hooks_may_write_what_is_shortest() {
    let message = |role: &str| json!({ "messages": [{ "role": role, "content": ["hi"] }] });
    for (request, canonical) in [
        (json!({ "messages": ["hi"] }), message("user")),
        (json!({ "messages": [{ "content": "hi" }] }), message("user")),
        (json!({ "messages": [{ "role": "model", "parts": ["hi"] }] }), message("model")),
    ] {
        let [(_, of_program), of_hook] = request_of_both(&request);
        assert_eq!(of_program.len(), 1, "{request}");
        assert_eq!(of_hook, request_of_both(&canonical)[1], "{request}");
    }
    let candidate = |candidate: Value| json!({ "candidates": [candidate] });
    let said = |text: &str| candidate(json!({ "content": { "parts": [text] } }));
    let rating = |rating: Value| candidate(json!({ "safetyRatings": [rating] }));
    for (response, canonical) in [
        (candidate(json!({ "content": "hi" })), said("hi")),
        (candidate(json!({ "content": ["hi"] })), said("hi")),
        (candidate(json!({ "content": { "parts": "hi" } })), said("hi")),
        (candidate(json!({ "content": { "parts": [{ "functionCall": {} }] } })), said("")),
        (rating(json!({ "category": "c" })), rating(json!({ "category": "c", "probability": "" }))),
    ] {
        let [of_program, of_hook] = response_of_both(&response);
        assert!(of_program.is_err(), "{response}");
        assert_eq!(of_hook, response_of_both(&canonical)[1], "{response}");
    }
}

#[test]
fn what_is_not_read_is_kept() {
    let request = json!({
        "id": 1,
        "messages": [{ "role": "user", "content": "hi", "name": "n" }],
        "contents": ["hi"],
        "config": { "topK": 1, "seed": 5 },
        "generationConfig": {},
        "systemInstruction": "s",
    });
    let [(of_program, _), (of_hook, _)] = request_of_both(&request);
    let kept = json!({ "id": 1, "contents": ["hi"], "generationConfig": {}, "systemInstruction": "s" });
    assert_eq!(Value::Object(of_program.extra), kept);
    assert_eq!(of_program.messages.unwrap()[0].extra.as_deref(), Some(object(&json!({ "name": "n" }))));
    assert_eq!(*of_program.config.unwrap().extra, *object(&json!({ "seed": 5 })));
    assert_eq!(of_program.system_instruction, None);

    assert_eq!(Value::Object(of_hook.extra), json!({ "id": 1, "contents": ["hi"], "generationConfig": {} }));
    assert_eq!(of_hook.system_instruction.unwrap().parts, ["s"]);

    let response = json!({ "latency": 1, "candidates": [{ "content": {}, "parts": ["x"], "logprobs": 2 }] });
    let [of_program, of_hook] = response_of_both(&response).map(|response| response.unwrap());
    assert_eq!(Value::Object(of_program.extra), json!({ "latency": 1 }));
    let kept = json!({ "parts": ["x"], "logprobs": 2 });
    assert_eq!(of_program.candidates.unwrap()[0].extra.as_deref(), Some(object(&kept)));
    assert_eq!(Value::Object(of_hook.extra), json!({ "latency": 1 }));
}

#[test]
fn each_field_of_a_request_is_read_by_itself() {
    let request = json!({
        "model": 5,
        "messages": [{ "role": "user", "content": "redacted" }],
        "config": { "temperature": "hot", "topP": 0.5, "stopSequences": 5 },
        "toolConfig": { "mode": "SOME", "allowedFunctionNames": ["a"] },
    });
    for (read, problems) in request_of_both(&request) {
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert_eq!(read.messages.unwrap().len(), 1);
        assert_eq!(read.config.unwrap().top_p, serde_json::Number::from_f64(0.5));
        assert_eq!(read.tool_config, None, "half a restriction is none");
    }
}
