//! `fire --agent`: an event in another agent's names, through the bridge's own reading.

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::with_hooks;
use crate::program::{Ran, run, run_with_stdin};

fn guarded() -> TestProject {
    with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "git push" }, "block": "no pushing" },
    ] }] }))
}

fn fire(project: &TestProject, args: &[&str]) -> Ran {
    let mut all = vec!["fire"];
    all.extend(args);
    all.extend(["--format", "json"]);
    run(project, &all)
}

#[test]
fn the_names_are_the_agents() {
    let project = guarded();
    for (agent, event, tool, input) in [
        ("claude", "PreToolUse", "Bash", json!({ "command": "git push" })),
        ("codex", "PreToolUse", "exec_command", json!({ "cmd": "git push" })),
        ("gemini", "BeforeTool", "run_shell_command", json!({ "command": "git push" })),
        ("qwen", "PreToolUse", "monitor", json!({ "command": "git push" })),
        ("copilot", "preToolUse", "bash", json!({ "command": "git push" })),
        ("llxprt", "BeforeTool", "run_shell_command", json!({ "command": "git push" })),
        ("opencode", "tool.execute.before", "bash", json!({ "command": "git push" })),
        (
            "kilo",
            "tool.execute.before",
            "background_process",
            json!({ "action": "start", "command": "git push" }),
        ),
        ("pi", "tool_call", "bash", json!({ "command": "git push" })),
        ("cline", "beforeTool", "run_commands", json!({ "commands": ["ls", "git push"] })),
    ] {
        let args = [event, "--agent", agent, "--tool", tool, "--input", &input.to_string()];
        let ran = fire(&project, &args);
        let result = ran.json();
        assert_eq!((ran.code, &result["reason"]), (Some(2), &json!("no pushing")), "{agent}: {ran}");
        assert_eq!((&result["event"], &result["native"]), (&json!("BeforeTool"), &Value::Null), "{agent}");
        let ran = fire(&project, &[&args[..], &["--native"]].concat());
        let native = &ran.json()["native"];
        assert!(native["answer"].to_string().contains("no pushing"), "{agent}: {ran}");
        assert_eq!(native["exitCode"], 0);
        // The sample of the tool, and of the event.
        for args in [&[event, "--agent", agent, "--tool", tool][..], &[event, "--agent", agent]] {
            let ran = fire(&project, args);
            assert_eq!((ran.code, &ran.json()["blocked"]), (Some(0), &json!(false)), "{agent}: {ran}");
        }
    }
}

#[test]
fn what_the_agent_gets_is_what_the_bridge_answers() {
    let project = guarded();
    let payload = json!({ "hook_event_name": "PreToolUse", "cwd": project.dir(), "tool_name": "Bash",
        "tool_input": { "command": "git push" } });
    let bridged = run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], &payload.to_string());
    let args = ["fire", "PreToolUse", "--agent", "claude", "--payload", "-", "--native", "--format", "json"];
    let fired = run_with_stdin(&project, &args, &payload.to_string());
    assert_eq!(fired.json()["native"]["answer"], bridged.json(), "{fired}");
    let text = run_with_stdin(&project, &args[..args.len() - 2], &payload.to_string());
    assert!(text.stdout.contains("answer   {\"hookSpecificOutput\""), "{text}");
    let silent = fire(&project, &["PreToolUse", "--agent", "claude", "--native"]);
    assert_eq!(silent.json()["native"]["answer"], Value::Null, "{silent}");
}

#[test]
fn a_call_that_cannot_be_read_is_shown_as_refused_or_warned_about() {
    let project = guarded();
    for input in [r#"{"cmd":"git push"}"#, "null", "5", "{}"] {
        let ran = fire(&project, &["PreToolUse", "--agent", "claude", "--tool", "Bash", "--input", input]);
        let result = ran.json();
        assert_eq!((ran.code, &result["blockCause"]), (Some(2), &json!("failure")), "{input}: {ran}");
        assert!(result["reason"].as_str().unwrap().contains("hookrail doctor --live"), "{ran}");
    }
    // A person tries out half a call of ours: it is not refused, and not silent either.
    let ran =
        fire(&project, &["BeforeTool", "--tool", "run_shell_command", "--input", r#"{"cmd":"git push"}"#]);
    assert_eq!((ran.code, &ran.json()["blocked"]), (Some(0), &json!(false)), "{ran}");
    assert!(ran.json()["warnings"][0].as_str().unwrap().contains("without `command`"), "{ran}");
    assert!(ran.stderr.contains("warning: hookrail cannot tell what this call does"), "{ran}");
}

#[test]
fn other_names_are_usage_errors() {
    let project = guarded();
    for (args, expected) in [
        (vec!["fire", "PreToolUse"], "`PreToolUse` is another agent's event; ours is `BeforeTool`"),
        (vec!["fire", "PreToolUse", "--agent", "gemini"], "Gemini CLI has no event `PreToolUse`"),
        (vec!["fire", "NoSuchEvent", "--agent", "claude"], "NoSuchEvent"),
        (vec!["fire", "PreToolUse", "--agent", "windsurf"], "unknown agent `windsurf`"),
        (vec!["fire", "BeforeTool", "--native"], "--agent"),
        (vec!["fire", "Stop", "--agent", "claude", "--tool", "Bash"], "events of tools"),
    ] {
        let ran = run(&project, &args);
        assert_eq!(ran.code, Some(64), "{ran}");
        assert!(ran.stderr.contains(expected), "{ran}");
    }
    // Our own names of events are understood.
    assert_eq!(run(&project, &["fire", "BeforeTool", "--agent", "claude"]).code, Some(0));
}

/// `serve` and the agent refuse as the bridge does.
#[test]
fn our_own_tools_are_read_as_strictly() {
    let project = guarded();
    let request = |id: &str, input: &Value| {
        json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": id,
            "input": { "tool_name": "run_shell_command", "tool_input": input } })
    };
    for (input, refused) in [
        (json!({ "command": "ls" }), false),
        (json!({ "cmd": "ls" }), true),
        (json!({}), true),
        (json!({ "command": 5 }), true),
        (json!({ "command": [{}] }), true),
    ] {
        let ran = run_with_stdin(&project, &["serve"], &format!("{}\n", request("1", &input)));
        let output = &ran.json()["output"];
        assert_eq!(output["blocked"], refused, "{input}: {ran}");
        if refused {
            assert_eq!(output["blockCause"], "failure", "{ran}");
            assert!(output["reason"].as_str().unwrap().contains("hookrail doctor --live"), "{ran}");
        }
    }
}
