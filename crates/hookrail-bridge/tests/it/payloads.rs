//! Every captured payload is understood.

use hookrail::EventName;
use hookrail::components::parse_input;
use hookrail_bridge::{Agent, SessionMemory, answer, read};
use serde_json::{Value, json};

use crate::support::{OBSERVED, event, names, payloads};

/// What the agents call our events. An event that is missing here has no counterpart.
fn expected(native: &str) -> Option<EventName> {
    Some(match native {
        "PreToolUse" | "preToolUse" | "BeforeTool" | "tool.execute.before" | "tool_call" | "beforeTool" => {
            EventName::BeforeTool
        }
        "PostToolUse" | "PostToolUseFailure" | "postToolUse" | "AfterTool" | "tool.execute.after"
        | "tool_result" | "afterTool" => EventName::AfterTool,
        "UserPromptSubmit"
        | "userPromptSubmitted"
        | "BeforeAgent"
        | "chat.message"
        | "input"
        | "beforeRun" => EventName::BeforeAgent,
        "Stop" | "agentStop" | "AfterAgent" | "session.idle" | "agent_before_settle" | "afterRun" => {
            EventName::AfterAgent
        }
        "SessionStart" | "sessionStart" | "session.created" | "session_start" | "setup" => {
            EventName::SessionStart
        }
        "SessionEnd" | "sessionEnd" | "session_shutdown" => EventName::SessionEnd,
        "Notification" | "permissionRequest" => EventName::Notification,
        "PreCompress" => EventName::PreCompress,
        "BeforeModel" => EventName::BeforeModel,
        "AfterModel" => EventName::AfterModel,
        "BeforeToolSelection" => EventName::BeforeToolSelection,
        _ => return None,
    })
}

#[test]
fn every_payload_reads_as_its_event_and_suits_the_engine() {
    for agent in OBSERVED {
        for (name, native, text) in payloads(agent) {
            let read = read(agent, Some(&native), text.as_bytes()).expect(&name);
            assert_eq!(read.event, expected(&native), "{agent} {name}");
            assert_eq!(read.native_event, native, "{agent} {name}");
            assert!(read.session_id.is_some() || native == "file.edited", "{agent} {name}");
            assert_eq!(read.cwd.as_deref(), Some("/home/dev/work"), "{agent} {name}");
            let native_side = read.payload.get("agent").expect("the native side");
            assert_eq!(
                (&native_side["name"], &native_side["event"]),
                (&json!(agent.as_str()), &json!(native))
            );
            if let Some(event) = read.event {
                let parsed = parse_input(event, Value::Object(read.payload.clone()));
                assert!(parsed.is_ok(), "{agent} {name}: {parsed:?}");
            }
        }
    }
}

/// All agents but Copilot name their event themselves. A call of a tool without a result is one that is about to be made.
#[test]
fn the_argument_is_needed_only_where_the_payload_does_not_tell() {
    for agent in OBSERVED {
        for (name, native, text) in payloads(agent) {
            let alone = read(agent, None, text.as_bytes()).ok().map(|event| event.native_event);
            let is_told = ["permissionRequest", "preToolUse"].contains(&native.as_str());
            let names_event = agent != Agent::Copilot || is_told;
            assert_eq!(alone, names_event.then_some(native), "{agent} {name}");
        }
    }
}

/// The same shell call from every agent.
#[test]
fn a_shell_call_looks_the_same_in_every_agent() {
    for agent in OBSERVED {
        let read = event(agent, names(agent).before);
        assert_eq!(read.tool_name(), Some("run_shell_command"), "{agent}");
        assert_eq!(read.payload["tool_input"]["command"], "touch made.txt; echo MADE", "{agent}");
        let native = read.native_tool.clone().expect("a tool");
        assert_eq!(read.payload["agent"]["tool_name"], json!(native), "{agent}");
        let own = if native == "run_shell_command" { vec![] } else { vec![native] };
        assert_eq!(read.also_matches, own, "{agent}");

        let after = event(agent, names(agent).after);
        let output = after.payload["tool_response"]["llmContent"].as_str().expect("a text").to_owned();
        assert!(output.contains("MADE"), "{agent}: {output}");
        assert!(!output.starts_with('{'), "{agent}: {output}");
    }
}

#[test]
fn words_are_ours() {
    for (agent, name, key, ours, theirs) in [
        (Agent::Copilot, "sessionStart", "source", "startup", Some("new")),
        (Agent::Copilot, "sessionEnd", "reason", "exit", Some("complete")),
        (Agent::Claude, "SessionStart", "source", "startup", None),
        (Agent::Gemini, "PreCompress", "trigger", "auto", None),
        (Agent::Copilot, "preToolUse-bash", "timestamp", "2026-11-16T04:14:03.832Z", None),
        (Agent::Copilot, "permissionRequest-bash", "notification_type", "ToolPermission", None),
        (Agent::Qwen, "Notification", "notification_type", "auth_success", None),
    ] {
        let read = event(agent, name);
        assert_eq!(read.payload[key], ours, "{agent} {name}");
        assert_eq!(read.payload["agent"].get(key).and_then(Value::as_str), theirs, "{agent} {name}");
    }
    let question = event(Agent::Copilot, "permissionRequest-edit").payload["details"].clone();
    assert_eq!((&question["type"], &question["tool_name"]), (&json!("edit"), &json!("replace")));
}

#[test]
fn a_failed_call_carries_its_error() {
    let read = event(Agent::Claude, "PostToolUseFailure-Bash");
    assert_eq!(read.payload["tool_response"]["error"]["message"], "Exit code 3\nOOPS");
    assert_eq!(read.payload["tool_response"]["llmContent"], "Exit code 3\nOOPS");
}

/// Only Gemini repeats the prompt at the end of the work; the others have it remembered.
#[test]
fn the_prompt_is_remembered_for_the_end() {
    for agent in OBSERVED {
        let start = event(agent, names(agent).prompt);
        let memory = answer(agent, &start, &hookrail_bridge::Outcome::default(), &SessionMemory::default());
        let memory = memory.memory.expect("a prompt to remember");
        let mut end = event(agent, names(agent).end);
        memory.recall(&mut end);
        assert_eq!(end.payload["prompt"], start.payload["prompt"], "{agent}");
        assert!(
            end.payload["prompt"].as_str().is_some_and(|prompt| prompt.contains("do the task")),
            "{agent}"
        );
        // Qwen reports that it was sent back from the first time on.
        assert_eq!(end.payload["stop_hook_active"], false, "{agent}");
    }
}

#[test]
fn a_prompt_event_without_a_prompt_is_none_in_qwen_only() {
    let text = r#"{"hook_event_name": "UserPromptSubmit", "prompt": ""}"#;
    let event = |agent| read(agent, None, text.as_bytes()).expect("an event").event;
    assert_eq!(event(Agent::Qwen), None);
    assert_eq!(event(Agent::Claude), Some(EventName::BeforeAgent));
}

/// Payloads that the agents document and that the runs did not bring about.
#[test]
fn documented_payloads_read_too() {
    for (agent, argument, payload, event, checks) in [
        (
            Agent::Crush,
            Some("PreToolUse"),
            json!({"event": "PreToolUse", "session_id": "3", "cwd": "/w", "tool_name": "bash", "tool_input": {"command": "ls"}}),
            EventName::BeforeTool,
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
        ),
        (
            Agent::Cursor,
            None,
            json!({"hook_event_name": "beforeShellExecution", "conversation_id": "c", "command": "ls", "workspace_roots": ["/w"]}),
            EventName::BeforeTool,
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "cwd": "/w"}),
        ),
        (
            Agent::Cursor,
            None,
            json!({"hook_event_name": "beforeReadFile", "conversation_id": "c", "file_path": "/w/.env", "content": "K=1"}),
            EventName::BeforeTool,
            json!({"tool_name": "read_file", "tool_input": {"file_path": "/w/.env"}}),
        ),
        (
            Agent::Claude,
            None,
            json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            EventName::Notification,
            json!({"notification_type": "ToolPermission", "details": {"type": "exec", "tool_name": "run_shell_command"}}),
        ),
        (
            Agent::Claude,
            None,
            json!({"hook_event_name": "Notification", "message": "m", "notification_type": "idle_prompt", "title": "t"}),
            EventName::Notification,
            json!({"notification_type": "idle_prompt", "message": "m", "details": {"type": "info", "title": "t"}}),
        ),
        (
            Agent::Claude,
            None,
            json!({"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "x"}),
            EventName::PreCompress,
            json!({"trigger": "manual", "custom_instructions": "x"}),
        ),
        (
            Agent::Claude,
            None,
            json!({"hook_event_name": "SessionStart", "source": "compact", "transcript_path": null}),
            EventName::SessionStart,
            json!({"source": "compress", "transcript_path": "", "agent": {"source": "compact"}}),
        ),
        (
            Agent::Codex,
            None,
            json!({"hook_event_name": "PermissionRequest", "tool_name": "apply_patch", "tool_input": {"command": "p"}}),
            EventName::Notification,
            json!({"details": {"type": "edit", "tool_input": {"patch": "p"}}}),
        ),
        (
            Agent::Copilot,
            Some("PreToolUse"),
            json!({"hook_event_name": "PreToolUse", "session_id": "1", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            EventName::BeforeTool,
            json!({"tool_name": "run_shell_command", "session_id": "1"}),
        ),
        (
            Agent::Copilot,
            Some("preToolUse"),
            json!({"sessionId": "1", "toolName": "bash", "toolArgs": "{\"command\": \"ls\"}"}),
            EventName::BeforeTool,
            json!({"tool_input": {"command": "ls"}, "session_id": "1"}),
        ),
        (
            Agent::Gemini,
            None,
            json!({"hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "m", "details": {"type": "exec"}}),
            EventName::Notification,
            json!({"notification_type": "ToolPermission", "details": {"type": "exec"}}),
        ),
    ] {
        let read = read(agent, argument, payload.to_string().as_bytes()).expect("an event");
        assert_eq!(read.event, Some(event), "{payload}");
        assert!(contains(&Value::Object(read.payload.clone()), &checks), "{agent}: {:#?}", read.payload);
        let parsed = parse_input(event, Value::Object(read.payload));
        assert!(parsed.is_ok(), "{payload}: {parsed:?}");
    }
}

/// Whether every value of `part` is in `whole`.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        _ => whole == part,
    }
}

/// A tool of an MCP server has one name, whichever agent calls it.
#[test]
fn mcp_tools_have_one_form() {
    let gemini = json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_my_git_log", "tool_input": {},
        "mcp_context": {"server_name": "my_git", "tool_name": "log"}});
    let claude = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__my_git__log", "tool_input": {}});
    for (agent, payload) in [(Agent::Gemini, gemini), (Agent::Claude, claude)] {
        let read = read(agent, None, payload.to_string().as_bytes()).expect("an event");
        assert_eq!(read.tool_name(), Some("mcp__my_git__log"), "{agent}");
    }
}

/// Grok names the tool of an MCP server without a prefix, and sends what its own `use_tool` was given.
#[test]
fn a_tool_that_grok_calls_through_another_one_is_that_tool() {
    let read = event(Agent::Grok, "PreToolUse-probe__leave_mark");
    assert_eq!(read.tool_name(), Some("mcp__probe__leave_mark"));
    assert_eq!(read.payload["tool_input"], json!({}));
    assert!(read.answers_to("probe__leave_mark"));
    let inner = json!({ "tool_name": "probe__leave_mark", "tool_input": { "a": 1 } });
    let text = json!({ "hook_event_name": "PreToolUse", "tool_name": "use_tool", "tool_input": {
        "tool_name": "probe__leave_mark", "tool_input": inner } });
    let nested = hookrail_bridge::read(Agent::Grok, None, text.to_string().as_bytes()).expect("an event");
    assert_eq!(nested.payload["tool_input"], inner, "it is taken out once");
}

/// Grok cuts arguments of more than 128 KiB off and sends a text. Such a call cannot be read.
#[test]
fn arguments_that_were_cut_off_are_not_readable() {
    use hookrail::components::CallReading;
    let cut = format!("{{\"command\":\"ls {}… [truncated]", "x".repeat(200));
    let text = json!({ "hook_event_name": "PreToolUse", "tool_name": "run_terminal_command", "tool_input": cut,
        "toolInputTruncated": true });
    let read = hookrail_bridge::read(Agent::Grok, None, text.to_string().as_bytes()).expect("an event");
    assert!(matches!(read.reading, Some(CallReading::Unreadable(_))), "{:?}", read.reading);
}

/// Grok fires `Stop` again when the session ends; nothing has ended there but the session.
#[test]
fn the_end_of_a_session_is_not_the_end_of_the_work() {
    for (reason, expected) in
        [("end_turn", Some(EventName::AfterAgent)), ("shutdown", None), ("channel_closed", None)]
    {
        let text = json!({ "hook_event_name": "Stop", "reason": reason }).to_string();
        assert_eq!(
            hookrail_bridge::read(Agent::Grok, None, text.as_bytes()).expect("an event").event,
            expected
        );
    }
}

/// In its mode without questions Grok answers a hook's question itself, with yes.
#[test]
fn a_question_that_nobody_would_see_is_a_refusal() {
    use hookrail::effects::EventEffects;
    let asks = EventEffects { ask: Some("shall it be?".into()), ..EventEffects::default() };
    for (mode, expected) in [("bypassPermissions", "deny"), ("default", "ask")] {
        let mut read = event(Agent::Grok, "PreToolUse-run_terminal_command");
        read.payload.insert("permission_mode".to_owned(), mode.into());
        let answered = answer(Agent::Grok, &read, &asks.clone().into(), &SessionMemory::default());
        let answered: Value = serde_json::from_str(&answered.stdout).expect("an answer");
        assert_eq!(answered["hookSpecificOutput"]["permissionDecision"], expected, "{mode}");
    }
}
