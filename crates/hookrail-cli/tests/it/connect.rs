//! `connect` and `disconnect`: other agents' files, everything else in them kept byte for byte.

mod odd_files;
mod plugin;
mod program;
mod shared;

use std::fs;
use std::path::PathBuf;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::payload;
use crate::program::{at_home, hookrail, log_path, run};

/// Settings that a person wrote, with a place for everything that an editor could lose.
const WRITTEN: &str = "\u{feff}{\r\n\t// mine\r\n\t\"theme\" : \"dark\",\r\n\t\"hooks\": { \"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"mine.sh\", }, ], }, ] },\r\n}";

/// Where each agent's settings are, and what may be in them before.
fn files(project: &TestProject) -> Vec<(&'static str, PathBuf, Option<&'static str>)> {
    let home = project.home();
    vec![
        ("claude", home.join(".claude/settings.json"), Some(WRITTEN)),
        ("codex", home.join(".codex/hooks.json"), None),
        ("gemini", home.join(".gemini/settings.json"), Some("{ \"ui\": { \"theme\": \"GitHub\" } }\n")),
        ("qwen", home.join(".qwen/settings.json"), Some("{\n  \"a\": 1\n}\n")),
        ("copilot", home.join(".copilot/hooks/hookrail.json"), None),
        ("opencode", home.join(".config/opencode/plugin/hookrail.js"), None),
        ("kilo", home.join(".config/kilo/plugin/hookrail.js"), None),
        ("pi", home.join(".pi/agent/extensions/hookrail.js"), None),
        ("cline", home.join(".cline/plugins/hookrail.js"), None),
    ]
}

fn write(file: &PathBuf, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// The program that entries call.
fn installed(project: &TestProject) -> PathBuf {
    project.home().join(".hookrail/bin/hookrail")
}

#[test]
fn connect_twice_and_disconnect_leave_every_byte() {
    let project = TestProject::new();
    for (agent, file, before) in files(&project) {
        if let Some(text) = before {
            write(&file, text);
        }
        let dry = run(&project, &["connect", agent, "--dry-run"]);
        assert_eq!((dry.code, dry.stdout.lines().count()), (Some(0), 1), "{dry}");
        assert!(dry.stdout.starts_with("would write ~/"), "{dry}");
        assert!(dry.stdout.contains(" would call hookrail at "), "{dry}");
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before, "{agent}");
        let dry = run(&project, &["connect", agent, "--dry-run", "--diff"]);
        assert!(dry.stdout.contains("\n+++ ~/") && dry.stdout.contains("bridge"), "{dry}");
        let ran = run(&project, &["connect", agent]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let lines: Vec<&str> = ran.stdout.lines().filter(|line| !line.contains(".hookrail/bin")).collect();
        assert!(matches!(&lines[..], [line] if line.contains(" calls hookrail at ")), "{ran}");
        let connected = fs::read_to_string(&file).unwrap();
        assert!(connected.contains(installed(&project).to_str().unwrap()), "{connected}");
        assert!(!connected.contains(env!("CARGO_BIN_EXE_hookrail")), "{connected}");
        let again = run(&project, &["connect", agent]);
        assert_eq!((again.code, again.stdout.lines().count()), (Some(0), 1), "{again}");
        assert!(again.stdout.contains("calls hookrail already"), "{again}");
        assert_eq!(fs::read_to_string(&file).unwrap(), connected, "{agent}");
        let list = run(&project, &["connect", "--format", "json"]).json();
        let agents = list["agents"].as_array().unwrap();
        let entry = agents.iter().find(|entry| entry["agent"] == agent).unwrap();
        assert_eq!((&entry["connected"], &entry["files"][0]), (&json!("yes"), &json!(file)), "{entry}");
        let dry = run(&project, &["disconnect", agent, "--dry-run"]);
        assert!(dry.stdout.contains(" would no longer call hookrail."), "{dry}");
        let ran = run(&project, &["disconnect", agent]);
        assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 1), "{ran}");
        assert!(ran.stdout.contains(" no longer calls hookrail."), "{ran}");
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before, "{agent}");
    }
}

/// What an empty list or object was cannot be told from the entries; it was recorded.
#[test]
fn empty_lists_come_back_as_they_were() {
    let project = TestProject::new();
    for (agent, file, before) in [
        ("claude", ".claude/settings.json", "{ \"hooks\": { \"PreToolUse\": [],\n \"Stop\": [ ] } }"),
        ("gemini", ".gemini/settings.json", "{\"hooks\":{}}"),
        ("codex", ".codex/hooks.json", "{\n}"),
    ] {
        let file = project.home().join(file);
        write(&file, before);
        for _ in 0..2 {
            assert_eq!(run(&project, &["connect", agent]).code, Some(0));
        }
        assert_eq!(run(&project, &["disconnect", agent]).code, Some(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{agent}");
    }
}

/// Somebody who wrote into the file meanwhile keeps what was written; a file that `connect` made goes if nothing else is
/// in it.
#[test]
fn what_was_changed_meanwhile_stays() {
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    run(&project, &["connect", "claude"]);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('{', "{\n  \"theme\": \"dark\",", 1)).unwrap();
    assert_eq!(run(&project, &["disconnect", "claude"]).code, Some(0));
    let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, json!({ "theme": "dark" }));
    fs::remove_file(&file).unwrap();
    run(&project, &["connect", "claude"]);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n")).unwrap();
    let ran = run(&project, &["disconnect", "claude"]);
    assert!(ran.stdout.starts_with("removed "), "{ran}");
    assert!(!file.exists());
}

/// The record is the user's alone: settings of agents may hold keys.
#[test]
fn what_was_there_before_is_recorded_privately_with_the_path() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = TestProject::new();
    let file = project.home().join(".claude/settings.json");
    write(&file, "{ \"env\": { \"API_KEY\": \"secret\" } }");
    let mut command = hookrail(&project, &["connect", "claude"]);
    assert!(command.env("PATH", "/opt/mine:relative::/usr/bin:/bin").output().unwrap().status.success());
    let state = log_path(&project).parent().unwrap().to_owned();
    let record: Value =
        serde_json::from_str(&fs::read_to_string(state.join("connect.json")).unwrap()).unwrap();
    assert_eq!(record["path"], "/opt/mine:/usr/bin:/bin");
    let recorded = &record["files"][0];
    assert_eq!((&recorded["agent"], &recorded["file"]), (&json!("claude"), &json!(file)));
    assert_eq!(recorded["created"], false);
    let kept = state.join("connect").join(recorded["before"].as_str().unwrap());
    for private in [state.join("connect.json"), kept.clone()] {
        assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o600, "{private:?}");
    }
    run(&project, &["disconnect", "claude"]);
    assert!(!kept.exists());
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"env\": { \"API_KEY\": \"secret\" } }");
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
    assert!(connected.starts_with(before) && connected.contains("bridge --home"), "{connected}");
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
        assert_eq!(text.matches(" claude PreToolUse").count(), 1, "{text}");
        assert!(text.contains("mine.sh"), "{text}");
    }
}

#[test]
fn the_projects_settings_are_written_on_request() {
    let project = TestProject::new();
    let ran = run(&project, &["connect", "claude", "--project"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(project.read(".claude/settings.json").contains("bridge --project claude"));
    assert!(!project.home().join(".claude").exists());
    run(&project, &["disconnect", "claude", "--project"]);
    assert!(!project.dir().join(".claude/settings.json").exists());
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
fn all_are_disconnected_at_once() {
    let project = TestProject::new();
    for (agent, ..) in files(&project) {
        run(&project, &["connect", agent]);
    }
    let ran = run(&project, &["disconnect", "--all"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    for (agent, file, _) in files(&project) {
        assert!(!file.exists(), "{agent}");
    }
}

/// `LLxprt` Code knows neither rules nor `.hookrail`, so it is connected like any other agent, in the file that hookrail
/// reads, too. hookrail itself never runs such an entry.
#[test]
fn llxprt_is_connected_in_the_settings_that_it_shares_with_hookrail() {
    let project = TestProject::new();
    let file = project.home().join(".llxprt/settings.json");
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "mine", "when": { "command": "rm" }, "block": "no" },
    ] }] } });
    let before = settings.to_string();
    write(&file, &before);
    let ran = run(&project, &["connect", "llxprt"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("`tools.enableHooks`"), "{ran}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(" llxprt BeforeTool") && text.contains("\"mine\""), "{text}");
    let event = ["fire", "BeforeTool", "--tool", "run_shell_command", "--format", "json", "--input"];
    for (command, code, runs) in [("ls", 0, 0), ("rm x", 2, 1)] {
        let input = json!({ "command": command }).to_string();
        let ran = run(&project, &[&event[..], &[&input]].concat());
        assert_eq!((ran.code, ran.json()["hooks"].as_array().unwrap().len()), (Some(code), runs), "{ran}");
    }
    let check = run(&project, &["check"]);
    assert_eq!(check.code, Some(0), "{check}");
    for ran in [check, run(&project, &["doctor"])] {
        assert!(!ran.stdout.contains("would call itself"), "the entry is where it belongs: {ran}");
    }
    run(&project, &["disconnect", "llxprt"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
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
    fs::remove_file(installed(&project)).unwrap();
    let output = run_entry(&command);
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("hookrail doctor"), "{told}");
    let file = project.home().join(".claude/settings.json");
    assert!(told.contains(file.to_str().unwrap()), "it names the file to edit: {told}");
    // The way out that it names works: without the hooks nothing is refused.
    assert_eq!(run(&project, &["disconnect", "claude"]).code, Some(0));
    assert!(!file.exists());
}
