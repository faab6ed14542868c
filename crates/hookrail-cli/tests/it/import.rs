//! `import`: what is carried over, what is reported, and what is written.

use std::fs;
use std::path::Path;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::run;

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
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
    assert_eq!(ran.stderr.lines().count(), 2, "the note and the unit: {ran}");
    assert_eq!(
        (&group["matcher"], &group["hooks"][0]["dialect"]),
        (&json!("Bash"), &json!("claude")),
        "{ran}"
    );
    let ran = run(&project, &["import", "claude", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(fs::read_to_string(project.user_settings_path()).unwrap().contains("guard.sh"));
    assert!(ran.stderr.contains("so each of them runs twice there"), "{ran}");
    assert!(
        ran.stderr.contains("`hookrail import claude --move` takes them out of ~/.claude/settings.json"),
        "{ran}"
    );
    let ran = run(&project, &["import", "claude", "--write"]);
    assert!(ran.stdout.contains("added 0 hooks"), "{ran}");
}

/// A switch that a person set is left alone, and what stays off is said.
#[test]
fn hooks_that_were_turned_off_stay_off_with_a_warning() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": false }));
    let claude = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
        { "type": "command", "command": "exit 2", "timeout": 60, "if": "Bash(git push *)" },
        { "type": "command", "command": "exit 2", "timeout": 60, "if": "WebFetch(domain:x)" },
    ] }], "SubagentStop": [{ "hooks": [{ "type": "command", "command": "x" }] }] } });
    write(&project.home().join(".claude/settings.json"), &claude.to_string());
    let ran = run(&project, &["import", "claude", "--write"]);
    assert_eq!(ran.code, Some(1), "something is lost: {ran}");
    assert!(ran.stdout.contains("added 1 hook to "), "{ran}");
    assert!(ran.stderr.contains("warning: the imported hooks stay off: "), "{ran}");
    for lost in [
        "lost: PreToolUse[0].hooks[1]: the condition `if`",
        "lost: SubagentStop: there is no event for subagents",
    ] {
        assert!(ran.stderr.contains(lost), "{ran}");
    }
    // The condition decides whether the hook runs.
    project.user_settings(&json!({ "enableHooks": true, "hooks": serde_json::from_str::<Value>(
        &fs::read_to_string(project.user_settings_path()).unwrap()).unwrap()["hooks"] }));
    for (command, code) in [("ls", 0), ("git push origin", 2)] {
        let input = json!({ "command": command }).to_string();
        let fired = run(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
        assert_eq!(fired.code, Some(code), "{command}: {fired}");
    }
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

/// Agents without command hooks of their own, whether or not there is a file.
#[test]
fn import_refuses_agents_that_have_nothing_to_import() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    run(&project, &["connect", "opencode"]);
    for (agent, why) in [
        ("llxprt", "LLxprt Code reads the same settings as hookrail; there is nothing to import"),
        ("opencode", "opencode has no command hooks; there is nothing to import"),
    ] {
        for args in [&["import", agent][..], &["import", agent, "--project"], &["import", agent, "any.json"]]
        {
            let ran = run(&project, args);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran}");
            assert!(ran.stderr.contains(why), "{ran}");
        }
    }
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

/// Hooks that ran one after another still do, and those beside them are reported.
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
        assert!(ran.stderr.contains("`enableHooks` is set to `true`"), "{ran}");
        assert!(ran.stderr.contains(&format!("before `hookrail connect {agent}`")), "{ran}");
        let text = fs::read_to_string(project.user_settings_path()).unwrap();
        let mut written: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(written["enableHooks"], true, "{text}");
        for group in written["hooks"]["BeforeTool"].as_array_mut().unwrap() {
            for hook in group["hooks"].as_array_mut().unwrap() {
                *hook = hook["command"].take();
            }
        }
        assert_eq!(written["hooks"]["BeforeTool"], expected, "{agent}: {text}");
    }
}

/// The loss report names what is in the scripts and means something else here, for every agent's way to name one.
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
        assert_eq!(ran.code, Some(i32::from(agent == "claude")), "a hook of Claude's is lost: {ran}");
        for words in ["updatedInput", "systemMessage", "`Bash`", "`Write`"] {
            // A hook that stays in Claude Code's terms needs no change.
            assert_eq!(ran.stderr.contains(words), agent != "claude", "{agent} {words}: {ran}");
        }
        assert!(ran.stderr.contains("30000 ms"), "{ran}");
        assert_eq!(ran.stderr.contains("type `prompt`"), agent == "claude", "{ran}");
    }
}

/// `--move` takes out what it imported and nothing else, byte for byte.
#[test]
fn move_takes_out_what_was_imported() {
    for (agent, file, before, after) in [
        (
            "claude",
            ".claude/settings.json",
            "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"a.sh\", \"timeout\": 9 } ] },\n      { \"hooks\": [ { \"type\": \"prompt\", \"prompt\": \"safe?\" }, { \"type\": \"command\", \"command\": \"b.sh\", \"timeout\": 9 } ] }\n    ],\n    \"SubagentStop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"c.sh\" } ] } ]\n  },\n  \"env\": {}\n}\n",
            "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [ { \"type\": \"prompt\", \"prompt\": \"safe?\" } ] }\n    ],\n    \"SubagentStop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"c.sh\" } ] } ]\n  },\n  \"env\": {}\n}\n",
        ),
        (
            "copilot",
            ".copilot/hooks/mine.json",
            "{ \"version\": 1, \"hooks\": { \"preToolUse\": [ { \"bash\": \"a.sh\", \"timeoutSec\": 9 }, { \"bash\": \"b.sh\", \"timeoutSec\": 9 } ] } }\n",
            "{ \"version\": 1 }\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "model = \"x\" # mine\r\n\r\n[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype = \"command\"\r\ncommand = \"a.sh\"\r\n\r\n[tools]\r\nweb = true\r\n",
            "model = \"x\" # mine\r\n\r\n[tools]\r\nweb = true\r\n",
        ),
    ] {
        let project = TestProject::new();
        let place = project.home().join(file);
        write(&place, before);
        let ran = run(&project, &["import", agent, "--move"]);
        assert_eq!(ran.code, Some(i32::from(agent == "claude")), "{ran}");
        assert_eq!(fs::read_to_string(&place).unwrap(), after, "{ran}");
        assert!(ran.stderr.contains(&format!("hint: `hookrail connect {agent}`")), "{ran}");
        let settings = fs::read_to_string(project.user_settings_path()).unwrap();
        assert!(settings.contains("a.sh") && !settings.contains("c.sh"), "{settings}");
        let again = run(&project, &["import", agent, "--move"]);
        assert_eq!(fs::read_to_string(&place).unwrap(), after, "{again}");
    }
}

/// Beside `connect`, what is moved runs once and the entries of `connect` stay.
#[test]
fn move_leaves_the_entries_of_connect() {
    let project = TestProject::new();
    let place = project.home().join(".claude/settings.json");
    write(&place, "{}\n");
    run(&project, &["connect", "claude"]);
    let connected = fs::read_to_string(&place).unwrap();
    let mut settings: Value = serde_json::from_str(&connected).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "type": "command", "command": "guard.sh", "timeout": 5 }));
    fs::write(&place, settings.to_string()).unwrap();
    let ran = run(&project, &["import", "claude", "--move"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(!ran.stderr.contains("hookrail connect") && !ran.stderr.contains("twice"), "{ran}");
    let left: Value = serde_json::from_str(&fs::read_to_string(&place).unwrap()).unwrap();
    assert_eq!(left, serde_json::from_str::<Value>(&connected).unwrap());
}

/// The same command in the project's settings is another hook, and a hook that was off stays off.
#[test]
fn import_loses_no_hook_to_another_level_and_keeps_what_was_off() {
    let project = TestProject::new();
    project.settings(
        &json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "command": "guard.sh" }] }] } }),
    );
    let gemini = json!({ "hooks": { "disabled": ["loud.sh"], "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "guard.sh", "timeout": 9 }] },
        { "hooks": [{ "type": "command", "command": "loud.sh", "timeout": 9 }] },
    ] } });
    write(&project.home().join(".gemini/settings.json"), &gemini.to_string());
    let ran = run(&project, &["import", "gemini", "--move"]);
    assert!(ran.stdout.contains("added 2 hooks"), "{ran}");
    let text = fs::read_to_string(project.user_settings_path()).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(settings["hooksConfig"]["disabled"], json!(["loud.sh"]), "{text}");
    let left = fs::read_to_string(project.home().join(".gemini/settings.json")).unwrap();
    assert_eq!(left, "{\"hooks\":{\"disabled\":[\"loud.sh\"]}}", "{ran}");
}
