//! What must hold for every request and every answer.

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Number, Value, json};

use super::{DEFAULT_HOOK_TRANSLATOR, apply_hook_llm_request, apply_hook_llm_response};
use crate::formats::genai::{
    Content, FunctionCall, FunctionResponse, GenerateContentConfig, GenerateContentParameters,
    GenerateContentResponse, Part,
};
use crate::formats::json_object::JsonObject;

/// What a hook reads: the value written as text and parsed again.
fn over_the_wire(value: &impl Serialize) -> JsonObject {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-c]{1,2}",
        Just("my password is hunter2".to_owned()),
        any::<String>().prop_map(|text| text.chars().take(12).collect()),
    ]
}

fn extra() -> impl Strategy<Value = JsonObject> {
    prop_oneof![
        3 => Just(JsonObject::new()),
        1 => Just(object(json!({ "inlineData": { "mimeType": "image/png", "data": "iVBOR" } }))),
        1 => Just(object(json!({ "thoughtSignature": "c2ln" }))),
        1 => any::<u64>().prop_map(|number| object(json!({ "nextYear": [number, -1.5e-300, null] }))),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let call = text().prop_map(|id| FunctionCall {
        id: Some(id),
        name: "read_file".to_owned(),
        args: Some(object(json!({ "path": "a" }))),
        extra: JsonObject::new(),
    });
    let answer = extra().prop_map(|extra| FunctionResponse {
        name: "read_file".to_owned(),
        response: Some(object(json!({ "output": "b" }))),
        extra,
        ..FunctionResponse::default()
    });
    (
        prop_oneof![3 => text().prop_map(Some), 1 => Just(None)],
        prop_oneof![4 => Just(None), 1 => any::<bool>().prop_map(Some)],
        prop_oneof![4 => Just(None), 1 => call.prop_map(Some)],
        prop_oneof![5 => Just(None), 1 => answer.prop_map(Some)],
        extra(),
    )
        .prop_map(|(text, thought, function_call, function_response, extra)| Part {
            text,
            thought,
            function_call,
            function_response,
            extra,
        })
}

fn role() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        3 => Just(Some("user".to_owned())),
        3 => Just(Some("model".to_owned())),
        1 => Just(Some("system".to_owned())),
        1 => Just(Some("function".to_owned())),
        1 => Just(None),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    (role(), prop::collection::vec(part(), 0..4), extra()).prop_map(|(role, parts, extra)| Content {
        role,
        parts,
        extra,
    })
}

fn number() -> impl Strategy<Value = Option<Number>> {
    prop_oneof![
        2 => Just(None),
        1 => any::<u64>().prop_map(|number| Some(Number::from(number))),
        1 => any::<f64>().prop_map(Number::from_f64),
        1 => (0_i32..20).prop_map(|number| Number::from_f64(f64::from(number) / 2.0)),
    ]
}

fn tool_config() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({ "functionCallingConfig": {} })),
        Just(json!({ "functionCallingConfig": { "mode": "NONE", "allowedFunctionNames": ["a"] } })),
        Just(json!({ "functionCallingConfig": { "mode": "VALIDATED" }, "retrievalConfig": { "x": 1 } })),
        Just(json!({ "functionCallingConfig": { "allowedFunctionNames": [], "stream": true } })),
    ]
}

fn config() -> impl Strategy<Value = GenerateContentConfig> {
    (
        (number(), number(), number(), number(), number(), number(), number()),
        prop::option::of(prop::collection::vec(text(), 0..3)),
        prop::option::of(tool_config()),
        extra(),
    )
        .prop_map(|(numbers, stop_sequences, tool_config, extra)| {
            let (temperature, max_output_tokens, top_p, top_k, candidate_count, presence, frequency) =
                numbers;
            GenerateContentConfig {
                system_instruction: Some(json!("be kind")),
                temperature,
                max_output_tokens,
                top_p,
                top_k,
                stop_sequences,
                candidate_count,
                presence_penalty: presence,
                frequency_penalty: frequency,
                tools: Some(vec![json!({ "functionDeclarations": [{ "name": "read_file" }] })]),
                tool_config: tool_config.map(|value| serde_json::from_value(value).unwrap()),
                extra,
            }
        })
}

fn request_extra() -> impl Strategy<Value = JsonObject> {
    prop_oneof![
        2 => extra(),
        1 => (number(), tool_config()).prop_map(|(number, tools)| object(json!({
            "generationConfig": { "temperature": number, "topK": "odd", "stopSequences": ["x"], "seed": 1 },
            "toolConfig": tools,
            "systemInstruction": "be brief",
        }))),
    ]
}

fn request() -> impl Strategy<Value = GenerateContentParameters> {
    (text(), prop::collection::vec(content(), 0..8), prop::option::of(config()), request_extra()).prop_map(
        |(model, contents, config, extra)| GenerateContentParameters { model, contents, config, extra },
    )
}

/// What a script does to the messages it was shown.
#[derive(Debug, Clone)]
enum Edit {
    Remove(prop::sample::Index),
    Rewrite(prop::sample::Index, String),
    Insert(prop::sample::Index, &'static str, String),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let place = any::<prop::sample::Index>;
    let edit = prop_oneof![
        place().prop_map(Edit::Remove),
        (place(), text()).prop_map(|(place, text)| Edit::Rewrite(place, text)),
        (place(), prop::sample::select(vec!["user", "model", "system"]), text())
            .prop_map(|(place, role, text)| Edit::Insert(place, role, text)),
    ];
    prop::collection::vec(edit, 0..6)
}

fn edit(messages: &mut Vec<Value>, edits: Vec<Edit>) {
    for edit in edits {
        match edit {
            Edit::Remove(place) if !messages.is_empty() => {
                messages.remove(place.index(messages.len()));
            }
            Edit::Rewrite(place, text) if !messages.is_empty() => {
                let place = place.index(messages.len());
                messages[place]["content"] = json!(text);
            }
            Edit::Remove(_) | Edit::Rewrite(..) => {}
            Edit::Insert(place, role, text) => {
                let place = place.index(messages.len() + 1);
                messages.insert(place, json!({ "role": role, "content": text }));
            }
        }
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// Everything in a conversation that a hook never saw.
fn unseen(request: &GenerateContentParameters) -> Vec<Part> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let unseen = parts.filter(|part| {
        part.function_call.is_some()
            || part.function_response.is_some()
            || part.extra.keys().any(|key| key != "thoughtSignature")
    });
    unseen
        .map(|part| match super::shown_text(part) {
            Some(_) => Part { text: None, ..part.clone() },
            None => part.clone(),
        })
        .collect()
}

proptest! {
    // HOOK-078, L4: what comes back unchanged changes nothing at all.
    #[test]
    fn a_request_given_back_is_the_request(base in request()) {
        let given = over_the_wire(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&base));
        prop_assert_eq!(DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base), Ok(base));
    }

    // HOOK-078: the SDK's types lose nothing either, big integers and floats included.
    #[test]
    fn sdk_types_keep_what_they_do_not_know(base in request()) {
        let value = serde_json::to_value(&base).unwrap();
        let read: GenerateContentParameters = serde_json::from_value(value.clone()).unwrap();
        prop_assert_eq!(serde_json::to_value(&read).unwrap(), value);
    }

    // HOOK-078, L4: whatever a script does to the texts, every text comes out as given and everything that
    // it never saw is still there, in order.
    #[test]
    fn edits_of_texts_take_effect_and_destroy_nothing_else(base in request(), edits in edits()) {
        let mut given = over_the_wire(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&base));
        edit(given["messages"].as_array_mut().unwrap(), edits);
        let changed = DEFAULT_HOOK_TRANSLATOR.from_hook_llm_request(&given, &base).unwrap();

        prop_assert_eq!(unseen(&changed), unseen(&base));
        let mut expected = given["messages"].as_array().unwrap().clone();
        expected.retain(|message| message["content"] != "");
        let mut shown = over_the_wire(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&changed))["messages"].as_array().unwrap().clone();
        // A message that would separate a call from its answer may be after the answer instead.
        let mixed = base.contents.iter().any(|content| {
            content.parts.iter().any(|part| part.function_response.is_some())
                && content.parts.iter().any(|part| super::shown_text(part).is_some())
        });
        if mixed {
            shown.sort_by_key(Value::to_string);
            expected.sort_by_key(Value::to_string);
        }
        prop_assert_eq!(shown, expected);
    }

    // HOOK-075, HOOK-076: only texts, and no message without one.
    #[test]
    fn hooks_see_texts_only(base in request()) {
        let shown = over_the_wire(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(&base));
        for message in shown["messages"].as_array().unwrap() {
            prop_assert!(message.as_object().unwrap().keys().eq(["role", "content"]));
            prop_assert!(message["content"].as_str().is_some_and(|text| !text.is_empty()));
        }
    }

    // A script can write anything: it is an error with a place, never a panic.
    #[test]
    fn no_answer_panics(
        base in request(),
        key in prop::sample::select(vec![
            "model", "messages", "contents", "config", "generationConfig", "toolConfig", "systemInstruction",
        ]),
        odd in prop::sample::select(vec![
            json!(5), json!("x"), json!([]), json!([5]), json!({}), json!([{}]), json!(null), json!(true),
            json!([{ "role": 5, "content": "x" }]), json!([{ "parts": [5] }]), json!({ "mode": "SOME" }),
            json!({ "temperature": "hot" }), json!({ "parts": 5 }), json!(["bare text"]),
        ]),
    ) {
        let given = JsonObject::from_iter([(key.to_owned(), odd)]);
        for problem in apply_hook_llm_request(&given, &base).1 {
            let at = format!("llm_request.{key}");
            prop_assert!(problem.field.starts_with(&at), "{problem}");
        }
    }

    // L5: a response given back, wholly or in part, changes nothing.
    #[test]
    fn a_response_given_back_changes_nothing(
        contents in prop::collection::vec(content(), 0..3),
        left_out in prop::sample::subsequence(vec!["text", "candidates", "usageMetadata"], 0..3),
    ) {
        let candidates: Vec<_> = contents.iter().map(|content| json!({
            "content": content,
            "finishReason": "STOP",
            "safetyRatings": [{ "category": "c", "probability": "p", "blocked": true }],
        })).collect();
        let response = json!({ "candidates": candidates, "usageMetadata": { "totalTokenCount": 3 } });
        let response: GenerateContentResponse = serde_json::from_value(response).unwrap();
        let mut given = over_the_wire(&DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(&response));
        for key in left_out {
            given.remove(key);
        }
        prop_assert_eq!(apply_hook_llm_response(&given, &response), Ok(None));
    }
}
