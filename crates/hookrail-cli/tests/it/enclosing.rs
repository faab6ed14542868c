//! Guards of an enclosing project are called in a project inside of it, too.

use std::fs;
use std::path::Path;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::bridge::bridge;
use crate::program::{Ran, hookrail, run, run_with_stdin};

/// A guard that blocks `write_file`, notes the folder it runs in, and a rule about paths outside of its project.
fn guarded() -> TestProject {
    let project = TestProject::new();
    project.script(
        "hooks/guard.sh",
        "cat >/dev/null\npwd > \"$HOOKRAIL_PROJECT_DIR/seen\"\necho 'not here' >&2\nexit 2",
    );
    project.settings(&json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [
            { "matcher": "write_file", "hooks": [{ "type": "command", "name": "guard", "command": "./hooks/guard.sh" }] },
            { "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "name": "inside", "when": { "writes": { "outside": true } }, "block": "outside of mine" },
                { "type": "rule", "name": "no-touch", "when": { "command": "touch" }, "block": "no touching" },
            ] },
        ] },
    }));
    let approved = run(&project, &["trust", "--yes"]);
    assert_eq!(approved.code, Some(0), "{approved}");
    project
}

/// Writes a file below the project.
fn write(project: &TestProject, file: &str, content: &Value) {
    project.file(file, content.to_string());
}

fn fire(project: &TestProject, folder: &str, command: &str) -> Ran {
    let input = json!({ "command": command }).to_string();
    run(project, &["-C", folder, "fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input])
}

#[test]
fn a_nested_project_does_not_shadow_them() {
    let project = guarded();
    fs::create_dir_all(project.dir().join("git/.git/objects")).unwrap();
    write(&project, "llxprt/.llxprt/settings.json", &json!({}));
    write(
        &project,
        "hookrail/.hookrail/settings.json",
        &json!({
            "enableHooks": false,
            "hooksConfig": { "disabled": ["guard", "no-touch", "inside", "./hooks/guard.sh"] },
        }),
    );
    write(&project, "broken/.hookrail/settings.json", &json!([]));
    project.file("script/hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    write(&project, "script/.hookrail/settings.json", &json!({}));
    for folder in ["git", "llxprt", "hookrail", "broken", "script"] {
        let _ = fs::remove_file(project.dir().join("seen"));
        let ran = run(&project, &["-C", folder, "fire", "BeforeTool", "--tool", "write_file"]);
        assert_eq!(ran.code, Some(2), "X7: {folder}: {ran}");
        assert!(ran.stdout.contains("not here"), "X7: {folder}: {ran}");
        assert_eq!(project.read("seen").trim(), project.dir().to_string_lossy(), "X7: in its own project");
        let ran = fire(&project, folder, "touch x");
        assert!(ran.code == Some(2) && ran.stdout.contains("no touching"), "X7: {folder}: {ran}");
        let listed = run(&project, &["-C", folder, "list"]);
        assert!(listed.stdout.contains("no-touch"), "X7: {folder}: {listed}");
    }
}

#[test]
fn outside_is_what_is_outside_of_their_own_project() {
    let project = guarded();
    write(&project, "nested/.hookrail/settings.json", &json!({}));
    for (command, code) in [
        ("echo x > ../sibling", 0),
        ("echo x > inner", 0),
        ("echo x > ../../above", 2),
        ("echo x > /etc/x", 2),
    ] {
        let ran = fire(&project, "nested", command);
        assert_eq!(ran.code, Some(code), "X7: {command}: {ran}");
    }
    let explained = run(
        &project,
        &[
            "-C",
            "nested",
            "explain",
            "BeforeTool",
            "--tool",
            "run_shell_command",
            "--input",
            "{\"command\":\"echo x > ../y\"}",
        ],
    );
    assert!(explained.stdout.contains("inside"), "{explained}");
}

#[test]
fn one_that_vanished_blocks_there_too() {
    let project = guarded();
    fs::create_dir_all(project.dir().join("sub/.git")).unwrap();
    fs::remove_file(project.settings_path()).unwrap();
    let ran = run(&project, &["-C", "sub", "fire", "BeforeTool", "--tool", "read_file"]);
    assert_eq!(ran.code, Some(2), "X7: {ran}");
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(
        said.contains("is gone") && said.contains(&format!("hookrail -C {} trust", project.dir().display())),
        "{ran}"
    );
    let ran = run(&project, &["-C", "sub", "trust"]);
    assert!(ran.stderr.contains("is gone"), "A18, X7: {ran}");
    // A guard whose script changed blocks as well.
    let project = guarded();
    fs::create_dir_all(project.dir().join("sub/.git")).unwrap();
    project.script("hooks/guard.sh", "exit 0");
    let ran = run(&project, &["-C", "sub", "fire", "BeforeTool", "--tool", "write_file"]);
    assert_eq!(ran.code, Some(2), "X7: {ran}");
    // Trusting the project at hand says nothing about the one around it.
    let ran = run(&project, &["-C", "sub", "fire", "BeforeTool", "--tool", "write_file", "--trust-hooks"]);
    assert_eq!(ran.code, Some(2), "X7: {ran}");
}

#[test]
fn the_bridge_and_the_server_call_them() {
    let project = guarded();
    fs::create_dir_all(project.dir().join("sub/.git")).unwrap();
    let nested = project.dir().join("sub");
    let ran = bridge(&project, "claude", "PreToolUse-Bash", &json!({ "cwd": nested }));
    assert!(ran.stdout.contains("deny") && ran.stdout.contains("no touching"), "X7: {ran}");
    let request = json!({
        "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": "1",
        "input": { "tool_name": "run_shell_command", "tool_input": { "command": "touch x" } },
    });
    let ran = run_with_stdin(&project, &["-C", "sub", "serve"], &format!("{request}\n"));
    assert!(ran.stdout.contains("no touching"), "X7: {ran}");
    assert!(!ran.stderr.contains("as if there were no hooks"), "X7: {ran}");
}

/// A project below the home directory: folders up to below the home count, the home itself and what is above it do not.
#[test]
fn only_folders_below_the_home_enclose() {
    let project = TestProject::new();
    let rule = json!({ "type": "rule", "name": "r", "when": { "command": "touch" }, "block": "no touching" });
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [rule] }] } });
    let outer = project.home().join("work/mono");
    let inner = outer.join("packages/a");
    for folder in [&outer, &inner] {
        fs::create_dir_all(folder.join(".hookrail")).unwrap();
    }
    fs::write(outer.join(".hookrail/settings.json"), settings.to_string()).unwrap();
    fs::write(inner.join(".hookrail/settings.json"), "{}").unwrap();
    let in_folder = |folder: &Path, args: &[&str]| {
        let mut command = hookrail(&project, args);
        command.current_dir(folder).output().unwrap().status.code()
    };
    let call = ["fire", "BeforeTool", "--tool", "run_shell_command", "--input", "{\"command\":\"touch x\"}"];
    assert_eq!(in_folder(&inner, &call), Some(0), "X7: never approved");
    assert_eq!(in_folder(&outer, &["trust", "--yes"]), Some(0));
    assert_eq!(in_folder(&inner, &call), Some(2), "X7");
    // The same approvals, seen with a home inside of the enclosing folder.
    let mut command = hookrail(&project, &call);
    fs::create_dir_all(inner.join("home")).unwrap();
    let state = inner.join("home/.hookrail");
    fs::create_dir_all(&state).unwrap();
    fs::copy(project.home().join(".hookrail/approvals.json"), state.join("approvals.json")).unwrap();
    let code =
        command.current_dir(inner.join("home")).env("HOOKRAIL_HOME", inner.join("home")).output().unwrap();
    assert_eq!(code.status.code(), Some(0), "X7: what is above the home does not count");
}
