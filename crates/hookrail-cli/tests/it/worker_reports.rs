//! What `list`, `explain`, `doctor` and `log --stats` report about workers.

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use crate::program::{Ran, run};

/// Answers, unless the event names a file that ends it.
const WORKER: &str = r#"
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    if question["input"]["tool_input"].get("file_path") == "die":
        os._exit(3)
    print(json.dumps({"id": question["id"], "exitCode": 0}), flush=True)
"#;

fn project() -> TestProject {
    let project = TestProject::new();
    std::fs::create_dir_all(project.home()).unwrap();
    let script = project.home().join("guard.py");
    std::fs::write(&script, WORKER).unwrap();
    let script = script.display();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": format!("python3 {script}"), "worker": true },
        { "type": "command", "name": "old", "command": "bash -c true", "worker": "fork" },
        { "type": "command", "name": "plain", "command": "true" },
    ] }] } }));
    project
}

fn fire(project: &TestProject, file: &str) -> Ran {
    let input = json!({ "file_path": file }).to_string();
    run(project, &["fire", "BeforeTool", "--tool", "write_file", "--input", &input, "--repeat", "3"])
}

/// The entry of a hook in a JSON report.
fn named<'v>(hooks: &'v Value, name: &str) -> &'v Value {
    let hooks = hooks.as_array().unwrap();
    hooks.iter().find(|hook| hook["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {hooks:?}"))
}

#[test]
fn a_worker_that_was_never_asked_is_reported_as_such() {
    let project = project();
    let list = run(&project, &["list"]);
    assert!(list.stdout.contains("worker of guard: not kept by `serve` or `agent` yet"), "{list}");
    let explain = run(&project, &["explain", "BeforeTool"]);
    assert!(explain.stdout.contains("worker, one process for all events: not kept by"), "{explain}");
    assert!(explain.stdout.contains("not in forks, because the hook"), "{explain}");
    assert_eq!(explain.stdout.matches("not kept by").count(), 2, "{explain}");
    let json = run(&project, &["explain", "BeforeTool", "--format", "json"]).json();
    assert_eq!(named(&json["hooks"], "guard")["worker"], json!({ "mode": "lines" }));
    assert_eq!(named(&json["hooks"], "plain").get("worker"), None);
}

#[test]
fn what_a_worker_did_is_reported_by_every_command() {
    let project = project();
    fire(&project, "a.txt");
    let did = "3 events answered, 1 start, 0 restarts, ";
    for args in [&["list"][..], &["explain", "BeforeTool"], &["doctor"], &["log", "--stats"]] {
        let ran = run(&project, args);
        let line = ran.stdout.lines().find(|line| line.contains(did)).unwrap_or_else(|| panic!("{ran}"));
        assert!(line.contains(" MB as of 2") && !line.contains("failure"), "{line}");
    }
    for (args, path) in [
        (&["list", "--format", "json"][..], "/hooks"),
        (&["explain", "BeforeTool", "--format", "json"], "/hooks"),
        (&["log", "--stats", "--format", "json"], ""),
    ] {
        let json = run(&project, args).json();
        let worker = &named(json.pointer(path).unwrap(), "guard")["worker"];
        let counts = (&worker["answered"], &worker["started"], &worker["restarts"], &worker["running"]);
        assert_eq!(counts, (&json!(3), &json!(1), &json!(0), &json!(true)), "{args:?}: {worker}");
        assert!(worker["memory"].as_u64().is_some_and(|bytes| bytes > 1_000_000), "{worker}");
        assert!(worker["notedAt"].as_str().is_some_and(|time| time.ends_with('Z')), "{worker}");
        assert_eq!(worker["lastFailure"], json!(null));
    }
}

#[test]
fn the_last_failure_of_a_worker_is_reported() {
    let project = project();
    fire(&project, "die");
    let did = "0 events answered, 3 starts, 2 restarts, no process as of 2";
    for args in [&["list"][..], &["explain", "BeforeTool"], &["doctor"], &["log", "--stats"]] {
        let ran = run(&project, args);
        let line = ran.stdout.lines().find(|line| line.contains(did)).unwrap_or_else(|| panic!("{ran}"));
        assert!(line.contains("; last failure: exited with code 3"), "{line}");
    }
    let findings = run(&project, &["doctor", "--format", "json"]).json()["findings"].clone();
    let findings = findings.as_array().unwrap();
    let noted = findings.iter().find(|finding| finding["area"] == "workers").unwrap();
    assert_eq!(noted["state"], "note");
    assert_eq!(noted["help"], "`hookrail log --outcome failure --hook guard` shows what failed");
}
