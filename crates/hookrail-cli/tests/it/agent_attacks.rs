//! An agent against its own guard, with its own tools: whatever it does to the guard, what the guard forbids does not
//! happen, neither in this session nor in the next.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::agent_scenario::{Run, Scenario, shell, write};
use crate::program::{hookrail, run};
use crate::pty::Terminal;

/// Lets everything pass but what is about `forbidden`.
const GUARD: &str = "case $(cat) in *forbidden*) echo the guard says no >&2; exit 2;; esac";

/// An approved guard in the project, and a model that does something and then tries what is forbidden.
fn attacked(attack: (&'static str, Value)) -> Scenario {
    let scenario = Scenario::new()
        .in_project()
        .calls(&[attack])
        .calls(&[write("forbidden.txt", "x")])
        .says("Done.")
        .hook("BeforeTool", "./hooks/guard.sh");
    scenario.project.script("hooks/guard.sh", GUARD);
    drop(scenario.command());
    let trusted = run(&scenario.project, &["trust", "--yes"]);
    assert_eq!(trusted.code, Some(0), "{trusted}");
    scenario
}

/// The next session in the same project, started in `folder`, which tries what is forbidden at once.
fn next_session(project: &TestProject, folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let call = |parts: Value| {
        let chunk = json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }] });
        json!({ "method": "generateContentStream", "response": [chunk] }).to_string()
    };
    let (name, args) = write("forbidden.txt", "x");
    let lines = [
        call(json!([{ "functionCall": { "name": name, "args": args } }])),
        call(json!([{ "text": "Done." }])),
    ];
    let replay = project.home().join("next.jsonl");
    std::fs::write(&replay, lines.join("\n")).unwrap();
    let mut command = hookrail(project, &["agent", "--approval-mode", "yolo", "-p", "go", "--replay"]);
    let output = command.arg(replay).args(more).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn forbidden_exists(project: &TestProject) -> bool {
    project.dir().join("forbidden.txt").exists()
}

/// What `trust --yes` prints last when it accepts a guard as it is now, and when it accepts that there is none.
const APPROVED: &str = "approved: 1 hook\n";
const ACCEPTED_AS_GONE: &str = "accepted: the guard `BeforeTool-1` is gone from these settings\n";

/// Nothing forbidden happened, and the next sessions print why nothing happens there, until a person accepts it.
fn check_refused(what: &str, over: &Run, accepted: &str) {
    assert!(!forbidden_exists(&over.project), "{what}: {}", over.shown());
    assert_eq!(
        over.tools().get(1).map(String::as_str),
        Some("write_file blocked"),
        "{what}: {}",
        over.shown()
    );
    let project = &over.project;
    std::fs::create_dir_all(project.dir().join("sub/deep")).unwrap();
    for (folder, more) in [
        (project.dir(), &[][..]),
        (project.dir(), &["--quiet"]),
        (project.dir().join("sub/deep"), &[]),
        (project.dir().join("sub/deep"), &["--quiet"]),
    ] {
        let (_, said) = next_session(project, &folder, more);
        assert!(!forbidden_exists(project), "{what}, {more:?} in {}: {said}", folder.display());
        assert!(said.contains("guard `BeforeTool-1`"), "{what}, {more:?}: {said}");
        assert!(said.contains("hookrail trust"), "{what}, {more:?}: {said}");
    }
    // The user may allow it, for one run or for all.
    let (code, said) = next_session(project, &project.dir(), &["--trust-hooks"]);
    assert_eq!(code, Some(0), "{what}: {said}");
    std::fs::remove_file(project.dir().join("forbidden.txt")).ok();
    let shown = run(project, &["trust"]);
    assert_eq!(shown.code, Some(1), "{what}: {shown}");
    let trusted = run(project, &["trust", "--yes"]);
    assert!(trusted.stderr.ends_with(accepted), "{what}: {trusted}");
    let checked = run(project, &["list"]);
    assert!(
        !checked.stderr.contains("guard-vanished") && !checked.stderr.contains("is gone"),
        "{what}: {checked}"
    );
}

#[test]
fn what_an_agent_does_to_its_guard_does_not_help_it() {
    for (what, command) in [
        ("deleted", "rm hooks/guard.sh"),
        ("not executable", "chmod -x hooks/guard.sh"),
        ("rewritten", "printf '#!/bin/sh\\nexit 0\\n' > hooks/guard.sh"),
        ("a link to something harmless", "ln -sf /bin/true hooks/guard.sh"),
        ("its folder moved", "mv hooks away"),
    ] {
        let over = attacked(shell(command)).run("go");
        check_refused(what, &over, APPROVED);
    }
}

#[test]
fn what_an_agent_does_to_the_settings_does_not_help_it() {
    for (what, command) in [
        ("deleted", "rm .hookrail/settings.json"),
        ("the folder deleted", "rm -r .hookrail"),
        ("emptied", "echo '{}' > .hookrail/settings.json"),
        ("broken", "echo '{ \"hooks\": ' > .hookrail/settings.json"),
        ("the hook dropped", "echo '{ \"enableHooks\": true, \"hooks\": {} }' > .hookrail/settings.json"),
        (
            "another hook instead",
            "echo '{ \"enableHooks\": true, \"hooks\": { \"AfterTool\": [{ \"hooks\": [{ \"type\": \"command\", \
             \"command\": \"true\" }] }] } }' > .hookrail/settings.json",
        ),
        ("unreadable", "rm .hookrail/settings.json && mkdir .hookrail/settings.json"),
    ] {
        let over = attacked(shell(command)).run("go");
        check_refused(what, &over, ACCEPTED_AS_GONE);
    }
}

#[test]
fn keeping_the_guard_open_for_writing_does_not_help() {
    let command = "setsid sh -c 'touch apart; exec sleep 30' 3>>hooks/guard.sh </dev/null >/dev/null 2>&1 & \
                   until [ -e apart ]; do sleep 0.02; done";
    let over = attacked(shell(command)).run("go");
    assert_eq!(over.tools().get(1).map(String::as_str), Some("write_file blocked"), "{}", over.shown());
    assert!(!forbidden_exists(&over.project));
    over.expect_printed("open for writing");
}

#[test]
fn protected_files_are_not_written_without_a_yes() {
    for path in [
        ".hookrail/settings.json",
        ".hookrail/new.json",
        ".llxprt/settings.json",
        "conf/settings.json",
        "sub/.hookrail/settings.json",
        "./sub/../.LLXPRT/settings.json",
        "hooks/guard.sh",
        "hooks/json.py",
        "hooks/json/__init__.py",
        "alias/json.py",
        ".hookrail/settings.json",
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/commondir",
        ".git/info/attributes",
        "sub/.git",
        "bare/HEAD",
        "bare/config/../HEAD",
        "store/config",
        ".envrc",
    ] {
        let mut scenario = Scenario::new()
            .in_project()
            .calls(&[write(path, "x")])
            .calls(&[("replace", json!({ "file_path": path, "old_string": "", "new_string": "x" }))])
            .calls(&[write("src/free.txt", "x")])
            .says("Done.")
            .hook("BeforeTool", "./hooks/guard.sh");
        scenario = scenario.args(&["--trust-hooks"]);
        scenario.project.script("hooks/guard.sh", GUARD);
        std::os::unix::fs::symlink("hooks", scenario.project.dir().join("alias")).unwrap();
        std::fs::create_dir_all(scenario.project.dir().join("sub")).unwrap();
        for folder in
            [".git/hooks", "bare/objects", "bare/refs", "bare/config", "store/objects", "store/refs"]
        {
            std::fs::create_dir_all(scenario.project.dir().join(folder)).unwrap();
        }
        scenario.project.file("store/HEAD", "ref: refs/heads/main\n");
        // Settings are protected where links lead to them.
        std::fs::create_dir_all(scenario.project.dir().join("conf")).unwrap();
        std::os::unix::fs::symlink("conf", scenario.project.dir().join(".llxprt")).unwrap();
        let over = scenario.run("go");
        let expected = ["write_file denied", "replace denied", "write_file success"];
        assert_eq!(over.tools(), expected, "{path}: {}", over.shown());
        over.expect_printed("permission denied");
    }
}

/// Hooks of the user need no approval, so that no seal notices a change of what they run.
#[test]
fn files_that_the_users_hooks_run_are_not_written_without_a_yes() {
    for mode in ["auto_edit", "yolo"] {
        for (command, path) in [
            ("{dir}/hooks/guard.sh", "hooks/guard.sh"),
            ("python3 {dir}/hooks/guard.py", "hooks/guard.py"),
            ("python3 {dir}/hooks/guard.py", "hooks/json.py"),
            ("python3 {dir}/hooks/guard.py", "alias/guard.py"),
            ("python3 {dir}/hooks/guard.py", "HOOKS/GUARD.py"),
            ("python3 {dir}/hooks/guard.py", "same"),
            ("sh -c 'exec \"$LLXPRT_PROJECT_DIR\"/hooks/guard.sh'", "hooks/guard.sh"),
            ("{dir}/hooks/late.sh", "hooks/late.sh"),
        ] {
            let scenario = Scenario::new().approval(mode);
            let dir = scenario.project.dir();
            let command = command.replace("{dir}", &dir.to_string_lossy());
            scenario.project.script("hooks/guard.sh", GUARD);
            scenario.project.file("hooks/guard.py", "import sys\nsys.exit(0)\n");
            std::fs::hard_link(dir.join("hooks/guard.py"), dir.join("same")).unwrap();
            std::os::unix::fs::symlink("hooks", dir.join("alias")).unwrap();
            let over = scenario
                .hook("BeforeTool", command.as_str())
                .calls(&[write(path, "exit 0")])
                .calls(&[("replace", json!({ "file_path": path, "old_string": "exit", "new_string": "x" }))])
                .calls(&[write("src/free.txt", "x")])
                .says("Done.")
                .run("go");
            let expected = ["write_file denied", "replace denied", "write_file success"];
            assert_eq!(over.tools(), expected, "{mode}, {command}, {path}: {}", over.shown());
        }
    }
}

/// At a terminal a person can allow it, also in the mode that never asks otherwise.
#[test]
fn a_person_may_allow_a_protected_file() {
    for (answer, status) in [("y\r", "write_file success"), ("n\r", "write_file denied")] {
        let scenario = Scenario::new().calls(&[write(".envrc", "export A=1")]).says("Done.");
        let mut command = scenario.command();
        command.args(["-p", "go"]);
        let args: Vec<OsString> = command.get_args().map(OsString::from).collect();
        let known = ["PATH", "HOME", "HOOKRAIL_HOME", "HOOKRAIL_SYSTEM_SETTINGS"].map(|name| {
            let value = command.get_envs().find(|(given, _)| *given == name).and_then(|(_, value)| value);
            (name, value.unwrap_or_default().to_owned())
        });
        let mut terminal = Terminal::start(&args, &scenario.project.dir(), &known, None);
        terminal.expect("Allow write .envrc");
        terminal.expect("[y/n] ");
        terminal.send(answer);
        let (code, text) = terminal.end();
        assert_eq!(code, Some(0), "{text}");
        let log = std::fs::read_to_string(scenario.log_path()).unwrap();
        let calls: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let call = calls.iter().find(|line| line["type"] == "tool_call").unwrap();
        assert_eq!(format!("{} {}", call["name"], call["status"]).replace('"', ""), status);
        assert_eq!(scenario.project.dir().join(".envrc").exists(), status.ends_with("success"));
    }
}

#[test]
fn a_project_hook_cannot_carry_arguments_past_the_users_guard() {
    let rewrite = json!({ "hookSpecificOutput": { "tool_input": { "file_path": "forbidden.txt" } } });
    let scenario =
        Scenario::new().calls(&[write("free.txt", "x")]).says("Done.").hook("BeforeTool", GUARD.to_owned());
    scenario.project.settings(&json!({ "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "theirs", "command": format!("cat >/dev/null; echo '{rewrite}'") },
    ] }] } }));
    drop(scenario.command());
    assert_eq!(run(&scenario.project, &["trust", "--yes"]).code, Some(0));
    let over = scenario.run("go");
    assert_eq!(over.tools(), ["write_file blocked"], "{}", over.shown());
    over.expect_printed("the guard says no");
    assert!(!forbidden_exists(&over.project));
    let asked = over.lines("hook_call").iter().filter(|line| line["name"] == "BeforeTool-1").count();
    assert_eq!(asked, 2, "both rounds are in the log: {:?}", over.lines("hook_call"));
}

#[test]
fn a_home_that_is_not_absolute_is_refused() {
    let project = TestProject::new();
    project.file(".hookrail/settings.json", r#"{ "enableHooks": true }"#);
    for home in [".", "sub", "./"] {
        let mut command = hookrail(&project, &["fire", "BeforeTool"]);
        let output = command.env("HOME", home).env_remove("HOOKRAIL_HOME").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{home}: {said}");
        assert!(said.contains("not an absolute path"), "{home}: {said}");
    }
}

#[test]
fn check_names_commands_of_the_user_that_the_project_could_take_over() {
    let project = TestProject::new();
    project.script("guard.sh", "exit 0");
    project.file("json.py", "");
    for (command, code, expected) in [
        ("./guard.sh", "relative-command", 1),
        ("bash guard.sh", "relative-command", 1),
        ("python3 -c 'import json'", "python-shadowed-import", 1),
        ("python3 -c 'import sys'", "python-imports-from-project", 0),
    ] {
        project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
            { "type": "command", "command": command },
        ] }] } }));
        let checked = run(&project, &["check", "--format", "json"]);
        assert!(checked.stdout.contains(code), "{command}: {checked}");
        assert_eq!(checked.code, Some(expected), "{command}: {checked}");
    }
}

#[test]
fn settings_of_the_user_that_others_may_write_are_refused_by_every_program() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    let mode = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(project.user_settings_path(), permissions).unwrap();
    };
    mode(0o666);
    for args in [&["fire", "BeforeTool"][..], &["serve"]] {
        let ran = run(&project, args);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("can be written by other users"), "{ran}");
    }
    let checked = run(&project, &["check"]);
    assert_eq!(checked.code, Some(1), "{checked}");
    assert!(checked.stdout.contains("chmod o-w"), "{checked}");
    mode(0o600);
    assert_eq!(run(&project, &["fire", "BeforeTool"]).code, Some(0));
}

#[test]
fn what_is_not_watched_is_shown_and_named() {
    let project = TestProject::new();
    project.script("hooks/a.sh", "exit 0");
    project.settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "globbed", "command": "cat ./hooks/*.sh | sh" },
        { "type": "command", "name": "made", "command": "make check" },
        { "type": "command", "name": "watched", "command": "cat hooks/*.sh | sh", "watch": ["hooks/**"] },
    ] }] } }));
    let shown = run(&project, &["trust"]);
    assert!(shown.stdout.contains("not watched: its command has a pattern of file names"), "{shown}");
    assert!(
        shown.stdout.contains("not watched: `make` runs what files of the project tell it to"),
        "{shown}"
    );
    assert_eq!(shown.stdout.matches("not watched:").count(), 2, "{shown}");
    assert!(shown.stdout.contains("watch      [\"hooks/**\"]"), "{shown}");
    let trusted = run(&project, &["trust", "--yes"]);
    for name in ["globbed", "made"] {
        assert!(trusted.stderr.contains(&format!("accepted: `{name}` is not watched")), "{trusted}");
    }
    project.file("hooks/b.sh", "exit 0");
    let fired = run(&project, &["fire", "BeforeTool"]);
    assert_eq!(fired.code, Some(2), "{fired}");
    let changed =
        "the approved BeforeTool guard `watched` changed since it was approved: file `hooks/b.sh` (new)";
    assert!(fired.stderr.starts_with(&format!("error: {changed}")), "{fired}");
    // `make` fails with 2 here, so the exit code alone would not show that the guard blocks too.
    assert!(fired.stdout.contains(&format!("\n         {changed}")), "{fired}");
}
