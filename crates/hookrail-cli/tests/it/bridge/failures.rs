//! What goes wrong is refused where something is guarded, printed elsewhere, and never read by an agent as something else.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookrail_testkit::{TestProject, process_is_alive, wait_until};
use serde_json::{Value, json};

use super::{PROMPTS, SHELL_CALLS, bridge, payload, refuses, said, settings, with_hooks};
use crate::program::{Ran, hookrail, log_path, run, run_with_stdin};

#[test]
fn a_failing_hook_is_reported_and_blocks_only_if_configured_so() {
    for (on_failure, blocks) in [("allow", false), ("block", true)] {
        let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
            { "type": "command", "name": "lint", "command": "exit 7", "onFailure": on_failure },
        ] }] }));
        for (agent, before, _) in SHELL_CALLS {
            let ran = bridge(&project, agent, before, &json!({}));
            assert_eq!(ran.code, Some(0), "{agent}: {ran}");
            assert!(format!("{}{}", ran.stdout, ran.stderr).contains("lint"), "{agent}: {ran}");
            let is_refused = !ran.stdout.is_empty() && refuses(&ran.json(), "lint");
            assert_eq!(is_refused, blocks, "{agent}: {ran}");
        }
    }
}

#[test]
fn broken_settings_deny_what_is_guarded_and_name_the_file_and_the_command() {
    let project = TestProject::new();
    project.user_settings(&json!({}));
    fs::write(project.user_settings_path(), "{ \"enableHooks\": ").unwrap();
    let guarded = SHELL_CALLS.iter().map(|(agent, before, _)| (*agent, *before));
    for (agent, file) in guarded.chain(PROMPTS) {
        let ran = bridge(&project, agent, file, &json!({}));
        let answer = said(&ran);
        assert!(refuses(&answer, "settings.json") && refuses(&answer, "hookrail check"), "{agent}: {ran}");
    }
    for (agent, _, after) in SHELL_CALLS {
        let ran = bridge(&project, agent, after, &json!({}));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{agent}: {ran}");
        assert!(ran.stderr.contains("settings.json"), "{agent}: {ran}");
    }
}

#[test]
fn a_payload_that_cannot_be_read_is_denied_where_something_is_guarded() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "rm" }, "block": "no" },
    ] }] }));
    for stdin in ["", "{", "[]", "nonsense", "{\"hook_event_name\":\"PreToolUse\"", "{}", "\u{0}\u{1}"] {
        for (agent, before, after) in SHELL_CALLS {
            let event = |file: &str| file.split('-').next().unwrap().to_owned();
            let ran = run_with_stdin(&project, &["bridge", agent, &event(before)], stdin);
            assert!(refuses(&said(&ran), ""), "{agent} {stdin:?}: {ran}");
            if stdin.contains("PreToolUse") {
                continue; // It names a guarded event itself, which counts most.
            }
            let ran = run_with_stdin(&project, &["bridge", agent, &event(after)], stdin);
            assert_eq!(ran.code, Some(0), "{agent} {stdin:?}: {ran}");
            assert_eq!(ran.stdout, "", "{agent} {stdin:?}: {ran}");
        }
    }
}

#[test]
fn unknown_events_and_fields_are_ignored() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "rm" }, "block": "no" },
    ] }] }));
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "llxprt", "opencode", "kilo", "pi", "cline"]
    {
        let stdin =
            json!({ "hook_event_name": "Tomorrow", "session_id": "s", "cwd": project.dir() }).to_string();
        let ran = run_with_stdin(&project, &["bridge", agent], &stdin);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{agent}: {ran}");
    }
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({ "future": { "deep": [1, null] } }));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{ran}");
}

#[test]
fn an_entry_that_calls_the_bridge_is_never_run() {
    let program = env!("CARGO_BIN_EXE_hookrail");
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": format!("touch ran; {program} bridge claude PreToolUse") },
    ] }] }));
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
    assert!(!project.dir().join("ran").exists());
    let check = crate::program::run(&project, &["check", "--format", "json"]);
    assert!(check.stdout.contains("bridge-entry"), "{check}");
}

#[test]
fn the_answer_comes_in_the_agents_time_and_a_stubborn_hook_is_ended_afterwards() {
    let project = with_hooks(&json!({ "SessionEnd": [{ "sequential": true, "hooks": [
        { "type": "command", "command": "trap '' TERM; echo $$ > first.pid; sleep 60; sleep 60" },
        { "type": "command", "command": "touch second; sleep 60" },
    ] }] }));
    let started = Instant::now();
    let ran = bridge(&project, "codex", "SessionEnd", &json!({}));
    let took = started.elapsed();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
    // Far below the minute that the hooks would take, and the chained hook gets no time of its own.
    assert!(took < Duration::from_secs(30), "{took:?}");
    let pid: u32 = project.read("first.pid").trim().parse().unwrap();
    assert!(!project.dir().join("second").exists());
    wait_until(Duration::from_mins(1), "the hook that ignores TERM is ended", || !process_is_alive(pid));
}

#[test]
fn a_hook_out_of_time_blocks_if_it_shall() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "slow", "command": "sleep 60", "timeout": 300, "onFailure": "block" },
    ] }] }));
    let ran = bridge(&project, "codex", "PreToolUse-Bash", &json!({}));
    assert!(refuses(&said(&ran), "slow"), "{ran}");
}

#[test]
fn an_agent_that_keeps_stdin_open_is_answered_all_the_same() {
    let project = with_hooks(&json!({}));
    let mut child = hookrail(&project, &["bridge", "codex", "SessionEnd"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{").unwrap();
    wait_until(Duration::from_mins(1), "the bridge ends", || child.try_wait().unwrap().is_some());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("did not end it in time"), "{told}");
    drop(stdin);
}

#[test]
fn no_bytes_make_it_crash() {
    let project =
        with_hooks(&json!({ "BeforeTool": [{ "hooks": [{ "type": "rule", "when": {}, "context": "x" }] }] }));
    let whole = payload(&project, "claude", "PreToolUse-Bash", &json!({}));
    let deep = format!(
        "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{}{}",
        "[".repeat(100_000),
        "]"
    );
    let cuts = (0..whole.len()).step_by(whole.len() / 8).filter_map(|end| whole.get(..end));
    for stdin in cuts.map(str::to_owned).chain([deep, "\"\\ud800\"".to_owned(), "null".to_owned()]) {
        let ran = run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], &stdin);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(refuses(&said(&ran), ""), "{ran}");
        assert!(!ran.stderr.contains("panicked"), "{ran}");
    }
}

#[test]
fn observed_events_have_no_effect() {
    let mut text = settings(&json!({ "BeforeAgent": [{ "hooks": [
        { "type": "rule", "when": { "prompt": { "contains": "x" } }, "block": "no" },
    ] }] }));
    text["hooksConfig"] = json!({ "agentEvents": "observe" });
    let project = TestProject::new();
    project.user_settings(&text);
    let ran = bridge(&project, "claude", "UserPromptSubmit", &json!({ "prompt": "x" }));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
}

/// Guards that were meant and cannot be read refuse what they stand for, in every agent.
#[test]
fn guards_that_cannot_be_read_refuse() {
    let rule = json!({ "type": "rule", "when": { "command": "never" }, "block": "no" });
    for settings in [
        json!({ "enableHooks": true, "Hooks": { "BeforeTool": [{ "hooks": [rule] }] } }),
        json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [{ "type": "Rule", "block": "no" }] }] } }),
        json!({ "enableHooks": true, "hooks": { "PreToolUse": [rule] } }),
        json!({ "enableHooks": true, "hooks": { "BeforTool": [{ "hooks": [rule] }] } }),
    ] {
        let project = TestProject::new();
        project.user_settings(&settings);
        for (agent, before, _) in SHELL_CALLS {
            let ran = bridge(&project, agent, before, &json!({}));
            assert!(refuses(&said(&ran), "settings.json:"), "X8: {agent}: {settings}: {ran}");
        }
        let ran = run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command"]);
        assert_eq!(ran.code, Some(2), "X8: {ran}");
        assert!(ran.stderr.contains("error: "), "X8: {ran}");
    }
}

/// What `check` calls an error in the user's settings is said once a session where the agent shows it.
#[test]
fn errors_in_the_users_settings_are_told_once_a_session() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SubagentStop": [{ "hooks": [{ "type": "command", "command": "true" }] }],
        "AfterTool": [{ "hooks": [{ "type": "command", "command": "/nowhere/at/all.sh" }] }],
    } }));
    let ask = || bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "s1" }));
    let first = ask();
    for expected in ["SubagentStop", "did you mean `AfterAgent`?", "/nowhere/at/all.sh"] {
        assert!(first.stdout.contains(expected), "C9, X8: {expected}: {first}");
    }
    let second = ask();
    assert!(!second.stdout.contains("SubagentStop") && !second.stdout.contains("nowhere"), "X8: {second}");
}

/// The bridge under limits of the system, for a user who has no other process, so that a limit on processes counts.
fn limited(project: &TestProject, limit: &str) -> Ran {
    use std::os::unix::fs::PermissionsExt as _;

    let open = |folder: &std::path::Path| {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for folder in [project.dir().clone(), project.home()] {
        open(&folder);
        open(folder.parent().unwrap());
    }
    let home = project.home().display().to_string();
    let args = ["bridge", "--home", &home, "claude", "PreToolUse"];
    let mut line = vec!["prlimit".to_owned(), limit.to_owned(), env!("CARGO_BIN_EXE_hookrail").to_owned()];
    if rustix::process::geteuid().is_root() {
        // Limits on processes do not hold for root.
        let other = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"];
        line.splice(0..0, other.map(str::to_owned));
    }
    let mut child = Command::new(&line[0])
        .args(&line[1..])
        .args(args)
        .current_dir(project.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it reads.
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(payload(project, "claude", "PreToolUse-Bash", &json!({})).as_bytes());
    Ran::of(&args, child.wait_with_output().unwrap())
}

/// A hook that cannot be started, because nothing can, has not agreed.
#[test]
fn a_guard_that_cannot_be_started_for_want_of_processes_refuses() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "looks", "command": "true; true", "timeout": 300 },
    ] }] }));
    let ran = limited(&project, "--nproc=1");
    assert!(refuses(&said(&ran), "hookrail could not run its hooks"), "{ran}");
    let ran = limited(&project, "--nproc=100");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
}

/// Whatever runs out, a guard that refuses is not passed: it refuses, or the bridge fails, which its entry refuses.
#[test]
fn no_shortage_lets_a_guarded_call_pass() {
    let rule = json!({ "type": "rule", "when": { "command": "touch" }, "block": "no" });
    let long = "printf '%300000s' x >&2; exit 2";
    for hook in [
        rule,
        json!({ "type": "command", "command": "exit 2", "timeout": 300 }),
        json!({ "type": "command", "command": long, "timeout": 300 }),
    ] {
        let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [hook] }] }));
        let descriptors = [3, 4, 5, 6, 7, 8, 10, 12, 16].map(|most| format!("--nofile={most}"));
        let memory = [8, 16, 32, 48, 64, 96, 128].map(|most| format!("--as={}", most << 20));
        let processes = [1, 2, 3].map(|most| format!("--nproc={most}"));
        let others = ["--fsize=0".to_owned(), "--stack=65536".to_owned()];
        for limit in descriptors.into_iter().chain(memory).chain(processes).chain(others) {
            let ran = limited(&project, &limit);
            let refused = ran.code == Some(0) && ran.stdout.contains("\"deny\"");
            assert!(refused || ran.code != Some(0), "{hook} {limit}: {ran}");
        }
    }
}

/// A program that ignores `SIGCHLD` hands that on to what it starts, and the system then drops exit statuses.
#[test]
fn a_guard_blocks_below_a_program_that_ignores_ended_children() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "exit 2", "timeout": 10_000 },
    ] }] }));
    let script =
        format!("trap '' CHLD; exec \"$0\" bridge --home {} claude PreToolUse", project.home().display());
    let mut child = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_hookrail")])
        .current_dir(project.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let payload = payload(&project, "claude", "PreToolUse-Bash", &json!({}));
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let ran = Ran::of(&["bridge"], child.wait_with_output().unwrap());
    assert!(refuses(&said(&ran), "Blocked by hook"), "{ran}");
}

/// What is refused before any hook is asked is in the log too.
#[test]
fn refusals_without_a_hook_are_logged() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "rm" }, "block": "no" },
    ] }] }));
    run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], "");
    bridge(&project, "claude", "PreToolUse-Bash", &json!({ "tool_input": { "cmd": "rm x" } }));
    bridge(&project, "claude", "PreToolUse-Bash", &json!({ "tool_name": 7 }));
    fs::write(project.user_settings_path(), "{ \"enableHooks\": ").unwrap();
    bridge(&project, "claude", "PreToolUse-Bash", &json!({ "tool_input": { "command": "echo secret" } }));
    let log = fs::read_to_string(log_path(&project)).unwrap();
    let decisions: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "decision")
        .collect();
    let reasons = ["stdin is empty", "may have changed", "tool_name", "settings.json"];
    assert_eq!(decisions.len(), reasons.len(), "{log}");
    for (decision, reason) in decisions.iter().zip(reasons) {
        assert_eq!(
            (&decision["decision"], &decision["blockCause"]),
            (&json!("block"), &json!("failure")),
            "{log}"
        );
        assert!(decision["reason"].as_str().unwrap().contains(reason), "{reason}: {decision}");
        assert_eq!(decision["agent"], "claude", "{decision}");
    }
    assert!(!log.contains("echo secret"), "unusable settings do not say whether texts are logged: {log}");
    let shown = run(&project, &["log"]);
    assert!(shown.stdout.contains("stdin is empty"), "{shown}");
}
