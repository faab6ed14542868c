//! What a careless agent, a hostile model or another user of the machine might try.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{SHELL_CALLS, bridge, payload, refuses, said, settings, with_hooks};
use crate::program::{hookrail, run};

fn no_touching() -> TestProject {
    with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "for people" },
    ] }] }))
}

#[test]
fn a_session_id_names_no_other_file() {
    let project = no_touching();
    let ids = ["../../../escaped", "/tmp/escaped", "..", "a\u{0}b", "", "\u{202e}", &"x".repeat(100_000)];
    for id in ids {
        for (agent, before, _) in SHELL_CALLS {
            let ran = bridge(&project, agent, before, &json!({ "session_id": id, "sessionId": id }));
            assert!(refuses(&said(&ran), "for people"), "{agent} {id:?}: {ran}");
            bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": id }));
        }
    }
    let state = project.home().join(".hookrail");
    let mut names: Vec<String> = Vec::new();
    for folder in [&state, &project.home(), &project.dir()] {
        names.extend(
            fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()),
        );
    }
    assert!(!names.iter().any(|name| name.contains("escaped")), "{names:?}");
    for entry in fs::read_dir(state.join("bridge")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        assert!(plain && name.len() < 64, "{name}");
    }
}

#[test]
fn a_huge_call_is_judged_like_a_small_one() {
    let project = no_touching();
    let long = "x".repeat(64 << 20);
    let input = json!({ "command": "touch a", "description": long });
    let changes = json!({ "tool_input": input, "toolArgs": input });
    for (agent, before, _) in [SHELL_CALLS[0], SHELL_CALLS[4]] {
        let ran = bridge(&project, agent, before, &changes);
        assert!(refuses(&said(&ran), "for people"), "{agent}: {}", ran.stderr);
    }
}

/// A line that is too long to be read is nothing that a guard has judged.
#[test]
fn a_command_of_a_megabyte_is_not_let_through() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "for people", "unknown": "block" },
    ] }] }));
    let command = format!("{} touch a", ": && ".repeat(1 << 18));
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({ "tool_input": { "command": command } }));
    assert!(refuses(&said(&ran), "for people"), "{}", ran.stderr);
}

/// Other names and shapes for the same arguments do not lead past a rule.
#[test]
fn arguments_in_odd_shapes_are_judged() {
    let project = no_touching();
    for (agent, file, input) in [
        ("claude", "PreToolUse-Bash", json!({ "command": ["touch", "a"] })),
        ("codex", "PreToolUse-Bash", json!({ "command": ["bash", "-lc", "touch a"] })),
        ("copilot", "preToolUse-bash", json!("{\"command\":\"touch a\"}")),
        ("gemini", "BeforeTool-run_shell_command", json!({ "command": "touch a", "dir_path": ".." })),
        ("opencode", "tool.execute.before-bash", json!({ "command": "touch a", "workdir": "/" })),
    ] {
        let ran = bridge(&project, agent, file, &json!({ "tool_input": input, "toolArgs": input }));
        assert!(refuses(&said(&ran), "for people"), "{agent}: {ran}");
    }
}

#[test]
fn the_state_of_sessions_is_private() {
    let project = no_touching();
    let state = project.home().join(".hookrail/bridge");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "s", "prompt": "a secret" }));
    let files: Vec<_> = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.iter().any(|file| file.extension().is_some_and(|end| end == "json")), "{files:?}");
    for file in &files {
        let mode = fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
    let mode = fs::metadata(&state).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others could put a memory of theirs into the folder: {mode:o}");
}

/// Where nothing can be kept, a guard still guards, and a stop that would wait for a later event refuses at once.
#[test]
fn a_state_folder_that_cannot_be_made_weakens_nothing() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "then": { "continue": false, "stopReason": "enough" } },
    ] }] }));
    // The settings are in the other folder.
    fs::rename(project.home().join(".hookrail"), project.home().join(".llxprt")).unwrap();
    fs::write(project.home().join(".hookrail"), "a file").unwrap();
    for (agent, before, _) in SHELL_CALLS {
        let ran = bridge(&project, agent, before, &json!({}));
        let answer = said(&ran);
        assert!(refuses(&answer, "enough"), "{agent}: {ran}");
    }
}

/// A link in place of a memory is not followed, neither to read nor to write.
#[test]
fn a_link_in_place_of_a_memory_is_not_followed() {
    let project = no_touching();
    let session = json!({ "session_id": "s", "prompt": "p" });
    bridge(&project, "claude", "UserPromptSubmit", &session);
    let state = project.home().join(".hookrail/bridge");
    let is_memory = |file: &std::path::PathBuf| file.extension().is_some_and(|end| end == "json");
    let memory = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()).find(is_memory).unwrap();
    let victim = project.file("victim.txt", "mine");
    fs::remove_file(&memory).unwrap();
    symlink(&victim, &memory).unwrap();
    let ran = bridge(&project, "claude", "UserPromptSubmit", &session);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(project.read("victim.txt"), "mine");
}

/// A project of which a model moved the session away still guards it, and the other project's rules do not count.
#[test]
fn another_projects_settings_do_not_replace_the_sessions() {
    let project = TestProject::new();
    project.settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "guarded here" },
    ] }] })));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    let other = project.home().join("other");
    fs::create_dir_all(other.join(".hookrail")).unwrap();
    fs::write(
        other.join(".hookrail/settings.json"),
        json!({ "enableHooks": false, "hooksConfig": { "enabled": false } }).to_string(),
    )
    .unwrap();
    for (agent, before, prompt) in [
        ("codex", "PreToolUse-Bash", "UserPromptSubmit"),
        ("copilot", "preToolUse-bash", "userPromptSubmitted"),
        ("opencode", "tool.execute.before-bash", "chat.message"),
    ] {
        let session = json!({ "session_id": "s", "sessionId": "s" });
        bridge(&project, agent, prompt, &session);
        let moved = json!({ "session_id": "s", "sessionId": "s", "cwd": other });
        let ran = bridge(&project, agent, before, &moved);
        assert!(refuses(&said(&ran), "guarded here"), "{agent}: {ran}");
    }
}

/// The whole payload is there, and only the end of the stream is missing: the answer does not wait for it.
#[test]
fn a_whole_payload_is_answered_though_stdin_stays_open() {
    let project = no_touching();
    for (agent, before, _) in SHELL_CALLS {
        let event = before.split('-').next().unwrap();
        let started = Instant::now();
        let mut child = hookrail(&project, &["bridge", agent, event]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload(&project, agent, before, &json!({})).as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(refuses(&answer, "for people"), "{agent}: {answer}");
        // The agents grant ten minutes.
        assert!(started.elapsed() < Duration::from_mins(2), "{agent}");
    }
}
