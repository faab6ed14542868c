//! Bytes that no agent should send: judged like the call that the agent would make of them, or refused.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{SHELL_CALLS, bridge, payload, refuses, with_hooks};
use crate::program::hookrail;

fn guarded() -> TestProject {
    with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "for people" },
    ] }] }))
}

/// The bridge's answer to these bytes at an event, and its exit code.
fn answer(project: &TestProject, agent: &str, event: &str, stdin: &[u8]) -> (Option<i32>, Value) {
    let mut child = hookrail(project, &["bridge", agent, event])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

fn replaced(text: &str, from: &str, to: &[u8]) -> Vec<u8> {
    let (before, after) = text.split_once(from).expect("it is there");
    [before.as_bytes(), to, after.as_bytes()].concat()
}

type Spoil = fn(&str) -> Vec<u8>;

#[test]
fn bytes_that_can_be_read_are_judged() {
    let project = guarded();
    let cases: [(&str, Spoil); 6] = [
        ("a byte order mark", |text| [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("other line ends", |text| format!("\r\n{}\r\n", text.replace("{\"", "{\r\n\"")).into_bytes()),
        ("no Unicode", |text| replaced(text, "touch ", b"touch \xff\xfe ")),
        ("no Unicode before it", |text| replaced(text, "touch ", b": \xc3; touch ")),
        ("a NUL in the command", |text| replaced(text, "touch ", b"true\\u0000; touch ")),
        ("half of a character", |text| replaced(text, "touch ", b": \\ud800; touch ")),
    ];
    for (agent, before, _) in SHELL_CALLS {
        let event = before.split('-').next().unwrap();
        let text = payload(&project, agent, before, &json!({}));
        for (what, spoil) in cases {
            let (code, said) = answer(&project, agent, event, &spoil(&text));
            assert!(code == Some(0) && refuses(&said, "for people"), "{agent}, {what}: {said}");
        }
    }
}

#[test]
fn bytes_that_cannot_be_read_are_refused_with_what_helps() {
    let project = guarded();
    let deep = |text: &str| {
        let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        replaced(text, "\"cwd\":", format!("\"deep\":{nested},\"cwd\":").as_bytes())
    };
    let cases: [(&str, Spoil); 5] = [
        ("nothing", |_| Vec::new()),
        ("NULs behind it", |text| [text.as_bytes(), b"\0\0"].concat()),
        ("two objects", |text| format!("{text}{text}").into_bytes()),
        ("UTF-16", |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("100,000 levels", deep),
    ];
    for (agent, before, after) in SHELL_CALLS {
        let event = before.split('-').next().unwrap();
        let text = payload(&project, agent, before, &json!({}));
        for (what, spoil) in cases {
            let (code, said) = answer(&project, agent, event, &spoil(&text));
            assert!(code == Some(0) && refuses(&said, "hookrail doctor"), "{agent}, {what}: {said}");
        }
        let event = after.split('-').next().unwrap();
        assert_eq!(answer(&project, agent, event, b"\0"), (Some(0), Value::Null), "{agent}");
    }
}

/// The last of repeated keys counts, as in the agents' own parsers: what is judged is what runs.
#[test]
fn of_repeated_keys_the_last_one_counts() {
    let project = guarded();
    for (agent, before, _) in SHELL_CALLS {
        let event = before.split('-').next().unwrap();
        let key = if agent == "copilot" { "toolArgs" } else { "tool_input" };
        let text = payload(&project, agent, before, &json!({ key: { "command": "ls", "commands": ["ls"] } }));
        let input = |command: &str| json!({ key: { "command": command, "commands": [command] } }).to_string();
        let twice = |first: &str, last: &str| {
            let inner =
                |text: &str| text.trim().strip_prefix('{').unwrap().strip_suffix('}').unwrap().to_owned();
            let text = [inner(&input(first)), inner(&text), inner(&input(last))].join(",");
            answer(&project, agent, event, format!("{{{text}}}").as_bytes()).1
        };
        assert!(refuses(&twice("ls", "touch a"), "for people"), "{agent}");
        assert_eq!(twice("touch a", "ls"), Value::Null, "{agent}");
    }
}

/// An agent that never stops writing is answered in the time that it grants.
#[test]
fn stdin_without_an_end_is_not_waited_for() {
    let project = guarded();
    for (agent, event) in [("claude", "SessionEnd"), ("codex", "SessionEnd")] {
        let mut child = hookrail(&project, &["bridge", agent, event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let started = Instant::now();
        // A byte now and then, which would go on for an hour.
        let writer = std::thread::spawn(move || {
            while started.elapsed() < Duration::from_hours(1) && stdin.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{agent}: {told}");
        assert!(told.contains("did not end it in time"), "{agent}: {told}");
        assert!(started.elapsed() < Duration::from_mins(1), "{agent}");
    }
}

/// Names with line breaks, terminal escapes or odd separators are names like any other.
#[test]
fn odd_tool_names_are_matched_and_never_shown_raw() {
    let names = [
        "Ba\u{1b}[2Jsh\nrm",
        "mcp__a__b__c",
        "mcp____",
        "mcp__a",
        "mcp__a__\u{1b}]0;x\u{7}",
        "mcp__ä__ß\r\n",
    ];
    let project = with_hooks(&json!({ "BeforeTool": [
        { "matcher": "mcp__|Ba", "hooks": [{ "type": "rule", "name": "any", "when": {}, "block": "for people" }] },
        { "hooks": [{ "type": "command", "name": "fails", "command": "exit 1" }] },
    ] }));
    for (agent, before, _) in SHELL_CALLS {
        for name in names {
            let ran = bridge(&project, agent, before, &json!({ "tool_name": name, "toolName": name }));
            assert!(refuses(&ran.json(), "for people"), "{agent} {name:?}: {ran}");
            let shown = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!shown.contains(['\u{1b}', '\u{7}', '\r']), "{agent} {name:?}: {shown:?}");
        }
    }
    let log = crate::program::run(&project, &["log"]);
    assert_eq!(log.code, Some(0), "{log}");
    assert!(!log.stdout.contains(['\u{1b}', '\u{7}', '\r']), "{log}");
}
