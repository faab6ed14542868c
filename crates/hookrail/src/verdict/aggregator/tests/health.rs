//! Hooks that failed or said nothing, beside those that did not.

use super::*;
use crate::verdict::failure::StartFailure;

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
fn a_warning_replaces_no_output_of_a_healthy_hook() {
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
        ("HOOK-070 HOOK-110", finished(Exit::NotStarted(StartFailure::NoTimeLeft), "", ""), false, false, 1),
        ("HOOK-070 HOOK-065", finished(Exit::Code(0), "", ""), true, false, 0),
    ] {
        let signalled = matches!(run.exit(), Exit::Signal(_));
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
