//! Model calls and tool selection.

use super::*;

#[test]
fn model_events_replace_fields_but_never_a_block_or_a_stop() {
    let temperature =
        |value: f64| json!({"hookSpecificOutput": {"llm_request": {"config": {"temperature": value}}}});
    let redacted = json!({"hookSpecificOutput": {"llm_request": {"messages": []}, "own": 1}});
    let mut cases = vec![
        ("HOOK-098", BeforeModel, vec![temperature(0.0), temperature(1.0)], temperature(1.0)),
        (
            "HOOK-098",
            BeforeModel,
            vec![redacted, temperature(1.0)],
            json!({"hookSpecificOutput": {"llm_request": {"config": {"temperature": 1.0}}, "own": 1}}),
        ),
    ];
    for event in [BeforeModel, AfterModel] {
        cases.extend([
            ("HOOK-098 HOOK-190", event, vec![json!({})], json!({})),
            (
                "HOOK-098 HOOK-190",
                event,
                vec![
                    json!({"decision": "ask", "reason": "a", "systemMessage": "m", "suppressOutput": true, "x": 1}),
                    json!({"decision": "allow", "reason": "b", "suppressOutput": false, "y": 2}),
                ],
                json!({"decision": "allow", "reason": "b", "suppressOutput": false, "systemMessage": "m", "x": 1, "y": 2}),
            ),
            (
                "HOOK-098 (O12)",
                event,
                vec![
                    json!({"reason": "not mine"}),
                    json!({"decision": "deny", "reason": "one"}),
                    json!({"decision": "block", "reason": "two"}),
                    json!({"decision": "allow", "reason": "nor mine"}),
                    json!("plain text"),
                ],
                json!({"decision": "block", "reason": "one\ntwo", "systemMessage": "\"plain text\""}),
            ),
            (
                "HOOK-098 (O12)",
                event,
                vec![json!({"continue": false}), json!({"continue": true, "stopReason": "not mine"})],
                json!({"continue": false, "stopReason": "Hook requested stop"}),
            ),
        ]);
    }
    check(cases);
}

/// Ruling L11.
#[test]
fn changes_of_a_request_add_up_along_a_chain() {
    let runs = [
        answered(
            &json!({"hookSpecificOutput": {"llm_request": {"messages": ["redacted"], "config": {"topK": 1}}}}),
        ),
        finished(Exit::Code(1), r#"{"hookSpecificOutput":{"llm_request":{"messages":["leaked"]}}}"#, "boom"),
        answered(
            &json!({"hookSpecificOutput": {"llm_request": {"config": {"temperature": 1}}, "llm_response": {"text": "a"}}}),
        ),
        answered(&json!({"hookSpecificOutput": {"llm_response": {"candidates": []}}})),
    ];
    let specific = |event, sequential| {
        let result = HookAggregator::default().aggregate_results(event, &runs, sequential);
        Value::Object(result.final_output.unwrap().hook_specific_output.unwrap())
    };
    assert_eq!(
        specific(BeforeModel, true),
        json!({"llm_request": {"messages": ["redacted"], "config": {"temperature": 1}}, "llm_response": {"candidates": []}}),
    );
    let replaced = json!({"llm_request": {"config": {"temperature": 1}}, "llm_response": {"candidates": []}});
    assert_eq!(specific(BeforeModel, false), replaced, "HOOK-098");
    assert_eq!(specific(AfterModel, true), replaced, "HOOK-098");
}

#[test]
fn tool_selection_is_united() {
    let config = |config: Value| json!({"hookSpecificOutput": {"toolConfig": config}});
    let names = |mode: &str, names: &[&str]| config(json!({"mode": mode, "allowedFunctionNames": names}));
    check(vec![
        (
            "HOOK-099 HOOK-102 HOOK-190 HOOK-210",
            BeforeToolSelection,
            vec![names("AUTO", &["write_file", "glob"]), names("AUTO", &["read_file", "glob"])],
            names("AUTO", &["glob", "read_file", "write_file"]),
        ),
        (
            "HOOK-100 HOOK-210",
            BeforeToolSelection,
            vec![names("ANY", &["b"]), names("AUTO", &["a"])],
            names("ANY", &["a", "b"]),
        ),
        (
            "HOOK-100 HOOK-101 HOOK-210",
            BeforeToolSelection,
            vec![names("AUTO", &["a"]), config(json!({"mode": "NONE"})), names("ANY", &["b"])],
            names("NONE", &[]),
        ),
        ("HOOK-101 HOOK-210", BeforeToolSelection, vec![names("NONE", &["a"])], names("NONE", &[])),
        (
            "HOOK-210: a mode forbids no tool by name",
            BeforeToolSelection,
            vec![config(json!({"mode": "ANY"}))],
            config(json!({"mode": "ANY"})),
        ),
        (
            "HOOK-210: an empty list stays one",
            BeforeToolSelection,
            vec![names("AUTO", &[])],
            names("AUTO", &[]),
        ),
        (
            "HOOK-099",
            BeforeToolSelection,
            vec![config(json!({"allowedFunctionNames": ["b", "a"]}))],
            names("AUTO", &["a", "b"]),
        ),
        (
            "HOOK-210: nothing said, nothing changed",
            BeforeToolSelection,
            vec![json!({}), config(json!({}))],
            json!({"hookSpecificOutput": {}}),
        ),
        (
            "HOOK-190 (O13)",
            BeforeToolSelection,
            vec![
                json!({"continue": false, "stopReason": "enough", "systemMessage": "one"}),
                json!({"systemMessage": "two", "suppressOutput": true, "decision": "block"}),
                names("ANY", &["a"]),
            ],
            json!({
                "decision": "block", "continue": false, "stopReason": "enough", "systemMessage": "one\ntwo", "suppressOutput": true,
                "hookSpecificOutput": {"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}},
            }),
        ),
    ]);
}
