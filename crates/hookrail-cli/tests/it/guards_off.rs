//! Guards are never off without a message: settings that cannot be used, hooks that are off, projects that
//! wait for approval.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use hookrail_testkit::TestProject;
use serde_json::json;

use crate::agent_scenario::{Scenario, write};
use crate::program::{Ran, hookrail};

/// A user's guard that blocks everything, in settings that a test then breaks.
fn guarded() -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "echo no >&2; exit 2", "name": "guard" }] },
    ] } }));
    project
}

/// What is wrong with a file, the message about it, and how to make it so.
type Breakage = (&'static str, &'static str, Box<dyn Fn(&Path)>);

/// Ways to make a settings file that exists and cannot be used, and the message about each.
fn ways_to_break() -> Vec<Breakage> {
    let text =
        |text: &'static str| -> Box<dyn Fn(&Path)> { Box::new(move |file| fs::write(file, text).unwrap()) };
    vec![
        (
            "a syntax error",
            ":2:10: malformed settings: expected",
            text("{ \"enableHooks\": true,\n\"hooks\": "),
        ),
        ("an empty file", "malformed settings", text("")),
        ("no object", "expected an object", text("[]")),
        (
            "a flag in quotes",
            "`enableHooks` must be `true` or `false`, not a string",
            text("{ \"enableHooks\": \"true\", \"hooks\": {} }"),
        ),
        ("an alias that is a number", "`hooks.enabled` must be", text("{ \"hooks\": { \"enabled\": 1 } }")),
        (
            "more than 4 MiB",
            "larger than 4 MiB",
            Box::new(|file| fs::write(file, format!("{{}}{}", " ".repeat(4 << 20))).unwrap()),
        ),
        (
            "a device",
            "not a regular file",
            Box::new(|file| {
                fs::remove_file(file).unwrap();
                symlink("/dev/zero", file).unwrap();
            }),
        ),
        (
            "a folder",
            "directory",
            Box::new(|file| {
                fs::remove_file(file).unwrap();
                fs::create_dir(file).unwrap();
            }),
        ),
        ("bytes that are no text", "UTF-8", Box::new(|file| fs::write(file, b"{\xff}").unwrap())),
    ]
}

#[test]
fn unusable_settings_of_the_user_are_refused_by_every_program_that_runs_hooks() {
    for (what, message, break_it) in ways_to_break() {
        for system in [false, true] {
            let project = guarded();
            let (level, file) = if system {
                fs::write(project.system_settings_path(), "{}").unwrap();
                ("system", project.system_settings_path())
            } else {
                ("user", project.user_settings_path())
            };
            break_it(&file);
            let replay = project.file("replay.jsonl", "");
            let agent = ["agent", "--quiet", "-p", "go", "--replay", replay.to_str().unwrap()];
            for args in [&["fire", "BeforeTool"][..], &["serve"], &agent] {
                let run = Ran::new(&project, args);
                assert_eq!(run.code, Some(1), "C8: {what}, {level}, {args:?}: {}", run.shown());
                let expected = format!("error: the {level} settings cannot be used");
                assert!(run.stderr.contains(&expected), "C8: {what}, {args:?}: {}", run.shown());
                assert!(run.stderr.contains(message), "C8: {what}, {args:?}: {}", run.shown());
                assert!(run.stderr.contains("hookrail check"), "{what}, {args:?}: {}", run.shown());
                assert_eq!(run.stdout, "", "{what}: {args:?}");
            }
            for args in [&["list"][..], &["explain", "BeforeTool"], &["trust"]] {
                let run = Ran::new(&project, args);
                assert!(run.stderr.contains(message), "C8: {what}, {level}, {args:?}: {}", run.shown());
                assert!(!run.stdout.contains("No hooks are configured"), "{what}: {}", run.shown());
            }
            let check = Ran::new(&project, &["check"]);
            assert_eq!(check.code, Some(1), "C8: {what}: {}", check.shown());
            assert!(
                check.stdout.contains(message.trim_start_matches(":2:10: ")),
                "C8: {what}: {}",
                check.shown()
            );
        }
    }
}

#[test]
fn unusable_settings_of_a_project_or_an_extension_take_nothing_else_down() {
    for (what, message, break_it) in ways_to_break() {
        for extension in [false, true] {
            // An extension's manifest has no flag.
            if extension && (what.contains("flag") || what.contains("alias")) {
                continue;
            }
            let project = guarded();
            let file = if extension {
                project.extension("theirs", &json!({})).join("llxprt-extension.json")
            } else {
                project.settings(&json!({}));
                project.settings_path()
            };
            break_it(&file);
            let run = Ran::new(&project, &["fire", "BeforeTool"]);
            assert_eq!(run.code, Some(2), "C8: {what}: {}", run.shown());
            assert!(
                run.stderr.contains("error: ") && run.stderr.contains(message),
                "{what}: {}",
                run.shown()
            );
            assert_eq!(Ran::new(&project, &["check"]).code, Some(1), "C8: {what}");
        }
    }
}

#[test]
fn approvals_that_cannot_be_used_are_reported_by_every_program_and_the_users_guard_stays() {
    /// What was done to the file, the message about it, and how.
    type Damage = (&'static str, &'static str, fn(&Path));
    let damages: [Damage; 4] = [
        ("cut off", "are damaged", |file| {
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, &text[..text.len() / 2]).unwrap();
        }),
        ("empty", "are damaged", |file| fs::write(file, "").unwrap()),
        ("of the future", "have version 99", |file| {
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, text.replace("\"version\": 2", "\"version\": 99")).unwrap();
        }),
        ("a folder", "directory", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
    ];
    for (what, message, damage) in damages {
        let project = guarded();
        project.script("guard.sh", "echo the project says no >&2; exit 2");
        project.settings(&json!({ "hooks": { "BeforeTool": [
            { "hooks": [{ "type": "command", "command": "./guard.sh", "name": "theirs" }] },
        ] } }));
        assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0));
        let fire = Ran::new(&project, &["fire", "BeforeTool"]);
        assert!(fire.stdout.contains("the project says no"), "{what}: {}", fire.shown());
        damage(&project.home().join(".hookrail/approvals.json"));

        let replay = project.file(
            "replay.jsonl",
            r#"{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi."}]},"finishReason":"STOP"}]}]}"#,
        );
        let agent = ["agent", "--quiet", "-p", "go", "--replay", replay.to_str().unwrap()];
        let told: [(&[&str], i32); 7] = [
            (&["fire", "BeforeTool"], 2),
            (&["serve"], 0),
            (&agent, 0),
            (&["list"], 0),
            (&["explain", "BeforeTool"], 0),
            (&["check"], 1),
            (&["doctor"], 1),
        ];
        for (args, code) in told {
            let run = Ran::new(&project, args);
            assert_eq!(run.code, Some(code), "{what}, {args:?}: {}", run.shown());
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains(message), "{what}, {args:?}: {}", run.shown());
            assert!(
                said.contains("`theirs` of this project does not run"),
                "{what}, {args:?}: {}",
                run.shown()
            );
            assert!(!said.contains("the project says no"), "{what}, {args:?}: {}", run.shown());
        }
        let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.dir(),
            "tool_name": "Read", "tool_input": { "file_path": "a" } });
        let payload = project.file("payload.json", payload.to_string());
        let mut bridge = hookrail(&project, &["bridge", "claude"]);
        bridge.stdin(fs::File::open(payload).unwrap());
        let answer = Ran::in_project(&project, bridge).json();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{what}: {answer}");
        assert!(
            answer["systemMessage"].as_str().is_some_and(|text| text.contains(message)),
            "{what}: {answer}"
        );
    }
}

#[test]
fn the_agent_reports_with_quiet_too_that_a_projects_file_is_broken() {
    let scenario = Scenario::new()
        .calls(&[write("a.txt", "x")])
        .says("Done.")
        .hook("BeforeTool", "echo no >&2; exit 2")
        .args(&["--quiet"]);
    scenario.project.file(".hookrail/settings.json", "{ \"hooks\": [");
    let run = scenario.run("go");
    run.expect(0, "Done.\n");
    assert_eq!(run.tools(), ["write_file blocked"], "C8: the other levels work");
    run.expect_printed("error: .hookrail/settings.json:1:");
}

#[test]
fn a_misspelt_flag_is_reported_by_every_program_and_refuses_nothing() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHook": true, "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "exit 2", "name": "guard" }] },
    ] } }));
    let replay = project.file(
        "replay.jsonl",
        "{\"method\":\"generateContentStream\",\"response\":[{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}]}]}\n",
    );
    let agent = ["agent", "--quiet", "-p", "go", "--replay", replay.to_str().unwrap()];
    for (args, code) in [
        (&["fire", "BeforeTool"][..], 0),
        (&agent, 0),
        (&["serve"], 0),
        (&["list"], 0),
        (&["explain", "BeforeTool"], 0),
        (&["check"], 1),
    ] {
        let run = Ran::new(&project, args);
        assert_eq!(run.code, Some(code), "C11: {args:?}: {}", run.shown());
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("did you mean `enableHooks`?"), "C11: {args:?}: {}", run.shown());
        assert!(said.contains("hooks are off"), "{args:?}: {}", run.shown());
    }
}

#[test]
fn unknown_events_and_misspelt_fields_reach_people_where_they_work() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "SubagentStop": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }],
        "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true", "onFailrue": "block" }] }],
    } }));
    for args in [&["fire", "BeforeTool"][..], &["serve"], &["list"], &["explain", "BeforeTool"]] {
        let run = Ran::new(&project, args);
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.shown());
        for said in [
            "error: ~/.hookrail/settings.json:",
            "unknown hook event `SubagentStop`: its hooks never run; did you mean `AfterAgent`?",
            "did you mean `onFailure`?",
            "hookrail check",
        ] {
            assert!(run.stderr.contains(said), "C9: {args:?} lacks {said}: {}", run.shown());
        }
    }
    assert_eq!(Ran::new(&project, &["check"]).code, Some(1), "C11");
}

#[test]
fn hooks_that_are_configured_but_off_are_reported_in_one_line() {
    let scenario = Scenario::new().says("Done.").hook("BeforeTool", "exit 2").args(&["--quiet"]);
    let run = scenario.setting("enableHooks", json!(false)).run("go");
    run.expect(0, "Done.\n");
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains("hooks are off")).collect();
    assert_eq!(told.len(), 1, "{}", run.shown());
    assert!(told[0].contains("the user settings say so"), "{}", run.shown());
    // Nothing configured: no message.
    let run = Scenario::new().says("Done.").setting("enableHooks", json!(false)).run("go");
    run.expect(0, "Done.\n");
    assert!(!run.stderr.contains("hooks are off"), "{}", run.shown());
}

#[test]
fn a_project_that_waits_for_approval_is_one_finding_everywhere() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true }));
    let hook = |name: &str| json!({ "type": "command", "command": name, "name": name });
    project.settings(
        &json!({ "hooks": { "BeforeTool": [{ "hooks": [hook("one"), hook("two"), hook("three")] }] } }),
    );
    for args in [&["list"][..], &["explain", "BeforeTool"], &["fire", "BeforeTool"], &["serve"]] {
        let run = Ran::new(&project, args);
        let said = "3 hooks of this project are not approved and do not run: `one`, `two`, `three`";
        assert!(run.stderr.contains(said), "{args:?}: {}", run.shown());
        assert!(run.stderr.contains("hookrail trust"), "{args:?}: {}", run.shown());
    }
    let findings = Ran::new(&project, &["check", "--format", "json"]).json()["findings"].clone();
    let about_approval: Vec<_> = findings
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"].as_str().unwrap().contains("not-approved"))
        .collect();
    assert_eq!(about_approval.len(), 1, "{findings:#}");
    // Settings besides hooks wait as well.
    project.settings(&json!({ "hooksConfig": { "maxOutputBytes": 1 } }));
    for args in [&["list"][..], &["explain", "BeforeTool"], &["check"]] {
        let run = Ran::new(&project, args);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("ignored until they are approved"), "{args:?}: {}", run.shown());
    }
}

#[test]
fn the_project_is_found_from_a_subdirectory() {
    let project = guarded();
    project.settings(&json!({ "hooks": { "BeforeTool": [
        { "hooks": [{ "type": "command", "command": "pwd > \"$LLXPRT_PROJECT_DIR/ran\"", "name": "own" }] },
    ] } }));
    let below = project
        .file("src/deep/payload.json", json!({ "tool_name": "write_file", "tool_input": {} }).to_string());
    let below = below.parent().unwrap().to_owned();
    let mut fire = hookrail(&project, &["fire", "BeforeTool", "--trust-hooks", "--payload", "payload.json"]);
    let run = Ran::in_project(&project, {
        fire.current_dir(&below);
        fire
    });
    assert_eq!(run.code, Some(2), "C2: {}", run.shown());
    assert_eq!(project.read("ran").trim(), project.dir().to_str().unwrap(), "R11");
    let said = format!("note: working in {}", project.dir().display());
    assert_eq!(run.stderr.matches(&said).count(), 1, "C2: {}", run.shown());
    // With -C as well, and without a word in the project's own folder.
    let run = Ran::new(&project, &["-C", "src/deep", "fire", "BeforeTool", "--trust-hooks"]);
    assert!(run.stderr.contains(&said), "C2: {}", run.shown());
    let run = Ran::new(&project, &["fire", "BeforeTool", "--trust-hooks"]);
    assert!(!run.stderr.contains("working in"), "C2: {}", run.shown());
    // A repository below is a project of its own.
    fs::create_dir_all(project.dir().join("src/deep/.git")).unwrap();
    let run = Ran::new(&project, &["-C", "src/deep", "list", "--format", "json"]);
    assert_eq!(run.json()["hooks"].as_array().unwrap().len(), 1, "C2: {}", run.shown());
    // Approvals mark a project whose file is gone.
    fs::remove_dir_all(project.dir().join("src/deep/.git")).unwrap();
    assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0));
    fs::remove_file(project.settings_path()).unwrap();
    let run = Ran::new(&project, &["-C", "src/deep", "list"]);
    assert!(run.stderr.contains(&said), "C2: {}", run.shown());
}

#[test]
fn serve_refuses_at_the_start_and_keeps_what_it_had_at_a_reload() {
    let project = guarded();
    let mut serve = hookrail(&project, &["serve"]);
    let mut child = serve.stdin(Stdio::piped()).spawn().unwrap();
    let request = |id: &str| {
        format!(
            "{{\"type\":\"hook-execution-request\",\"eventName\":\"BeforeTool\",\"correlationId\":\"{id}\",\"input\":{{\"tool_name\":\"x\",\"tool_input\":{{}}}}}}\n"
        )
    };
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |id: &str| {
        input.write_all(request(id).as_bytes()).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    assert_eq!(ask("1")["output"]["blocked"], true);
    for broken in ["{ \"enableHooks\": true, ", "", "{ \"enableHooks\": \"true\" }"] {
        fs::write(project.user_settings_path(), broken).unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
        // Requests may be answered before or after the signal is handled; the guard holds either way.
        for id in 0..20 {
            assert_eq!(ask(&id.to_string())["output"]["blocked"], true, "C3: {broken}");
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the settings were not reloaded"), "{said}");
}
