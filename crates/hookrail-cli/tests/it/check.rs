//! `check`: every finding with its place, in text and JSON.

#![expect(clippy::indexing_slicing, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use hookrail_testkit::TestProject;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail};

fn hooks(event: &str, groups: &Value) -> Value {
    json!({ "enableHooks": true, "hooks": { event: groups } })
}

fn one(command: &str) -> Value {
    hooks("BeforeTool", &json!([{ "hooks": [{ "type": "command", "command": command }] }]))
}

fn codes(run: &Ran) -> Vec<String> {
    let findings = run.json()["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().map(|finding| finding["code"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks one command of the user's, which needs no approval.
fn codes_of(project: &TestProject, command: &str) -> Vec<String> {
    // The project's own, because a relative command of the user is a finding of its own.
    project.settings(&one(command));
    let mut codes = codes(&Ran::new(project, &["check", "--format", "json"]));
    codes.retain(|code| !code.starts_with("project-") && code != "hooks-off");
    codes
}

#[test]
fn good_settings_have_no_findings() {
    let project = TestProject::new();
    assert_snapshot!("nothing_configured", Ran::new(&project, &["check"]).shown());
    let script = project.script("guard.sh", "true");
    project.user_settings(&one(script.to_str().unwrap()));
    assert_snapshot!("no_findings", Ran::new(&project, &["check", "--strict"]).shown());
    let run = Ran::new(&project, &["check", "--strict", "--format", "json"]);
    assert_eq!((run.code, run.json()), (Some(0), json!({ "findings": [], "errors": 0, "warnings": 0 })));
}

#[test]
fn all_findings_come_at_once_with_place_and_hint() {
    let project = TestProject::new();
    project.file("plain.sh", "#!/bin/sh\n");
    let settings = r#"{
  // The project's own hooks.
  "hooks": {
    "BeforeTol": [],
    "BeforeTool": [
      {
        "matcher": "wirte_file",
        "hooks": [
          { "type": "command", "command": "./missing.sh", "name": "guard" },
          { "type": "command", "command": "./plain.sh", "timeout": 5 },
          { "type": "command", "command": "if true; then", "timeot": 5000 }
        ]
      }
    ]
  }
}
"#;
    project.file(".hookrail/settings.json", settings);
    project.user_settings(&json!({ "enableHooks": false, "hooksConfig": { "disabled": ["guard"] } }));
    // Each version of bash has its own words for the error.
    let shown = |run: &Ran| {
        let shown = run.shown();
        let complaint =
            shown.split("cannot read this command: ").nth(1).and_then(|rest| rest.split(['\n', '"']).next());
        shown.replace(complaint.unwrap(), "[COMPLAINT]")
    };
    let text = Ran::new(&project, &["check"]);
    assert_snapshot!("all_findings", shown(&text));
    let run = Ran::new(&project, &["check", "--format", "json"]);
    assert_eq!(run.code, Some(1));
    assert_snapshot!("all_findings_json", shown(&run));
}

#[test]
fn warnings_fail_only_when_strict() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "matcher": "wirte_file", "hooks": [{ "type": "command", "command": "true" }, { "type": "command", "command": "date" }] },
    ] } }));
    let run = Ran::new(&project, &["check", "--format", "json"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(codes(&run), ["matcher-matches-no-tool"], "one finding for a group");
    assert_eq!(run.json()["warnings"], 1);
    assert_eq!(Ran::new(&project, &["check", "--strict"]).code, Some(1));
}

#[test]
fn scripts_that_cannot_run_are_found() {
    let project = TestProject::new();
    let script = |name: &str, text: &str, mode: u32| {
        let path = project.file(name, text);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    script("ok.sh", "#!/bin/sh\n", 0o755);
    script("plain.sh", "#!/bin/sh\n", 0o644);
    script("crlf.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    script("lost.py", "#!/opt/no/such/python\n", 0o755);
    script("env.py", "#!/usr/bin/env no-such-interpreter\n", 0o755);
    script("bare.sh", "echo hello\n", 0o755);
    script("with space.sh", "#!/bin/sh\n", 0o755);
    std::os::unix::fs::symlink("nowhere", project.dir().join("dangling.sh")).unwrap();
    fs::create_dir(project.dir().join("folder")).unwrap();
    for (command, expected) in [
        ("./ok.sh", ""),
        ("./plain.sh", "script-not-executable"),
        ("bash ./plain.sh", ""),
        ("sh plain.sh --flag", ""),
        ("python3 missing.py", "script-missing"),
        ("bash folder/", "script-is-directory"),
        ("./crlf.sh", "shebang-crlf"),
        ("./lost.py", "interpreter-missing"),
        ("./env.py", "interpreter-missing"),
        ("./bare.sh", "script-without-shebang"),
        ("./dangling.sh", "script-missing"),
        ("./folder", "script-is-directory"),
        ("\"$LLXPRT_PROJECT_DIR\"/ok.sh", ""),
        ("$CLAUDE_PROJECT_DIR/none.sh", "script-missing"),
        ("'./with space.sh'", ""),
        ("~/none.sh", "script-missing"),
        ("MODE=x ./none.sh | cat", "script-missing"),
        ("$SOMEWHERE/none.sh", ""),
        ("no-such-program --x", "program-not-found"),
        ("ok.sh", "program-not-found"),
        ("true && ./none.sh", ""),
        ("echo 'unclosed", "shell-syntax"),
        ("if true; then", "shell-syntax"),
        ("for x in a b; do echo $x; done", ""),
        ("--version", "command-starts-with-dash"),
    ] {
        assert_eq!(codes_of(&project, command).join(" "), expected, "{command}");
    }
}

#[test]
fn a_command_is_read_and_never_run() {
    let project = TestProject::new();
    for command in ["touch ran; true", "$(touch ran) && true", "echo `touch ran`", "cat <(touch ran) | cat"] {
        assert_eq!(codes_of(&project, command), [""; 0], "{command}");
    }
    assert!(!project.dir().join("ran").exists());
}

#[test]
fn duplicates_are_found_where_both_hooks_match() {
    let project = TestProject::new();
    let hook = json!({ "type": "command", "command": "true" });
    project.user_settings(&json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [
            { "matcher": "write_file", "hooks": [hook] },
            { "matcher": "read_file", "hooks": [hook] },
            { "matcher": "write_.*|glob", "hooks": [hook] },
        ],
        "SessionStart": [{ "hooks": [hook, hook] }],
    } }));
    let run = Ran::new(&project, &["check"]);
    assert_snapshot!("duplicates", run.shown());
}

#[test]
fn each_of_many_equal_hooks_on_one_line_is_found() {
    let project = TestProject::new();
    let settings =
        hooks("AfterTool", &json!([{ "hooks": vec![json!({ "type": "command", "command": "true" }); 4] }]));
    project.user_settings(&json!({}));
    fs::write(project.user_settings_path(), settings.to_string()).unwrap();
    let run = Ran::new(&project, &["check", "--format", "json"]);
    assert_eq!(codes(&run), ["duplicate-command"; 3]);
    let mut columns: Vec<_> =
        run.json()["findings"].as_array().unwrap().iter().map(|finding| finding["column"].as_u64()).collect();
    columns.dedup();
    assert_eq!(columns.len(), 3, "each has its own place");
}

#[test]
fn without_a_home_directory_nothing_counts_as_approved() {
    let project = TestProject::new();
    project.script("x.sh", "touch ran");
    project.settings(&one("./x.sh"));
    // A project that brings approvals of itself along, where a missing home directory would make them be found.
    assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0));
    let approvals = project.home().join(".hookrail/approvals.json");
    project.file(".hookrail/approvals.json", fs::read(approvals).unwrap());
    let mut check = hookrail(&project, &["check", "--format", "json"]);
    let run = Ran::in_project(&project, {
        check.env_remove("HOME").env_remove("HOOKRAIL_HOME");
        check
    });
    let codes = codes(&run).join(" ");
    assert!(codes.contains("project-not-approved") && codes.contains("approvals-unsafe"), "{codes}");
    let mut disable = hookrail(&project, &["disable", "./x.sh"]);
    let run = Ran::in_project(&project, {
        disable.env_remove("HOME").env_remove("HOOKRAIL_HOME");
        disable
    });
    assert_snapshot!("no_home", run.shown());
}

#[test]
fn hooks_off_names_the_setting() {
    let project = TestProject::new();
    project.script("x.sh", "true");
    let message = |run: &Ran| {
        let report = run.json();
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let off = findings
            .into_iter()
            .find(|finding| finding["message"].as_str().unwrap().starts_with("hooks are off"));
        off.map(|off| format!("{} / {}", off["message"], off["help"]).replace('"', ""))
    };
    let check = || message(&Ran::new(&project, &["check", "--format", "json"]));
    let hooks = json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "./x.sh" }] }] });
    project.settings(&json!({ "hooks": hooks }));
    assert_snapshot!("off_by_default", check().unwrap_or_default());
    project.settings(&json!({ "enableHooks": true, "hooks": hooks }));
    assert_snapshot!("off_until_approved", check().unwrap_or_default());
    project.user_settings(&json!({ "tools": { "enableHooks": false } }));
    assert_snapshot!("off_by_user", check().unwrap_or_default());
    project.user_settings(&json!({ "enableHooks": true }));
    assert_eq!(check(), None);
}

#[test]
fn a_folder_below_the_project_is_checked_with_it() {
    let project = TestProject::new();
    project.settings(&one("./missing.sh"));
    fs::create_dir_all(project.dir().join("a/b")).unwrap();
    assert_snapshot!("folder_below", Ran::new(&project, &["-C", "a/b", "check"]).shown());
}

#[test]
fn damaged_approvals_and_settings_are_findings() {
    let project = TestProject::new();
    project.script("x.sh", "true");
    project.settings(&one("./x.sh"));
    let state = project.home().join(".hookrail");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(state.join("approvals.json"), "{").unwrap();
    fs::write(project.user_settings_path(), "{ \"hooks\": [1, }").unwrap();
    let run = Ran::new(&project, &["check", "--format", "json"]);
    let codes = codes(&run).join(" ");
    assert!(codes.contains("approvals-damaged") && codes.contains("malformed-settings"), "{codes}");
    assert!(codes.contains("project-not-approved"), "{codes}");
    assert_eq!(run.code, Some(1));
}

#[test]
fn what_settings_hold_cannot_forge_the_report() {
    let project = TestProject::new();
    project.user_settings(&one("./\u{1b}c\u{202e}x.sh"));
    let run = Ran::new(&project, &["check"]);
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
    assert!(run.stdout.contains("\\u{1b}c\\u{202e}x.sh"), "{}", run.stdout);
    // A settings file on one long line still gives a readable excerpt.
    let many = vec![json!({ "type": "command", "command": "true", "name": "n".repeat(300) }); 50];
    let text = hooks("AfterTool", &json!([{ "hooks": many }])).to_string();
    fs::write(project.user_settings_path(), text).unwrap();
    let run = Ran::new(&project, &["check"]);
    assert!(run.stdout.contains("duplicate-command"));
    assert!(run.stdout.lines().all(|line| line.chars().count() < 520), "{}", run.stdout);
}

#[test]
fn colors_come_when_forced_and_never_otherwise() {
    let project = TestProject::new();
    project.user_settings(&one("./missing.sh"));
    for (variable, value, colored) in
        [("TERM", "xterm-256color", false), ("CLICOLOR_FORCE", "1", true), ("NO_COLOR", "1", false)]
    {
        let mut check = hookrail(&project, &["check"]);
        let run = Ran::in_project(&project, {
            check.env(variable, value);
            check
        });
        assert_eq!(run.stdout.contains('\u{1b}'), colored, "{variable}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = TestProject::new();
    let many: Vec<Value> =
        (0..2000).map(|n| json!({ "type": "command", "command": format!("./missing-{n}.sh") })).collect();
    project.user_settings(&hooks("AfterTool", &json!([{ "hooks": many }])));
    let mut child =
        hookrail(&project, &["check"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The reader is gone now, as with `| head -1`.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn usage_errors_are_64() {
    let project = TestProject::new();
    for args in [
        &["check", "--nonsense"][..],
        &["explain", "BeforeTol"],
        &["explain"],
        &["init", "--lang", "cobol"],
        &[],
    ] {
        let run = Ran::new(&project, args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(64), ""), "{args:?}");
        assert!(!run.stderr.is_empty());
    }
    let run = Ran::new(&project, &["-C", "nowhere", "check"]);
    assert_snapshot!("no_such_directory", run.shown());
}

/// The settings are one line, which is the worst case for finding places in them.
#[test]
fn ten_thousand_hooks_are_checked_in_a_moment() {
    let project = TestProject::new();
    let hooks: Vec<_> = (0..10_000)
        .map(|n| serde_json::json!({ "type": "command", "command": format!("./hooks/h{n}.sh"), "name": format!("é{n}") }))
        .collect();
    project.user_settings(&serde_json::json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [{ "matcher": "write_.*", "hooks": hooks }] },
    }));
    let begin = std::time::Instant::now();
    let run = Ran::new(&project, &["check", "--format", "json"]);
    let took = begin.elapsed();
    let report = run.json();
    let missing =
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "script-missing");
    assert_eq!(missing.count(), 10_000);
    // Generous: an unoptimised build on a busy machine.
    assert!(took < std::time::Duration::from_secs(40), "{took:?}");
}

/// A broken file of the user or the system stops everything, one of a project or an extension only itself.
#[test]
fn what_follows_from_a_broken_file_depends_on_its_level() {
    for (broken, advice) in [
        (&b"{ oops"[..], ""),
        (b"{ \"enableHooks\": \"true\" }", "write true without quotes; "),
        (b"{\xff}", "save the file as UTF-8; "),
    ] {
        let project = TestProject::new();
        for (file, what) in [
            (project.user_settings_path(), "nothing runs"),
            (project.system_settings_path(), "nothing runs"),
            (project.dir().join(".hookrail/settings.json"), "the settings of this project are ignored"),
            (project.home().join(".llxprt/extensions/x/llxprt-extension.json"), "this file is ignored"),
        ] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, broken).unwrap();
            let report = Ran::new(&project, &["check", "--format", "json"]).json();
            // An extension's manifest has no flag.
            if !(file.ends_with("llxprt-extension.json") && advice.starts_with("write")) {
                let help = format!("{advice}until this is fixed, {what}");
                assert_eq!(report["findings"][0]["help"], help, "{}: {report}", file.display());
            }
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn what_cannot_run_in_forks_is_reported() {
    let project = TestProject::new();
    let script = project.home().join("guard.py");
    std::fs::create_dir_all(project.home()).unwrap();
    std::fs::write(&script, "pass\n").unwrap();
    let python = |options: &str| format!("python3 {options}{}", script.display());
    for (command, expected) in [
        (python(""), None),
        (python("-u "), None),
        (python("-O "), Some(("note", "the hook runs Python with `-O`"))),
        ("cat".to_owned(), Some(("warning", "the hook is not a Python script"))),
        (
            "/nowhere/x.py".to_owned(),
            Some(("warning", "the hook names the program `/nowhere/x.py`, which is not found")),
        ),
        (
            format!("{} | cat", python("")),
            Some(("warning", "the hook is more than the words of one program, so it is left to the shell")),
        ),
    ] {
        let hook = json!({ "type": "command", "command": command, "worker": "fork" });
        project.user_settings(&hooks("BeforeTool", &json!([{ "hooks": [hook] }])));
        let report = Ran::new(&project, &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let found = findings.iter().find(|finding| finding["code"] == "fork-without-effect");
        let found = found
            .map(|finding| [&finding["severity"], &finding["message"]].map(|text| text.as_str().unwrap()));
        let expected = expected
            .map(|(severity, why)| (severity, format!("`\"worker\": \"fork\"` has no effect: {why}")));
        assert_eq!(
            found.map(|[severity, message]| (severity, message.to_owned())),
            expected,
            "{command}: {report}"
        );
    }
}

/// A name in the settings must not become a command to the runner that reads the output.
#[test]
fn findings_are_annotations_of_a_workflow_and_sarif() {
    let project = TestProject::new();
    let text = "{\n  \"enableHooks\": true,\n  \"hooks\": { \"BeforeTol\\n::add-mask::x, 100%\": [] }\n}\n";
    project.file(".hookrail/settings.json", text);
    let report = Ran::new(&project, &["check", "--format", "json"]).json();
    let finding =
        report["findings"].as_array().unwrap().iter().find(|it| it["code"] == "unknown-event").unwrap();
    let (line, column) = (&finding["line"], &finding["column"]);

    let run = Ran::new(&project, &["check", "--format", "github"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let place =
        format!("::error file=.hookrail/settings.json,line={line},col={column},title=unknown-event::");
    let annotation =
        run.stdout.lines().find(|it| it.starts_with(&place)).unwrap_or_else(|| panic!("{run:?}"));
    assert!(annotation.contains("100%25") && annotation.contains("%0Ahelp: "), "{annotation}");
    assert!(run.stdout.lines().all(|it| !it.trim().starts_with("::add-mask")), "{run:?}");

    // The repository that is checked out may begin above the project.
    let dir = project.dir();
    let above = dir.parent().unwrap();
    let inside = format!("file={}/.hookrail", project.dir().file_name().unwrap().display());
    let output =
        hookrail(&project, &["check", "--format", "github"]).env("GITHUB_WORKSPACE", above).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.contains(&inside), "{stdout}");

    let run = Ran::new(&project, &["check", "--format", "sarif"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let log = run.json();
    assert_eq!(
        (&log["version"], &log["runs"][0]["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("hookrail"))
    );
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), report["findings"].as_array().unwrap().len());
    let result = results.iter().find(|it| it["ruleId"] == "unknown-event").unwrap();
    assert_eq!(
        result["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": ".hookrail/settings.json", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line, "startColumn": column },
        })
    );
    assert!(results.iter().all(|it| it["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64()));
}
