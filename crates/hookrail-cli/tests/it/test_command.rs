//! `hookrail test`: tests that pass and fail for the right reason, and files that are not test files.

use std::fs;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, hookrail};

/// A project whose guards are the user's, so that nothing waits for approval.
fn guarded() -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({
        "enableHooks": true,
        "hooks": { "BeforeTool": [
            { "matcher": "run_shell_command", "hooks": [
                { "type": "rule", "name": "no-push", "when": { "command": "git push --force" }, "block": "force pushes are for people" },
                { "type": "rule", "name": "ask-rm", "when": { "program": "rm" }, "ask": "really?" },
                { "type": "rule", "name": "never", "when": { "program": "shutdown" }, "block": "no" } ] },
            { "matcher": "write_file", "hooks": [
                { "type": "command", "name": "change", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{\"content\":\"changed\"}}}'" } ] },
            { "matcher": "crash", "hooks": [{ "type": "command", "name": "crash", "command": "exit 7" }] },
            { "matcher": "stop", "hooks": [{ "type": "command", "name": "stop", "command": "echo '{\"continue\":false,\"stopReason\":\"enough\"}'" }] },
            { "matcher": "both", "hooks": [{ "type": "command", "name": "both", "command": "echo '{\"continue\":false,\"decision\":\"block\",\"reason\":\"no\"}'" }] },
            { "matcher": "home", "hooks": [{ "type": "command", "name": "home", "command": "echo \"$HOME\"; test -e Cargo.toml && echo has-cargo; ls" }] }
        ] }
    }));
    project
}

#[expect(clippy::needless_pass_by_value, reason = "what is expected is written where it is passed")]
fn shell(name: &str, line: &str, expect: Value) -> Value {
    json!({ "name": name, "event": "BeforeTool", "tool": "run_shell_command", "input": { "command": line }, "expect": expect })
}

#[expect(clippy::needless_pass_by_value, reason = "what is expected is written where it is passed")]
fn tool(name: &str, tool: &str, expect: Value) -> Value {
    json!({ "name": name, "event": "BeforeTool", "tool": tool, "input": { "file_path": "a", "content": "b" }, "expect": expect })
}

fn write(project: &TestProject, name: &str, tests: &[Value]) {
    let text = serde_json::to_string_pretty(tests).unwrap();
    project.file(&format!(".hookrail/tests/{name}"), text);
}

/// The names of the tests that failed, with why.
fn failed(run: &Ran) -> Vec<String> {
    let report = run.json();
    let tests = report["tests"].as_array().unwrap().iter().filter(|test| test["passed"] == false);
    tests
        .map(|test| format!("{}: {}", test["name"].as_str().unwrap(), test["why"][0].as_str().unwrap()))
        .collect()
}

#[test]
fn every_key_of_expect_holds_or_fails() {
    let project = guarded();
    write(
        &project,
        "a.json",
        &[
            shell(
                "p1",
                "sudo git push -f",
                json!({ "decision": "block", "reason": "for people", "ran": ["no-push"], "notRan": ["ask-rm"] }),
            ),
            shell("p2", "rm x", json!({ "decision": "ask", "reason": "really" })),
            shell("p3", "git push", json!({ "decision": "allow", "ran": [] })),
            tool(
                "p4",
                "write_file",
                json!({ "decision": "allow", "input": { "content": "changed", "file_path": "a" }, "output": { "hookSpecificOutput": { "tool_input": {} } }, "maxMs": 60000 }),
            ),
            tool("p5", "crash", json!({ "decision": "allow", "errors": true })),
            tool("p6", "stop", json!({ "decision": "stop", "reason": "enough" })),
            tool("p7", "both", json!({ "decision": "block", "reason": "no" })),
            json!({ "name": "p8", "event": "SessionStart" }),
            json!({ "name": "p9", "agent": "claude", "stdin": { "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/elsewhere", "tool_name": "Bash", "tool_input": { "command": "git push -f" } }, "expect": { "decision": "block" } }),
            shell("f1", "git push -f", json!({ "decision": "allow" })),
            shell("f2", "git push -f", json!({ "reason": "something else" })),
            shell("f3", "git push", json!({ "ran": ["no-push"] })),
            shell("f4", "git push -f", json!({ "notRan": ["no-push"] })),
            tool("f5", "write_file", json!({ "input": { "content": "b" } })),
            tool("f6", "write_file", json!({ "output": { "reason": "x" } })),
            tool("f7", "crash", json!({})),
            shell("f8", "ls", json!({ "errors": true })),
        ],
    );
    let run = Ran::new(&project, &["test", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    let report = run.json();
    assert_eq!((&report["passed"], &report["failed"]), (&json!(9), &json!(8)), "{}", run.shown());
    assert_eq!(
        failed(&run),
        [
            "f1: decision: expected allow, seen block",
            "f2: reason: expected a text with \"something else\", seen \"force pushes are for people\"",
            "f3: ran: expected no-push, seen no hook",
            "f4: notRan: expected not no-push, seen no-push",
            "f5: input: expected {\"content\":\"b\"}, seen {\"content\":\"changed\"}",
            "f6: output: expected {\"reason\":\"x\"}, seen {}",
            "f7: errors: expected none, seen hook `crash` failed: exited with code 7",
            "f8: errors: expected a hook that fails, seen none",
        ]
    );
    let test = &report["tests"][0];
    let keys: Vec<&String> = test.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "file", "line", "passed", "why"]);
    assert_eq!((&test["file"], &test["line"]), (&json!(".hookrail/tests/a.json"), &json!(2)));
    let covered = |name: &str| {
        let hooks = report["coverage"].as_array().unwrap();
        hooks.iter().find(|hook| hook["hook"] == name).unwrap().clone()
    };
    let seen = |name: &str| {
        let hook = covered(name);
        format!("{} {} {} {}", hook["matched"], hook["ran"], hook["decided"], hook["blocked"])
    };
    assert_eq!(seen("no-push"), "true true true true");
    assert_eq!(seen("crash"), "true true false false");
    assert_eq!(seen("never"), "true false false false");
    assert_eq!(seen("ask-rm"), "true true true true", "a question keeps the call back");
    assert!(!project.home().join(".hookrail/log.jsonl").exists(), "tests are not what hooks did");
}

#[test]
fn people_see_one_line_a_test_and_what_differs() {
    let project = guarded();
    write(
        &project,
        "a.json",
        &[
            shell("right", "git push -f", json!({ "decision": "block" })),
            shell("wrong", "rm x", json!({ "decision": "block" })),
        ],
    );
    let run = Ran::new(&project, &["test", "--coverage", "--junit", "report.xml"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("PASS   [") && lines[0].ends_with("ms] right"), "{}", run.stdout);
    assert!(
        lines[1].starts_with("FAIL   [") && lines[1].contains("wrong  (.hookrail/tests/a.json:"),
        "{}",
        run.stdout
    );
    let rest = lines[2..].join("\n");
    assert!(rest.contains("decision\n           - expected block\n           + seen     ask"), "{rest}");
    assert!(rest.contains("ran: ask-rm (a rule)"), "{rest}");
    assert!(rest.contains("never: matched, and its condition never held (user, "), "{rest}");
    assert!(rest.contains("stop: no test reached it"), "{rest}");
    assert_eq!(lines.last(), Some(&"1 passed, 1 failed"));
    let xml = project.read("report.xml");
    assert!(
        xml.contains("tests=\"2\" failures=\"1\"")
            && xml.contains("<failure message=\"decision: expected block, seen ask\">"),
        "{xml}"
    );
}

#[test]
fn coverage_names_what_nothing_exercises() {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [
        { "matcher": "^(write_file|replace)$", "hooks": [
            { "type": "command", "name": "change", "command": "echo '{\"hookSpecificOutput\":{\"tool_input\":{}}}'" }] },
        { "matcher": "run_shell_command", "hooks": [
            { "type": "rule", "name": "no-push", "when": { "command": "git push --force" }, "block": "no",
              "examples": { "match": ["git push -f", "sudo git push --force"], "noMatch": ["git push"] } }] },
        { "matcher": "glob", "hooks": [{ "type": "command", "name": "closed", "command": "exit 7", "onFailure": "block" }] },
        { "matcher": "run_shell_command", "hooks": [
            { "type": "rule", "name": "ask-rm", "when": { "program": "rm" }, "ask": "really?" },
            { "type": "rule", "name": "tell", "when": { "program": "ls" }, "context": "a list" }] }
    ] } }));
    write(
        &project,
        "a.json",
        &[
            shell("push", "git push -f", json!({ "decision": "block" })),
            tool("write", "write_file", json!({})),
            json!({ "name": "closed", "event": "BeforeTool", "tool": "glob", "expect": { "decision": "block", "errors": true } }),
        ],
    );
    let run = Ran::new(&project, &["test", "--coverage"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    for expected in [
        "coverage: 3 of 5 hooks and rules ran, 3 decided; 2 of 4 guards blocked or asked",
        "  change: decided, and no test saw it block or ask (user, ",
        "  change: no test of its matcher `^(write_file|replace)$` with `replace`",
        "  no-push: no test repeats its examples `sudo git push --force`, `git push`",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
    let report = Ran::new(&project, &["test", "--format", "json"]).json();
    assert_eq!(
        report["coverage"],
        json!([
            { "hook": "change", "ran": true, "decided": true, "matched": true, "blocked": false, "unusedTools": ["replace"] },
            { "hook": "no-push", "ran": true, "decided": true, "matched": true, "blocked": true,
              "untriedExamples": ["sudo git push --force", "git push"] },
            { "hook": "closed", "ran": true, "decided": true, "matched": true, "blocked": true },
            { "hook": "ask-rm", "ran": false, "decided": false, "matched": true, "blocked": false },
            { "hook": "tell", "ran": false, "decided": false, "matched": true },
        ])
    );
}

#[test]
fn filters_and_empty_projects_have_exit_codes_of_their_own() {
    let project = guarded();
    let run = Ran::new(&project, &["test"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert!(run.stderr.contains("no tests were found in .hookrail/tests"), "{}", run.shown());
    assert_eq!(run.stdout, "", "{}", run.shown());
    write(
        &project,
        "a.json",
        &[shell("one", "ls", json!({})), shell("two", "ls", json!({ "decision": "block" }))],
    );
    let run = Ran::new(&project, &["test", "--filter", "one"]);
    assert_eq!((run.code, run.stdout.lines().last()), (Some(0), Some("1 passed, 0 failed")));
    let run = Ran::new(&project, &["test", "--filter", "three"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("no test has `three` in its name"), "{}", run.shown());
    let run = Ran::new(&project, &["test", "missing.json"]);
    assert_eq!(run.code, Some(64), "{}", run.shown());
}

#[test]
fn what_is_no_test_file_runs_nothing() {
    let project = guarded();
    let mark = project.dir().join("ran");
    project.settings(&json!({}));
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "mark", "command": format!("touch '{}'", mark.display()) }] }] } }));
    write(&project, "a.json", &[shell("fine", "ls", json!({}))]);
    let bad = [
        ("unknown", br#"[{ "name": "n", "event": "BeforeTool", "expct": {} }]"#.to_vec()),
        ("without a tool", br#"[{ "name": "n", "event": "AfterTool" }]"#.to_vec()),
        ("mistyped", br#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "decision": true } }]"#.to_vec()),
        ("twice", br#"[{ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "decision": "allow", "decision": "block" } }]"#.to_vec()),
        ("nul", b"[{ \"name\": \"n\0\", \"event\": \"BeforeTool\" }]".to_vec()),
        ("bytes", vec![0xff, 0xfe, 0x00]),
        ("torn", br#"[{ "name": "n""#.to_vec()),
        ("huge", [b"[".to_vec(), vec![b' '; 17 * 1024 * 1024], b"]".to_vec()].concat()),
    ];
    for (name, bytes) in bad {
        let file = project.file(".hookrail/tests/b.json", &bytes);
        let run = Ran::new(&project, &["test"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(64), ""), "{name}: {}", run.shown());
        assert!(run.stderr.contains("b.json"), "{name}: {}", run.shown());
        assert!(!mark.exists(), "{name}: a hook ran");
        fs::remove_file(file).unwrap();
    }
    let run = Ran::new(&project, &["test", "."]);
    assert_eq!(run.code, Some(0), "a folder without tests: {}", run.shown());
    project.file(".hookrail/tests/b.json", "\u{feff}[] // fine");
    assert_eq!(Ran::new(&project, &["test"]).code, Some(0), "a byte order mark is no lie");
    assert!(mark.exists());
}

#[test]
fn an_error_shows_the_line() {
    let project = guarded();
    project.file(".hookrail/tests/a.json", "[\n  { \"name\": \"n\",\n    \"event\": \"BeforeTol\" }\n]");
    let run = Ran::new(&project, &["test"]);
    assert_eq!(run.code, Some(64));
    assert!(run.stderr.contains(".hookrail/tests/a.json:3:14"), "{}", run.shown());
    assert!(run.stderr.contains("\"event\": \"BeforeTol\""), "{}", run.shown());
}

#[test]
fn accepting_rewrites_what_failed_and_keeps_comments() {
    let project = guarded();
    let text = r#"// pushes
[
  { "name": "a", "event": "BeforeTool", "tool": "run_shell_command", "input": { "command": "git push -f" }, // forced
    "expect": { "decision": "allow", /* why */ "ran": ["no-push"] } },
  { "name": "b", "event": "BeforeTool", "tool": "run_shell_command", "input": { "command": "ls" } },
  { "name": "c", "event": "BeforeTool", "tool": "crash" },
]
"#;
    project.file(".hookrail/tests/a.json", text);
    let run = Ran::new(&project, &["test", "--accept"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let expected = project.read(".hookrail/tests/a.json");
    let first = text.replace("\"decision\": \"allow\"", "\"decision\": \"block\"");
    let first = first.split("  { \"name\": \"b\"").next().unwrap();
    assert!(expected.starts_with(first), "{expected}");
    let flat: String = expected.split_whitespace().collect();
    assert!(flat.contains(r#""input":{"command":"ls"},"expect":{"decision":"allow"}}"#), "{expected}");
    assert!(flat.contains(r#""tool":"crash","expect":{"decision":"allow","errors":true}}"#), "{expected}");
    let run = Ran::new(&project, &["test"]);
    assert_eq!(
        (run.code, run.stdout.lines().last()),
        (Some(0), Some("3 passed, 0 failed")),
        "{}",
        run.shown()
    );
    Ran::new(&project, &["test", "--accept"]);
    assert_eq!(project.read(".hookrail/tests/a.json"), expected, "nothing failed, nothing changes");
}

#[test]
fn a_test_may_have_a_project_and_a_home_of_its_own() {
    let project = guarded();
    project.file("only-here.txt", "");
    let home = |name: &str, more: Value| {
        let mut test = tool(name, "home", json!({}));
        test.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        test
    };
    let real = project.home().display().to_string();
    write(
        &project,
        "a.json",
        &[
            home(
                "kept",
                json!({ "expect": { "output": { "systemMessage": format!("{real}\nonly-here.txt") } } }),
            ),
            home(
                "files",
                json!({ "files": { "Cargo.toml": "", "src/lib.rs": "x" }, "expect": { "output": { "systemMessage": format!("{real}\nhas-cargo\nCargo.toml\nsrc") } } }),
            ),
            home(
                "scratch",
                json!({ "home": "scratch", "expect": { "output": { "systemMessage": format!("{real}\nonly-here.txt") } } }),
            ),
        ],
    );
    let run = Ran::new(&project, &["test", "--format", "json"]);
    let failed = failed(&run);
    assert_eq!(failed.len(), 1, "{}", run.shown());
    assert!(
        failed[0].starts_with("scratch: output") && failed[0].contains("/home\\nonly-here.txt"),
        "{failed:?}"
    );
}

/// A project of its own is asked as `fire` and the agent ask the real one.
#[test]
fn a_call_that_cannot_be_read_is_refused_in_every_project() {
    let project = guarded();
    let refused = json!({ "name": "n", "event": "BeforeTool", "tool": "run_shell_command", "input": { "cmd": "ls" },
        "expect": { "decision": "block", "errors": true } });
    for files in [json!(null), json!({ "a": "" })] {
        let mut test = refused.clone();
        if !files.is_null() {
            test["files"] = files;
        }
        write(&project, "a.json", &[test]);
        let run = Ran::new(&project, &["test"]);
        assert_eq!(run.code, Some(0), "{}", run.shown());
    }
}

#[test]
fn hooks_that_are_not_approved_do_not_run_for_a_test() {
    let project = TestProject::new();
    let mark = project.dir().join("ran");
    let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "own", "command": format!("touch '{}'; echo no >&2; exit 2", mark.display()) }] }] } });
    project.settings(&settings);
    let with_files = |files: Value| json!({ "name": "n", "event": "BeforeTool", "tool": "x", "files": files, "expect": { "decision": "block" } });
    let own = json!({ ".hookrail/settings.json": settings.to_string() });
    for test in [
        json!({ "name": "n", "event": "BeforeTool", "tool": "x", "expect": { "decision": "block" } }),
        with_files(json!({ "a": "" })),
        with_files(own.clone()),
    ] {
        write(&project, "a.json", std::slice::from_ref(&test));
        let run = Ran::new(&project, &["test"]);
        assert_eq!(run.code, Some(1), "{test}: {}", run.shown());
        assert!(!mark.exists(), "{test}");
        let run = Ran::new(&project, &["test", "--trust-hooks"]);
        assert_eq!(run.code, Some(0), "{test}: {}", run.shown());
        fs::remove_file(&mark).unwrap();
    }
    assert_eq!(Ran::new(&project, &["trust", "--yes"]).code, Some(0));
    write(&project, "a.json", &[with_files(json!({ "a": "" }))]);
    assert_eq!(
        Ran::new(&project, &["test"]).code,
        Some(0),
        "an approved project's hooks run in its copy too"
    );
    fs::remove_file(&mark).unwrap();
    write(&project, "a.json", &[with_files(own)]);
    let run = Ran::new(&project, &["test"]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stdout.contains("brings its own hooks"), "{}", run.shown());
    assert!(!mark.exists(), "what a test file brings along was approved by nobody");
}

#[test]
fn settings_that_cannot_be_used_refuse() {
    let project = guarded();
    write(&project, "a.json", &[shell("n", "ls", json!({}))]);
    fs::write(project.user_settings_path(), "{ torn").unwrap();
    for args in [&["test"][..], &["replay", ".hookrail"][..]] {
        let run = Ran::new(&project, args);
        assert_eq!(run.code, Some(1), "{}", run.shown());
        assert!(run.stderr.contains("the user settings cannot be used"), "{}", run.shown());
    }
}

#[test]
fn a_tried_call_becomes_a_test() {
    let project = guarded();
    let push = r#"{"command":"git push -f"}"#;
    let run = Ran::new(
        &project,
        &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", push, "--save-test", "no force"],
    );
    assert_eq!(run.code, Some(2), "{}", run.shown());
    let run = Ran::new(&project, &["fire", "AfterAgent", "--save-test", "the end"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let run = Ran::new(&project, &["fire", "BeforeTool", "--tool", "write_file", "--save-test", "changed"]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let saved: Value = serde_json::from_str(&project.read(".hookrail/tests/fired.json")).unwrap();
    assert_eq!(
        saved[0],
        json!({ "name": "no force", "event": "BeforeTool", "tool": "run_shell_command", "input": { "command": "git push -f" },
                "expect": { "decision": "block", "reason": "force pushes are for people", "ran": ["no-push"] } })
    );
    assert_eq!(saved[2]["expect"]["input"]["content"], "changed");
    let run = Ran::new(&project, &["test"]);
    assert_eq!(
        (run.code, run.stdout.lines().last()),
        (Some(0), Some("3 passed, 0 failed")),
        "{}",
        run.shown()
    );
    let run = Ran::new(&project, &["fire", "AfterAgent", "--save-test", "the end"]);
    assert!(run.stderr.contains("it has a test named `the end` already"), "{}", run.shown());
}

#[test]
fn the_starters_come_with_tests_that_pass() {
    for language in ["sh", "python", "node"] {
        let project = TestProject::new();
        for event in hookrail::EventName::ALL {
            let run = Ran::new(&project, &["init", event.as_str(), "--lang", language]);
            assert_eq!(run.code, Some(0), "{language}: {}", run.shown());
        }
        assert_eq!(Ran::new(&project, &["init", "--rule"]).code, Some(0));
        let run = Ran::new(&project, &["test", "--format", "json"]);
        let report = run.json();
        assert_eq!((run.code, &report["failed"]), (Some(0), &json!(0)), "{language}: {}", run.shown());
        assert!(report["passed"].as_u64().unwrap() >= 14, "{language}: {}", run.shown());
        let unseen: Vec<_> =
            report["coverage"].as_array().unwrap().iter().filter(|hook| hook["ran"] == false).collect();
        assert!(unseen.is_empty(), "{language}: {unseen:?}");
    }
}

#[test]
fn the_shipped_rules_pass_their_tests() {
    let project = TestProject::new();
    let rules = Ran::new(&project, &["rules", "--format", "json"]).json();
    let names: Vec<&str> =
        rules["rules"].as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": names } }));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library");
    let mut test = hookrail(&project, &["test", folder, "--format", "json"]);
    test.env("TERM", "dumb");
    let run = Ran::in_project(&project, test);
    let report = run.json();
    assert_eq!((run.code, failed(&run)), (Some(0), Vec::new()), "{}", run.shown());
    let undecided: Vec<_> =
        report["coverage"].as_array().unwrap().iter().filter(|hook| hook["decided"] == false).collect();
    assert!(undecided.is_empty(), "every shipped rule is seen to decide: {undecided:?}");
}

/// A test of a project is about the project's hooks: one of the user's with the same name proves nothing.
#[test]
fn a_users_rule_of_the_same_name_does_not_let_a_projects_test_pass() {
    let project = guarded();
    let own = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "rule", "name": "no-push", "when": { "command": "git push --mirror" }, "block": "no mirrors" } ] }] } });
    project.settings(&own);
    let tests = [
        shell("names it", "git push --force", json!({ "ran": ["no-push"] })),
        shell("is blocked", "git push --force", json!({ "decision": "block" })),
        shell("its own", "git push --mirror", json!({ "decision": "block", "ran": ["no-push"] })),
    ];
    write(&project, "a.json", &tests);
    // Not approved, it does not run at all.
    let run = Ran::new(&project, &["test", "--format", "json"]);
    assert_eq!(run.json()["failed"], 3, "{}", run.shown());
    let run = Ran::new(&project, &["test", "--trust-hooks", "--format", "json"]);
    assert_eq!(
        failed(&run),
        [
            "names it: ran: expected no-push, seen no-push of the user's settings",
            "is blocked: decision: expected block by the project's `no-push`, seen block by a hook of that name in other settings",
        ],
        "{}",
        run.shown()
    );
    let run = Ran::new(&project, &["test", "--trust-hooks"]);
    assert!(
        run.stdout.contains("of the user's settings; the project's hook of that name did not run"),
        "{}",
        run.shown()
    );
}

#[test]
fn failed_tests_are_annotations_of_a_workflow() {
    let project = guarded();
    let bad = shell("push, 100%", "git push -f", json!({ "decision": "allow" }));
    write(&project, "a.json", &[bad, shell("fine", "ls", json!({ "decision": "allow" }))]);
    let run = Ran::new(&project, &["test", "--format", "github"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(
        lines[0].starts_with("::error file=.hookrail/tests/a.json,line=2,title=push%2C 100%25::"),
        "{run:?}"
    );
    assert_eq!(lines[1], "1 passed, 1 failed");
}
