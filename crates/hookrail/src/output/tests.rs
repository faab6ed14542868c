//! What an output says to the callers of each event.

use serde_json::json;

use super::*;

fn output(value: Value) -> HookOutput {
    let Value::Object(fields) = value else { panic!("not an object") };
    HookOutput::from_object(fields).0
}

#[test]
fn the_permission_decision_counts_before_tools_only() {
    let data = output(
        json!({"reason": "top", "hookSpecificOutput": {"permissionDecision": "block", "permissionDecisionReason": "own"}}),
    );
    assert!(!data.is_blocking_decision(), "HOOK-200: the plain reading");
    assert!(data.blocks(EventName::BeforeTool), "HOOK-169 HOOK-199 HOOK-200: that of the event");
    assert_eq!(data.effective_reason(EventName::BeforeTool), "own", "HOOK-170 HOOK-199");
    for event in EventName::ALL.into_iter().filter(|event| *event != EventName::BeforeTool) {
        assert!(!data.blocks(event), "HOOK-169 HOOK-200: {event}");
        assert_eq!(data.effective_reason(event), "top", "HOOK-200: {event}");
    }
}

#[test]
fn decisions_and_reasons() {
    for (requirement, given, blocks, stops, reason) in [
        ("HOOK-016b", json!({"decision": "block", "reason": "r"}), true, false, "r"),
        ("HOOK-016b", json!({"decision": "deny"}), true, false, "Blocked by hook"),
        ("HOOK-018", json!({"decision": "allow", "reason": "r"}), false, false, "r"),
        ("HOOK-018", json!({"decision": "approve"}), false, false, "No reason provided"),
        ("HOOK-158", json!({"decision": null}), false, false, "No reason provided"),
        ("HOOK-158", json!({}), false, false, "No reason provided"),
        ("HOOK-182", json!({"decision": "ask"}), false, false, "No reason provided"),
        ("HOOK-157", json!({"continue": false, "stopReason": "s", "reason": "r"}), false, true, "s"),
        ("HOOK-157", json!({"continue": false, "reason": "r"}), false, true, "r"),
        ("HOOK-157", json!({"continue": false}), false, true, "Hook requested stop"),
        ("HOOK-157", json!({"continue": true}), false, false, "No reason provided"),
        (
            "HOOK-157 (O8)",
            json!({"decision": "block", "reason": "r", "continue": false, "stopReason": "s"}),
            true,
            true,
            "r",
        ),
        (
            "HOOK-169",
            json!({"hookSpecificOutput": {"permissionDecision": "ask"}}),
            false,
            false,
            "No reason provided",
        ),
        (
            "HOOK-170",
            json!({"decision": "deny", "reason": "r", "hookSpecificOutput": {"permissionDecisionReason": " "}}),
            true,
            false,
            "r",
        ),
    ] {
        let read = output(given.clone());
        assert_eq!(read.blocks(EventName::BeforeTool), blocks, "{requirement}: {given}");
        assert_eq!(read.should_stop_execution(), stops, "{requirement}: {given}");
        assert_eq!(read.effective_reason(EventName::BeforeTool), reason, "{requirement}: {given}");
    }
}

#[test]
fn context_and_arguments_come_out_as_given() {
    let given =
        output(json!({"hookSpecificOutput": {"additionalContext": "<b>\n", "tool_input": {"path": "x"}}}));
    assert_eq!(given.additional_context(), Some("<b>\n"));
    assert_eq!(given.specific("tool_input"), Some(&json!({"path": "x"})));
    let mistyped = output(json!({"hookSpecificOutput": {"additionalContext": 1, "tool_input": "x"}}));
    assert_eq!((mistyped.additional_context(), mistyped.specific("tool_input")), (None, None), "O4");
}
