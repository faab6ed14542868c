use serde_json::json;

use super::*;

fn read(value: Value) -> (Value, Vec<String>) {
    let Value::Object(fields) = value else { panic!("not an object") };
    let (output, warnings) = HookOutput::from_object(fields);
    (serde_json::to_value(output).unwrap(), warnings)
}

#[test]
fn well_typed_fields_come_out_as_they_went_in() {
    let answer = json!({
        "decision": "block", "reason": "r", "continue": false, "stopReason": "s", "suppressOutput": true,
        "systemMessage": "m",
        "hookSpecificOutput": {
            "hookEventName": "BeforeTool", "tool_input": { "b": 1, "a": 2 }, "own": null, "additionalContext": "c",
            "toolConfig": { "mode": "ANY", "allowedFunctionNames": ["x"] },
        },
        "zeta": 1, "alpha": { "kept": [true] },
    });
    assert_eq!(read(answer.clone()), (answer, vec![]), "HOOK-157; unknown fields are kept (O5)");
}

#[test]
fn a_mistyped_field_never_loses_the_others() {
    for (requirement, given, kept, warning) in [
        (
            "O4",
            json!({"decision": 5, "reason": "r"}),
            json!({"reason": "r"}),
            "`decision` must be a string but is the number `5`",
        ),
        (
            "O4",
            json!({"decision": "block", "continue": "no"}),
            json!({"decision": "block"}),
            "`continue` must be a boolean but is the string `no`",
        ),
        (
            "O4",
            json!({"decision": "block", "reason": ["a"]}),
            json!({"decision": "block"}),
            "`reason` must be a string but is an array",
        ),
        (
            "O4",
            json!({"decision": "deny", "suppressOutput": "a typo"}),
            json!({"decision": "deny"}),
            "`suppressOutput`",
        ),
        (
            "O4",
            json!({"decision": "deny", "systemMessage": {}}),
            json!({"decision": "deny"}),
            "`systemMessage`",
        ),
        ("O4", json!({"continue": false, "stopReason": 1}), json!({"continue": false}), "`stopReason`"),
        (
            "O4",
            json!({"decision": "deny", "hookSpecificOutput": "x"}),
            json!({"decision": "deny"}),
            "`hookSpecificOutput` must be an object",
        ),
        (
            "O4",
            json!({"hookSpecificOutput": {"tool_input": "x", "llm_request": {}}}),
            json!({"hookSpecificOutput": {"llm_request": {}}}),
            "`hookSpecificOutput.tool_input`",
        ),
        (
            "O4",
            json!({"hookSpecificOutput": {"toolConfig": {"mode": 1, "allowedFunctionNames": ["a"]}}}),
            json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a"]}}}),
            "`hookSpecificOutput.toolConfig.mode`",
        ),
        (
            "O4",
            json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": "a"}}}),
            json!({"hookSpecificOutput": {"toolConfig": {}}}),
            "must be an array",
        ),
        (
            "O4",
            json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a", 1]}}}),
            json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["a"]}}}),
            "an entry of",
        ),
        (
            "O6",
            json!({"decision": "blokc"}),
            json!({"decision": "blokc"}),
            "unknown value `blokc` (did you mean `block`?)",
        ),
        (
            "O6",
            json!({"decision": "whatever"}),
            json!({"decision": "whatever"}),
            "unknown value `whatever`: no effect",
        ),
        (
            "O6",
            json!({"hookSpecificOutput": {"permissionDecision": "DENY"}}),
            json!({"hookSpecificOutput": {"permissionDecision": "DENY"}}),
            "did you mean `deny`?",
        ),
        (
            "O6",
            json!({"hookSpecificOutput": {"toolConfig": {"mode": "none"}}}),
            json!({"hookSpecificOutput": {"toolConfig": {}}}),
            "did you mean `NONE`?",
        ),
    ] {
        let (output, warnings) = read(given.clone());
        assert_eq!(output, kept, "{requirement}: {given}");
        assert_eq!(warnings.len(), 1, "{requirement}: {warnings:?}");
        assert!(warnings[0].contains(warning), "{requirement}: {warnings:?}");
    }
}

#[test]
fn null_reads_as_absent() {
    let nothing = json!({"decision": null, "reason": null, "continue": null, "hookSpecificOutput": null});
    assert_eq!(read(nothing), (json!({}), vec![]), "HOOK-158");
}

#[test]
fn a_stop_always_has_a_reason() {
    let stop = |stop_reason: Option<&str>, reason: Option<&str>| HookOutput {
        stop_reason: stop_reason.map(str::to_owned),
        reason: reason.map(str::to_owned),
        ..HookOutput::default()
    };
    for (output, expected) in [
        (stop(Some("s"), Some("r")), "s"),
        (stop(Some(" \n"), Some("r")), "r"),
        (stop(None, Some("")), "Hook requested stop"),
        (stop(None, None), "Hook requested stop"),
    ] {
        assert_eq!(output.effective_stop_reason(), expected, "DELTA-HRUN-002 (O9)");
    }
}

#[test]
fn a_misspelt_field_is_kept_with_a_warning() {
    for (key, meant) in [
        ("decison", "decision"),
        ("Decision", "decision"),
        ("stop_reason", "stopReason"),
        ("supressOutput", "suppressOutput"),
        ("hookSpecificOutputs", "hookSpecificOutput"),
    ] {
        let given = Value::Object(JsonObject::from_iter([(key.to_owned(), json!("block"))]));
        let (kept, warnings) = read(given.clone());
        assert_eq!(kept, given);
        let expected = format!("`{key}` is not a field of an answer (did you mean `{meant}`?): no effect");
        assert_eq!(warnings, [expected]);
    }
    let (_, warnings) = read(json!({ "zeta": 1, "async": true, "version": 1, "note": "x" }));
    assert_eq!(warnings, Vec::<String>::new());
}
