//! `.hookrail` and `.llxprt` beside each other: both are read, new entries go to ours, others are changed where they are.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::bridge;
use crate::program::run;

fn rule(name: &str, command: &str) -> Value {
    json!({ "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": name, "when": { "command": command }, "block": format!("no {command}") },
    ] }] })
}

/// A user with a rule in each of the two files.
fn both() -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "hooks": rule("ours", "touch") }));
    fs::create_dir_all(project.home().join(".llxprt")).unwrap();
    let theirs = json!({ "enableHooks": true, "hooks": rule("theirs", "rm"), "hooksConfig": { "disabled": ["gone"] } });
    fs::write(project.home().join(".llxprt/settings.json"), theirs.to_string()).unwrap();
    project
}

fn read(project: &TestProject, folder: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(project.home().join(folder).join("settings.json")).unwrap())
        .unwrap()
}

fn blocks(project: &TestProject, command: &str) -> bool {
    let input = json!({ "command": command }).to_string();
    let ran = run(project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input]);
    ran.code == Some(2) && ran.stdout.contains(&format!("no {command}"))
}

#[test]
fn guards_of_both_files_hold_and_entries_are_changed_where_they_are() {
    let project = both();
    assert!(blocks(&project, "touch") && blocks(&project, "rm"), "C13");
    let ran = run(&project, &["disable", "theirs"]);
    assert!(ran.stdout.contains("~/.hookrail/settings.json"), "a new entry: {ran}");
    assert_eq!(read(&project, ".hookrail")["hooksConfig"]["disabled"], json!(["theirs"]), "C13");
    assert!(!blocks(&project, "rm"), "C13");
    let ran = run(&project, &["enable", "theirs"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(blocks(&project, "rm"), "C13");
    let ran = run(&project, &["enable", "gone"]);
    assert!(ran.stdout.contains("~/.llxprt/settings.json"), "where it is: {ran}");
    assert_eq!(read(&project, ".llxprt")["hooksConfig"]["disabled"], json!([]), "C13");
    // An entry that is in both files is taken out of both.
    for folder in [".hookrail", ".llxprt"] {
        let mut settings = read(&project, folder);
        settings["hooksConfig"] = json!({ "disabled": ["ours"] });
        fs::write(project.home().join(folder).join("settings.json"), settings.to_string()).unwrap();
    }
    assert!(!blocks(&project, "touch"));
    let ran = run(&project, &["enable", "ours"]);
    assert!(ran.code == Some(0) && !ran.stderr.contains("still disabled"), "{ran}");
    assert!(blocks(&project, "touch"), "C13: {ran}");
}

#[test]
fn hooks_are_turned_on_where_the_flag_is() {
    let project = TestProject::new();
    project.file(".llxprt/settings.json", "{ \"enableHooks\": false } // ours\n");
    let ran = run(&project, &["init", "--name", "first"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("`\"enableHooks\": true` in .llxprt/settings.json"), "{ran}");
    assert_eq!(project.read(".llxprt/settings.json"), "{ \"enableHooks\": true } // ours\n", "C13");
    let own: Value = serde_json::from_str(&project.read(".hookrail/settings.json")).unwrap();
    assert_eq!(own.get("enableHooks"), None, "C13: {own}");
    let command = own.pointer("/hooks/BeforeTool/0/hooks/0/command").unwrap();
    assert_eq!(command, "\"$HOOKRAIL_PROJECT_DIR\"/.hookrail/hooks/first.sh");
    let input = "{\"file_path\":\".env\",\"content\":\"\"}";
    assert_eq!(
        run(&project, &["fire", "BeforeTool", "--tool", "write_file", "--input", input]).code,
        Some(2)
    );
}

#[test]
fn one_broken_file_of_the_users_refuses() {
    for folder in [".hookrail", ".llxprt"] {
        let project = both();
        fs::write(project.home().join(folder).join("settings.json"), "{ \"hooks\": ").unwrap();
        let ran = run(&project, &["fire", "BeforeTool"]);
        assert_eq!(ran.code, Some(1), "C8, C13: {ran}");
        assert!(ran.stderr.contains(&format!("~/{folder}/settings.json:1:")), "C13: {ran}");
        let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({}));
        assert!(ran.stdout.contains("deny") && ran.stdout.contains(folder), "C8, C13: {ran}");
    }
}

#[test]
fn tests_are_found_in_both_folders() {
    let project = both();
    for (folder, command) in [(".hookrail", "touch"), (".llxprt", "rm")] {
        let test = json!([{ "name": command, "event": "BeforeTool", "tool": "run_shell_command",
            "input": { "command": command }, "expect": { "decision": "block" } }]);
        project.file(&format!("{folder}/tests/a.json"), test.to_string());
    }
    let ran = run(&project, &["test", "--format", "json"]);
    assert_eq!(ran.json()["passed"], json!(2), "C13: {ran}");
}

#[test]
fn the_state_folder_is_private_also_where_settings_made_it() {
    let project = both();
    let folder = project.home().join(".hookrail");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(blocks(&project, "touch"));
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
}
