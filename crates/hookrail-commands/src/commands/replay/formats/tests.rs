use serde_json::json;

use super::*;
use crate::commands::replay::call::PastOutcome;

/// The entries of a line, in short.
fn brief(line: &Value) -> String {
    let text = line.to_string();
    let format = recognise(text.as_bytes());
    let Some(format) = format else { return "unknown".to_owned() };
    let mut entries = Vec::new();
    if !read(format, text.as_bytes(), 7, &mut entries) {
        return format!("{format:?}: unreadable line");
    }
    let each = entries.into_iter().map(|entry| match entry {
        TranscriptEntry::Call(call) => format!("{} {}", call.tool, Value::Object(call.input)),
        TranscriptEntry::Finished(call, was) => {
            format!("{} {} {was:?}", call.tool, Value::Object(call.input))
        }
        TranscriptEntry::Result { id, was } => format!("{id} {was:?}"),
        TranscriptEntry::Unreadable => "unreadable call".to_owned(),
    });
    format!("{format:?}: {}", each.collect::<Vec<_>>().join(", "))
}

#[test]
fn every_agents_lines_are_recognised_and_read() {
    let stamped = |mut line: Value| {
        line["timestamp"] = json!("2026-11-16T00:00:00.000Z");
        line["sessionId"] = json!("s");
        line
    };
    let codex = |payload: Value| json!({ "timestamp": "t", "type": "response_item", "payload": payload });
    for (line, expected) in [
        (
            stamped(
                json!({ "type": "tool_call", "name": "write_file", "args": { "file_path": "a" }, "status": "error", "durationMs": 1, "result": {} }),
            ),
            r#"Ours: write_file {"file_path":"a"} Allow"#,
        ),
        (
            stamped(json!({ "type": "tool_call", "name": "x", "args": {}, "status": "blocked" })),
            "Ours: x {} Block",
        ),
        (
            stamped(json!({ "type": "tool_call", "name": "x", "args": {}, "status": "denied" })),
            "Ours: x {} Denied",
        ),
        (
            stamped(json!({ "type": "tool_call", "name": "x", "args": {}, "status": "odd" })),
            "Ours: unreadable line",
        ),
        (
            stamped(json!({ "type": "tool_call", "name": "x", "args": 5, "status": "success" })),
            "Ours: unreadable line",
        ),
        (stamped(json!({ "type": "hook_batch", "event": "BeforeTool" })), "Ours: "),
        (
            json!({ "type": "assistant", "cwd": "/p", "sessionId": "s", "message": { "role": "assistant", "content": [
                { "type": "text", "text": "hi" },
                { "type": "tool_use", "id": "1", "name": "Bash", "input": { "command": "ls" } },
                { "type": "tool_use", "id": "2", "name": "Edit", "input": { "file_path": "/p/a", "old_string": "x", "new_string": "y" } }] } }),
            r#"Claude: run_shell_command {"command":"ls"}, replace {"file_path":"/p/a","old_string":"x","new_string":"y"}"#,
        ),
        (
            json!({ "type": "user", "message": { "content": [
                { "type": "tool_result", "tool_use_id": "1", "content": "fine" },
                { "type": "tool_result", "tool_use_id": "2", "is_error": true, "content": [{ "type": "text", "text": "Hook PreToolUse:Bash denied this tool" }] },
                { "type": "tool_result", "tool_use_id": "3", "is_error": true, "content": "The user doesn't want to proceed with this tool use." },
                { "type": "tool_result", "tool_use_id": "4", "is_error": false, "content": "blocked by PreToolUse hook, says a log" }] } }),
            "Claude: 1 Allow, 2 Block, 3 Denied, 4 Allow",
        ),
        (
            json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "1", "input": "?" }] } }),
            "Claude: unreadable call",
        ),
        (json!({ "type": "user", "message": { "content": "just text" } }), "Claude: "),
        (
            codex(
                json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}", "call_id": "c" }),
            ),
            r#"Codex: run_shell_command {"command":["bash","-lc","ls"]}"#,
        ),
        (
            codex(
                json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "c" }),
            ),
            r#"Codex: run_shell_command {"command":"ls"}"#,
        ),
        (
            codex(
                json!({ "type": "local_shell_call", "call_id": "c", "action": { "type": "exec", "command": ["ls"] } }),
            ),
            r#"Codex: run_shell_command {"command":["ls"]}"#,
        ),
        (
            codex(
                json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n", "call_id": "c" }),
            ),
            r#"Codex: apply_patch {"patch":"*** Begin Patch\n"}"#,
        ),
        (
            codex(
                json!({ "type": "function_call_output", "call_id": "c", "output": "Command blocked by PreToolUse hook: no" }),
            ),
            "Codex: c Block",
        ),
        (
            codex(
                json!({ "type": "custom_tool_call_output", "call_id": "c", "output": { "output": "rejected by user" } }),
            ),
            "Codex: c Denied",
        ),
        (
            codex(json!({ "type": "function_call", "name": "shell", "arguments": "{torn", "call_id": "c" })),
            "Codex: unreadable call",
        ),
        (codex(json!({ "type": "message", "content": [] })), "Codex: "),
        (
            json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "c" }),
            r#"Codex: run_shell_command {"command":"ls"}"#,
        ),
        (
            json!({ "id": "m", "type": "gemini", "content": "", "toolCalls": [
                { "id": "1", "name": "run_shell_command", "args": { "command": "ls" }, "status": "success", "result": [] },
                { "id": "2", "name": "replace", "args": {}, "status": "cancelled" },
                { "id": "3", "name": "write_file", "args": {}, "status": "error", "resultDisplay": "Tool execution blocked: no" },
                { "id": "4", "name": "", "args": {} }] }),
            r#"Gemini: run_shell_command {"command":"ls"} Allow, replace {} Denied, write_file {} Block, unreadable call"#,
        ),
        (
            json!({ "type": "assistant", "cwd": "/p", "message": { "role": "model", "parts": [{ "text": "x" }, { "functionCall": { "id": "1", "name": "edit", "args": { "file_path": "a" } } }] } }),
            r#"Qwen: replace {"file_path":"a"}"#,
        ),
        (
            json!({ "type": "tool_result", "message": { "role": "user", "parts": [{ "functionResponse": { "id": "1", "name": "edit", "response": { "output": "ok" } } }] }, "toolCallResult": { "status": "cancelled" } }),
            "Qwen: 1 Denied",
        ),
        (
            // A hook's refusal is its own text; `errorType` shows that it is one.
            json!({ "type": "tool_result", "message": { "role": "user", "parts": [{ "functionResponse": { "id": "1", "name": "run_shell_command", "response": { "error": "force pushes are for people" } } }] }, "toolCallResult": { "callId": "1", "status": "error", "resultDisplay": "force pushes are for people", "errorType": "execution_denied" } }),
            "Qwen: 1 Block",
        ),
        (
            json!({ "type": "tool_result", "message": { "role": "user", "parts": [{ "functionResponse": { "id": "1", "name": "edit", "response": { "error": "Qwen Code requires permission to use \"edit\", but that permission was declined (non-interactive mode cannot prompt for confirmation)." } } }] }, "toolCallResult": { "callId": "1", "status": "error", "errorType": "execution_denied" } }),
            "Qwen: 1 Denied",
        ),
        (json!({ "name": "package" }), "unknown"),
        (json!([1, 2]), "unknown"),
        (json!(null), "unknown"),
    ] {
        assert_eq!(brief(&line), expected, "{line}");
    }
}

#[test]
fn a_document_is_read_message_by_message() {
    let text = r#"{
  "sessionId": "s", "projectHash": "h",
  "messages": [
    { "type": "user", "content": "hi" },
    { "type": "gemini", "content": "",
      "toolCalls": [{ "id": "1", "name": "glob", "args": { "pattern": "*" }, "status": "success" }] },
    { "type": "gemini", "toolCalls": "odd" }
  ]
}"#;
    let read = |text: &str, most: usize| {
        let mut lines = Vec::new();
        let mut tell = |entries: Vec<TranscriptEntry>| {
            lines.extend(entries.into_iter().map(|entry| match entry {
                TranscriptEntry::Finished(call, PastOutcome::Allow) => format!("{} {}", call.line, call.tool),
                other => format!("{other:?}"),
            }));
            Ok::<_, std::convert::Infallible>(())
        };
        let Ok(found) = document(hookrail_bridge::Agent::Gemini, text.as_bytes(), most, &mut tell);
        (lines.join(", "), found.is_chat, found.unreadable)
    };
    assert_eq!(read(text, 10_000), ("5 glob".to_owned(), true, 1));
    let torn = text.get(..text.len() - 20).unwrap();
    assert_eq!(read(torn, 10_000).0, "5 glob", "what stands before the tear counts");
    assert!(read(torn, 10_000).2 > 0, "and the tear is counted");
    assert_eq!(read(text, 100), (String::new(), true, 1), "a message over the bound is not kept");
    assert_eq!(read("{\"name\": \"package\"}", 10_000), (String::new(), false, 0));
    assert_eq!(read("\0\u{1}garbage", 10_000), (String::new(), false, 0));
    let deep = "[".repeat(100_000);
    assert!(!read(&deep, 1_000_000).1);
}
