//! `connect` and `disconnect`: other agents' files, everything else in them kept byte for byte.

mod odd_files;
mod plugin;

use std::fs;
use std::path::PathBuf;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::payload;
use crate::program::{at_home, hookrail, run};

/// Settings that a person wrote, with a place for everything that an editor could lose.
const WRITTEN: &str = "\u{feff}{\r\n\t// mine\r\n\t\"theme\" : \"dark\",\r\n\t\"hooks\": { \"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"mine.sh\", }, ], }, ] },\r\n}";

/// Where each agent's settings are, and what may stand in them before.
fn files(project: &TestProject) -> Vec<(&'static str, PathBuf, Option<&'static str>)> {
    let home = project.home();
    vec![
        ("claude", home.join(".claude/settings.json"), Some(WRITTEN)),
        ("codex", home.join(".codex/hooks.json"), None),
        ("gemini", home.join(".gemini/settings.json"), Some("{ \"ui\": { \"theme\": \"GitHub\" } }\n")),
        ("qwen", home.join(".qwen/settings.json"), Some("{\n  \"a\": 1\n}\n")),
        ("copilot", home.join(".copilot/hooks/hookrail.json"), None),
        ("opencode", home.join(".config/opencode/plugin/hookrail.js"), None),
    ]
}

fn write(file: &PathBuf, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[test]
fn connect_twice_and_disconnect_leave_every_byte() {
    let project = TestProject::new();
    for (agent, file, before) in files(&project) {
        if let Some(text) = before {
            write(&file, text);
        }
        let dry = run(&project, &["connect", agent, "--dry-run"]);
        assert_eq!(dry.code, Some(0), "{dry}");
        assert!(dry.stdout.contains("bridge"), "{dry}");
        assert!(dry.stderr.contains(" would call hookrail at "), "{dry}");
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before, "{agent}");
        let ran = run(&project, &["connect", agent]);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(ran.stderr.contains(" calls hookrail at "), "{ran}");
        let connected = fs::read_to_string(&file).unwrap();
        assert!(connected.contains(env!("CARGO_BIN_EXE_hookrail")), "{connected}");
        let again = run(&project, &["connect", agent]);
        assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{again}");
        assert_eq!(fs::read_to_string(&file).unwrap(), connected, "{agent}");
        let list = run(&project, &["connect", "--format", "json"]).json();
        let agents = list["agents"].as_array().unwrap();
        let entry = agents.iter().find(|entry| entry["agent"] == agent).unwrap();
        assert_eq!((&entry["connected"], &entry["files"][0]), (&json!("yes"), &json!(file)), "{entry}");
        let dry = run(&project, &["disconnect", agent, "--dry-run"]);
        assert!(dry.stderr.contains(" would no longer call hookrail."), "{dry}");
        let ran = run(&project, &["disconnect", agent]);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(ran.stderr.contains(" no longer calls hookrail."), "{ran}");
        let left = fs::read_to_string(&file).ok();
        match before {
            Some(before) => assert_eq!(left.as_deref(), Some(before), "{agent}"),
            // A file that connect made and that may hold more than hooks stays, empty.
            None => assert_eq!(left.unwrap_or_default().trim_matches(['{', '}', '\n']), "", "{agent}"),
        }
    }
}

#[test]
fn codex_toml_keeps_its_comments() {
    let project = TestProject::new();
    let file = project.home().join(".codex/config.toml");
    let before = "# mine\nmodel = \"x\" # fast\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine.sh\"\n";
    write(&file, before);
    let ran = run(&project, &["connect", "codex"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("trust"), "{ran}");
    let connected = fs::read_to_string(&file).unwrap();
    assert!(connected.starts_with(before) && connected.contains("bridge codex"), "{connected}");
    run(&project, &["disconnect", "codex"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_read_is_not_touched() {
    let project = TestProject::new();
    for (agent, file, _) in files(&project) {
        let broken = "{ \"hooks\": oops";
        write(&file, broken);
        for command in ["connect", "disconnect"] {
            let ran = run(&project, &[command, agent]);
            assert_eq!(ran.code, Some(1), "{ran}");
            assert!(ran.stderr.contains("was left alone"), "{ran}");
            assert_eq!(fs::read_to_string(&file).unwrap(), broken, "{agent}");
        }
    }
}

#[test]
fn two_at_once_lose_nothing() {
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    for _ in 0..5 {
        write(&file, WRITTEN);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(run(&project, &["connect", "claude"]).code, Some(0)));
            }
        });
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("bridge claude PreToolUse").count(), 1, "{text}");
        assert!(text.contains("mine.sh"), "{text}");
    }
}

#[test]
fn the_projects_settings_are_written_on_request() {
    let project = TestProject::new();
    let ran = run(&project, &["connect", "claude", "--project"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(project.read(".claude/settings.json").contains("bridge claude"));
    assert!(!project.home().join(".claude").exists());
    run(&project, &["disconnect", "claude", "--project"]);
    assert_eq!(project.read(".claude/settings.json").split_whitespace().collect::<String>(), "{}");
}

#[test]
fn a_home_of_our_own_does_not_move_other_agents() {
    let project = TestProject::new();
    let other = project.dir().join("other-home");
    fs::create_dir_all(&other).unwrap();
    let output = hookrail(&project, &["connect", "claude"]).env("HOME", &other).output().unwrap();
    assert!(output.status.success());
    assert!(other.join(".claude/settings.json").exists());
    assert!(!project.home().join(".claude").exists());
}

#[test]
fn all_are_disconnected_at_once_and_llxprt_needs_nothing() {
    let project = TestProject::new();
    let ran = run(&project, &["connect", "llxprt"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("nothing to connect"), "{ran}");
    let row = || {
        let ran = run(&project, &["connect"]);
        ran.stdout.lines().find(|line| line.starts_with("llxprt")).unwrap_or_default().to_owned()
    };
    assert!(row().ends_with("connected: reads the same settings as hookrail"), "no file: {}", row());
    fs::create_dir_all(project.home().join(".llxprt")).unwrap();
    fs::write(project.home().join(".llxprt/settings.json"), "{}").unwrap();
    assert!(row().ends_with("connected by ~/.llxprt/settings.json"), "{}", row());
    for (agent, ..) in files(&project) {
        run(&project, &["connect", agent]);
    }
    let ran = run(&project, &["disconnect", "--all"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    for (agent, file, _) in files(&project) {
        let left = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(left.trim_matches(['{', '}', '\n', ' ']), "", "{agent}: {left}");
    }
}

/// The entry of a guarded event, run as its agent would run it.
fn entry(project: &TestProject, event: &str) -> String {
    let text = fs::read_to_string(project.home().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn the_written_entry_blocks_and_fails_closed_when_the_program_is_gone() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "when": { "command": "touch" }, "block": "for people" },
    ] }] } }));
    run(&project, &["connect", "claude"]);
    let stdin = project.file("payload.json", payload(&project, "claude", "PreToolUse-Bash", &json!({})));
    let run_entry = |command: &str| {
        std::process::Command::new("bash")
            .args(["-c", command])
            .current_dir(project.dir())
            .stdin(fs::File::open(&stdin).unwrap())
            .output()
            .unwrap()
    };
    let command = at_home(&project, &entry(&project, "PreToolUse"));
    let output = run_entry(&command);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("for people"), "{said}");
    let gone = command.replace(env!("CARGO_BIN_EXE_hookrail"), "/nowhere/hookrail");
    let output = run_entry(&gone);
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("hookrail doctor"), "{told}");
}
