//! The translator case by case.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::*;
use crate::formats::genai::{Content, ToolConfig};

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
    serde_json::to_value(to_hook_llm_request(request)).unwrap()
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
        assert!(message.content.0.iter().all(|piece| matches!(piece, Cow::Borrowed(_))), "{message:?}");
    }
    let response = GenerateContentResponse::from_text("said");
    let translated = DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&response);
    let texts = translated.text.iter().flat_map(|text| &text.0);
    let parts = translated.candidates.iter().flat_map(|candidate| &candidate.content.parts);
    assert!(texts.chain(parts).all(|text| matches!(text, Cow::Borrowed(_))));
}

/// Applies an edit to the messages as shown and gives the whole answer back.
fn edited(edit: impl FnOnce(&mut Vec<Value>)) -> Value {
    let base = conversation();
    let mut given = object(shown(&base));
    edit(given["messages"].as_array_mut().unwrap());
    let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.config, base.config, "HOOK-078: system instruction, tools and unknown fields stay");
    serde_json::to_value(changed.contents).unwrap()
}

fn original(place: usize) -> Value {
    serde_json::to_value(&conversation().contents[place]).unwrap()
}

#[test]
fn a_changed_message_keeps_what_is_not_text() {
    // HOOK-078, L4.
    let contents = edited(|messages| messages[0]["content"] = json!("look at ***"));
    let image_kept =
        json!({ "role": "user", "parts": [{ "text": "look at ***" }, { "inlineData": { "data": "png" } }] });
    assert_eq!(contents, json!([image_kept, original(1), original(2), original(3)]), "HOOK-078");

    let contents = edited(|messages| messages[1]["content"] = json!("Looking"));
    let mut call_kept = original(1);
    call_kept["parts"][1]["text"] = json!("Looking");
    assert_eq!(contents, json!([original(0), call_kept, original(2), original(3)]), "HOOK-078");
}

#[test]
fn a_removed_message_keeps_its_tool_call_only() {
    let contents = edited(|messages| drop(messages.remove(1)));
    let mut call = original(1);
    call["parts"].as_array_mut().unwrap().remove(1);
    assert_eq!(contents, json!([original(0), call, original(2), original(3)]), "HOOK-078");

    let contents = edited(|messages| drop(messages.pop()));
    assert_eq!(contents, json!([original(0), original(1), original(2)]), "a mere text is gone");

    let contents = edited(Vec::clear);
    assert_eq!(contents.as_array().unwrap().len(), 3, "image, call and result stay: {contents}");
    assert!(!contents.to_string().contains("cat"), "{contents}");
}

#[test]
fn added_messages_land_where_they_were_put() {
    let added = |text: &str| json!({ "role": "user", "parts": [{ "text": text }] });
    let message = |text: &str| json!({ "role": "user", "content": text });
    // HOOK-039: appended after the existing messages.
    assert_eq!(
        edited(|messages| messages.push(message("context"))),
        json!([original(0), original(1), original(2), original(3), added("context")]),
        "HOOK-039"
    );
    assert_eq!(
        edited(|messages| messages.insert(0, message("first"))),
        json!([added("first"), original(0), original(1), original(2), original(3)])
    );
    // After the message that makes the call, but never between the call and its result.
    assert_eq!(
        edited(|messages| messages.insert(2, message("between"))),
        json!([original(0), original(1), original(2), added("between"), original(3)])
    );
    // HOOK-039: also where the conversation ends with an entry that hooks do not see.
    let mut base = conversation();
    base.contents.pop();
    let mut given = object(shown(&base));
    given["messages"].as_array_mut().unwrap().push(message("context"));
    let changed = from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.contents.len(), 4, "HOOK-039");
    assert_eq!(changed.contents[3], Content::text("user", "context"), "HOOK-039");
}

#[test]
fn an_answer_to_a_call_is_never_cut_off_even_when_it_has_text() {
    let base = request(json!({ "contents": [
        { "role": "model", "parts": [{ "text": "call" }, { "functionCall": { "name": "f" } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "f" } }, { "text": "note" }] },
    ] }));
    let given = object(json!({ "messages": [
        { "role": "model", "content": "call" }, { "role": "user", "content": "new" }, { "role": "user", "content": "note" },
    ] }));
    let changed = from_hook_llm_request(&given, &base).unwrap();
    assert_eq!(changed.contents[..2], base.contents[..], "HOOK-078");
    assert_eq!(changed.contents[2], Content::text("user", "new"));
}

#[test]
fn partial_answers_change_what_they_name() {
    // HOOK-078, L3: contents stay untouched without messages; other fields stay without being named.
    let base = conversation();
    for (given, expect) in [
        (json!({}), base.clone()),
        (json!({ "messages": null, "config": null, "toolConfig": null, "model": null }), base.clone()),
        (json!({ "unknown": 1, "config": { "seed": 5 } }), base.clone()),
        (json!({ "config": { "topK": 40.0 } }), base.clone()),
        (
            json!({ "model": "other" }),
            GenerateContentParameters { model: "other".to_owned(), ..base.clone() },
        ),
        (json!({ "config": { "temperature": 0 } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().temperature = Some(0.into());
            expect
        }),
        (json!({ "generationConfig": { "stopSequences": ["END"] } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().stop_sequences = Some(vec!["END".to_owned()]);
            expect
        }),
        (json!({ "systemInstruction": { "role": "system", "parts": ["be brief"] } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().system_instruction =
                Some(json!({ "role": "system", "parts": [{ "text": "be brief" }] }));
            expect
        }),
        (json!({ "toolConfig": { "mode": "NONE" } }), {
            let mut expect = base.clone();
            expect.config.as_mut().unwrap().tool_config = Some(
                serde_json::from_value(
                    json!({ "functionCallingConfig": { "mode": "NONE", "allowedFunctionNames": [] } }),
                )
                .unwrap(),
            );
            expect
        }),
    ] {
        assert_eq!(from_hook_llm_request(&object(given.clone()), &base), Ok(expect), "HOOK-078 {given}");
    }
}

#[test]
fn other_spellings_mean_the_same() {
    // L2: the spelling of the API reference and parts in any form.
    let base = conversation();
    let stable = json!([
        { "role": "user", "content": "look at this" },
        { "role": "model", "content": "I will look" },
        { "role": "model", "content": "it is a dog" },
    ]);
    let expected = from_hook_llm_request(&object(json!({ "messages": stable })), &base).unwrap();
    for given in [
        json!({ "contents": [
            { "role": "user", "parts": ["look at ", { "text": "this" }] },
            { "role": "model", "parts": [{ "text": "I will look" }] },
            { "role": "model", "parts": ["it is a dog"] },
        ] }),
        json!({ "messages": [
            "look at this",
            { "role": "assistant", "content": ["I will look"] },
            { "role": "model", "content": [{ "type": "text", "text": "it is a dog" }] },
            { "role": "user", "content": "" },
        ] }),
    ] {
        assert_eq!(from_hook_llm_request(&object(given.clone()), &base).as_ref(), Ok(&expected), "{given}");
    }
}

#[test]
fn a_request_in_rest_form_is_changed_where_its_fields_stand() {
    let base = request(json!({
        "contents": "hi",
        "generationConfig": { "temperature": 1, "stopSequences": ["a"] },
        "toolConfig": { "functionCallingConfig": { "mode": "AUTO" } },
        "systemInstruction": "be kind",
    }));
    let given = json!({
        "config": { "temperature": 0, "topP": 0.5, "stopSequences": [] },
        "toolConfig": { "allowedFunctionNames": ["a"] },
        "systemInstruction": "be brief",
    });
    let changed = from_hook_llm_request(&object(given), &base).unwrap();
    assert_eq!(
        serde_json::to_value(changed).unwrap(),
        json!({
            "model": "",
            "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }],
            "generationConfig": { "temperature": 0, "stopSequences": [], "topP": 0.5 },
            "toolConfig": { "functionCallingConfig": { "mode": "AUTO", "allowedFunctionNames": ["a"] } },
            "systemInstruction": { "role": "system", "parts": [{ "text": "be brief" }] },
        })
    );
}

#[test]
fn mistakes_are_named_with_their_place() {
    let base = conversation();
    for (given, expected) in [
        (json!({ "model": 5 }), "`llm_request.model`: expected a text, found the number 5"),
        (json!({ "messages": "hi" }), "`llm_request.messages`: expected a list, found the text \"hi\""),
        (json!({ "messages": [7] }), "`llm_request.messages[0]`: expected an object, found the number 7"),
        (
            json!({ "messages": [{ "role": "user" }] }),
            "`llm_request.messages[0].content`: expected a text or a list of parts, found nothing",
        ),
        (
            json!({ "messages": [{ "role": 1, "content": "" }] }),
            "`llm_request.messages[0].role`: expected a text, found the number 1",
        ),
        (
            json!({ "contents": [{ "parts": ["a", { "functionCall": {} }] }] }),
            "`llm_request.contents[0].parts[1]`: expected a text or an object with a `text`, found an object",
        ),
        (json!({ "config": [] }), "`llm_request.config`: expected an object, found a list"),
        (
            json!({ "config": { "temperature": "hot" } }),
            "`llm_request.config.temperature`: expected a number, found the text \"hot\"",
        ),
        (
            json!({ "config": { "stopSequences": ["a", false] } }),
            "`llm_request.config.stopSequences[1]`: expected a text, found `false`",
        ),
        (
            json!({ "toolConfig": { "mode": "SOME" } }),
            "`llm_request.toolConfig.mode`: expected `AUTO`, `ANY` or `NONE`, found the text \"SOME\"",
        ),
        (
            json!({ "systemInstruction": { "parts": 5 } }),
            "`llm_request.systemInstruction.parts`: expected a text or a list of parts, found the number 5",
        ),
    ] {
        let error = from_hook_llm_request(&object(given), &base).unwrap_err();
        assert_eq!(error.to_string(), expected, "DELTA-HPAY-004");
    }
}

#[test]
fn a_mistyped_field_does_not_undo_its_neighbours() {
    let given = json!({
        "messages": [{ "role": "user", "content": "redacted" }],
        "config": { "temperature": "hot", "topP": 0.5 },
    });
    let AppliedRequest { request, problems } =
        apply_hook_llm_request(&object(given), &request(json!({ "contents": "secret" })));
    assert_eq!(request.contents, [Content::text("user", "redacted")]);
    assert_eq!(request.config.unwrap().top_p, serde_json::Number::from_f64(0.5));
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn long_conversations_are_aligned_with_bounded_effort() {
    let entry = |place: usize| {
        let role = if place.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("message {place}") }, { "functionCall": { "name": place.to_string() } }] })
    };
    let base = request(json!({ "contents": (0..6000).map(entry).collect::<Vec<_>>() }));
    let calls = |request: &GenerateContentParameters| -> Vec<String> {
        let contents = request.contents.iter();
        contents
            .map(|content| {
                let text: String = content.parts.iter().filter_map(Part::answer_text).collect();
                let call = content.parts.iter().find_map(|part| part.function_call.as_ref());
                format!("{text} {}", call.map_or("-", |call| &call.name))
            })
            .collect()
    };
    // Few changes far apart: every other message is recognised.
    let mut given = object(shown(&base));
    let messages = given["messages"].as_array_mut().unwrap();
    messages[5990]["content"] = json!("message ****");
    messages.insert(10, json!({ "role": "user", "content": "new" }));
    let changed = calls(&from_hook_llm_request(&given, &base).unwrap());
    assert_eq!(changed.len(), 6001);
    assert_eq!(changed[9..12], ["message 9 9", "new -", "message 10 10"]);
    assert_eq!(changed[5991], "message **** 5990");
    // Everything changed in place: every call stays beside the text that replaced its own.
    let mut given = object(shown(&base));
    for message in given["messages"].as_array_mut().unwrap() {
        message["content"] = json!(format!("re: {}", message["content"].as_str().unwrap()));
    }
    let changed = calls(&from_hook_llm_request(&given, &base).unwrap());
    assert!(changed.iter().enumerate().all(|(place, text)| *text == format!("re: message {place} {place}")));
}

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
        serde_json::to_value(to_hook_llm_response(&original)).unwrap(),
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
        assert_eq!(from_hook_llm_response(&object(given)).unwrap_err().to_string(), expected);
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
    let shown = serde_json::to_value(to_hook_llm_response(&original)).unwrap();
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
        assert!(!response_equals(&given, &original), "{case}");
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

#[test]
fn tool_restrictions_are_merged() {
    let config = |value: Value| -> ToolConfig { serde_json::from_value(value).unwrap() };
    let calling = |value: Value| config(json!({ "functionCallingConfig": value }));
    let base = config(json!({
        "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": ["a", "b"], "stream": true },
        "retrievalConfig": {},
    }));
    let changed = |value: Value| ToolConfig {
        function_calling_config: Some(serde_json::from_value(value).unwrap()),
        ..base.clone()
    };
    for (case, given, base, expected) in [
        (
            "HOOK-074 names alone keep the mode",
            json!({ "allowedFunctionNames": ["a"] }),
            Some(&base),
            changed(json!({ "mode": "ANY", "allowedFunctionNames": ["a"], "stream": true })),
        ),
        (
            "HOOK-074 mode alone keeps the names",
            json!({ "mode": "AUTO" }),
            Some(&base),
            changed(json!({ "mode": "AUTO", "allowedFunctionNames": ["a", "b"], "stream": true })),
        ),
        (
            "HOOK-074 NONE leaves no names",
            json!({ "mode": "NONE", "allowedFunctionNames": ["a"] }),
            Some(&base),
            changed(json!({ "mode": "NONE", "allowedFunctionNames": [], "stream": true })),
        ),
        ("nothing given, nothing changed", json!({}), Some(&base), base.clone()),
        ("no base", json!({ "mode": "ANY" }), None, calling(json!({ "mode": "ANY" }))),
        (
            "no longer NONE",
            json!({ "mode": "AUTO" }),
            Some(&calling(json!({ "mode": "NONE", "allowedFunctionNames": [] }))),
            calling(json!({ "mode": "AUTO" })),
        ),
        (
            "an unknown mode of the SDK stays",
            json!({ "allowedFunctionNames": ["a"] }),
            Some(&calling(json!({ "mode": "VALIDATED" }))),
            calling(json!({ "mode": "VALIDATED", "allowedFunctionNames": ["a"] })),
        ),
    ] {
        assert_eq!(apply_hook_tool_config(&object(given), base), Ok(expected), "{case}");
    }
    let error = apply_hook_tool_config(&object(json!({ "allowedFunctionNames": "a" })), None).unwrap_err();
    assert_eq!(error.to_string(), "`toolConfig.allowedFunctionNames`: expected a list, found the text \"a\"");
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
