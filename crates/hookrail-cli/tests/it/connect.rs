//! `connect`, `disconnect`, `import`: other agents' files, everything else in them kept byte for byte.

mod odd_files;
mod plugin;

use std::fs;
use std::path::PathBuf;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::payload;
use crate::program::{hookrail, run};

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
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before, "{agent}");
        let ran = run(&project, &["connect", agent]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let connected = fs::read_to_string(&file).unwrap();
        assert!(connected.contains(env!("CARGO_BIN_EXE_hookrail")), "{connected}");
        let again = run(&project, &["connect", agent]);
        assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{again}");
        assert_eq!(fs::read_to_string(&file).unwrap(), connected, "{agent}");
        let list = run(&project, &["connect", "--format", "json"]).json();
        let agents = list["agents"].as_array().unwrap();
        let entry = agents.iter().find(|entry| entry["agent"] == agent).unwrap();
        assert_eq!((&entry["connected"], &entry["files"][0]), (&json!("yes"), &json!(file)), "{entry}");
        let ran = run(&project, &["disconnect", agent]);
        assert_eq!(ran.code, Some(0), "{ran}");
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
            .env("HOOKRAIL_HOME", project.home())
            .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
            .env_remove("HOOKRAIL_BRIDGE")
            .env_remove("CLAUDE_PROJECT_DIR")
            .stdin(fs::File::open(&stdin).unwrap())
            .output()
            .unwrap()
    };
    let command = entry(&project, "PreToolUse");
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

#[test]
fn import_reports_what_is_lost_and_leaves_our_entries_out() {
    let project = TestProject::new();
    run(&project, &["connect", "claude"]);
    let file = project.home().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().push(
        json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh", "timeout": 5 }] }),
    );
    fs::write(&file, settings.to_string()).unwrap();
    let ran = run(&project, &["import", "claude"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let group = &ran.json()["hooks"]["BeforeTool"][0];
    assert_eq!(group["hooks"][0]["timeout"], 5000, "{ran}");
    assert!(!ran.stdout.contains("bridge claude"), "{ran}");
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("hookrail itself")).collect();
    assert_eq!(told, ["note: 11 entries call hookrail itself and are left out"], "{ran}");
    assert_eq!(ran.stderr.lines().count(), 3, "the note, the matcher and the unit: {ran}");
    let ran = run(&project, &["import", "claude", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(fs::read_to_string(project.user_settings_path()).unwrap().contains("guard.sh"));
    let ran = run(&project, &["import", "claude", "--write"]);
    assert!(ran.stdout.contains("added 0 hooks"), "{ran}");
}

/// Hooks of Copilot and Claude lie in several files, and `import` without a file reads them all, as `check` does.
#[test]
fn import_reads_every_file_of_the_agent() {
    let project = TestProject::new();
    let home = project.home();
    let copilot = |command: &str| {
        json!({ "version": 1, "hooks": { "preToolUse": [{ "bash": command, "timeoutSec": 5 }] } }).to_string()
    };
    write(&home.join(".copilot/hooks/a.json"), &copilot("a.sh"));
    write(&home.join(".copilot/hooks/b.json"), &copilot("b.sh"));
    let claude = |command: &str| {
        json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": command }] }] } })
            .to_string()
    };
    write(&project.dir().join(".claude/settings.json"), &claude("c.sh"));
    write(&project.dir().join(".claude/settings.local.json"), &claude("d.sh"));
    write(
        &home.join(".codex/config.toml"),
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"e.sh\"\n",
    );
    for (args, commands) in [
        (&["import", "copilot"][..], &["a.sh", "b.sh"][..]),
        (&["import", "claude", "--project"], &["c.sh", "d.sh"]),
        (&["import", "codex"], &["e.sh"]),
    ] {
        let ran = run(&project, args);
        assert_eq!(ran.code, Some(0), "{ran}");
        let found = |command: &&&str| ran.json()["hooks"].to_string().contains(**command);
        assert_eq!(commands.iter().filter(found).count(), commands.len(), "{ran}");
    }
    let ran = run(&project, &["import", "gemini"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains(".gemini/settings.json"), "{ran}");
}

/// What `--write` adds runs for the same calls, and stays off where it was off.
#[test]
fn import_keeps_matchers_apart_and_disabled_hooks_off() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "matcher": "^replace$", "hooks": [{ "type": "command", "command": "guard.sh" }] },
    ] } }));
    let gemini = json!({ "hooksConfig": { "disabled": ["loud"] }, "hooks": { "BeforeTool": [
        { "matcher": "^write_file$", "hooks": [{ "type": "command", "command": "guard.sh" }] },
        { "hooks": [{ "type": "command", "name": "loud", "command": "loud.sh" }] },
    ] } });
    write(&project.home().join(".gemini/settings.json"), &gemini.to_string());
    let ran = run(&project, &["import", "gemini", "--write"]);
    assert!(ran.stdout.contains("added 2 hooks") && !ran.stderr.contains("hooks are off"), "{ran}");
    let settings: Value =
        serde_json::from_str(&fs::read_to_string(project.user_settings_path()).unwrap()).unwrap();
    assert_eq!(settings["hooks"]["BeforeTool"][1]["matcher"], "^write_file$", "{settings}");
    assert_eq!(settings["hooksConfig"]["disabled"], json!(["loud"]), "{settings}");
}

/// Hooks that ran one after another still do, and those beside them are told of.
#[test]
fn import_keeps_the_order() {
    for (agent, file, settings, expected) in [
        (
            "gemini",
            ".gemini/settings.json",
            json!({ "hooks": { "BeforeTool": [
                { "matcher": "x", "sequential": true, "hooks": [
                    { "type": "command", "command": "1", "timeout": 9 },
                    { "type": "command", "command": "2", "timeout": 9 }] },
                { "matcher": "y", "sequential": false, "hooks": [{ "type": "command", "command": "3", "timeout": 9 }] },
            ] } }),
            json!([
                { "matcher": "x", "sequential": true, "hooks": ["1", "2"] },
                { "matcher": "y", "hooks": ["3"] },
            ]),
        ),
        (
            "copilot",
            ".copilot/hooks/mine.json",
            json!({ "version": 1, "hooks": { "preToolUse": [
                { "bash": "1", "timeoutSec": 9 }, { "bash": "2", "timeoutSec": 9 },
            ] } }),
            json!([{ "sequential": true, "hooks": ["1", "2"] }]),
        ),
        (
            "claude",
            ".claude/settings.json",
            json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "1" }] }] } }),
            json!([{ "hooks": ["1"] }]),
        ),
    ] {
        let project = TestProject::new();
        write(&project.home().join(file), &settings.to_string());
        let ran = run(&project, &["import", agent, "--write"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert_eq!(
            ran.stderr.contains("all hooks of BeforeTool run one after another"),
            agent != "claude",
            "{ran}"
        );
        // Nothing here turns hooks on, as other agents do without a word.
        assert!(ran.stderr.contains("hooks are off") && ran.stderr.contains("enableHooks"), "{ran}");
        let text = fs::read_to_string(project.user_settings_path()).unwrap();
        let mut written: Value = serde_json::from_str(&text).unwrap();
        for group in written["hooks"]["BeforeTool"].as_array_mut().unwrap() {
            for hook in group["hooks"].as_array_mut().unwrap() {
                *hook = hook["command"].take();
            }
        }
        assert_eq!(written["hooks"]["BeforeTool"], expected, "{agent}: {text}");
    }
}

/// The loss report names what stands in the scripts and means something else here, for every agent's way to name one.
#[test]
fn import_looks_into_scripts() {
    let project = TestProject::new();
    let script = "#!/bin/sh\ncase $(jq -r .tool_name) in Bash|Write) ;; esac\n\
        echo '{\"hookSpecificOutput\": {\"updatedInput\": {}}, \"systemMessage\": \"x\"}'\n";
    project.file("guards/look.sh", script);
    let claude = json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guards/look.sh --strict", "timeout": 30 },
        { "type": "prompt", "prompt": "is it safe?" },
    ] }] } });
    project.file(".claude/settings.json", claude.to_string());
    let copilot = json!({ "version": 1, "hooks": { "preToolUse": [
        { "type": "command", "bash": "bash ./guards/look.sh", "timeoutSec": 30 },
    ] } });
    project.file(".github/hooks/mine.json", copilot.to_string());
    for agent in ["claude", "copilot"] {
        let ran = run(&project, &["import", agent, "--project"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        for words in ["updatedInput", "systemMessage", "`Bash`", "`Write`", "30000 ms"] {
            assert!(ran.stderr.contains(words), "{agent} {words}: {ran}");
        }
        assert_eq!(ran.stderr.contains("type `prompt`"), agent == "claude", "{ran}");
    }
}
