//! `enable` and `disable`: edits of settings that keep everything else.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use hookrail_testkit::TestProject;
use insta::assert_snapshot;
use serde_json::json;

use crate::program::{Ran, hookrail};

const SETTINGS: &str = r#"{
  // Mine.
  "theme": "dark",   "enableHooks": true,
  "hooks": {
    "BeforeTool": [
      { "hooks": [ { "type": "command", "command": "true", "name": "guard" } ] }, // first
      { "hooks": [ { "type": "command", "command": "date" } ] },
    ],
  },
}
"#;

fn project() -> TestProject {
    let project = TestProject::new();
    project.settings(&json!({})); // So that the project is one.
    fs::create_dir_all(project.home().join(".hookrail")).unwrap();
    fs::write(project.user_settings_path(), SETTINGS).unwrap();
    project
}

fn is_enabled(project: &TestProject, name: &str) -> bool {
    let list = Ran::new(project, &["list", "--format", "json"]).json();
    list["hooks"].as_array().unwrap().iter().any(|hook| hook["name"] == name && hook["enabled"] == true)
}

#[test]
fn comments_formatting_mode_and_link_stay() {
    let project = project();
    let real = project.home().join("dotfiles.json");
    fs::rename(project.user_settings_path(), &real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles.json", project.user_settings_path()).unwrap();

    assert_snapshot!("disable", Ran::new(&project, &["disable", "guard"]).shown());
    assert_snapshot!("disabled_settings", fs::read_to_string(&real).unwrap());
    assert!(!is_enabled(&project, "guard"));
    assert_snapshot!("disable_again", Ran::new(&project, &["disable", "guard"]).shown());
    assert_snapshot!("enable", Ran::new(&project, &["enable", "guard"]).shown());
    assert!(is_enabled(&project, "guard"));
    assert_snapshot!("enable_again", Ran::new(&project, &["enable", "guard"]).shown());

    assert!(fs::symlink_metadata(project.user_settings_path()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert!(fs::read_to_string(&real).unwrap().starts_with(&SETTINGS[..SETTINGS.len() - 3]));
}

#[test]
fn a_hook_without_a_name_goes_by_its_command() {
    let project = project();
    assert_eq!(Ran::new(&project, &["disable", "date"]).code, Some(0));
    assert!(!is_enabled(&project, "date"));
    // Listed by its command, enabled by its name: the entry is found all the same.
    Ran::new(&project, &["disable", "true"]);
    assert!(!is_enabled(&project, "guard"));
    Ran::new(&project, &["enable", "guard"]);
    assert!(is_enabled(&project, "guard"));
}

#[test]
fn unknown_names_are_refused_with_near_ones() {
    let project = project();
    assert_snapshot!("unknown_near", Ran::new(&project, &["disable", "gaurd"]).shown());
    assert_snapshot!("unknown", Ran::new(&project, &["enable", "zzz\u{1b}[1m"]).shown());
    assert_snapshot!("not_the_projects", Ran::new(&project, &["disable", "--project", "guard"]).shown());
    assert_eq!(fs::read_to_string(project.user_settings_path()).unwrap(), SETTINGS);
}

#[test]
fn another_level_may_still_disable() {
    let project = project();
    project.system_settings(&json!({ "hooksConfig": { "disabled": ["guard"] } }));
    project.settings(&json!({ "hooks": {
        "disabled": ["local"],
        "AfterTool": [{ "hooks": [{ "type": "command", "command": "echo", "name": "local" }] }],
    } }));
    assert_snapshot!("system_still_disables", Ran::new(&project, &["enable", "guard"]).shown());
    assert_snapshot!("project_still_disables", Ran::new(&project, &["enable", "local"]).shown());
    assert_snapshot!("project_enables", Ran::new(&project, &["enable", "local", "--project"]).shown());
    assert!(is_enabled(&project, "local"));
    assert_eq!(Ran::new(&project, &["disable", "local", "--project"]).code, Some(0));
    assert!(project.read(".hookrail/settings.json").contains("hooksConfig"), "the canonical list is written");
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let project = project();
    project.system_settings(&json!({ "hooks": { "AfterTool": [{ "hooks": [
        { "type": "command", "command": "echo", "name": "local" },
    ] }] } }));
    fs::write(project.user_settings_path(), "{ broken").unwrap();
    assert_snapshot!("malformed", Ran::new(&project, &["disable", "local"]).shown());
    assert_eq!(fs::read_to_string(project.user_settings_path()).unwrap(), "{ broken");
}

#[test]
fn a_missing_settings_file_is_made_private() {
    let project = project();
    fs::remove_file(project.user_settings_path()).unwrap();
    project.system_settings(&json!({ "hooks": { "AfterTool": [{ "hooks": [
        { "type": "command", "command": "echo", "name": "local" },
    ] }] } }));
    assert_eq!(Ran::new(&project, &["disable", "local"]).code, Some(0));
    let mode = fs::metadata(project.user_settings_path()).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o600);
}

#[test]
fn in_the_home_directory_the_one_file_is_the_users() {
    let project = project();
    let home = project.home().with_file_name("link-to-home");
    symlink(project.home(), &home).unwrap();
    let mut disable = hookrail(&project, &["disable", "guard", "--project"]);
    disable.current_dir(project.home()).env("HOME", &home).env("HOOKRAIL_HOME", &home);
    let run = Ran::in_project(&project, disable);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert!(!is_enabled(&project, "guard"), "also for all other projects");
}

#[test]
fn concurrent_edits_lose_nothing() {
    let project = TestProject::new();
    let hooks: Vec<_> = (0..20)
        .map(|n| json!({ "type": "command", "command": "true", "name": format!("hook-{n}") }))
        .collect();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "AfterTool": [{ "hooks": hooks }] } }));
    let children: Vec<_> = (0..20)
        .map(|n| {
            hookrail(&project, &["disable", &format!("hook-{n}")]).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let list = Ran::new(&project, &["list", "--format", "json"]).json();
    let enabled: Vec<_> =
        list["hooks"].as_array().unwrap().iter().filter(|hook| hook["enabled"] == true).collect();
    assert_eq!(enabled, Vec::<&serde_json::Value>::new());
}

#[test]
fn a_projects_hook_is_disabled_in_that_project_alone() {
    let (one, other) = (TestProject::new(), TestProject::new());
    let settings = json!({ "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "true", "name": "theirs" }] },
    ] } });
    for project in [&one, &other] {
        project.settings(&settings);
    }
    // Both projects belong to one user.
    let run = |dir: &TestProject, args: &[&str]| {
        let mut command = hookrail(&one, args);
        command.current_dir(dir.dir());
        Ran::in_project(dir, command)
    };
    let enabled =
        |dir: &TestProject| run(dir, &["list", "--format", "json"]).json()["hooks"][0]["enabled"].clone();
    let before = fs::read_to_string(one.settings_path()).unwrap();
    let disabled = run(&one, &["disable", "theirs"]);
    assert_eq!(disabled.stdout, "disabled `theirs` in this project only (your own state)\n", "C6");
    assert_eq!((enabled(&one), enabled(&other)), (json!(false), json!(true)), "C6");
    assert_eq!(
        fs::read_to_string(one.settings_path()).unwrap(),
        before,
        "C6: the project's file is left alone"
    );
    assert!(!one.user_settings_path().exists(), "C6: the user's settings are left alone");
    let why = run(&one, &["explain", "BeforeTool"]).stdout;
    assert!(why.contains("disabled by you for this project"), "{why}");
    assert!(run(&one, &["disable", "theirs"]).stdout.starts_with("nothing to do"));
    let back = run(&one, &["enable", "theirs"]);
    assert_eq!(back.stdout, "enabled `theirs` in this project only (your own state)\n", "C6");
    assert_eq!(enabled(&one), json!(true));
}

#[test]
fn a_users_hook_is_disabled_everywhere_and_one_name_may_mean_two_hooks() {
    let project = project();
    let run = Ran::new(&project, &["disable", "guard"]);
    assert_eq!(run.stdout, "disabled `guard` in all projects (~/.hookrail/settings.json)\n", "C6");
    Ran::new(&project, &["enable", "guard"]);
    project.settings(&json!({ "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "x", "name": "guard" }] },
    ] } }));
    let run = Ran::new(&project, &["disable", "guard"]);
    assert_eq!(
        run.stdout,
        "disabled `guard` in this project only (your own state)\ndisabled `guard` in all projects (~/.hookrail/settings.json)\n",
        "C6"
    );
    assert!(!is_enabled(&project, "guard"));
    Ran::new(&project, &["enable", "guard"]);
    assert!(is_enabled(&project, "guard"));
}
