//! Payloads and answers of Claude Code's hooks.

use serde_json::json;

use super::*;

fn given(payload: &Value) -> Value {
    let text = serde_json::to_vec(payload).expect("JSON");
    HookDialect::Claude.payload(&text).expect("a payload").into()
}

#[test]
fn a_call_of_ours_reads_as_claudes() {
    let ours = json!({"session_id": "s", "cwd": "/p", "timestamp": "t", "hook_event_name": "AfterTool",
        "tool_name": "write_file", "tool_input": {"file_path": "a.rs", "content": "x"},
        "tool_response": {"llmContent": "ok"}, "agent": {"name": "gemini", "tool_name": "write_file"}});
    assert_eq!(
        given(&ours),
        json!({"session_id": "s", "cwd": "/p", "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/p/a.rs", "content": "x"}, "permission_mode": "default",
            "tool_response": {"type": "create", "filePath": "/p/a.rs", "content": "x"},
            "tool_use_id": "toolu_hookrail"})
    );
    let stop = json!({"hook_event_name": "AfterAgent", "prompt": "p", "prompt_response": "r", "stop_hook_active": true});
    assert_eq!(
        given(&stop),
        json!({"hook_event_name": "Stop", "stop_hook_active": true, "permission_mode": "default", "last_assistant_message": "r"})
    );
}

#[test]
fn claudes_own_call_is_as_it_was() {
    let native = json!({"command": "ls", "description": "d"});
    let ours = json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": native,
        "tool_use_id": "t1", "permission_mode": "plan",
        "agent": {"name": "claude", "event": "PreToolUse", "tool_name": "Bash", "tool_input": native}});
    assert_eq!(
        given(&ours),
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": native,
            "tool_use_id": "t1", "permission_mode": "plan"})
    );
}

#[test]
fn answers_mean_what_they_mean_there() {
    use EventName as E;
    let context = |text: &str| json!({"hookSpecificOutput": {"additionalContext": text}});
    for (event, code, stdout, stderr, expected) in [
        (E::BeforeTool, 2, "", "no", json!({"decision": "block", "reason": "no"})),
        (
            E::BeforeTool,
            0,
            r#"{"decision":"block","reason":"no"}"#,
            "",
            json!({"decision": "block", "reason": "no"}),
        ),
        (
            E::BeforeTool,
            0,
            r#"{"decision":"approve"}"#,
            "",
            json!({"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": ""}}),
        ),
        (
            E::BeforeTool,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"glob":"*.rs"}}}"#,
            "",
            json!({"hookSpecificOutput": {"tool_input": {"include": "*.rs"}}}),
        ),
        (E::BeforeTool, 0, "hello", "", json!({})),
        (
            E::BeforeTool,
            1,
            r#"{"decision":"block","reason":"x"}"#,
            "",
            json!({"decision": "block", "reason": "x"}),
        ),
        (E::AfterTool, 2, "", "lint", context("lint")),
        (E::AfterTool, 0, r#"{"decision":"block","reason":"lint"}"#, "", context("lint")),
        (E::BeforeAgent, 0, "branch main", "", context("branch main")),
        (E::SessionStart, 0, "hi", "", context("hi")),
        (E::AfterAgent, 2, "", "go on", json!({"decision": "block", "reason": "go on"})),
        (E::SessionEnd, 2, "", "x", json!({})),
        (
            E::AfterAgent,
            0,
            r#"{"continue":false,"stopReason":"s","systemMessage":"u"}"#,
            "",
            json!({"continue": false, "stopReason": "s", "userMessage": "u"}),
        ),
    ] {
        let answer = claude_answer(event, code, stdout, stderr, "search_file_content");
        assert_eq!(serde_json::to_value(answer).expect("JSON"), expected, "{event} {code} {stdout} {stderr}");
    }
    assert_eq!(claude_answer(E::BeforeTool, 1, "x", "y", ""), None);
}
