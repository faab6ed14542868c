use std::borrow::Cow;
use std::path::Path;

use super::*;
use crate::event::{BaseFields, HookInput, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::payload::parse_input;

/// Follows a reference, and takes the branch of an optional field that is not null.
fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return resolve(root.pointer(reference.trim_start_matches('#')).unwrap(), root);
    }
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(branches) => resolve(branches.iter().find(|branch| branch["type"] != "null").unwrap(), root),
        None => schema,
    }
}

/// Every object of the value has only properties that the schema lists, and all that it requires.
fn check(value: &Value, schema: &Value, root: &Value, at: &str) {
    let schema = resolve(schema, root);
    match value {
        Value::Object(object) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            for (key, value) in object {
                let property =
                    properties.get(key).unwrap_or_else(|| panic!("{at}.{key} is not in the schema"));
                check(value, property, root, &format!("{at}.{key}"));
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(object.contains_key(required.as_str().unwrap()), "{at}.{required} is missing");
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                check(entry, &schema["items"], root, at);
            }
        }
        _ => {}
    }
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = schema.get("type").map(ToString::to_string).unwrap_or_default().replace("integer", "number");
    assert!(types.is_empty() || types.contains(name), "{at}: {name} is not {types}");
}

#[test]
fn samples_have_exactly_the_fields_of_the_schema() {
    let base = BaseFields {
        session_id: Cow::Borrowed("s"),
        transcript_path: Cow::Borrowed(""),
        cwd: Cow::Borrowed(Path::new("/project")),
        timestamp: "2025-02-18T16:30:00.000Z".to_owned(),
    };
    for event in EventName::ALL {
        let typed = parse_input(event, Value::Object(sample_input(event))).unwrap();
        let input = HookInput { base: &base, event: &typed.event(), extra: &typed.extra };
        let value = serde_json::to_value(input).unwrap();
        let schema = input_schema(event);
        check(&value, &schema, &schema, event.as_str());
        let mut keys: Vec<_> = value.as_object().unwrap().keys().collect();
        let mut listed: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        keys.sort();
        listed.sort();
        assert_eq!(keys, listed, "HOOK-062, HOOK-155 {event}");
        let mut required: Vec<_> =
            schema["required"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        required.sort_unstable();
        assert_eq!(required, listed, "every field of an input is always there: {event}");
        assert_eq!(schema["properties"]["hook_event_name"]["const"], event.as_str());
    }
}

#[test]
fn outputs_are_described() {
    for event in EventName::ALL {
        let schema = output_schema(event);
        let fields: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(
            fields,
            [
                "decision",
                "reason",
                "continue",
                "stopReason",
                "suppressOutput",
                "systemMessage",
                "hookSpecificOutput"
            ],
            "{event}"
        );
        assert!(schema.get("required").is_none(), "{event}: every field is optional");
        let specific = resolve(&schema["properties"]["hookSpecificOutput"], &schema);
        assert_eq!(specific["properties"]["hookEventName"]["const"], event.as_str(), "{event}");
        assert_eq!(schema["title"], format!("{event}Output"));
    }
    let fits = |event, output: Value| {
        let schema = output_schema(event);
        check(&output, &schema, &schema, event.as_str());
    };
    fits(
        EventName::BeforeTool,
        json!({ "decision": "deny", "reason": "no", "hookSpecificOutput": { "tool_input": { "a": 1 } } }),
    );
    fits(
        EventName::BeforeModel,
        json!({ "hookSpecificOutput": {
        "llm_request": { "messages": [{ "role": "user", "content": "x" }], "config": { "temperature": 0.5 } },
        "llm_response": { "text": "y" },
    } }),
    );
    fits(
        EventName::BeforeToolSelection,
        json!({ "hookSpecificOutput": { "toolConfig": { "mode": "NONE" } } }),
    );
    fits(EventName::AfterAgent, json!({ "hookSpecificOutput": { "clearContext": true } }));
}

/// The definitions of the stable model format have the fields that its types write, all of them and no others.
#[test]
fn the_model_format_has_exactly_the_fields_of_the_schema() {
    let given = json!({
        "llm_request": {
            "model": "m", "messages": [{ "role": "user", "content": "x" }],
            "config": { "temperature": 0.5, "maxOutputTokens": 1, "topP": 1, "topK": 1, "stopSequences": ["."],
                        "candidateCount": 1, "presencePenalty": 0, "frequencyPenalty": 0 },
            "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["a"] },
        },
        "llm_response": {
            "text": "y", "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
            "candidates": [{ "content": { "role": "model", "parts": ["y"] }, "finishReason": "STOP", "index": 0,
                             "safetyRatings": [{ "category": "c", "probability": "low" }] }],
        },
    });
    let typed = parse_input(EventName::AfterModel, given.clone()).unwrap();
    assert!(typed.extra.is_empty());
    let written = serde_json::to_value(typed.event()).unwrap();
    assert_eq!(
        (&written["llm_request"], &written["llm_response"]),
        (&given["llm_request"], &given["llm_response"])
    );
    let (read, partial) = (input_schema(EventName::AfterModel), output_schema(EventName::BeforeModel));
    let (request, response) = (&written["llm_request"], &written["llm_response"]);
    let candidate = &response["candidates"][0];
    for (schema, definition, value) in [
        (&read, "LlmRequest", request),
        (&read, "LlmMessage", &request["messages"][0]),
        (&read, "LlmConfig", &request["config"]),
        (&read, "LlmToolConfig", &request["toolConfig"]),
        (&read, "LlmResponse", response),
        (&read, "LlmCandidate", candidate),
        (&read, "LlmContent", &candidate["content"]),
        (&read, "LlmSafetyRating", &candidate["safetyRatings"][0]),
        (&read, "LlmUsage", &response["usageMetadata"]),
        (&partial, "PartialLlmRequest", request),
        (&partial, "PartialLlmResponse", response),
    ] {
        let keys = |value: &Value| -> std::collections::BTreeSet<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(keys(&schema["$defs"][definition]["properties"]), keys(value), "{definition}");
    }
    for (schema, name, words) in [
        (input_schema(EventName::SessionStart), "SessionStartSource", SessionStartSource::WORDS),
        (input_schema(EventName::SessionEnd), "SessionEndReason", SessionEndReason::WORDS),
        (input_schema(EventName::PreCompress), "PreCompressTrigger", PreCompressTrigger::WORDS),
    ] {
        assert_eq!(schema["$defs"][name]["enum"], json!(words), "{name}");
    }
}
