use serde_json::json;

use super::*;

fn object(value: &Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

fn output(specific: &Value) -> HookOutput {
    HookOutput { hook_specific_output: Some(object(specific)), ..HookOutput::default() }
}

#[test]
fn each_event_chains_as_specified() {
    use EventName::{BeforeAgent, BeforeModel, BeforeTool};
    for (requirement, event, input, specific, expected) in [
        (
            "HOOK-024, HOOK-106: merged into the next input",
            BeforeTool,
            json!({ "tool_input": { "path": "a", "content": "x" } }),
            json!({ "tool_input": { "path": "b" } }),
            json!({ "tool_input": { "path": "b", "content": "x" } }),
        ),
        (
            "HOOK-216: nested objects are replaced, null is a value",
            BeforeTool,
            json!({ "tool_input": { "options": { "a": 1 }, "limit": 5 } }),
            json!({ "tool_input": { "options": { "b": 2 }, "limit": null } }),
            json!({ "tool_input": { "options": { "b": 2 }, "limit": null } }),
        ),
        (
            "HOOK-105: top-level fields are replaced, the others stay",
            BeforeModel,
            json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "a" }], "config": { "topK": 1 } } }),
            json!({ "llm_request": { "config": { "temperature": 0 } } }),
            json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "a" }], "config": { "temperature": 0 } } }),
        ),
        (
            "HOOK-105: the next hook receives the stable format whatever the spelling",
            BeforeModel,
            json!({ "llm_request": { "model": "m", "messages": [] } }),
            json!({ "llm_request": {
                "contents": [{ "role": "user", "parts": ["a", { "text": "b" }] }], "generationConfig": { "topK": 1 },
            } }),
            json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "ab" }], "config": { "topK": 1 } } }),
        ),
        (
            "HOOK-105: what cannot be read does not spoil what can",
            BeforeModel,
            json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "redacted" }] } }),
            json!({ "llm_request": { "messages": "oops", "config": { "topK": "x" }, "model": null, "toolConfig": { "mode": "NONE" } } }),
            json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "redacted" }], "toolConfig": { "mode": "NONE" } } }),
        ),
        (
            "HOOK-211: context is appended to the prompt",
            BeforeAgent,
            json!({ "prompt": "do it" }),
            json!({ "additionalContext": "carefully" }),
            json!({ "prompt": "do it\n\ncarefully" }),
        ),
        (
            "HOOK-211: empty context says nothing",
            BeforeAgent,
            json!({ "prompt": "do it" }),
            json!({ "additionalContext": "" }),
            json!({ "prompt": "do it" }),
        ),
    ] {
        let mut changed = object(&input);
        let says_changed = apply_hook_output_to_input(event, &mut changed, &output(&specific));
        assert_eq!(Value::Object(changed), expected, "{requirement}");
        assert_eq!(says_changed, input != expected, "{requirement}");
    }
}

#[test]
fn other_events_do_not_chain() {
    let specific = json!({
        "tool_input": { "a": 2 }, "llm_request": { "model": "x" }, "additionalContext": "c", "toolConfig": { "mode": "NONE" },
        "llm_response": { "text": "y" },
    });
    let input = object(&json!({
        "tool_input": { "a": 1 }, "llm_request": { "model": "m" }, "prompt": "p", "llm_response": { "text": "t" },
    }));
    for event in EventName::ALL {
        if matches!(event, EventName::BeforeTool | EventName::BeforeModel | EventName::BeforeAgent) {
            continue;
        }
        let mut unchanged = input.clone();
        assert!(!apply_hook_output_to_input(event, &mut unchanged, &output(&specific)), "HOOK-211 {event}");
        assert_eq!(unchanged, input, "HOOK-211 {event}");
    }
}

#[test]
fn merges_accumulate() {
    // HOOK-216, HOOK-105: each hook sees the result of all before it.
    let mut input = object(&json!({ "tool_input": { "a": 0 } }));
    for step in [json!({ "b": 1 }), json!({ "c": 2 }), json!({ "b": 3 })] {
        apply_hook_output_to_input(
            EventName::BeforeTool,
            &mut input,
            &output(&json!({ "tool_input": step })),
        );
    }
    assert_eq!(input["tool_input"], json!({ "a": 0, "b": 3, "c": 2 }), "HOOK-216");

    let mut input = object(
        &json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "secret" }] } }),
    );
    let redacted = json!([{ "role": "user", "content": "***" }]);
    for step in [json!({ "messages": redacted }), json!({ "config": { "temperature": 0 } })] {
        apply_hook_output_to_input(
            EventName::BeforeModel,
            &mut input,
            &output(&json!({ "llm_request": step })),
        );
    }
    assert_eq!(input["llm_request"]["messages"], redacted, "HOOK-105: the redaction is not lost");
}

#[test]
fn unusable_fields_are_named() {
    let given = output(
        &json!({ "llm_request": { "messages": [{ "content": 5 }], "toolConfig": { "mode": 1 }, "model": "m" } }),
    );
    let problems = unusable_request_fields(EventName::BeforeModel, &given);
    let fields: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["llm_request.messages[0].content", "llm_request.toolConfig.mode"]);
    assert_eq!(
        unusable_request_fields(EventName::BeforeModel, &output(&json!({ "llm_request": 5 }))).len(),
        1
    );
    assert!(unusable_request_fields(EventName::BeforeTool, &given).is_empty());
}
