//! `bridge`: real processes, fed with what the real agents sent, with real rules and hooks behind them.

mod arguments;
mod attacks;
mod environment;
mod failures;
mod hostile_bytes;
mod hostile_places;
mod rules;
mod sessions;

use std::fs;
use std::path::Path;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, log_path, run_with_stdin};

/// A payload that the agent's program sent, in a test's project and with some fields of its own.
pub(crate) fn payload(project: &TestProject, agent: &str, file: &str, changes: &Value) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-testkit/payloads");
    let text =
        fs::read_to_string(folder.join(agent).join(format!("{file}.json"))).expect("a captured payload");
    let mut payload: Value = serde_json::from_str(&text).expect("JSON");
    payload["cwd"] = json!(project.dir());
    for (key, value) in changes.as_object().expect("fields") {
        payload[key] = value.clone();
    }
    payload.to_string()
}

/// Runs the bridge for a captured payload. The event's name is what is before the tool in the file's name.
pub(crate) fn bridge(project: &TestProject, agent: &str, file: &str, changes: &Value) -> Ran {
    let event = file.split('-').next().expect("an event");
    run_with_stdin(project, &["bridge", agent, event], &payload(project, agent, file, changes))
}

/// User settings with these hooks at an event.
pub(crate) fn settings(hooks: &Value) -> Value {
    json!({ "enableHooks": true, "hooks": hooks })
}

/// A test project whose user has these hooks.
pub(crate) fn with_hooks(hooks: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&settings(hooks));
    project
}

/// The tool call payloads of every agent whose shell ran `touch made.txt; echo MADE`.
const SHELL_CALLS: [(&str, &str, &str); 11] = [
    ("claude", "PreToolUse-Bash", "PostToolUse-Bash"),
    ("codex", "PreToolUse-Bash", "PostToolUse-Bash"),
    ("gemini", "BeforeTool-run_shell_command", "AfterTool-run_shell_command"),
    ("qwen", "PreToolUse-run_shell_command", "PostToolUse-run_shell_command"),
    ("copilot", "preToolUse-bash", "postToolUse-bash"),
    ("opencode", "tool.execute.before-bash", "tool.execute.after-bash"),
    ("kilo", "tool.execute.before-bash", "tool.execute.after-bash"),
    ("pi", "tool_call-bash", "tool_result-bash"),
    ("cline", "beforeTool-run_commands", "afterTool-run_commands"),
    ("grok", "PreToolUse-run_terminal_command", "PostToolUse-run_terminal_command"),
    ("kimi", "PreToolUse-Bash", "PostToolUse-Bash"),
];

/// The prompt payloads of every agent; the prompt is `do the task`.
const PROMPTS: [(&str, &str); 9] = [
    ("claude", "UserPromptSubmit"),
    ("codex", "UserPromptSubmit"),
    ("gemini", "BeforeAgent"),
    ("qwen", "UserPromptSubmit"),
    ("copilot", "userPromptSubmitted"),
    ("opencode", "chat.message"),
    ("kilo", "chat.message"),
    ("pi", "input"),
    ("cline", "beforeRun"),
];

/// A run of the bridge that printed an answer, as JSON. Every agent takes decisions from a clean exit.
fn said(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran}");
    ran.json()
}

/// Whether an answer refuses, in the agent's own words, for this reason.
fn refuses(answer: &Value, reason: &str) -> bool {
    let places = ["/hookSpecificOutput", ""];
    places.iter().any(|place| {
        let inside = answer.pointer(place).unwrap_or(&Value::Null);
        let is = |key: &str, words: &[&str]| inside[key].as_str().is_some_and(|word| words.contains(&word));
        let has_reason = |key: &str| inside[key].as_str().is_some_and(|text| text.contains(reason));
        (is("permissionDecision", &["deny"]) && has_reason("permissionDecisionReason"))
            || (is("decision", &["deny", "block"]) && has_reason("reason"))
    })
}

#[test]
fn one_rule_blocks_in_every_agent() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "touching is for people" },
    ] }] }));
    for (agent, before, after) in SHELL_CALLS {
        let ran = bridge(&project, agent, before, &json!({}));
        assert!(refuses(&said(&ran), "touching is for people"), "{agent}: {ran}");
        let ran = bridge(&project, agent, after, &json!({}));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{agent}: {ran}");
    }
}

#[test]
fn one_hook_changes_arguments_in_every_agent_that_can() {
    let output = json!({ "hookSpecificOutput": { "tool_input": { "command": "ls" } } });
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
        { "type": "command", "command": format!("echo '{output}'") },
    ] }] }));
    for (agent, changed) in [
        ("claude", "/hookSpecificOutput/updatedInput/command"),
        ("codex", "/hookSpecificOutput/updatedInput/command"),
        ("gemini", "/hookSpecificOutput/tool_input/command"),
        ("copilot", "/modifiedArgs/command"),
        ("opencode", "/hookSpecificOutput/tool_input/command"),
        ("kilo", "/hookSpecificOutput/tool_input/command"),
        ("pi", "/hookSpecificOutput/tool_input/command"),
        ("cline", "/hookSpecificOutput/tool_input/commands/0"),
        ("grok", "/hookSpecificOutput/updatedInput/command"),
    ] {
        let (_, before, _) = SHELL_CALLS.into_iter().find(|(name, ..)| *name == agent).unwrap();
        let ran = bridge(&project, agent, before, &json!({}));
        let answer = said(&ran);
        assert_eq!(answer.pointer(changed), Some(&json!("ls")), "{agent}: {ran}");
        // Codex takes changed arguments only beside its allow; no other agent is asked to skip its own question.
        assert_eq!(answer.to_string().contains("\"allow\""), agent == "codex", "{agent}: {ran}");
    }
    let ran = bridge(&project, "qwen", "PreToolUse-run_shell_command", &json!({}));
    assert!(refuses(&said(&ran), "ls"), "Qwen ignores changes, so it is a refusal that names them: {ran}");
}

#[test]
fn asks_where_the_agent_can_ask_and_refuses_elsewhere() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "ask": "really?" },
    ] }] }));
    for (agent, before, _) in SHELL_CALLS {
        let ran = bridge(&project, agent, before, &json!({}));
        let answer = said(&ran);
        let asks = answer.to_string().contains("\"ask\"");
        let can_ask = ["claude", "gemini", "qwen", "copilot", "pi"].contains(&agent);
        assert!(if can_ask { asks } else { refuses(&answer, "really?") }, "{agent}: {ran}");
    }
}

#[test]
fn context_and_replaced_results_reach_the_model() {
    let replaced = json!({ "hookSpecificOutput": { "tool_response": { "llmContent": "[hidden]" } } });
    let hooks = |rule: &Value| json!({ "AfterTool": [{ "matcher": "run_shell_command", "hooks": [rule] }] });
    let context = with_hooks(&hooks(&json!({ "type": "rule", "when": {}, "context": "mind the gap" })));
    let result = with_hooks(&hooks(&json!({ "type": "rule", "when": {}, "then": replaced })));
    // Kimi Code does not wait for hooks after a tool.
    for (agent, _, after) in SHELL_CALLS.into_iter().filter(|(agent, ..)| *agent != "kimi") {
        let ran = bridge(&context, agent, after, &json!({}));
        assert!(said(&ran).to_string().contains("mind the gap"), "{agent}: {ran}");
        let ran = bridge(&result, agent, after, &json!({}));
        assert!(said(&ran).to_string().contains("[hidden]"), "{agent}: {ran}");
    }
}

#[test]
fn prompts_are_blocked_and_given_context() {
    let project = with_hooks(&json!({ "BeforeAgent": [{ "hooks": [
        { "type": "rule", "when": { "prompt": { "contains": "forbidden" } }, "block": "not today" },
        { "type": "rule", "when": { "prompt": { "contains": "task" } }, "context": "it is Monday" },
    ] }] }));
    for (agent, file) in PROMPTS {
        let ran = bridge(&project, agent, file, &json!({ "prompt": "forbidden words" }));
        assert!(refuses(&said(&ran), "not today"), "{agent}: {ran}");
        let ran = bridge(&project, agent, file, &json!({ "prompt": "a task" }));
        assert!(said(&ran).to_string().contains("it is Monday"), "{agent}: {ran}");
    }
}

#[test]
fn the_agent_is_sent_back_to_work_once() {
    let project = with_hooks(&json!({ "AfterAgent": [{ "hooks": [{ "type": "command", "name": "tests",
        "command": "grep -q '\"stop_hook_active\":true' && exit 0; echo tests fail >&2; exit 2" }] }] }));
    for (agent, file) in [
        ("claude", "Stop"),
        ("codex", "Stop"),
        ("gemini", "AfterAgent"),
        ("qwen", "Stop"),
        ("copilot", "agentStop"),
    ] {
        let ran = bridge(&project, agent, file, &json!({ "session_id": "s", "sessionId": "s" }));
        assert!(refuses(&said(&ran), "tests fail"), "{agent}: {ran}");
        let ran = bridge(&project, agent, file, &json!({ "session_id": "s", "sessionId": "s" }));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{agent}: {ran}");
    }
}

#[test]
fn the_prompt_is_remembered_until_the_end_of_the_work() {
    let project = with_hooks(&json!({ "AfterAgent": [{ "hooks": [
        { "type": "rule", "when": { "prompt": { "contains": "refactor" } }, "block": "refactored enough?" },
    ] }] }));
    let session = json!({ "session_id": "s" });
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "s", "prompt": "refactor it" }));
    let ran = bridge(&project, "claude", "Stop", &session);
    assert!(refuses(&said(&ran), "refactored enough?"), "{ran}");
    let ran = bridge(&project, "claude", "Stop", &json!({ "session_id": "another" }));
    assert_eq!(ran.stdout, "", "{ran}");
}

#[test]
fn a_session_starts_with_context() {
    let output = json!({ "hookSpecificOutput": { "additionalContext": "read AGENTS.md" } });
    let project = with_hooks(&json!({ "SessionStart": [{ "hooks": [
        { "type": "command", "command": format!("echo '{output}'") },
    ] }] }));
    for (agent, file) in [
        ("claude", "SessionStart"),
        ("codex", "SessionStart"),
        ("gemini", "SessionStart"),
        ("copilot", "sessionStart"),
    ] {
        let ran = bridge(&project, agent, file, &json!({}));
        assert!(said(&ran).to_string().contains("read AGENTS.md"), "{agent}: {ran}");
    }
}

#[test]
fn a_stop_ends_the_run_or_refuses_what_follows() {
    let stop = json!({ "continue": false, "stopReason": "enough" });
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "then": stop },
    ] }] }));
    let session = json!({ "session_id": "s", "sessionId": "s" });
    let gemini = bridge(&project, "gemini", "BeforeTool-run_shell_command", &session);
    assert_eq!(said(&gemini)["continue"], json!(false), "{gemini}");
    for (agent, first, next) in [
        ("claude", "PreToolUse-Bash", "PreToolUse-Read"),
        ("codex", "PreToolUse-Bash", "PreToolUse-apply_patch"),
        ("qwen", "PreToolUse-run_shell_command", "PreToolUse-read_file"),
        ("opencode", "tool.execute.before-bash", "tool.execute.before-read"),
        ("kilo", "tool.execute.before-bash", "tool.execute.before-read"),
    ] {
        for file in [first, next] {
            let ran = bridge(&project, agent, file, &session);
            assert!(refuses(&said(&ran), "enough"), "{agent} {file}: {ran}");
        }
    }
    let ran = bridge(&project, "claude", "PostToolBatch", &session);
    assert_eq!(said(&ran), stop, "{ran}");
    let silent = bridge(&project, "copilot", "preToolUse-bash", &session);
    assert_eq!(silent.stdout, "", "Copilot comes to its permission request only if nobody refused: {silent}");
    let ran = bridge(&project, "copilot", "permissionRequest-bash", &session);
    assert_eq!(said(&ran)["interrupt"], json!(true), "{ran}");
}

#[test]
fn hooks_see_our_names_and_the_agents_own() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "^Bash$", "hooks": [
        { "type": "command", "command": "cat > seen.json" },
    ] }] }));
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
    let seen: Value = serde_json::from_str(&project.read("seen.json")).unwrap();
    assert_eq!(seen["hook_event_name"], "BeforeTool");
    assert_eq!(seen["tool_name"], "run_shell_command");
    assert_eq!(seen["tool_input"]["command"], "touch made.txt; echo MADE");
    assert_eq!(seen["agent"]["name"], "claude");
    assert_eq!(seen["agent"]["event"], "PreToolUse");
    assert_eq!(seen["agent"]["tool_name"], "Bash");
    assert_eq!(seen["agent"]["tool_input"]["command"], "touch made.txt; echo MADE");
}

#[test]
fn a_patch_of_codex_shows_its_files() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "matcher": "write_file|replace", "hooks": [
        { "type": "rule", "when": { "writes": { "glob": "**" } }, "block": "no writing" },
    ] }] }));
    let ran = bridge(&project, "codex", "PreToolUse-apply_patch", &json!({}));
    assert!(refuses(&said(&ran), "no writing"), "{ran}");
}

#[test]
fn the_log_names_the_agent_in_every_line() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "true" },
        { "type": "rule", "when": {}, "then": { "continue": false, "stopReason": "enough" } },
    ] }] }));
    bridge(&project, "codex", "PreToolUse-Bash", &json!({}));
    let log = fs::read_to_string(log_path(&project)).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 3, "{log}");
    assert!(lines.iter().all(|line| line["agent"] == "codex"), "{log}");
    assert!(lines.iter().any(|line| line["strengthened"].is_array()), "{log}");
}

/// Grok Build also runs the entries of Claude Code. What it sends is read as Grok's, and a call is answered once.
#[test]
fn an_entry_that_another_agent_runs_answers_that_agent_once() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "counts", "command": "echo x >> counted.txt" },
        { "type": "rule", "when": { "command": "rm" }, "block": "for people" },
    ] }] }));
    crate::program::run(&project, &["connect", "claude"]);
    let ask = |entry: &str, id: &str, command: &str| {
        let changes = json!({ "tool_use_id": id, "toolUseId": id, "toolInput": { "command": command },
            "tool_input": { "command": command } });
        let text = payload(&project, "grok", "PreToolUse-run_terminal_command", &changes);
        let event = if entry == "cursor" { "beforeShellExecution" } else { "PreToolUse" };
        run_with_stdin(&project, &["bridge", entry, event], &text)
    };
    let counted = || {
        let file = project.dir().join("counted.txt");
        std::fs::read_to_string(file).unwrap_or_default().lines().count()
    };
    assert!(ask("claude", "1", "rm x").stdout.contains("\"permissionDecision\":\"deny\""));
    for (entries, id) in [(["claude", "grok"], "2"), (["grok", "claude"], "3"), (["cursor", "claude"], "4")] {
        let before = counted();
        for entry in entries {
            let ran = ask(entry, id, "ls");
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
        }
        assert_eq!(counted(), before + 1, "{entries:?}");
    }
}
