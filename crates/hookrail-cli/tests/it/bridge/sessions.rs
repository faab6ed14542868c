//! What is remembered of a session: the project, notices that were shown, and nothing for longer than it should be.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use super::{bridge, payload, refuses, said, settings, with_hooks};
use crate::program::{hookrail, run, run_with_stdin};

fn memories(project: &TestProject) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.home().join(".hookrail/bridge")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    files
}

#[test]
fn memories_are_private_and_forgotten_after_a_week() {
    let project = with_hooks(&json!({}));
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "old", "prompt": "a secret" }));
    let [old] = <[PathBuf; 1]>::try_from(memories(&project)).unwrap();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&old), mode(&old.parent().unwrap().to_owned())), (0o600, 0o700));
    let week = Duration::from_hours(7 * 24);
    let set_age = |age: Duration| {
        let file = fs::File::options().write(true).open(&old).unwrap();
        file.set_modified(SystemTime::now().checked_sub(age).unwrap()).unwrap();
    };
    set_age(week.saturating_sub(Duration::from_mins(10)));
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "new" }));
    assert!(old.exists());
    set_age(week + Duration::from_mins(10));
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "newer" }));
    assert!(!old.exists());
    assert_eq!(memories(&project).len(), 2);
}

#[test]
fn a_memory_stays_below_a_megabyte() {
    let project = with_hooks(&json!({}));
    let long = "\u{1}".repeat(3 << 20);
    bridge(&project, "claude", "UserPromptSubmit", &json!({ "session_id": "s", "prompt": long }));
    let [file] = <[PathBuf; 1]>::try_from(memories(&project)).unwrap();
    let length = fs::metadata(file).unwrap().len();
    assert!(length < 1 << 20, "{length}");
}

#[test]
fn events_side_by_side_lose_nothing() {
    let project = with_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "sleep 0.3" },
        { "type": "rule", "when": { "command": "stopping" },
          "then": { "continue": false, "stopReason": "enough" } },
    ] }] }));
    let call = |command: &str| {
        payload(
            &project,
            "codex",
            "PreToolUse-Bash",
            &json!({ "session_id": "s", "tool_input": { "command": command } }),
        )
    };
    let calls = ["one", "stopping", "two", "three"].map(call);
    std::thread::scope(|scope| {
        for stdin in &calls {
            scope.spawn(|| run_with_stdin(&project, &["bridge", "codex", "PreToolUse"], stdin));
        }
    });
    let ran = run_with_stdin(&project, &["bridge", "codex", "PreToolUse"], &call("later"));
    assert!(refuses(&said(&ran), "enough"), "{ran}");
}

#[test]
fn the_sessions_project_wins_over_a_directory_that_moved() {
    let project = TestProject::new();
    project.settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "guard", "when": { "command": "touch" }, "block": "guarded here" },
    ] }] })));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    let session = json!({ "session_id": "s" });
    let elsewhere = project.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    bridge(&project, "codex", "UserPromptSubmit", &session);
    let moved = json!({ "session_id": "s", "cwd": elsewhere });
    let ran = bridge(&project, "codex", "PreToolUse-Bash", &moved);
    assert!(refuses(&said(&ran), "guarded here"), "{ran}");
    // Another session that begins elsewhere is not this project's business.
    let other = json!({ "session_id": "t", "cwd": elsewhere });
    let stdin = payload(&project, "codex", "PreToolUse-Bash", &other);
    let ran = run_with_stdin(&project, &["bridge", "codex", "PreToolUse"], &stdin);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
}

/// The agents that were observed to name the project in a variable, and those that were not.
const VARIABLES: [(&str, &str, &str, bool); 6] = [
    ("claude", "PreToolUse-Bash", "CLAUDE_PROJECT_DIR", true),
    ("gemini", "BeforeTool-run_shell_command", "GEMINI_PROJECT_DIR", true),
    ("qwen", "PreToolUse-run_shell_command", "QWEN_PROJECT_DIR", true),
    ("copilot", "preToolUse-bash", "COPILOT_PROJECT_DIR", true),
    ("codex", "PreToolUse-Bash", "CODEX_PROJECT_DIR", false),
    ("codex", "PreToolUse-Bash", "CLAUDE_PROJECT_DIR", false),
];

/// A bridge for a call in a folder, with a variable that names another one.
fn call_in(project: &TestProject, agent: &str, file: &str, cwd: &Path, variable: (&str, &Path)) -> Value {
    let session = format!("{} {}", cwd.display(), variable.1.display());
    let fields = json!({ "cwd": cwd, "session_id": session, "sessionId": session });
    let text = payload(project, agent, file, &fields);
    let text = project.file("payload.json", text);
    let output = hookrail(project, &["bridge", agent, file.split('-').next().unwrap()])
        .env(variable.0, variable.1)
        .stdin(fs::File::open(text).unwrap())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn with_approved_guard() -> TestProject {
    let project = TestProject::new();
    project.settings(&settings(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "guard", "when": { "command": "touch" }, "block": "guarded here" },
    ] }] })));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    project
}

#[test]
fn the_agents_variable_names_the_folder_of_the_session_or_one_above() {
    // Hooks run in the project's folder.
    let project = with_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "pwd > ~/seen" }] }] }),
    );
    project.settings(&json!({}));
    // The search would end at the nested repository.
    let nested = project.dir().join("sub/repository");
    fs::create_dir_all(nested.join(".git")).unwrap();
    for (agent, file, variable, is_observed) in VARIABLES {
        call_in(&project, agent, file, &nested, (variable, &project.dir()));
        let seen = fs::read_to_string(project.home().join("seen")).unwrap();
        let expected = if is_observed { project.dir() } else { nested.clone() };
        assert_eq!(Path::new(seen.trim()), expected, "{agent} {variable}");
    }
}

#[test]
fn the_agents_variable_leads_neither_elsewhere_nor_past_an_approved_project() {
    let project = with_approved_guard();
    let elsewhere = project.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let dir = project.dir();
    for (agent, file, variable, _) in VARIABLES {
        for folder in [
            &elsewhere,
            dir.parent().unwrap(),
            Path::new("/"),
            Path::new("."),
            Path::new("/proc/self/cwd/.."),
        ] {
            let answer = call_in(&project, agent, file, &dir, (variable, folder));
            assert!(refuses(&answer, "guarded here"), "{agent} {variable} {}: {answer}", folder.display());
        }
        let answer = call_in(&project, agent, file, &elsewhere, (variable, &dir));
        assert_eq!(answer, Value::Null, "{agent} {variable}: another session is not this project's business");
    }
}

#[test]
fn hooks_that_are_off_or_wait_are_reported_once_a_session() {
    let hooks = json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }] });
    let off = TestProject::new();
    off.user_settings(&json!({ "enableHooks": false, "hooks": hooks }));
    let waiting = TestProject::new();
    waiting.user_settings(&json!({ "enableHooks": true }));
    waiting.settings(&json!({ "hooks": hooks }));
    for (project, words) in [(&off, "hooks are off"), (&waiting, "hookrail trust")] {
        let session = json!({ "session_id": "s" });
        let first = bridge(project, "claude", "PreToolUse-Bash", &session);
        let told = said(&first)["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(told.contains(words), "{first}");
        let second = bridge(project, "claude", "PreToolUse-Bash", &session);
        assert_eq!((second.code, second.stdout.as_str()), (Some(0), ""), "{second}");
        let other = bridge(project, "claude", "PreToolUse-Bash", &json!({ "session_id": "t" }));
        assert!(other.stdout.contains(words), "{other}");
    }
}

#[test]
fn without_any_settings_it_is_silent() {
    let project = TestProject::new();
    for file in
        ["SessionStart", "UserPromptSubmit", "PreToolUse-Bash", "PostToolUse-Bash", "Stop", "SessionEnd"]
    {
        let ran = bridge(&project, "claude", file, &json!({}));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{file}: {ran}");
    }
}
