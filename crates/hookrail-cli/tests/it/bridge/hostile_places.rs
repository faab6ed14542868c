//! A home, a disk or a pipe that does not work: refused where something is guarded, in words and codes that the agent
//! reads as a refusal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{PROMPTS, SHELL_CALLS, bridge, payload, refuses, said, with_hooks};
use crate::program::{at_home, hookrail, run};

/// A tool call of `LLxprt`, which was not captured.
const LLXPRT: &str = "BeforeTool-run_shell_command";

fn guarded() -> TestProject {
    with_hooks(&json!({
        "BeforeTool": [{ "hooks": [{ "type": "rule", "when": { "command": "touch" }, "block": "for people" }] }],
        "AfterTool": [{ "hooks": [{ "type": "rule", "when": { "command": "touch" }, "context": "well done" }] }],
    }))
}

/// Runs a command with a captured payload on its stdin.
fn fed(mut command: Command, text: &str, stdout: Stdio) -> Output {
    use std::io::Write as _;
    let mut child = command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    // Where its stdin is closed, nobody reads it.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

/// Where nothing can be written: a full disk, and on macOS, which has no such device, nothing at all.
fn full_disk() -> Stdio {
    match fs::File::options().write(true).open("/dev/full") {
        Ok(full) => full.into(),
        Err(_) => Stdio::null(),
    }
}

/// An answer that cannot be written would leave exit 0 and an empty stdout, which agents read as no objection.
#[cfg(target_os = "linux")] // It needs a full disk.
#[test]
fn an_answer_that_cannot_be_written_is_a_refusal() {
    let project = guarded();
    for (agent, before, after) in SHELL_CALLS {
        // Kimi Code does not wait for what follows a tool, so that nothing is answered there.
        let files = [(before, 2), (after, i32::from(agent != "kimi"))];
        for (file, expected) in files {
            let event = file.split('-').next().unwrap();
            let text = payload(&project, agent, file, &json!({}));
            let output = fed(hookrail(&project, &["bridge", agent, event]), &text, full_disk());
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(expected), "{agent} {file}: {told}");
            assert_eq!(told.contains("cannot be written"), expected > 0, "{agent} {file}: {told}");
        }
        // An empty answer needs no stdout.
        let quiet =
            json!({ "tool_input": { "command": "ls", "commands": ["ls"] }, "toolArgs": { "command": "ls" } });
        let event = before.split('-').next().unwrap();
        let text = payload(&project, agent, before, &quiet);
        let output = fed(hookrail(&project, &["bridge", agent, event]), &text, full_disk());
        assert_eq!(output.status.code(), Some(0), "{agent}");
    }
}

/// Closed descriptors: the answer needs stdout only, and where that is closed the exit code refuses, with the reason on
/// stderr. Nothing else is said with an exit code.
#[test]
fn a_closed_stdout_is_a_refusal_by_exit_code_and_reason() {
    let project = guarded();
    let calls = SHELL_CALLS.map(|(agent, before, _)| (agent, before));
    for (agent, before) in calls.into_iter().chain([("llxprt", LLXPRT)]) {
        let event = |file: &str| file.split('-').next().unwrap().to_owned();
        let text = |file: &str, changes: &Value| match agent {
            "llxprt" => {
                let mut call = json!({ "hook_event_name": event(file), "session_id": "s", "cwd": project.dir(),
                    "tool_name": "run_shell_command", "tool_input": { "command": "touch made.txt" } });
                if let Some(input) = changes.get("tool_input") {
                    call["tool_input"] = input.clone();
                }
                call.to_string()
            }
            _ => payload(&project, agent, file, changes),
        };
        let closed = |closing: &str, file: &str, changes: &Value| {
            let bridge = hookrail(&project, &["bridge", agent, &event(file)]);
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &format!("exec \"$0\" \"$@\" {closing}")]).arg(bridge.get_program());
            shell.args(bridge.get_args()).current_dir(project.dir());
            fed(shell, &text(file, changes), Stdio::piped())
        };
        let told = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
        let full = if cfg!(target_os = "linux") { ">/dev/full" } else { ">&-" };
        for closing in [">&-", ">/dev/null", full] {
            let output = closed(closing, before, &json!({}));
            assert_eq!(output.status.code(), Some(2), "{agent} {closing}: {}", told(&output));
            assert!(told(&output).contains("for people"), "{agent} {closing}: {}", told(&output));
        }
        assert_eq!(closed(">&- 2>&-", before, &json!({})).status.code(), Some(2), "{agent}: both are closed");
        // The answer itself does not need stderr.
        let output = closed("2>&-", before, &json!({}));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert!(output.status.success() && refuses(&answer, "for people"), "{agent}: {answer}");
        let output = closed("<&-", before, &json!({}));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert!(output.status.success() && refuses(&answer, "stdin is empty"), "{agent}: {answer}");
    }
}

/// The same through the entries that `connect` writes: whatever the agent reads, it is not a permission.
#[test]
fn a_written_entry_refuses_too_when_nothing_can_be_written() {
    let project = guarded();
    for (agent, settings, event, file) in [
        ("claude", ".claude/settings.json", "PreToolUse", "PreToolUse-Bash"),
        ("codex", ".codex/hooks.json", "PreToolUse", "PreToolUse-Bash"),
        ("gemini", ".gemini/settings.json", "BeforeTool", "BeforeTool-run_shell_command"),
        ("qwen", ".qwen/settings.json", "PreToolUse", "PreToolUse-run_shell_command"),
        ("copilot", ".copilot/hooks/hookrail.json", "preToolUse", "preToolUse-bash"),
    ] {
        run(&project, &["connect", agent]);
        let text = fs::read_to_string(project.home().join(settings)).unwrap();
        let written: Value = serde_json::from_str(&text).unwrap();
        let entry = &written["hooks"][event][0];
        let entry = entry["bash"].as_str().or(entry["hooks"][0]["command"].as_str()).expect("an entry");
        let entry = at_home(&project, entry);
        let shell = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", &entry]).current_dir(project.dir());
            shell
        };
        let call = payload(&project, agent, file, &json!({}));
        let output = fed(shell(), &call, Stdio::piped());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        assert!(output.status.success() && refuses(&answer, "for people"), "{agent}: {answer}");
        let output = fed(shell(), &call, full_disk());
        // Copilot denies at every exit but 0, the others at 2.
        let code = output.status.code().expect("an exit code");
        assert!(if agent == "copilot" { code != 0 } else { code == 2 }, "{agent}: {code}");
    }
}

/// A bridge with a `--home` of its own, or without one.
fn bridge_at(project: &TestProject, agent: &str, event: &str, home: Option<&str>) -> Command {
    let mut command = crate::program::program();
    command.args(["bridge", agent, event]).args(home.map(|home| format!("--home={home}")));
    command.current_dir(project.dir()).env("HOME", project.home());
    command
}

#[test]
fn a_home_that_is_not_there_is_refused() {
    let project = guarded();
    let calls = SHELL_CALLS.iter().map(|(agent, before, _)| (*agent, *before));
    for (agent, file) in calls.chain(PROMPTS) {
        for home in ["relative/home", "/no/such/home", "/dev/null"] {
            let event = file.split('-').next().unwrap();
            let command = bridge_at(&project, agent, event, Some(home));
            let output = fed(command, &payload(&project, agent, file, &json!({})), Stdio::piped());
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            assert!(output.status.success() && refuses(&answer, "--home"), "{agent} {file}: {answer}");
        }
    }
}

/// A user id that the system's user database does not know. Root takes one, others get one in a name space.
#[test]
fn a_user_without_a_home_is_refused_whatever_the_environment_says() {
    use std::os::unix::process::CommandExt as _;

    const NOBODY_KNOWN: u32 = 54_321;
    let project = guarded();
    let (dir, home) = (project.dir(), project.home());
    for folder in [&*dir, dir.parent().unwrap(), &home] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let calls = SHELL_CALLS.iter().map(|(agent, before, _)| (*agent, *before));
    for (agent, file) in calls.chain(PROMPTS) {
        let event = file.split('-').next().unwrap();
        let mut command = bridge_at(&project, agent, event, None);
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY_KNOWN);
        } else {
            let mut inside = Command::new("unshare");
            inside.args(["--user", &format!("--map-user={NOBODY_KNOWN}")]).arg(command.get_program());
            inside.args(command.get_args()).current_dir(project.dir()).env("HOME", project.home());
            command = inside;
        }
        command.env("HOOKRAIL_HOME", project.home());
        let output = fed(command, &payload(&project, agent, file, &json!({})), Stdio::piped());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert!(refuses(&answer, "user database") && refuses(&answer, "--home"), "{agent} {file}: {answer}");
    }
}

/// A folder of settings that others may write to is not a guard's place.
#[test]
fn settings_that_others_may_write_are_refused() {
    let project = guarded();
    let folder = project.home().join(".hookrail");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    for (agent, before, after) in SHELL_CALLS {
        let answer = said(&bridge(&project, agent, before, &json!({})));
        assert!(refuses(&answer, "hookrail check") && refuses(&answer, ".hookrail"), "{agent}: {answer}");
        let ran = bridge(&project, agent, after, &json!({}));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{agent}: {ran}");
    }
}

/// Two agents whose sessions have the same name share nothing, and an event that arrives twice is answered twice.
#[test]
fn sessions_of_the_same_name_are_two_and_events_may_come_twice() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "then": { "continue": false, "stopReason": "enough" } },
    ] }] }));
    let same = json!({ "session_id": "s", "sessionId": "s" });
    let harmless = json!({
        "session_id": "s", "sessionId": "s", "toolArgs": { "command": "ls" },
        // Cline has a list.
        "tool_input": { "command": "ls", "commands": ["ls"] },
    });
    for _ in 0..2 {
        let answer = said(&bridge(&project, "codex", "PreToolUse-Bash", &same));
        assert!(refuses(&answer, "enough"), "{answer}");
    }
    // The stop is remembered for Codex, and for no other agent.
    let answer = said(&bridge(&project, "codex", "PreToolUse-Bash", &harmless));
    assert!(refuses(&answer, "enough"), "{answer}");
    for (agent, before, _) in SHELL_CALLS.into_iter().filter(|(agent, ..)| *agent != "codex") {
        let ran = bridge(&project, agent, before, &harmless);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{agent}: {ran}");
    }
    // Copilot runs the entries of `.claude/settings.json` too: both are answered, in both dialects.
    let project = guarded();
    for (agent, file) in
        [("copilot", "preToolUse-bash"), ("claude", "PreToolUse-Bash"), ("copilot", "preToolUse-bash")]
    {
        assert!(refuses(&said(&bridge(&project, agent, file, &same)), "for people"), "{agent}");
    }
}
