use std::borrow::Cow;

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
fn request_of_both(request: &Value) -> [(PartialLlmRequest<'_>, Vec<String>); 2] {
    let of_program = read_request(object(request).clone(), Writer::Program);
    let of_hook = read_request(object(request), Writer::Hook);
    [of_program, of_hook].map(|(request, problems)| (request, in_words(&problems)))
}

fn response_of_both(response: &Value) -> [std::result::Result<PartialLlmResponse<'_>, String>; 2] {
    let of_program = read_response(object(response).clone(), Writer::Program);
    let of_hook = read_response(object(response), Writer::Hook);
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
    for (request, expected) in [
        (json!({ "model": 5 }), "`llm_request.model`: expected a text, found the number 5"),
        (json!({ "messages": "hi" }), "`llm_request.messages`: expected a list, found the text \"hi\""),
        (json!({ "messages": [5] }), "`llm_request.messages[0]`: expected an object, found the number 5"),
        (
            json!({ "messages": [{ "role": 5, "content": "hi" }] }),
            "`llm_request.messages[0].role`: expected a text, found the number 5",
        ),
        (
            json!({ "messages": [{ "role": "user" }] }),
            "`llm_request.messages[0].content`: expected a text or a list of parts, found nothing",
        ),
        (
            message(json!(5)),
            "`llm_request.messages[0].content`: expected a text or a list of parts, found the number 5",
        ),
        (
            message(json!([{ "functionCall": {} }])),
            "`llm_request.messages[0].content[0]`: expected a text or an object with a `text`, found an object",
        ),
        (
            message(json!(["a", { "text": 5 }])),
            "`llm_request.messages[0].content[1].text`: expected a text, found the number 5",
        ),
        (json!({ "config": "hot" }), "`llm_request.config`: expected an object, found the text \"hot\""),
        (
            json!({ "generationConfig": { "topK": [] } }),
            "`llm_request.generationConfig.topK`: expected a number, found a list",
        ),
        (
            json!({ "config": { "stopSequences": ["a", 5] } }),
            "`llm_request.config.stopSequences[1]`: expected a text, found the number 5",
        ),
        (json!({ "toolConfig": 5 }), "`llm_request.toolConfig`: expected an object, found the number 5"),
        (
            json!({ "toolConfig": { "mode": "SOME" } }),
            "`llm_request.toolConfig.mode`: expected `AUTO`, `ANY` or `NONE`, found the text \"SOME\"",
        ),
        (
            json!({ "toolConfig": { "allowedFunctionNames": [5] } }),
            "`llm_request.toolConfig.allowedFunctionNames[0]`: expected a text, found the number 5",
        ),
    ] {
        for (_, problems) in request_of_both(&request) {
            assert_eq!(problems, [expected], "{request}");
        }
    }
    let candidate = |candidate: Value| json!({ "candidates": [candidate] });
    for (response, expected) in [
        (json!({ "text": 5 }), "`llm_response.text`: expected a text, found the number 5"),
        (json!({ "candidates": "hi" }), "`llm_response.candidates`: expected a list, found the text \"hi\""),
        (candidate(json!(5)), "`llm_response.candidates[0]`: expected an object, found the number 5"),
        (
            candidate(json!({ "content": { "role": 5 } })),
            "`llm_response.candidates[0].content.role`: expected a text, found the number 5",
        ),
        (
            candidate(json!({ "content": { "parts": [5] } })),
            "`llm_response.candidates[0].content.parts[0]`: expected a text or an object with a `text`, found the number 5",
        ),
        (
            candidate(json!({ "finishReason": 5 })),
            "`llm_response.candidates[0].finishReason`: expected a text, found the number 5",
        ),
        (
            candidate(json!({ "index": -1 })),
            "`llm_response.candidates[0].index`: expected a whole number, found the number -1",
        ),
        (
            candidate(json!({ "safetyRatings": [5] })),
            "`llm_response.candidates[0].safetyRatings[0]`: expected an object, found the number 5",
        ),
        (
            json!({ "usageMetadata": { "totalTokenCount": "2" } }),
            "`llm_response.usageMetadata.totalTokenCount`: expected a whole number, found the text \"2\"",
        ),
    ] {
        for read in response_of_both(&response) {
            assert_eq!(read.unwrap_err(), expected, "{response}");
        }
    }
}

#[test]
fn only_hooks_may_write_what_is_shortest() {
    for (request, canonical) in [
        (json!({ "messages": ["hi"] }), json!({ "messages": [{ "role": "user", "content": "hi" }] })),
        (
            json!({ "messages": [{ "content": "hi" }] }),
            json!({ "messages": [{ "role": "user", "content": "hi" }] }),
        ),
        (
            json!({ "messages": [{ "role": "model", "parts": ["h", "i"] }] }),
            json!({ "messages": [{ "role": "model", "content": ["h", "i"] }] }),
        ),
    ] {
        let [(_, of_program), of_hook] = request_of_both(&request);
        assert_eq!(of_program.len(), 1, "{request}");
        assert_eq!(of_hook, read_request_of_hook(&canonical), "{request}");
    }
    let said = json!({ "candidates": [{ "content": { "role": "model", "parts": ["hi"] } }] });
    let said = read_response(object(&said), Writer::Hook).unwrap();
    for response in [
        json!({ "candidates": [{ "content": "hi" }] }),
        json!({ "candidates": [{ "content": ["hi"] }] }),
        json!({ "candidates": [{ "content": { "parts": "hi" } }] }),
    ] {
        let [of_program, of_hook] = response_of_both(&response);
        assert!(of_program.is_err(), "{response}");
        assert_eq!(of_hook.as_ref(), Ok(&said), "{response}");
    }
    for response in [
        json!({ "candidates": [{ "content": { "parts": [{ "functionCall": {} }] } }] }),
        json!({ "candidates": [{ "safetyRatings": [{ "category": "c" }] }] }),
    ] {
        let [of_program, of_hook] = response_of_both(&response);
        assert_eq!((of_program.is_ok(), of_hook.is_ok()), (false, true), "{response}");
    }
}

fn read_request_of_hook(request: &Value) -> (PartialLlmRequest<'_>, Vec<String>) {
    let (request, problems) = read_request(object(request), Writer::Hook);
    (request, in_words(&problems))
}

#[test]
fn a_payload_keeps_what_is_not_read_and_an_answer_loses_it() {
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

    assert!(of_hook.extra.is_empty());
    assert_eq!(of_hook.messages.unwrap()[0].extra, None);
    assert!(of_hook.config.unwrap().extra.is_empty());
    assert_eq!(of_hook.system_instruction.unwrap().parts, ["s"]);

    let response = json!({ "latency": 1, "candidates": [{ "content": {}, "parts": ["x"], "logprobs": 2 }] });
    let [of_program, of_hook] = response_of_both(&response).map(|response| response.unwrap());
    assert_eq!(Value::Object(of_program.extra), json!({ "latency": 1 }));
    let kept = json!({ "parts": ["x"], "logprobs": 2 });
    assert_eq!(of_program.candidates.unwrap()[0].extra.as_deref(), Some(object(&kept)));
    assert!(of_hook.extra.is_empty());
    assert_eq!(of_hook.candidates.unwrap()[0].extra, None);
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

#[test]
fn no_text_is_copied() {
    let request = json!({ "model": "m", "messages": [
        { "role": "user", "content": "one" }, { "role": "user", "content": ["two", { "text": "three" }] },
    ] });
    let response =
        json!({ "text": "one", "candidates": [{ "content": { "parts": ["two", { "text": "three" }] } }] });
    let texts_of = |request: PartialLlmRequest<'_>,
                    response: PartialLlmResponse<'_>|
     -> Vec<(String, bool, *const u8)> {
        let messages = request.messages.into_iter().flatten();
        let said = messages.flat_map(|message| std::iter::once(message.role).chain(message.content.0));
        let candidates = response.candidates.into_iter().flatten();
        let answered =
            response.text.into_iter().chain(candidates.flat_map(|candidate| candidate.content.parts));
        let texts = request.model.into_iter().chain(said).chain(answered);
        texts.map(|text| (text.to_string(), matches!(text, Cow::Borrowed(_)), text.as_ptr())).collect()
    };
    let of_hook = texts_of(
        read_request(object(&request), Writer::Hook).0,
        read_response(object(&response), Writer::Hook).unwrap(),
    );
    assert_eq!(of_hook.len(), 9, "{of_hook:?}");
    assert!(of_hook.iter().all(|(_, borrowed, _)| *borrowed), "{of_hook:?}");
    // What is moved stays where it is in memory.
    let (Value::Object(request), Value::Object(response)) = (request, response) else { unreachable!() };
    let of_program =
        texts_of(read_request(request, Writer::Program).0, read_response(response, Writer::Program).unwrap());
    let places = |texts: &[(String, bool, *const u8)]| -> Vec<(String, *const u8)> {
        texts.iter().map(|(text, _, place)| (text.clone(), *place)).collect()
    };
    assert_eq!(places(&of_program), places(&of_hook));
}
