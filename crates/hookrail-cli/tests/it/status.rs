//! `hookrail status` and `hookrail statusline`: every link that can be missing is named.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail, run, run_with_stdin};

fn state(project: &TestProject, agent: &str) -> (Option<i32>, Value) {
    let ran = run(project, &["status", "--format", "json"]);
    let found =
        ran.json()["agents"].as_array().unwrap().iter().find(|state| state["agent"] == agent).cloned();
    (ran.code, found.unwrap_or_default())
}

/// What is missing, and what is shown then.
fn expect_open(project: &TestProject, what: &str) {
    let (code, claude) = state(project, "claude");
    assert_eq!((code, &claude["guarded"]), (Some(1), &json!(false)), "{what}: {claude}");
    assert!(claude["why"].as_str().is_some_and(|why| why.contains(what)), "{what}: {claude}");
    let line = run(project, &["status"]);
    assert!(line.stdout.starts_with("claude    NOT GUARDED"), "{line}");
    let short = statusline(project, "{}");
    assert!(short.stdout.starts_with("hookrail: NOT GUARDED "), "{short}");
}

fn statusline(project: &TestProject, given: &str) -> Ran {
    let ran = run_with_stdin(project, &["statusline", "claude"], given);
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 1), "{ran}");
    ran
}

#[test]
fn each_link_of_the_chain_is_looked_at() {
    let project = TestProject::new();
    let on = json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } });
    project.user_settings(&on);
    assert_eq!(state(&project, "claude"), (Some(0), Value::Null), "neither installed nor connected");
    assert_eq!(run(&project, &["connect", "claude"]).code, Some(0));
    let (code, claude) = state(&project, "claude");
    assert_eq!((code, &claude["guarded"], &claude["rules"]), (Some(0), &json!(true), &json!(1)), "{claude}");
    let line = run(&project, &["status"]);
    assert_eq!(line.stdout, "claude    guarded        1 rule\n", "{line}");

    project.user_settings(&json!({ "hooksConfig": { "rules": ["no-force-push"] } }));
    expect_open(&project, "off");
    project.user_settings(&json!({ "enableHooks": true }));
    expect_open(&project, "no rule or hook guards tool calls");
    fs::write(project.user_settings_path(), "{ broken").unwrap();
    expect_open(&project, "cannot be used");
    project.user_settings(&on);

    let program = project.home().join(".hookrail/bin/hookrail");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    expect_open(&project, "is not there");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(state(&project, "claude").0, Some(0));

    let file = project.home().join(".claude/settings.json");
    let connected = fs::read_to_string(&file).unwrap();
    fs::write(&file, connected.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    expect_open(&project, "disableAllHooks");
    fs::write(&file, connected.replace("PreToolUse", "PostToolUseX")).unwrap();
    expect_open(&project, "not as this version writes them");
    fs::write(&file, "{").unwrap();
    expect_open(&project, "cannot be read");
}

#[test]
fn the_status_line_counts_the_session_and_never_fails() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["@standard"] } }));
    run(&project, &["connect", "claude"]);
    for (session, line) in
        [("one", "git push --force"), ("one", "npm publish"), ("two", "git push --force"), ("one", "ls")]
    {
        let payload = json!({
            "session_id": session, "cwd": project.dir(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": line },
        });
        run_with_stdin(&project, &["bridge", "claude", "PreToolUse"], &payload.to_string());
    }
    let given = json!({ "session_id": "one", "cwd": "/", "workspace": { "project_dir": project.dir() } });
    let line = statusline(&project, &given.to_string()).stdout;
    assert!(line.starts_with("hookrail ") && line.ends_with(" rules, 1 blocked, 1 asked\n"), "{line}");
    for given in
        ["", "{", "[]", "null", "\u{0}", r#"{"cwd":"/no/such/folder","session_id":7}"#, &"x".repeat(1 << 20)]
    {
        assert!(statusline(&project, given).stdout.starts_with("hookrail "), "{given:.20}");
    }
    let output =
        hookrail(&project, &["statusline", "claude"]).env("HOOKRAIL_HOME", "relative").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "hookrail: state not known\n");
}
