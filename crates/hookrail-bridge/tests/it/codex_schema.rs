//! The facts of Codex's output schemas and of the checks behind them: an answer that breaks one of these is a
//! failed hook, after which the call runs.

use hookrail_bridge::Agent;
use serde_json::Value;

use crate::answers::{payload_at, verdicts};
use crate::support::{answered, event};

const UNIVERSAL: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage"];

/// What is wrong with an answer at an event; `None` if Codex would take it.
pub(crate) fn complaint(event: &str, answer: &Value) -> Option<String> {
    let Value::Object(fields) = answer else { return Some("no object".to_owned()) };
    let (own, specific_fields): (&[&str], &[&str]) = match event {
        "PreToolUse" => (
            &["decision", "reason", "hookSpecificOutput"],
            &[
                "hookEventName",
                "permissionDecision",
                "permissionDecisionReason",
                "updatedInput",
                "additionalContext",
            ],
        ),
        "PostToolUse" | "UserPromptSubmit" => {
            (&["decision", "reason", "hookSpecificOutput"], &["hookEventName", "additionalContext"])
        }
        "SessionStart" => (&["hookSpecificOutput"], &["hookEventName", "additionalContext"]),
        "Stop" => (&["decision", "reason"], &[]),
        _ => (&[], &[]),
    };
    let unknown =
        fields.keys().find(|key| !UNIVERSAL.contains(&key.as_str()) && !own.contains(&key.as_str()));
    if let Some(key) = unknown {
        return Some(format!("unknown field {key}"));
    }
    let is_blank =
        |value: Option<&Value>| value.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty());
    if fields.get("decision").is_some_and(|word| word != "block" || is_blank(fields.get("reason"))) {
        return Some("a decision that is no block with a reason".to_owned());
    }
    if fields.contains_key("reason") && !fields.contains_key("decision") {
        return Some("a reason without a decision".to_owned());
    }
    let is_tool = event == "PreToolUse";
    if is_tool && ["continue", "stopReason", "suppressOutput"].iter().any(|key| fields.contains_key(*key)) {
        return Some("unsupported before a tool".to_owned());
    }
    let specific = fields.get("hookSpecificOutput")?.as_object();
    let Some(specific) = specific else { return Some("hookSpecificOutput is no object".to_owned()) };
    if specific.get("hookEventName").and_then(Value::as_str) != Some(event) {
        return Some("hookEventName is missing or wrong".to_owned());
    }
    if let Some(key) = specific.keys().find(|key| !specific_fields.contains(&key.as_str())) {
        return Some(format!("unknown field hookSpecificOutput.{key}"));
    }
    let decision = specific.get("permissionDecision").and_then(Value::as_str);
    let has_input = specific.contains_key("updatedInput");
    match decision {
        Some("allow") if has_input => None,
        Some("deny") if !has_input && !is_blank(specific.get("permissionDecisionReason")) => None,
        None if !has_input && !specific.contains_key("permissionDecisionReason") => None,
        other => Some(format!("unsupported decision {other:?}")),
    }
}

#[test]
fn every_answer_is_one_that_codex_takes() {
    let mut seen = 0;
    for (moment, effect, verdict) in verdicts() {
        let payload = payload_at(Agent::Codex, moment).expect("Codex has all of them");
        let native = event(Agent::Codex, payload).native_event;
        let output = answered(Agent::Codex, payload, &verdict).stdout;
        if !output.is_empty() {
            let output: Value = serde_json::from_str(&output).expect("JSON");
            assert_eq!(complaint(&native, &output), None, "{moment} {effect}: {output}");
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen} answers were looked at");
}

/// The checks themselves find what real runs found.
#[test]
fn the_checks_know_what_fails() {
    for (event, answer) in [
        ("PreToolUse", serde_json::json!({"decision": "deny", "reason": "x"})),
        ("PreToolUse", serde_json::json!({"continue": false})),
        ("PreToolUse", serde_json::json!({"hookSpecificOutput": {"tool_input": {}}})),
        (
            "PreToolUse",
            serde_json::json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "x"}}),
        ),
        (
            "PreToolUse",
            serde_json::json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}),
        ),
        (
            "PreToolUse",
            serde_json::json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {}}}),
        ),
        (
            "PreToolUse",
            serde_json::json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}),
        ),
        ("Stop", serde_json::json!({"hookSpecificOutput": {"hookEventName": "Stop"}})),
    ] {
        assert!(complaint(event, &answer).is_some(), "{event} {answer}");
    }
}
