//! Payloads and answers of Claude Code's hooks.

use serde_json::json;

use super::*;

fn given(payload: &Value) -> Value {
    let text = serde_json::to_vec(payload).expect("JSON");
    HookDialect::Claude.payload(&Matcher::any(), &text).expect("a payload").into()
}

#[test]
fn a_call_of_ours_reads_as_claudes() {
    let ours = json!({"session_id": "s", "cwd": "/p", "timestamp": "t", "hook_event_name": "AfterTool",
        "tool_name": "write_file", "tool_input": {"file_path": "a.rs", "content": "x"},
        "tool_response": {"llmContent": "ok"}, "agent": {"name": "gemini", "tool_name": "write_file"}});
    let mut before = ours.clone();
    before["hook_event_name"] = "BeforeTool".into();
    let id = given(&before)["tool_use_id"].clone();
    assert!(id.as_str().is_some_and(|id| id.starts_with("toolu_")), "{id}");
    assert_eq!(
        given(&ours),
        json!({"session_id": "s", "cwd": "/p", "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/p/a.rs", "content": "x"}, "permission_mode": "default",
            "tool_response": {"type": "create", "filePath": "/p/a.rs", "content": "x", "structuredPatch": [],
                "originalFile": null, "userModified": false},
            "tool_use_id": id})
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
fn an_mcp_tool_has_the_name_that_the_hook_listens_to() {
    let ours = json!({"hook_event_name": "BeforeTool", "tool_name": "a_b_c", "tool_input": {},
        "agent": {"name": "opencode", "mcp_names": ["mcp__a__b_c", "mcp__a_b__c"]}});
    let text = serde_json::to_vec(&ours).expect("JSON");
    for (matcher, name) in
        [("mcp__a_b__.*", "mcp__a_b__c"), ("mcp__a__b_c", "mcp__a__b_c"), ("*", "a_b_c"), ("x", "a_b_c")]
    {
        let payload = HookDialect::Claude.payload(&Matcher::names_or_pattern(matcher), &text);
        assert_eq!(payload.expect("a payload")["tool_name"], name, "{matcher}");
    }
}

#[test]
fn a_failed_call_is_another_event_there() {
    let failed = json!({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "x"},
        "tool_use_id": "t", "tool_response": {"llmContent": "boom", "error": {"message": "Exit code 3"}}});
    assert_eq!(
        given(&failed),
        json!({"hook_event_name": "PostToolUseFailure", "tool_use_id": "t", "permission_mode": "default", "error": "Exit code 3",
            "is_interrupt": false, "tool_name": "Bash", "tool_input": {"command": "x"}})
    );
    let response = |text: &str| serde_json::from_str::<JsonObject>(text).expect("an object");
    let input = JsonObject::new();
    for (text, hears) in [
        (r#"{"llmContent": "x"}"#, HookDialect::Claude),
        (r#"{"llmContent": "x", "error": null}"#, HookDialect::Claude),
        (r#"{"llmContent": "x", "error": {"message": "m"}}"#, HookDialect::ClaudeFailure),
        (r#"{"llmContent": "x", "error": "m"}"#, HookDialect::ClaudeFailure),
        (r#"{"llmContent": "Exit Code: 3", "metadata": {"exit_code": 0}}"#, HookDialect::Claude),
        (r#"{"llmContent": "x", "metadata": {"exit_code": 3}}"#, HookDialect::ClaudeFailure),
    ] {
        let tool_response = &response(text);
        let event = Event::AfterTool { tool_name: "run_shell_command", tool_input: &input, tool_response };
        for dialect in [HookDialect::Claude, HookDialect::ClaudeFailure] {
            assert_eq!(dialect.hears(&event, &input), dialect == hears, "{text}");
        }
        assert!(HookDialect::Own.hears(&event, &input));
    }
}

#[test]
fn other_events_have_claudes_words() {
    for (ours, expected) in [
        (
            json!({"hook_event_name": "SessionStart", "source": "compress"}),
            json!({"hook_event_name": "SessionStart", "source": "compact", "permission_mode": "default"}),
        ),
        (
            json!({"hook_event_name": "SessionStart", "source": "resume",
                "agent": {"name": "claude", "event": "SessionStart", "source": "fork"}}),
            json!({"hook_event_name": "SessionStart", "source": "fork"}),
        ),
        (
            json!({"hook_event_name": "SessionEnd", "reason": "exit", "timestamp": "t"}),
            json!({"hook_event_name": "SessionEnd", "reason": "other", "permission_mode": "default"}),
        ),
        (
            json!({"hook_event_name": "PreCompress", "trigger": "auto"}),
            json!({"hook_event_name": "PreCompact", "trigger": "auto", "permission_mode": "default", "custom_instructions": ""}),
        ),
        (
            json!({"hook_event_name": "BeforeAgent", "prompt": "p"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "p", "permission_mode": "default"}),
        ),
        (
            json!({"hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "m",
                "details": {"type": "exec", "title": "t"}}),
            json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "m",
                "permission_mode": "default", "title": "t"}),
        ),
    ] {
        assert_eq!(given(&ours), expected, "{ours}");
    }
}

fn answer(event: EventName, code: i32, stdout: &str, stderr: &str) -> ClaudeAnswer {
    let name = claude_event(event).expect("an event of Claude Code");
    let given =
        json!({"hook_event_name": name, "tool_input": {"pattern": "x", "path": "/p/a", "flag": true}});
    claude_answer(event, code, (stdout, stderr), "search_file_content", given.as_object().expect("an object"))
}

#[test]
fn answers_mean_what_they_mean_there() {
    use EventName as E;
    let context = |text: &str| json!({"hookSpecificOutput": {"additionalContext": text}});
    let block = |reason: &str| json!({"decision": "block", "reason": reason});
    let pre = |fields: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{fields}}}}}"#);
    for (event, code, stdout, stderr, expected) in [
        (E::BeforeTool, 2, "", "no", block("no")),
        (E::BeforeTool, 2, "said", "", block("said")),
        (E::BeforeTool, 2, "", " ", block("Blocked by hook")),
        (E::BeforeTool, 2, r#"{"decision":"block","reason":"json"}"#, "err", block("json")),
        (E::BeforeTool, 2, &pre(r#""permissionDecision":"allow""#), "err", block("err")),
        (E::BeforeTool, 2, r#"{"decision":"#, "err", block("err")),
        (E::BeforeTool, 0, r#"{"decision":"block","reason":"no"}"#, "", block("no")),
        (E::BeforeTool, 0, r#"{"decision":"block"}"#, "", block("Blocked by hook")),
        (E::BeforeTool, 1, r#"{"decision":"block","reason":"x"}"#, "", block("x")),
        (
            E::BeforeTool,
            0,
            &pre(
                r#""permissionDecision":"deny","permissionDecisionReason":"no","updatedInput":{"pattern":"y"}"#,
            ),
            "",
            block("no"),
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
            &pre(r#""permissionDecision":"ask","permissionDecisionReason":"sure?""#),
            "",
            json!({"decision": "ask", "reason": "sure?"}),
        ),
        (E::BeforeTool, 0, &pre(r#""permissionDecision":"defer""#), "", json!({"decision": "ask"})),
        (
            E::BeforeTool,
            0,
            &pre(
                r#""permissionDecision":"allow","updatedInput":{"pattern":"x","path":"/p/a","glob":"*.rs"}"#,
            ),
            "",
            json!({"hookSpecificOutput": {"permissionDecision": "allow", "tool_input": {"include": "*.rs", "flag": false}}}),
        ),
        (E::BeforeTool, 0, &pre(r#""updatedInput":{"pattern":"x","flag":true}"#), "", json!({})),
        (E::BeforeTool, 0, "hello", "", json!({})),
        (E::BeforeTool, 0, r#"{"suppressOutput":true,"foo":1}"#, "", json!({"foo": 1})),
        (E::AfterTool, 2, "", "lint", context("lint")),
        (E::AfterTool, 0, r#"{"decision":"block","reason":"lint"}"#, "", context("lint")),
        (
            E::AfterTool,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"a","stderr":"b"}}}"#,
            "",
            json!({"hookSpecificOutput": {"tool_response": {"llmContent": "a\nb", "returnDisplay": "a\nb"}}}),
        ),
        (E::BeforeAgent, 0, "branch main", "", context("branch main")),
        (E::BeforeAgent, 0, r#"{"decision":"#, "", context(r#"{"decision":"#)),
        (E::SessionStart, 0, "hi", "", context("hi")),
        (E::SessionStart, 2, "", "x", json!({})),
        (E::AfterAgent, 2, "", "go on", block("go on")),
        (
            E::AfterAgent,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}"#,
            "",
            block("go on"),
        ),
        (E::SessionEnd, 2, "", "x", json!({})),
        (
            E::AfterAgent,
            0,
            r#"{"continue":false,"stopReason":"s","systemMessage":"u"}"#,
            "",
            json!({"continue": false, "stopReason": "s", "userMessage": "u"}),
        ),
    ] {
        match answer(event, code, stdout, stderr) {
            ClaudeAnswer::Said(output, _) => {
                let said = serde_json::to_value(output).expect("JSON");
                assert_eq!(said, expected, "{event} {code} {stdout} {stderr}");
            }
            other => panic!("{event} {code} {stdout}: {other:?}"),
        }
    }
    assert_eq!(answer(E::BeforeTool, 1, "x", "y"), ClaudeAnswer::Nothing);
    assert_eq!(answer(E::BeforeAgent, 1, "x", ""), ClaudeAnswer::Nothing);
}

/// Claude Code ignores such answers as a whole. A block that somebody meant counts here; an allow does not.
#[test]
fn mistakes_never_switch_a_guard_off() {
    for (stdout, reason) in [
        (r#"{"decision":"deny","reason":"no"}"#, "no"),
        (r#"{"decision":"block","reason":"no","continue":"false"}"#, "no"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}"#, "no"),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#,
            "Blocked by hook",
        ),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny"}}"#,
            "Blocked by hook",
        ),
    ] {
        let ClaudeAnswer::Said(output, warnings) = answer(EventName::BeforeTool, 0, stdout, "") else {
            panic!("{stdout}");
        };
        assert!(output.is_blocking_decision() && output.reason.as_deref() == Some(reason), "{output:?}");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
    for stdout in [
        r#"{"decision":"allow"}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"reject"}}"#,
        r#"{"hookSpecificOutput":{"updatedInput":{"pattern":"y"}}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"y"}}"#,
        r#"{"decision":"block","reason":"no"} done"#,
        r#"{"continue":"no"}"#,
    ] {
        let read = answer(EventName::BeforeTool, 0, stdout, "");
        assert!(matches!(read, ClaudeAnswer::Malformed(_)), "{stdout}: {read:?}");
        assert_eq!(answer(EventName::BeforeTool, 1, stdout, ""), ClaudeAnswer::Nothing, "{stdout}");
    }
}
