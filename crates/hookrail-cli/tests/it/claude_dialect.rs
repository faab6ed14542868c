//! `"dialect": "claude"` in every program, and the ways in which a guard in it could be off without anybody noticing.

use std::fs;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::bridge;
use crate::program::{Ran, run, run_with_stdin};

/// Refuses `rm` as Claude Code's hooks do: by its own names, in its own words.
const GUARD: &str = r#"python3 -c '
import json, sys
data = json.load(sys.stdin)
assert data["hook_event_name"] == "PreToolUse" and data["tool_name"] == "Bash", data
if data["tool_input"]["command"].startswith("rm"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "GUARDED"}}))
'"#;

fn hook(command: &str) -> Value {
    json!({ "type": "command", "name": "guard", "command": command, "dialect": "claude" })
}

fn with_group(event: &str, group: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { event: [group] } }));
    project
}

fn fire(project: &TestProject, command: &str) -> Ran {
    let input = json!({ "command": command }).to_string();
    run(
        project,
        &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input, "--format", "json"],
    )
}

#[test]
fn a_guard_holds_in_every_program() {
    let mut pure = hook(GUARD);
    pure["pure"] = json!(true);
    let project = with_group("BeforeTool", &json!({ "matcher": "Bash", "hooks": [pure] }));
    for (command, code) in [("rm x", 2), ("ls", 0)] {
        assert_eq!(fire(&project, command).code, Some(code), "{command}");
        let args = ["fire", "PreToolUse", "--agent", "copilot", "--tool", "bash", "--input"];
        let input = json!({ "command": command, "description": "d" }).to_string();
        let ran = run(&project, &[&args[..], &[&input]].concat());
        assert_eq!(ran.code, Some(code), "{ran}");
        let request = json!({ "type": "hook-execution-request", "correlationId": "1", "eventName": "BeforeTool",
            "input": { "tool_name": "run_shell_command", "tool_input": { "command": command }, "cwd": project.dir() } });
        let ran = run_with_stdin(&project, &["serve"], &format!("{request}\n"));
        assert_eq!(ran.stdout.contains("GUARDED"), code == 2, "{ran}");
        let test = json!([{ "name": "t", "event": "BeforeTool", "tool": "run_shell_command", "input": { "command": command },
            "expect": { "decision": if code == 2 { "block" } else { "allow" }, "ran": ["guard"] } }]);
        project.file(".llxprt/tests/t.json", test.to_string());
        let ran = run(&project, &["test"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let line = json!({ "type": "tool_call", "timestamp": "2026-11-16T00:00:00.000Z", "sessionId": "s",
            "name": "run_shell_command", "args": { "command": command }, "status": "success", "durationMs": 1, "result": {} });
        let log = project.file("log.jsonl", format!("{line}\n"));
        let ran = run(&project, &["replay", "--format", "json", log.to_str().unwrap()]);
        let different = ran.json()["different"].as_array().unwrap().len();
        assert_eq!(different, usize::from(code == 2), "{ran}");
    }
    for (agent, file) in [
        ("claude", "PreToolUse-Bash"),
        ("codex", "PreToolUse-Bash"),
        ("gemini", "BeforeTool-run_shell_command"),
        ("qwen", "PreToolUse-run_shell_command"),
        ("copilot", "preToolUse-bash"),
        ("opencode", "tool.execute.before-bash"),
    ] {
        let key = if agent == "copilot" { "toolArgs" } else { "tool_input" };
        let ran = bridge(&project, agent, file, &json!({ key: { "command": "rm x" } }));
        assert!(ran.stdout.contains("GUARDED") && ran.code == Some(0), "{agent}: {ran}");
    }
}

/// In a chain, later hooks see what earlier ones changed, in the terms in which they read; `when` decides in ours.
#[test]
fn chains_and_conditions() {
    let changes = r#"jq '{hookSpecificOutput: {hookEventName: "PreToolUse", updatedInput: (.tool_input + {command: "rm y"})}}'"#;
    let own = json!({ "type": "command", "name": "own", "command": "grep -q run_shell_command && grep -q 'rm y' || exit 0" });
    let group = json!({ "matcher": "Bash|run_shell_command", "sequential": true, "hooks": [hook(changes), own, hook(GUARD)] });
    let ran = fire(&with_group("BeforeTool", &group), "ls");
    assert_eq!(ran.code, Some(2), "{ran}");
    let mut conditional = hook(GUARD);
    conditional["when"] = json!({ "tool": "run_shell_command", "command": "rm" });
    let project = with_group("BeforeTool", &json!({ "hooks": [conditional] }));
    assert_eq!(fire(&project, "sudo rm x").code, Some(0), "the condition holds, and the script sees no rm");
    assert_eq!(fire(&project, "rm x").code, Some(2));
    let write = run(
        &project,
        &["fire", "BeforeTool", "--tool", "write_file", "--input", r#"{"file_path":"a","content":"b"}"#],
    );
    assert_eq!(write.code, Some(0), "the script, which would fail, is not started: {write}");
}

/// What a worker and its keeper answer is read like what a process prints.
#[test]
fn workers_speak_it_too() {
    const WORKER: &str = r#"
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    assert question["input"]["tool_name"] == "Bash"
    output = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "WORKER"}}
    print(json.dumps({"id": question["id"], "output": output}), flush=True)
"#;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("worker.py"), WORKER).unwrap();
    let mut worker = hook(&format!("/usr/bin/python3 {}/worker.py", folder.path().display()));
    worker["worker"] = json!(true);
    let project = with_group("BeforeTool", &json!({ "matcher": "Bash", "hooks": [worker] }));
    let ran = fire(&project, "ls");
    assert!(ran.code == Some(2) && ran.stdout.contains("WORKER"), "{ran}");
    for _ in 0..2 {
        let ran = bridge(&project, "gemini", "BeforeTool-run_shell_command", &json!({}));
        assert!(ran.stdout.contains("WORKER"), "{ran}");
    }
    run(&project, &["keeper", "stop", "--home", project.home().to_str().unwrap()]);
}

/// A guard that cannot give its verdict blocks with `onFailure`, whatever kept it from it.
#[test]
fn failures_are_failures() {
    for (command, timeout, is_failure) in [
        ("echo '{\"decision\": \"block\"'", 60_000, true),
        ("echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"allow\"}}'", 60_000, true),
        ("echo '{\"decision\": \"allow\"}'", 60_000, true),
        ("head -c 20000000 /dev/zero | tr '\\0' x", 60_000, true),
        ("exit 1", 60_000, true),
        ("kill -9 $$", 60_000, true),
        ("sleep 60", 1, true),
        ("no-such-program-here", 60_000, true),
        ("echo hello", 60_000, false),
        ("echo '{}'", 60_000, false),
        ("true", 60_000, false),
    ] {
        let mut hook = hook(command);
        hook["timeout"] = json!(timeout);
        for (on_failure, code) in [("block", if is_failure { 2 } else { 0 }), ("allow", 0)] {
            hook["onFailure"] = json!(on_failure);
            let ran = fire(&with_group("BeforeTool", &json!({ "hooks": [hook.clone()] })), "ls");
            assert_eq!(ran.code, Some(code), "{command} {on_failure}: {ran}");
        }
    }
}

/// Matchers and events under which a guard would never run, or never in time, are found by `check`.
#[test]
fn check_finds_guards_that_never_run() {
    for (event, matcher, found) in [
        ("PreToolUse", "Bash", None),
        ("PreToolUse", "Edit|Write|MultiEdit|NotebookEdit", None),
        ("PreToolUse", "mcp__memory__.*", None),
        ("PreToolUse", "Task", None),
        ("PreToolUse", "bash", Some("did you mean `Bash`?")),
        ("PreToolUse", "run_shell_command", Some("did you mean `Bash`?")),
        ("PreToolUse", "Bash(git *)", Some("matches none of Claude Code's tools")),
        ("PreToolUse", "|", Some("matches none of Claude Code's tools")),
        ("PreToolUse", "Bash(", Some("not a regular expression")),
        ("PostToolUseFailure", "Bash", None),
        ("SessionStart", "startup|resume", None),
        ("SessionStart", "compact", None),
        ("SessionStart", "compress", Some("use one of: startup, resume, clear, compact")),
        ("PermissionRequest", "Bash", Some("cannot be answered here")),
        ("BeforeModel", "", Some("Claude Code has no such event")),
    ] {
        let project = with_group(event, &json!({ "matcher": matcher, "hooks": [hook("true")] }));
        let ran = run(&project, &["check"]);
        if let Some(words) = found {
            assert!(ran.stdout.contains(words), "{event} {matcher}: {ran}");
        } else {
            let told = ["warning[", "error[", "note[foreign-event]"];
            assert!(!told.iter().any(|word| ran.stdout.contains(word)), "{event} {matcher}: {ran}");
        }
    }
    let mut misnamed = hook("true");
    misnamed["when"] = json!({ "any": [{ "tool": ["Bash", "glob"] }, { "command": "rm" }] });
    let ran = run(&with_group("PreToolUse", &json!({ "hooks": [misnamed] })), &["check"]);
    assert!(ran.stdout.contains("write `run_shell_command`; else the hook never runs"), "{ran}");
    let mut short = hook("true");
    short["timeout"] = json!(30);
    let ran = run(&with_group("PreToolUse", &json!({ "hooks": [short] })), &["check"]);
    assert!(ran.stdout.contains("if seconds were meant, write 30000"), "{ran}");
}

/// Taking the dialect out would make a guard read nothing: it is part of what was approved.
#[test]
fn the_dialect_is_part_of_an_approval() {
    let project = TestProject::new();
    let settings =
        |hook: &Value| json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
    project.settings(&settings(&hook(GUARD)));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    assert_eq!(fire(&project, "ls").code, Some(0));
    let mut without = hook(GUARD);
    without.as_object_mut().unwrap().remove("dialect");
    project.settings(&settings(&without));
    let ran = fire(&project, "ls");
    assert_eq!(ran.code, Some(2), "{ran}");
}

/// One command for calls that succeeded and calls that failed is two hooks.
#[test]
fn successes_and_failures_are_two_events() {
    let project = TestProject::new();
    let log = hook("jq -r .hook_event_name >> \"$CLAUDE_PROJECT_DIR/log\"");
    let group = json!([{ "hooks": [log] }]);
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "PostToolUse": group, "PostToolUseFailure": group } }),
    );
    for response in [json!({ "llmContent": "x" }), json!({ "llmContent": "x", "error": { "message": "m" } })]
    {
        let payload = json!({ "tool_name": "read_file", "tool_input": { "file_path": "a" }, "tool_response": response });
        let ran = run_with_stdin(&project, &["fire", "AfterTool", "--payload", "-"], &payload.to_string());
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    assert_eq!(project.read("log"), "PostToolUse\nPostToolUseFailure\n");
}
