//! `hookrail fire`, with real hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use hookrail::EventName;
use hookrail_testkit::{TestProject, make_pipe, process_is_alive, wait_until};
use serde_json::{Value, json};

use crate::program::{hookrail, log_path, run, run_with_stdin, snapshot};

const LONG: Duration = Duration::from_mins(1);

/// A project whose user has these hooks for an event; they need no approval.
fn user_hooks(event: &str, hooks: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { event: [{ "hooks": hooks }] } }));
    project
}

fn user_hook(event: &str, command: &str) -> TestProject {
    user_hooks(event, &json!([{ "type": "command", "command": command, "name": "it" }]))
}

/// A project with hooks of all kinds; nothing is approved yet.
fn mixed() -> TestProject {
    let project = TestProject::new();
    project.script("hooks/guard.sh", "cat >/dev/null\necho 'not in this folder' >&2\nexit 2");
    project.settings(&json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [
            { "matcher": "write_.*", "hooks": [
                { "type": "command", "command": "./hooks/guard.sh", "name": "guard" },
                { "type": "command", "command": "echo 'two\nlines'", "name": "talker" },
            ] },
            { "matcher": "read_.*", "hooks": [{ "type": "command", "command": "cat", "name": "reader" }] },
        ] },
    }));
    project.user_settings(&json!({
        "hooksConfig": { "disabled": ["old"] },
        "hooks": { "BeforeTool": [{ "hooks": [
            { "type": "command", "command": "echo 'two\nlines'", "name": "the same again" },
            { "type": "command", "command": "true", "name": "old" },
            { "type": "command", "command": "echo oops >&2; exit 7", "name": "broken" },
        ] }] },
    }));
    project
}

#[test]
fn shows_hook_by_hook_what_happened() {
    let project = mixed();
    snapshot!(&project, "fire_not_approved", run(&project, &["fire", "BeforeTool"]));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    snapshot!(&project, "fire_text", run(&project, &["fire", "BeforeTool"]));
    let json = run(&project, &["fire", "BeforeTool", "--format", "json"]);
    snapshot!(&project, "fire_json", json);
    snapshot!(&project, "fire_only", run(&project, &["fire", "BeforeTool", "--only", "talker"]));
    snapshot!(&project, "fire_only_unknown", run(&project, &["fire", "BeforeTool", "--only", "nobody"]));
    snapshot!(&project, "fire_trusting", {
        fs::write(project.dir().join("hooks/guard.sh"), "#!/bin/sh\nexit 0\n").unwrap();
        run(&project, &["fire", "BeforeTool", "--trust-hooks", "--only", "guard"])
    });
}

#[test]
fn the_exit_code_is_the_verdict() {
    let cases: &[(&str, &str, i32)] = &[
        ("BeforeTool", "true", 0),
        ("BeforeTool", "echo no >&2; exit 2", 2),
        ("BeforeTool", r#"echo '{"decision":"deny","reason":"r"}'"#, 2),
        ("BeforeTool", r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'"#, 2),
        ("BeforeTool", r#"echo '{"continue":false,"stopReason":"enough"}'"#, 3),
        ("BeforeTool", r#"echo '{"decision":"block","continue":false}'"#, 2),
        ("BeforeTool", "exit 1", 0),
        ("BeforeTool", "kill -9 $$", 0),
        ("AfterTool", "exit 2", 0),
        ("AfterTool", r#"echo '{"continue":false}'"#, 3),
        ("BeforeModel", "exit 2", 2),
        ("BeforeAgent", "exit 2", 2),
        ("AfterAgent", "exit 2", 2),
        ("SessionStart", "exit 2", 0),
    ];
    for (event, command, expected) in cases {
        let project = user_hook(event, command);
        let ran = run(&project, &["fire", event, "--format", "json"]);
        assert_eq!(ran.code, Some(*expected), "{event}: {command}\n{ran}");
        let report = ran.json();
        assert_eq!(report["blocked"], json!(*expected == 2), "{event}: {command}");
        assert_eq!(report["blockCause"], if *expected == 2 { json!("policy") } else { json!(null) });
        assert_eq!(report["finalOutput"].is_null(), report["allOutputs"] == json!([]), "{ran}");
    }
}

#[test]
fn failures_are_distinguished_from_policy() {
    let hook = |command: &str, timeout: u64| json!([{ "type": "command", "command": command, "name": "it", "timeout": timeout, "onFailure": "block" }]);
    let project = user_hooks("BeforeTool", &hook("exec sleep 60", 200));
    let ran = run(&project, &["fire", "BeforeTool", "--format", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["blockCause"]), (Some(2), &json!("failure")), "{ran}");
    assert_eq!(report["hooks"][0]["exitCode"], json!(null), "exitCode is null after a timeout");
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(1));

    let project = user_hooks("BeforeTool", &hook("kill -9 $$", 5000));
    let report = run(&project, &["fire", "BeforeTool", "--format", "json"]).json();
    assert_eq!((&report["hooks"][0]["exitCode"], &report["hooks"][0]["signal"]), (&json!(0), &json!(9)));
}

#[test]
fn every_event_can_be_fired_with_nothing_given() {
    for event in EventName::ALL {
        let project = user_hook(event.as_str(), "cat > received.json");
        let ran = run(&project, &["fire", event.as_str()]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let received: Value = serde_json::from_str(&project.read("received.json")).unwrap();
        assert_eq!(received["hook_event_name"], json!(event.as_str()));
        assert_eq!(received["cwd"], json!(project.dir()));
    }
}

#[test]
fn tool_and_input_replace_the_sample() {
    let project = user_hook("BeforeTool", "cat > received.json");
    for (args, tool, input) in [
        (&["--tool", "read_file"][..], "read_file", json!({ "file_path": "notes.txt" })),
        (&["--input", r#"{"a":[1]}"#], "write_file", json!({ "a": [1] })),
        (&["--tool", "mine", "--input", "{}"], "mine", json!({})),
    ] {
        let args = [&["fire", "BeforeTool"], args].concat();
        assert_eq!(run(&project, &args).code, Some(0));
        let received: Value = serde_json::from_str(&project.read("received.json")).unwrap();
        assert_eq!((&received["tool_name"], &received["tool_input"]), (&json!(tool), &input));
    }
}

#[test]
fn a_payload_sets_base_fields_and_may_have_the_sdks_form() {
    let project = user_hook("BeforeModel", "cat > received.json");
    let payload = json!({
        "session_id": "mine", "timestamp": "2020-01-01T00:00:00.000Z", "transcript_path": "/t", "later": 1,
        "llm_request": { "model": "m", "contents": [{ "role": "user", "parts": [{ "text": "hello" }] }] },
    });
    let ran = run_with_stdin(&project, &["fire", "BeforeModel", "--payload", "-"], &payload.to_string());
    assert_eq!(ran.code, Some(0), "{ran}");
    let received: Value = serde_json::from_str(&project.read("received.json")).unwrap();
    assert_eq!(received["session_id"], json!("mine"));
    assert_eq!(received["timestamp"], json!("2020-01-01T00:00:00.000Z"));
    assert_eq!((&received["transcript_path"], &received["later"]), (&json!("/t"), &json!(1)));
    assert_eq!(received["llm_request"]["messages"], json!([{ "role": "user", "content": "hello" }]), "B2");
    let logged = fs::read_to_string(log_path(&project)).unwrap();
    assert!(logged.contains(r#""sessionId":"mine""#) && !logged.contains("hello"), "no payloads: {logged}");

    let stable =
        json!({ "llm_request": { "model": "m", "messages": [{ "role": "user", "content": "hi" }] } });
    let file = project.file("p.json", format!("\u{feff}{stable}"));
    let ran = run(&project, &["fire", "BeforeModel", "--payload", &file.to_string_lossy()]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn project_hooks_do_not_run_for_another_directory() {
    let project = mixed();
    let payload = json!({ "tool_name": "write_file", "tool_input": {}, "cwd": project.home() }).to_string();
    let args = ["fire", "BeforeTool", "--trust-hooks", "--format", "json", "--payload", "-"];
    let report = run_with_stdin(&project, &args, &payload).json();
    let skipped: Vec<&str> =
        report["skipped"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert!(skipped.contains(&"guard") && skipped.contains(&"talker"), "{report}");
    assert!(report["skipped"][0]["why"].as_str().unwrap().contains("does not run for"), "{report}");
}

#[test]
fn a_guard_whose_file_is_open_for_writing_is_skipped_with_that_reason() {
    let project = TestProject::new();
    let script = project.script("guard.sh", "exit 2");
    let guard = json!({ "type": "command", "name": "guard", "command": "./guard.sh" });
    project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [guard] }] } }));
    let writer = fs::File::options().append(true).open(script).unwrap();
    let report = run(&project, &["fire", "BeforeTool", "--trust-hooks", "--format", "json"]).json();
    drop(writer);
    assert_eq!((&report["blockCause"], &report["hooks"]), (&json!("failure"), &json!([])), "{report}");
    let why = report["skipped"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("cannot be started") && why.contains("open for writing"), "{why}");
}

#[test]
fn wrong_input_is_a_usage_error_that_names_the_field() {
    let project = user_hook("BeforeTool", "touch ran");
    project.file("no-json", "{");
    project.file("array", "[]");
    project.file("wrong-event", r#"{"hook_event_name":"AfterTool","tool_name":"x","tool_input":{}}"#);
    project.file("no-input", r#"{"tool_name":"x"}"#);
    let mut all = String::new();
    for (args, code) in [
        (&["BeforeTool", "--input", "{"][..], 64),
        (&["BeforeTool", "--input", "[1]"], 64),
        (&["BeforeTool", "--tool", ""], 64),
        (&["BeforeTool", "--payload", "no-json"], 64),
        (&["BeforeTool", "--payload", "array"], 64),
        (&["BeforeTool", "--payload", "wrong-event"], 64),
        (&["BeforeTool", "--payload", "no-input"], 64),
        (&["BeforeTool", "--payload", "missing"], 1),
        (&["SessionStart", "--tool", "x"], 64),
        (&["BeforTool"], 64),
        (&["BeforeTool", "--repeat", "0"], 64),
        (&["BeforeTool", "--input", "{}", "--payload", "array"], 64),
    ] {
        let args = [&["fire"], args].concat();
        let ran = run(&project, &args);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{ran}");
        all = all + &ran.to_string() + "\n";
    }
    assert!(!project.dir().join("ran").exists(), "nothing is executed for a payload that does not pass");
    snapshot!(&project, "fire_usage", all);
}

#[test]
fn the_hint_names_the_command_that_was_typed() {
    let project = TestProject::new();
    for (command, hint) in [
        ("fire", "hint: `hookrail fire SessionStart --payload FILE` takes the event's own fields"),
        ("facts", "hint: `hookrail facts SessionStart --payload FILE` takes the event's own fields"),
        ("explain", "hint: `hookrail explain SessionStart` without `--input` shows the plan"),
    ] {
        let ran = run(&project, &[command, "SessionStart", "--tool", "startup", "--input", "{}"]);
        assert_eq!(ran.code, Some(64), "{ran}");
        assert!(ran.stderr.lines().any(|line| line == hint), "{ran}");
    }
}

#[test]
fn hooks_that_are_off_are_reported() {
    let project = TestProject::new();
    project.user_settings(
        &json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }] } }),
    );
    snapshot!(&project, "fire_off", run(&project, &["fire", "BeforeTool"]));
    let ran = run(&project, &["fire", "BeforeTool", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["finalOutput"]), (Some(0), &json!(null)));
}

#[test]
fn repeating_measures() {
    let project = user_hooks(
        "BeforeTool",
        &json!([
            { "type": "command", "command": "true", "name": "fast" },
            // Blocks the third time only.
            { "type": "command", "command": "echo x >> count; [ $(wc -l < count) -ne 3 ] || exit 2", "name": "once" },
            { "type": "command", "command": "exit 9", "name": "broken" },
        ]),
    );
    let ran = run(&project, &["fire", "BeforeTool", "--repeat", "5", "--format", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["blocked"]), (Some(2), &json!(true)), "the gravest verdict counts: {ran}");
    let repeat = &report["repeat"];
    assert_eq!((&repeat["runs"], &repeat["blocked"], &repeat["failures"]), (&json!(5), &json!(1), &json!(5)));
    let failures: Vec<_> = repeat["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| (h["name"].clone(), h["failures"].clone()))
        .collect();
    assert_eq!(failures, [(json!("fast"), json!(0)), (json!("once"), json!(0)), (json!("broken"), json!(5))]);
    fs::remove_file(project.dir().join("count")).unwrap();
    snapshot!(
        &project,
        "fire_repeat",
        run(&project, &["fire", "BeforeTool", "--repeat", "2", "--only", "fast"])
    );
}

#[test]
fn what_hooks_print_has_no_effect_on_the_terminal() {
    let project = user_hook("BeforeTool", r"printf 'a\033[2Jb\xe2\x80\xaec' >&2; exit 2");
    for args in [&["fire", "BeforeTool"][..], &["log", "--calls"]] {
        let ran = run(&project, args);
        assert!(ran.stdout.contains("a\\u{1b}[2Jb\\u{202e}c"), "{ran}");
        let raw = |text: &str| text.contains(['\u{1b}', '\u{202e}']);
        assert!(!raw(&ran.stdout) && !raw(&ran.stderr), "{ran}");
    }
}

#[test]
fn a_block_holds_although_the_text_is_not_read() {
    let project = user_hook("BeforeTool", "exit 2");
    for format in ["text", "json"] {
        let mut child = hookrail(&project, &["fire", "BeforeTool", "--format", format]).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "a closed pipe is no error");
    }
}

#[test]
fn an_interrupted_event_leaves_no_hook_behind() {
    let project = user_hook("BeforeTool", "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 600");
    let mut child = hookrail(&project, &["fire", "BeforeTool"]).spawn().unwrap();
    let pid_file = project.dir().join("pid");
    wait_until(LONG, "the hook's start", || pid_file.exists());
    let pid: u32 = project.read("pid").trim().parse().unwrap();
    let us = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(us, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!process_is_alive(pid), "the hook is gone when the program is");
}

#[test]
fn a_hook_that_ran_out_of_time_may_clean_up_before_the_program_ends() {
    let project = user_hooks(
        "BeforeTool",
        // Enough time to set the trap on a busy machine.
        &json!([{ "type": "command", "timeout": 3000, "command": "trap 'sleep 1; touch cleaned; exit' TERM; sleep 600 & wait" }]),
    );
    let ran = run(&project, &["fire", "BeforeTool"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(project.dir().join("cleaned").exists());
}

#[test]
fn a_broken_settings_file_is_reported() {
    let project = user_hook("BeforeTool", "true");
    project.file(".hookrail/settings.json", "{ \"hooks\": ");
    let ran = run(&project, &["fire", "BeforeTool"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.starts_with("error: .hookrail/settings.json:1:"), "{ran}");
}

#[test]
fn calls_are_logged_privately_and_never_in_the_way() {
    let project = user_hook("BeforeTool", "printf '%9000s' x; exit 0");
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0));
    let log = log_path(&project);
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(log.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| &line["type"]).collect::<Vec<_>>(),
        ["hook_call", "hook_batch", "decision"]
    );
    assert!(lines[0].get("input").is_none(), "no payloads");
    assert!(text.len() < 20_000, "what hooks say is bounded");

    // A folder in the log's place, and then a pipe, which would block whoever opens it.
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let ran = run(&project, &["fire", "BeforeTool", "--repeat", "3"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr.matches("cannot write the hook log").count(), 1, "{ran}");
    fs::remove_dir(&log).unwrap();
    make_pipe(&log);
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0));
}

#[test]
fn many_programs_log_at_once() {
    let project = user_hook("BeforeTool", "echo said");
    let start = || hookrail(&project, &["fire", "BeforeTool"]).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = (0..16).map(|_| start()).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let log = run(&project, &["log", "--calls", "--format", "json"]);
    assert_eq!(log.stdout.lines().count(), 16, "{log}");
}

/// O7: an ask is neither a block nor an allow, and the report has the reason; a warning is in the report, too.
#[test]
fn an_ask_and_warnings_are_reported() {
    let said = r#"{"decision":"ask","reason":"is it safe?","suppressOutput":"yes"}"#;
    let project = user_hook("BeforeTool", &format!("echo '{said}'"));
    let json = run(&project, &["fire", "BeforeTool", "--tool", "x", "--format", "json"]);
    let report = json.json();
    assert_eq!(json.code, Some(0), "O7: it is no block");
    for (field, expected) in [
        ("ask", json!(true)),
        ("blocked", json!(false)),
        ("blockCause", Value::Null),
        ("reason", json!("is it safe?")),
    ] {
        assert_eq!(report[field], expected, "{field}");
    }
    assert_eq!(report["finalOutput"]["decision"], "ask");
    assert!(report["warnings"][0].as_str().unwrap().contains("suppressOutput"), "{report}");
    let text = run(&project, &["fire", "BeforeTool", "--tool", "x"]);
    assert!(text.stdout.contains("a person decides: is it safe?"), "{}", text.stdout);
    let elsewhere = run(
        &user_hook("BeforeAgent", &format!("echo '{said}'")),
        &["fire", "BeforeAgent", "--format", "json"],
    );
    assert_eq!(elsewhere.json()["ask"], false);
    assert!(
        elsewhere.json()["warnings"].to_string().contains("only BeforeTool can ask"),
        "{}",
        elsewhere.stdout
    );
}

/// Whoever edits a hook tries it next, and reads how.
#[test]
fn a_changed_project_hook_is_tried_with_a_flag() {
    let project = TestProject::new();
    project.script("guard.sh", "exit 0");
    project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "./guard.sh" }] }] } }));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    let hint = "hint: `--trust-hooks` accepts the project's hooks as they are now, for this run\n";
    let before = run(&project, &["fire", "BeforeTool"]);
    assert!(before.code == Some(0) && !before.stderr.contains(hint), "{before}");
    project.script("guard.sh", "echo no >&2; exit 2");
    let after = run(&project, &["fire", "BeforeTool"]);
    assert!(after.code == Some(2) && after.stderr.contains(hint), "{after}");
    let trusted = run(&project, &["fire", "BeforeTool", "--trust-hooks"]);
    assert!(trusted.stdout.contains("blocked by policy: no") && !trusted.stderr.contains(hint), "{trusted}");
}

/// A test keeps what hooks said, of events that are not decided, too.
#[test]
fn a_saved_test_expects_more_than_the_decision() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "AfterTool": [{ "hooks": [
        { "type": "command", "name": "context", "command": "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"run the tests\"}}'" }] }] } }));
    let fired = run(&project, &["fire", "AfterTool", "--tool", "write_file", "--save-test", "context"]);
    assert_eq!(fired.code, Some(0), "{fired}");
    let tests: Value = serde_json::from_str(&project.read(".hookrail/tests/fired.json")).unwrap();
    let expect = &tests[0]["expect"];
    assert_eq!(expect["ran"], json!(["context"]), "{tests}");
    assert_eq!(expect["output"]["hookSpecificOutput"]["additionalContext"], "run the tests", "{tests}");
    let ran = run(&project, &["test"]);
    assert!(ran.code == Some(0) && ran.stdout.ends_with("1 passed, 0 failed\n"), "{ran}");
}
