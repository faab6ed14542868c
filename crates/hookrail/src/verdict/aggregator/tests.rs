mod health;
mod model;

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
