//! `list`: state and history of every hook.

use std::fmt::Write as _;
use std::fs;

use hookrail_testkit::TestProject;
use insta::assert_snapshot;
use serde_json::json;

use crate::program::Ran;

#[test]
fn nothing_is_listed_kindly() {
    let project = TestProject::new();
    assert_snapshot!("nothing", Ran::new(&project, &["list"]).shown());
    let run = Ran::new(&project, &["list", "--format", "json"]);
    assert_eq!((run.code, run.json()), (Some(0), json!({ "enabled": false, "hooks": [], "findings": [] })));
}

#[test]
fn every_hook_is_listed_with_state_and_history() {
    let project = TestProject::new();
    project.script("fresh.sh", "true");
    project.settings(&json!({ "hooks": { "BeforeTool": [
        { "matcher": "write_file|replace", "hooks": [{ "type": "command", "command": "./fresh.sh", "name": "fresh" }] },
    ] } }));
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "disabled": ["slow"] }, "hooks": {
        "AfterTool": [{ "hooks": [{ "type": "command", "command": "sleep 1", "name": "slow" }] }],
        "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true", "name": "guard\u{1b}[1m" }] }],
    } }));
    project.extension(
        "lint",
        &json!({ "hooks": { "AfterTool": [{ "hooks": [{ "type": "command", "command": "lint" }] }] } }),
    );
    let state = project.home().join(".hookrail");
    fs::create_dir_all(&state).unwrap();
    let mut log = "torn line\n{}\n".to_owned();
    for duration in 1..=100 {
        let line = json!({ "type": "hook_call", "timestamp": format!("2026-01-01T00:00:00.{duration:03}Z"),
            "sessionId": "s", "event": "AfterTool", "name": "slow", "command": "sleep 1", "durationMs": duration,
            "success": true });
        writeln!(log, "{line}").unwrap();
    }
    fs::write(state.join("log.jsonl"), log).unwrap();
    assert_snapshot!("table", Ran::new(&project, &["list"]).shown());
    assert_snapshot!("json", Ran::new(&project, &["list", "--format", "json"]).shown());
}

#[test]
fn a_fired_hook_has_a_history() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command", "command": "true", "name": "hello" }] }],
    } }));
    assert_eq!(Ran::new(&project, &["fire", "SessionStart"]).code, Some(0));
    let hook = Ran::new(&project, &["list", "--format", "json"]).json()["hooks"][0].clone();
    assert_eq!(hook["runs"], 1);
    assert!(hook["lastRun"].is_string() && hook["p95Ms"].is_number(), "{hook}");
}

/// Lines end between words, whatever the width; colours only where they are wanted.
#[test]
fn the_list_fits_into_the_terminal() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "disabled": ["slow"] }, "hooks": {
        "AfterTool": [{ "hooks": [{ "type": "command", "command": "sleep 1", "name": "slow" }] }],
        "BeforeTool": [{ "matcher": "write_file|replace|run_shell_command", "hooks": [
            { "type": "rule", "name": "a-rule-with-quite-a-long-name", "when": { "program": "rm" }, "block": "no" }] }],
    } }));
    for command in ["list", "rules"] {
        for columns in [60, 80, 200] {
            let mut program = crate::program::hookrail(&project, &[command]);
            let output = program.env("COLUMNS", columns.to_string()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{command} {columns}: {text}");
            if command == "list" {
                assert!(text.contains("a-rule-with-quite-a-long-name"), "{columns}: {text}");
            }
        }
        let coloured = Ran::new(&project, &[command, "--color", "always"]);
        assert!(coloured.stdout.contains("\u{1b}["), "{}", coloured.shown());
        let plain = crate::program::hookrail(&project, &[command]).env("NO_COLOR", "1").output().unwrap();
        assert!(!plain.stdout.contains(&0x1b), "{command}");
    }
    let hooks = Ran::new(&project, &["list", "--format", "json"]).json()["hooks"].clone();
    let types: Vec<&str> =
        hooks.as_array().unwrap().iter().map(|hook| hook["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["rule", "command"], "{hooks}");
    let hint = Ran::new(&project, &["rules"]).stderr;
    assert!(hint.contains("settings.json:") && hint.contains("\"enableHooks\": true"), "{hint}");
}
