use serde_json::{Value, json};

use super::fixtures::{answered, finished};
use super::*;
use crate::verdict::hook_run::Exit;

use EventName::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Notification, PreCompress, SessionEnd, SessionStart,
};

fn aggregate(event: EventName, runs: &[HookRun]) -> AggregatedHookResult {
    HookAggregator::default().aggregate_results(event, runs, false)
}

fn merged(event: EventName, answers: &[Value]) -> Value {
    let runs: Vec<HookRun> = answers.iter().map(answered).collect();
    serde_json::to_value(aggregate(event, &runs).final_output).unwrap()
}

fn check(cases: Vec<(&str, EventName, Vec<Value>, Value)>) {
    for (requirement, event, answers, expected) in cases {
        assert_eq!(merged(event, &answers), expected, "{requirement}: {event} {answers:?}");
    }
}

#[test]
fn tool_and_agent_events_or_their_decisions() {
    let block = || json!({"decision": "block", "reason": "no"});
    let mut cases = vec![
        ("O10", BeforeTool, vec![json!({})], json!({"decision": "allow"})),
        ("HOOK-018", BeforeTool, vec![json!({"decision": "approve"})], json!({"decision": "allow"})),
        ("HOOK-182 (O7)", BeforeTool, vec![json!({"decision": "ask"})], json!({"decision": "ask"})),
        (
            "O7",
            BeforeTool,
            vec![json!({"decision": "ask"}), json!({"decision": "allow"})],
            json!({"decision": "ask"}),
        ),
        ("O7", BeforeTool, vec![json!({"decision": "ask"}), block()], block()),
        ("O7", AfterTool, vec![json!({"decision": "ask"})], json!({"decision": "allow"})),
        (
            "O7",
            BeforeTool,
            vec![
                json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "p"}}),
                json!({"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": "fine"}}),
            ],
            json!({"decision": "ask", "reason": "p",
                "hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "p"}}),
        ),
        ("O6", BeforeTool, vec![json!({"decision": "blck"})], json!({"decision": "allow"})),
        ("HOOK-092", BeforeTool, vec![block(), json!({"decision": "allow"})], block()),
        ("HOOK-092", BeforeTool, vec![json!({"decision": "allow"}), block(), json!({})], block()),
        ("HOOK-092", AfterTool, vec![json!({}), block()], block()),
        (
            "HOOK-093",
            BeforeTool,
            vec![
                json!({"reason": "one"}),
                json!({"reason": " "}),
                json!({"decision": "deny", "reason": "two"}),
            ],
            json!({"decision": "deny", "reason": "one\ntwo"}),
        ),
        (
            "HOOK-094",
            AfterTool,
            vec![json!({"systemMessage": "one"}), json!({}), json!({"systemMessage": "two"})],
            json!({"decision": "allow", "systemMessage": "one\ntwo"}),
        ),
        (
            "HOOK-095",
            AfterTool,
            vec![
                json!({"hookSpecificOutput": {"additionalContext": "one", "own": 1}}),
                json!({"hookSpecificOutput": {"additionalContext": ""}}),
                json!({"hookSpecificOutput": {"additionalContext": "two", "own": 2, "more": true}}),
            ],
            json!({"decision": "allow", "hookSpecificOutput": {"additionalContext": "one\ntwo", "own": 2, "more": true}}),
        ),
        (
            "HOOK-096",
            AfterTool,
            vec![json!({"suppressOutput": true}), json!({"suppressOutput": false})],
            json!({"decision": "allow", "suppressOutput": true}),
        ),
        (
            "HOOK-097",
            BeforeTool,
            vec![
                json!({"continue": false, "stopReason": "enough"}),
                json!({"continue": true, "decision": "allow"}),
            ],
            json!({"continue": false, "stopReason": "enough"}),
        ),
        (
            "HOOK-097 (O8)",
            BeforeTool,
            vec![block(), json!({"continue": false, "stopReason": "enough"})],
            json!({"decision": "block", "reason": "no", "continue": false, "stopReason": "enough"}),
        ),
        (
            "HOOK-097 (O9)",
            AfterTool,
            vec![
                json!({"continue": false, "stopReason": " ", "reason": "one"}),
                json!({"stopReason": "not mine", "reason": "nor mine"}),
                json!({"continue": false}),
                json!({"continue": false, "stopReason": "two"}),
            ],
            json!({"continue": false, "reason": "one\nnor mine", "stopReason": "one\nHook requested stop\ntwo"}),
        ),
        (
            "HOOK-208",
            AfterTool,
            vec![
                json!({"systemMessage": "m1", "hookSpecificOutput": {"additionalContext": "c1"}}),
                json!({"systemMessage": "m2", "suppressOutput": true, "hookSpecificOutput": {"additionalContext": "c2"}}),
            ],
            json!({
                "decision": "allow", "suppressOutput": true, "systemMessage": "m1\nm2",
                "hookSpecificOutput": {"additionalContext": "c1\nc2"},
            }),
        ),
        (
            "HOOK-216 (O11, L9)",
            BeforeTool,
            vec![
                json!({"hookSpecificOutput": {"tool_input": {"path": "a", "deep": {"x": 1}}}}),
                json!({"hookSpecificOutput": {"tool_input": {"content": "b", "deep": {"y": 2}}}}),
            ],
            json!({"decision": "allow", "hookSpecificOutput": {"tool_input": {"path": "a", "deep": {"y": 2}, "content": "b"}}}),
        ),
        (
            "O5",
            BeforeTool,
            vec![json!({"x": 1, "y": 1}), json!({"x": 2})],
            json!({"decision": "allow", "x": 2, "y": 1}),
        ),
        (
            "flags are OR-ed",
            AfterAgent,
            vec![
                json!({"hookSpecificOutput": {"clearContext": true}}),
                json!({"hookSpecificOutput": {"clearContext": false}}),
            ],
            json!({"decision": "allow", "hookSpecificOutput": {"clearContext": true}}),
        ),
    ];
    for event in [BeforeTool, AfterTool, BeforeAgent, AfterAgent, SessionStart] {
        cases.push((
            "HOOK-190",
            event,
            vec![block(), json!({"reason": "fine"})],
            json!({"decision": "block", "reason": "no\nfine"}),
        ));
    }
    check(cases);
}

#[test]
fn a_denied_permission_blocks_in_the_merge() {
    let denied = |word: &str, why: &str| json!({"hookSpecificOutput": {"permissionDecision": word, "permissionDecisionReason": why}});
    check(vec![
        (
            "HOOK-169 (O19)",
            BeforeTool,
            vec![denied("deny", "mine"), json!({"decision": "allow"}), denied("allow", "fine")],
            json!({
                "decision": "deny", "reason": "mine",
                "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "mine"},
            }),
        ),
        (
            "HOOK-170 (O19)",
            BeforeTool,
            vec![denied("block", "one"), json!({"decision": "block", "reason": "two"})],
            json!({
                "decision": "block", "reason": "one\ntwo",
                "hookSpecificOutput": {"permissionDecision": "block", "permissionDecisionReason": "one\ntwo"},
            }),
        ),
        (
            "HOOK-199",
            BeforeTool,
            vec![
                json!({"decision": "block", "reason": "a", "hookSpecificOutput": {"permissionDecisionReason": "b"}}),
            ],
            json!({"decision": "block", "reason": "a", "hookSpecificOutput": {"permissionDecisionReason": "b"}}),
        ),
        (
            "HOOK-171: the top-level word is reliable whatever the other says",
            BeforeTool,
            vec![
                json!({"decision": "deny", "hookSpecificOutput": {"permissionDecision": "allow"}}),
                denied("allow", "fine"),
            ],
            json!({"decision": "deny", "hookSpecificOutput": {"permissionDecision": "allow"}}),
        ),
        (
            "HOOK-169: it belongs to BeforeTool",
            AfterTool,
            vec![denied("deny", "mine")],
            json!({
                "decision": "allow",
                "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "mine"},
            }),
        ),
    ]);
}

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

/// Ruling O21.
#[test]
fn the_other_events_take_the_last_word() {
    for event in [SessionEnd, PreCompress, Notification] {
        check(vec![
            (
                "O21",
                event,
                vec![
                    json!({"systemMessage": "a", "reason": "a", "hookSpecificOutput": {"x": 1, "y": 1}}),
                    json!({"reason": "b", "hookSpecificOutput": {"x": 2}}),
                ],
                json!({"systemMessage": "a", "reason": "b", "hookSpecificOutput": {"x": 2}}),
            ),
            (
                "O21",
                event,
                vec![
                    json!({"decision": "block", "reason": "no", "continue": false}),
                    json!({"decision": "allow", "continue": true, "reason": "r"}),
                ],
                json!({"decision": "block", "reason": "no", "continue": false, "stopReason": "no"}),
            ),
        ]);
    }
}

#[test]
fn the_outputs_of_healthy_hooks_survive_a_failed_one() {
    let runs = [
        answered(&json!({"systemMessage": "one", "hookSpecificOutput": {"additionalContext": "c1"}})),
        finished(Exit::Code(1), "", "boom"),
        answered(&json!({"systemMessage": "two", "hookSpecificOutput": {"additionalContext": "c2"}})),
    ];
    let result = aggregate(AfterTool, &runs);
    assert_eq!(
        serde_json::to_value(&result).unwrap(),
        json!({
            "success": false,
            "finalOutput": {
                "decision": "allow", "systemMessage": "one\nWarning: boom\ntwo",
                "hookSpecificOutput": {"additionalContext": "c1\nc2"},
            },
            "allOutputs": [
                {"systemMessage": "one", "hookSpecificOutput": {"additionalContext": "c1"}},
                {"decision": "allow", "systemMessage": "Warning: boom"},
                {"systemMessage": "two", "hookSpecificOutput": {"additionalContext": "c2"}},
            ],
            "errors": [{"hook": "guard", "message": "exited with code 1: boom"}],
            "totalDuration": 15,
        }),
        "HOOK-112 HOOK-209 (O16)"
    );
}

#[test]
fn a_warning_replaces_nothing_that_a_healthy_hook_said() {
    let runs =
        [answered(&json!({"systemMessage": "one", "decision": "ask"})), finished(Exit::Code(1), "", "boom")];
    for event in [BeforeModel, AfterModel, SessionEnd] {
        let output = aggregate(event, &runs).final_output;
        let expected = json!({"decision": "ask", "systemMessage": "one\nWarning: boom"});
        assert_eq!(serde_json::to_value(output).unwrap(), expected, "HOOK-112 HOOK-209 (O16): {event}");
    }
    let alone = aggregate(BeforeModel, &runs[1..]).final_output;
    let expected = json!({"decision": "allow", "systemMessage": "Warning: boom"});
    assert_eq!(serde_json::to_value(alone).unwrap(), expected, "HOOK-209 (O16)");
}

#[test]
fn success_is_health_and_not_policy() {
    let timeout = Exit::TimedOut(Duration::from_millis(7));
    for (requirement, run, success, blocks, errors) in [
        ("HOOK-070 HOOK-160", answered(&json!({"decision": "block"})), true, true, 0),
        ("HOOK-070 HOOK-213 HOOK-214", finished(Exit::Code(2), "", "no"), false, true, 0),
        ("HOOK-070 HOOK-213", finished(Exit::Code(1), "", "boom"), false, false, 1),
        ("HOOK-070 HOOK-196 HOOK-213", finished(Exit::Signal(9), "", ""), false, false, 1),
        ("HOOK-070 HOOK-110 HOOK-213", finished(timeout, "", ""), false, false, 1),
        ("HOOK-070 HOOK-110", finished(Exit::NotStarted("gone".to_owned()), "", ""), false, false, 1),
        ("HOOK-070 HOOK-065", finished(Exit::Code(0), "", ""), true, false, 0),
    ] {
        let signalled = matches!(run.exit, Exit::Signal(_));
        assert!(
            !signalled || run.exit_code() == Some(0),
            "{requirement}: the exit code reads 0 after a signal"
        );
        let result = aggregate(BeforeTool, &[answered(&json!({})), run]);
        assert_eq!(result.success, success, "{requirement}");
        assert_eq!(result.final_output.unwrap().is_blocking_decision(), blocks, "{requirement}");
        assert_eq!(result.errors.len(), errors, "{requirement}");
    }
}

#[test]
fn silence_merges_to_nothing() {
    for event in EventName::ALL {
        let nothing = aggregate(event, &[]);
        assert_eq!(nothing, crate::verdict::common_fields::make_empty_success_result(), "DELTA-HFAIL-003");
        let silent = aggregate(event, &[finished(Exit::Code(0), "", "")]);
        assert_eq!(
            (silent.success, silent.final_output, silent.all_outputs),
            (true, None, vec![]),
            "HOOK-065"
        );
    }
}
