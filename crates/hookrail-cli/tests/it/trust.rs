//! `hookrail trust`: what is shown is what is approved.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use hookrail_testkit::TestProject;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

use crate::program::{hookrail, run, snapshot};

fn project() -> TestProject {
    let project = TestProject::new();
    project.script("hooks/guard.sh", "cat >/dev/null\necho no >&2\nexit 2");
    project.settings(&json!({
        "enableHooks": true,
        "hooks": {
            "BeforeTool": [{ "matcher": "write_.*", "sequential": true, "hooks": [{
                "type": "command", "command": "./hooks/guard.sh", "name": "guard", "description": "No writing.",
                "timeout": 5000, "env": { "MODE": "strict" }, "onFailure": "block",
            }] }],
            "AfterTool": [{ "hooks": [{ "type": "command", "command": "echo \u{1b}[2J\u{202e}done\nrm x" }] }],
        },
    }));
    project
}

#[test]
fn shows_what_waits_and_approves_exactly_that() {
    let project = project();
    snapshot!(&project, "trust_no_terminal", run(&project, &["trust"]));
    let json = run(&project, &["trust", "--format", "json"]);
    assert!(!json.stdout.contains(['\u{1b}', '\u{202e}']), "{json}");
    assert_eq!(json.code, Some(1), "something waits");
    snapshot!(&project, "trust_json", json);
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0), "nothing was approved by looking");
    let approved = run(&project, &["trust", "--yes"]);
    assert_eq!((approved.code, &*approved.stderr), (Some(0), "approved: 2 hooks\n"), "{approved}");
    assert!(approved.stdout.contains("echo \\u{1b}[2J\\u{202e}done\\nrm x"), "{approved}");
    snapshot!(&project, "trust_nothing_waits", run(&project, &["trust"]));
    snapshot!(&project, "trust_list", run(&project, &["trust", "--list"]));
    snapshot!(&project, "trust_list_json", run(&project, &["trust", "--list", "--format", "json"]));
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(2));
}

#[test]
fn a_script_that_was_never_executable_is_reported_when_it_is_approved_and_when_it_blocks() {
    let project = project();
    let mode = |mode| {
        let script = project.dir().join("hooks/guard.sh");
        fs::set_permissions(script, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o644);
    let expected = "`guard` cannot be started: `hooks/guard.sh` is not executable; run `chmod +x hooks/guard.sh` or name \
                    its interpreter in the command, then approve it";
    let looked = run(&project, &["trust"]);
    assert!(looked.stdout.contains("  cannot start: `hooks/guard.sh` is not executable; "), "{looked}");
    let approved = run(&project, &["trust", "--yes"]);
    assert_eq!(approved.code, Some(0), "{approved}");
    assert!(
        approved.stderr.contains(&format!("warning: {expected} again; until then it blocks")),
        "{approved}"
    );
    let blocked = run(&project, &["fire", "BeforeTool", "--tool", "write_file"]);
    assert_eq!(blocked.code, Some(2), "{blocked}");
    let said = format!("{}{}", blocked.stdout, blocked.stderr);
    assert!(said.contains(&format!("guard {expected} with `hookrail trust`")), "{blocked}");
    assert!(!said.contains("changed since"), "{blocked}");
    mode(0o755);
    let again = run(&project, &["trust", "--yes"]);
    assert_eq!((again.code, &*again.stderr), (Some(0), "approved: 1 hook\n"), "{again}");
    let verdict = run(&project, &["fire", "BeforeTool", "--tool", "write_file"]);
    assert!(verdict.code == Some(2) && verdict.stdout.contains("no"), "the guard itself blocks: {verdict}");
}

#[test]
fn a_change_is_shown_as_a_difference() {
    let project = project();
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    project.script("hooks/guard.sh", "cat >/dev/null\n\u{202e}exit 0\r");
    project.settings(&json!({
        "enableHooks": true,
        "hooksConfig": { "maxConcurrentHooks": 1 },
        "hooks": {
            "BeforeTool": [{ "matcher": "write_.*", "hooks": [{
                "type": "command", "command": "./hooks/guard.sh", "name": "guard", "timeout": 7000,
            }] }],
            "AfterTool": [{ "hooks": [{ "type": "command", "command": "echo \u{1b}[2J\u{202e}done\nrm x" }] }],
        },
    }));
    snapshot!(&project, "trust_changed", run(&project, &["trust"]));
    let listed = run(&project, &["trust", "--list"]);
    assert!(listed.stdout.starts_with("guard  no longer valid\n"), "{listed}");
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0), "the new script allows");
}

#[test]
fn approvals_are_taken_back() {
    let project = project();
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    snapshot!(&project, "trust_revoke_unknown", run(&project, &["trust", "--revoke", "nobody"]));
    let ran = run(&project, &["trust", "--revoke", "guard"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), "revoked: 1 hook\n"));
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0));
    // An approval can be taken back although its hook is gone from the settings.
    fs::remove_file(project.settings_path()).unwrap();
    let ran = run(&project, &["trust", "--revoke"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), "revoked: 1 hook\n"));
    let ran = run(&project, &["trust", "--revoke"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), "nothing was approved in this project\n"));
    assert_eq!(run(&project, &["trust", "--yes", "--list"]).code, Some(64));
}

#[test]
fn an_agent_cannot_change_approvals() {
    let project = project();
    for args in [&["trust", "--yes"][..], &["trust", "--revoke"], &["trust", "--revoke", "guard"]] {
        let output = hookrail(&project, args).env("HOOKRAIL_AGENT", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("error: an agent cannot change approvals")
        );
    }
    for args in [&["disable", "guard"][..], &["init"]] {
        let output = hookrail(&project, args).env("HOOKRAIL_AGENT", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("error: an agent cannot change"),
            "{args:?}"
        );
    }
    let looked = hookrail(&project, &["trust"]).env("HOOKRAIL_AGENT", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&looked.stdout).contains("hook `guard`, new"), "looking is fine");
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0), "nothing was approved");
}

#[test]
fn what_cannot_be_watched_is_not_approved() {
    let project = project();
    let too_deep = "${a:-".repeat(100);
    project.settings(&json!({ "hooks": {
        "BeforeTool": [{ "hooks": [
            { "type": "command", "command": "true", "name": "fine" },
            { "type": "command", "command": format!("true {too_deep}"), "name": "endless" },
        ] }],
    } }));
    let ran = run(&project, &["trust", "--yes", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let report = ran.json();
    assert_eq!((&report["approved"], &report["refused"][0]["name"]), (&json!(["fine"]), &json!("endless")));
    assert!(ran.stderr.starts_with("error: `endless` cannot be approved: "), "{}", ran.stderr);
}

#[test]
fn settings_alone_are_approved() {
    let project = TestProject::new();
    project.settings(&json!({ "hooksConfig": { "maxConcurrentHooks": 2 } }));
    let shown = run(&project, &["trust"]);
    assert_eq!(shown.code, Some(1));
    assert!(shown.stdout.contains("    |   \"maxConcurrentHooks\": 2\n"), "{shown}");
    let approved = run(&project, &["trust", "--yes"]);
    assert!(
        approved.stderr.starts_with("approved: the project's settings\nnote: hooks are off"),
        "{approved}"
    );
    assert_eq!(run(&project, &["trust"]).code, Some(0));
}

/// Runs `hookrail trust` at a terminal and types.
fn at_a_terminal(project: &TestProject, typed: &str) -> (Option<i32>, String) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let terminal = || {
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        File::options().read(true).write(true).open(path).unwrap()
    };
    let mut child = {
        let mut command = hookrail(project, &["trust"]);
        command.stdin(terminal()).stderr(terminal()).stdout(Stdio::null()).env("NO_COLOR", "1");
        command.spawn().unwrap()
    };
    let mut controller = File::from(controller);
    controller.write_all(typed.as_bytes()).unwrap();
    let mut seen = Vec::new();
    // Reading fails once the last user of the terminal is gone.
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = controller.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..length]);
    }
    (child.wait().unwrap().code(), String::from_utf8_lossy(&seen).replace("\r\n", "\n"))
}

#[test]
fn asks_at_a_terminal() {
    let project = project();
    let (code, seen) = at_a_terminal(&project, "n\nq\n");
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("nothing was approved"), "{seen}");
    let (code, seen) = at_a_terminal(&project, "what?\ny\nn\n");
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("Approve `guard`? [y]es, [n]o, [a]ll that follow, [q]uit: "), "{seen}");
    assert!(seen.contains("Please answer with one of the letters."), "{seen}");
    assert!(seen.ends_with("approved: 1 hook\n"), "{seen}");
    assert!(!seen.contains(['\u{1b}', '\u{202e}']), "nothing reaches the terminal raw: {seen:?}");
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(2), "approved by hand");
    let left = run(&project, &["trust", "--format", "json"]).json();
    assert_eq!(left["pending"].as_array().map(Vec::len), Some(1));
}

#[test]
fn settings_that_cannot_be_read_are_named_instead_of_nothing_being_approved() {
    for (level, broken) in
        [("project", true), ("user", true), ("system", true), ("project", false), ("user", false)]
    {
        for folder in [".hookrail", ".llxprt"] {
            let project = TestProject::new();
            let file = match level {
                "project" => project.dir().join(folder).join("settings.json"),
                "user" => project.home().join(folder).join("settings.json"),
                _ => project.system_settings_path(),
            };
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, if broken { "{ \"hooks\": " } else { "{ \"Hooks\": {} }" }).unwrap();
            for args in
                [&["trust"][..], &["trust", "--list"], &["trust", "--revoke"], &["trust", "--format", "json"]]
            {
                let ran = run(&project, args);
                assert!(ran.stderr.contains("error: "), "A18: {level}: {ran}");
                assert!(ran.stderr.contains("settings.json:1:"), "A18: {level}: {ran}");
                assert!(!ran.stdout.contains("nothing waits"), "A18: {level}: {ran}");
                if broken && args.len() == 1 {
                    assert_eq!(ran.code, Some(1), "A18: {level}: {ran}");
                }
            }
        }
    }
}

#[test]
fn a_shipped_rule_is_shown_line_by_line() {
    let project = TestProject::new();
    project.settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    let shown = run(&project, &["trust"]);
    assert!(!shown.stdout.contains("\\n"), "{shown}");
    assert!(shown.stdout.contains("    |   \"name\": \"no-force-push\","), "{shown}");

    // One that takes the place of another hook is compared with it in the same form.
    let own = json!({ "type": "rule", "name": "own", "when": { "command": "rm" }, "block": "no" });
    let hooks = json!({ "BeforeTool": [{ "matcher": "run_shell_command", "hooks": [own] }] });
    let project = TestProject::new();
    project.settings(&json!({ "enableHooks": true, "hooks": hooks }));
    assert_eq!(run(&project, &["trust", "--yes"]).code, Some(0));
    project.settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["no-force-push"] } }));
    let shown = run(&project, &["trust", "--yes"]);
    assert!(shown.stdout.contains("    | +  \"name\": \"no-force-push\","), "{shown}");
    assert!(!shown.stdout.contains("\\n"), "{shown}");
}
