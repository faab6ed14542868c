//! `connect --project`: an entry for everyone who works on a project.

use std::fs;
use std::process::{Command, Output, Stdio};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::installed;
use crate::bridge::payload;
use crate::program::{log_path, run};

/// A project in which a hook writes a line for each call.
fn counted() -> (TestProject, std::path::PathBuf) {
    let project = TestProject::new();
    let count = project.dir().join("count");
    let hook = format!("echo run >> '{}'", count.display());
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "command": hook },
    ] }] } }));
    (project, count)
}

/// The command of a Claude Code event in a settings file.
fn command(text: &str, event: &str) -> String {
    let settings: Value = serde_json::from_str(text).unwrap();
    settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

/// The project's entry, as it is on the machine of the person whose home this project has.
fn at_home(project: &TestProject, command: &str) -> String {
    let home = project.home().display().to_string();
    let text = command.replace("h=; u=$(/usr/bin/id -un) && eval \"h=~$u\"", &format!("h={home}"));
    let text = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]
        .iter()
        .fold(text, |text, place| text.replace(&format!(" {place}/"), " /nowhere/"));
    text.replace("bridge --project", &format!("bridge --home {home} --project"))
}

fn call(project: &TestProject, command: &str, stdin: &str) -> Output {
    let file = project.file("payload.json", stdin);
    Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(project.dir())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", project.home())
        .stdin(Stdio::from(fs::File::open(file).unwrap()))
        .output()
        .unwrap()
}

#[test]
fn the_entry_names_no_path_of_this_machine() {
    let project = TestProject::new();
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("copilot", ".github/hooks/hookrail.json"),
        ("opencode", ".opencode/plugin/hookrail.js"),
        ("kilo", ".kilo/plugin/hookrail.js"),
        ("pi", ".pi/extensions/hookrail.js"),
        ("cline", ".cline/plugins/hookrail.js"),
    ] {
        for option in ["--project", "--require"] {
            let ran = run(
                &project,
                &["connect", agent, "--project", option][..if option == "--project" { 3 } else { 4 }],
            );
            assert_eq!(ran.code, Some(0), "{ran}");
            let text = project.read(file);
            for mine in [project.home(), project.dir()] {
                assert!(!text.contains(mine.to_str().unwrap()), "{agent}: {text}");
            }
            let list = run(&project, &["connect", "--format", "json"]).json();
            let status =
                list["agents"].as_array().unwrap().iter().find(|entry| entry["agent"] == agent).unwrap();
            assert_eq!(status["connected"], "yes", "{agent} {option}: {status}");
        }
    }
    assert_eq!(run(&project, &["connect", "claude", "--require"]).code, Some(64));
}

/// A prompt has an id in Claude Code and Codex, by which it is answered once; the next one is answered again.
#[test]
fn beside_the_users_own_entry_a_prompt_is_answered_once() {
    for (agent, users, shared, id) in [
        ("claude", ".claude/settings.json", ".claude/settings.json", "prompt_id"),
        ("codex", ".codex/hooks.json", ".codex/hooks.json", "turn_id"),
    ] {
        let project = TestProject::new();
        let count = project.home().join("count");
        let hook = json!({ "type": "command", "command": format!("echo ran >> '{}'", count.display()) });
        project.user_settings(
            &json!({ "enableHooks": true, "hooks": { "BeforeAgent": [{ "hooks": [hook] }] } }),
        );
        run(&project, &["connect", agent]);
        run(&project, &["connect", agent, "--project"]);
        let users = command(&fs::read_to_string(project.home().join(users)).unwrap(), "UserPromptSubmit");
        let shared = at_home(&project, &command(&project.read(shared), "UserPromptSubmit"));
        for (number, order) in [[&users, &shared], [&shared, &users]].into_iter().enumerate() {
            let mut changes = json!({});
            changes[id] = json!(format!("prompt_{number}"));
            let stdin = payload(&project, agent, "UserPromptSubmit", &changes);
            for entry in order {
                let output = call(&project, entry, &stdin);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
            let runs = fs::read_to_string(&count).unwrap_or_default().lines().count();
            assert_eq!(runs, number + 1, "{agent}: once for each prompt");
        }
    }
}

/// The same call reaches hookrail by both entries, in whatever order, and its hook runs once. Another call runs it again.
#[test]
fn beside_the_users_own_entry_a_call_is_answered_once() {
    let (project, count) = counted();
    run(&project, &["connect", "claude"]);
    run(&project, &["connect", "claude", "--project"]);
    let users =
        command(&fs::read_to_string(project.home().join(".claude/settings.json")).unwrap(), "PreToolUse");
    let shared = at_home(&project, &command(&project.read(".claude/settings.json"), "PreToolUse"));
    let runs = || fs::read_to_string(&count).unwrap_or_default().lines().count();
    let stdin = |id: &str| payload(&project, "claude", "PreToolUse-Bash", &json!({ "tool_use_id": id }));
    for (number, order) in [[&users, &shared], [&shared, &users]].into_iter().enumerate() {
        let stdin = stdin(&format!("call_{number}"));
        for entry in order {
            let output = call(&project, entry, &stdin);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(runs(), number + 1, "once for each call");
    }
    // Both at once, as agents do it.
    let stdin = stdin("call_2");
    std::thread::scope(|scope| {
        for entry in [&users, &shared] {
            let (project, stdin) = (&project, &stdin);
            scope.spawn(move || call(project, entry, stdin));
        }
    });
    assert_eq!(runs(), 3);
    // The same call may ask again, and is answered by the same entry.
    let before = runs();
    let again = payload(&project, "claude", "PreToolUse-Bash", &json!({ "tool_use_id": "call_0" }));
    call(&project, &users, &again);
    call(&project, &shared, &again);
    assert_eq!(runs(), before + 1);
    // Without the user's entry the project's answers alone.
    run(&project, &["disconnect", "claude"]);
    let last = payload(&project, "claude", "PreToolUse-Bash", &json!({ "tool_use_id": "call_9" }));
    call(&project, &shared, &last);
    assert_eq!(runs(), before + 2);
}

/// An entry that the agent does not wait for takes no call from the user's own.
#[test]
fn a_projects_entry_that_is_not_waited_for_takes_no_call() {
    let (project, count) = counted();
    run(&project, &["connect", "claude"]);
    run(&project, &["connect", "claude", "--project"]);
    let users =
        command(&fs::read_to_string(project.home().join(".claude/settings.json")).unwrap(), "PreToolUse");
    let written = project.read(".claude/settings.json");
    let shared = at_home(&project, &command(&written, "PreToolUse"));
    for (number, field) in ["async", "timeout"].into_iter().enumerate() {
        let mut settings: Value = serde_json::from_str(&written).unwrap();
        settings["hooks"]["PreToolUse"][0]["hooks"][0][field] =
            if field == "async" { json!(true) } else { json!(1) };
        project.file(".claude/settings.json", settings.to_string());
        let id = json!({ "tool_use_id": format!("call_{field}") });
        let stdin = payload(&project, "claude", "PreToolUse-Bash", &id);
        for entry in [&shared, &users] {
            call(&project, entry, &stdin);
        }
        let runs = fs::read_to_string(&count).unwrap_or_default().lines().count();
        assert_eq!(runs, 2 * (number + 1), "{field}: both answer");
    }
    // Nor from the user's entry of an agent that runs Claude's files, too.
    fs::create_dir_all(project.home().join(".grok")).unwrap();
    run(&project, &["connect", "grok"]);
    let groks = fs::read_to_string(project.home().join(".grok/hooks/hookrail.json")).unwrap();
    let stdin = payload(
        &project,
        "grok",
        "PreToolUse-run_terminal_command",
        &json!({ "toolUseId": "call_grok", "tool_use_id": "call_grok" }),
    );
    let before = fs::read_to_string(&count).unwrap().lines().count();
    for entry in [&shared, &command(&groks, "PreToolUse")] {
        call(&project, entry, &stdin);
    }
    assert_eq!(fs::read_to_string(&count).unwrap().lines().count(), before + 2, "both answer");
}

/// A call without an id cannot be told from another one: each entry answers it.
#[test]
fn a_call_that_cannot_be_recognised_is_answered_by_both() {
    let (project, count) = counted();
    run(&project, &["connect", "claude"]);
    run(&project, &["connect", "claude", "--project"]);
    let users =
        command(&fs::read_to_string(project.home().join(".claude/settings.json")).unwrap(), "PreToolUse");
    let shared = at_home(&project, &command(&project.read(".claude/settings.json"), "PreToolUse"));
    let mut value: Value =
        serde_json::from_str(&payload(&project, "claude", "PreToolUse-Bash", &json!({}))).unwrap();
    value.as_object_mut().unwrap().remove("tool_use_id");
    for entry in [&users, &shared] {
        call(&project, entry, &value.to_string());
    }
    assert_eq!(fs::read_to_string(&count).unwrap().lines().count(), 2);
}

/// Only where a project has an entry of its own are calls recorded.
#[test]
fn calls_leave_nothing_behind_where_one_entry_is_alone() {
    let (project, _) = counted();
    run(&project, &["connect", "claude"]);
    let users =
        command(&fs::read_to_string(project.home().join(".claude/settings.json")).unwrap(), "PreToolUse");
    let stdin = payload(&project, "claude", "PreToolUse-Bash", &json!({ "tool_use_id": "a" }));
    assert!(call(&project, &users, &stdin).status.success());
    assert!(!log_path(&project).with_file_name("bridge").join("calls").exists());
}

/// A colleague who has hookrail and never connected anything is guarded by the project's entry.
#[test]
fn the_projects_entry_blocks_by_itself() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "not here" },
    ] }] } }));
    run(&project, &["connect", "claude", "--project"]);
    let shared = at_home(&project, &command(&project.read(".claude/settings.json"), "PreToolUse"));
    let stdin = payload(&project, "claude", "PreToolUse-Bash", &json!({}));
    let output = call(&project, &shared, &stdin);
    assert!(String::from_utf8_lossy(&output.stdout).contains("not here"), "{output:?}");
    fs::remove_file(installed(&project)).unwrap();
    let output = call(&project, &shared, &stdin);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
}
