//! `explain`: the plan, and why the rest is not in it.

use hookrail_testkit::TestProject;
use insta::assert_snapshot;
use serde_json::json;

use crate::program::Ran;

fn project() -> TestProject {
    let project = TestProject::new();
    project.script("fresh.sh", "true");
    project.settings(&json!({ "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "./fresh.sh", "name": "fresh" }] },
    ] } }));
    project.user_settings(&json!({
        "enableHooks": true,
        "hooksConfig": { "disabled": ["slow"] },
        "hooks": {
            "BeforeTool": [
                { "matcher": "write_.*", "hooks": [
                    { "type": "command", "command": "touch ran", "name": "guard", "timeout": 2500, "onFailure": "block" },
                    { "type": "command", "command": "true" },
                ] },
                { "matcher": "read_file", "hooks": [{ "type": "command", "command": "touch ran2", "name": "reader" }] },
                { "hooks": [
                    { "type": "command", "command": "true", "name": "again" },
                    { "type": "command", "command": "sleep 9", "name": "slow" },
                ] },
            ],
            "SessionStart": [{ "matcher": "clear", "sequential": true, "hooks": [
                { "type": "command", "command": "a" }, { "type": "command", "command": "b" },
            ] }],
            "BeforeModel": [{ "hooks": [{ "type": "command", "command": "model" }] }],
        },
    }));
    project
}

#[test]
fn shows_order_origin_and_what_is_left_out() {
    let project = project();
    assert_snapshot!("tool", Ran::new(&project, &["explain", "BeforeTool", "--tool", "write_file"]).shown());
    let args = ["explain", "BeforeTool", "--tool", "write_file", "--format", "json"];
    assert_snapshot!("tool_json", Ran::new(&project, &args).shown());
    assert!(!project.dir().join("ran").exists(), "nothing runs");
}

#[test]
fn without_a_tool_every_matcher_counts() {
    let project = project();
    assert_snapshot!("no_tool", Ran::new(&project, &["explain", "BeforeTool"]).shown());
}

#[test]
fn words_of_sessions_and_events_without_any() {
    let project = project();
    assert_snapshot!("word", Ran::new(&project, &["explain", "SessionStart", "--tool", "clear"]).shown());
    assert_snapshot!(
        "other_word",
        Ran::new(&project, &["explain", "SessionStart", "--tool", "startup"]).shown()
    );
    assert_snapshot!("no_word", Ran::new(&project, &["explain", "BeforeModel", "--tool", "x"]).shown());
    let run = Ran::new(&project, &["explain", "AfterTool", "--format", "json"]);
    let mut report = run.json();
    let findings = report.as_object_mut().unwrap().remove("findings").unwrap();
    assert_eq!(findings[0]["code"], "project-not-approved");
    assert_eq!(
        report,
        json!({ "event": "AfterTool", "target": null, "enabled": true, "mode": null, "hooks": [], "skipped": [], "warnings": [] })
    );
}

/// With hooks on, those that wait for approval would not run either.
#[test]
fn hooks_that_wait_for_approval_are_not_said_to_run_if_hooks_were_on() {
    let project = TestProject::new();
    let hook = json!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
    project.settings(&json!({ "enableHooks": true, "hooks": { "AfterTool": hook } }));
    let run = Ran::new(&project, &["explain", "AfterTool"]);
    assert!(run.stdout.contains("no hook runs"), "{}", run.shown());
    assert!(!run.stderr.contains("if hooks were on"), "{}", run.shown());
    // The user's hook is off as well, and would run.
    project.user_settings(&json!({ "hooks": { "AfterTool": hook } }));
    let run = Ran::new(&project, &["explain", "AfterTool"]);
    assert!(run.stdout.contains("1 hook runs"), "{}", run.shown());
    assert!(run.stderr.contains("note: this is what would run if hooks were on"), "{}", run.shown());
}

#[test]
fn hooks_that_are_off_are_explained_as_if_they_were_on() {
    let project = TestProject::new();
    project.user_settings(
        &json!({ "hooks": { "AfterTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }),
    );
    assert_snapshot!("off", Ran::new(&project, &["explain", "AfterTool"]).shown());
    let run = Ran::new(&project, &["explain", "AfterTool", "--format", "json"]);
    assert_eq!((run.json()["enabled"].clone(), run.code), (json!(false), Some(0)));
}

/// X2: what `fire` blocks is in the plan that `explain` shows.
#[test]
fn a_tool_in_no_table_that_takes_a_command_is_a_shell_too() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{
        "matcher": "run_shell_command",
        "hooks": [{ "type": "rule", "name": "no-rm", "when": { "command": "rm" }, "block": "no" }],
    }] } }));
    for (input, code, is_planned) in [(r#"{"cmd":"rm x"}"#, 2, true), (r#"{"script":"rm x"}"#, 0, false)] {
        let args = ["BeforeTool", "--tool", "bash", "--input", input];
        assert_eq!(Ran::new(&project, &[&["fire"], &args[..]].concat()).code, Some(code), "{input}");
        let explained = Ran::new(&project, &[&["explain"], &args[..], &["--format", "json"]].concat()).json();
        assert_eq!(
            explained["hooks"].as_array().is_some_and(|hooks| hooks.len() == 1),
            is_planned,
            "{explained}"
        );
    }
}
