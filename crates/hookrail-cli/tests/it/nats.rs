//! `remote` hooks and `serve --nats`, with a real NATS server between real processes.

mod credentials;
mod failures;
mod kit;
#[cfg(target_os = "linux")] // It needs namespaces.
mod out_of_reach;
mod services;

use std::fs;
use std::os::unix::fs::symlink;

use hookrail_testkit::TestProject;
use serde_json::{Value, json};

use self::kit::{NatsServer, Service, client, fire, service_with};
use crate::bridge::bridge;
use crate::program::run;

/// Rules of a service that block, ask, stop and look at paths.
fn rules() -> Value {
    json!([
        { "type": "rule", "name": "push", "when": { "command": "git push" }, "block": "no pushes" },
        { "type": "rule", "name": "sudo", "when": { "program": "sudo" }, "ask": "sure?" },
        { "type": "rule", "name": "halt", "when": { "program": "halt" }, "then": { "continue": false, "stopReason": "enough" } },
        { "type": "rule", "name": "etc", "when": { "writes": "/etc/**" }, "block": "not in /etc" },
        { "type": "rule", "name": "out", "when": { "writes": { "outside": true } }, "block": "not outside" },
        { "type": "rule", "name": "note", "when": { "program": "make" }, "context": "mind the gap" },
    ])
}

#[test]
fn a_service_decides_by_what_the_caller_sees() {
    let Some(nats) = NatsServer::start("") else { return };
    let service = Service::start(&service_with(&rules()), &nats, &[]);
    let caller = client(&nats, &json!({}));
    symlink("/etc", caller.dir().join("door")).unwrap();
    symlink(caller.dir().join("inside"), caller.home().join("in")).unwrap();
    for (line, field, expected) in [
        ("git push", "/reason", json!("no pushes")),
        ("git push", "/blockCause", json!("policy")),
        ("sudo ls", "/ask", json!(true)),
        ("sudo ls", "/reason", json!("sure?")),
        ("halt", "/stopReason", json!("enough")),
        ("echo x > door/motd", "/reason", json!("not in /etc\nnot outside")),
        ("echo x > ~/in", "/blocked", json!(false)),
        ("echo x > ~/other", "/reason", json!("not outside")),
        ("make", "/finalOutput/hookSpecificOutput/additionalContext", json!("mind the gap")),
        ("ls", "/finalOutput", json!(null)),
        ("ls", "/errors", json!([])),
    ] {
        let ran = fire(&caller, line);
        assert_eq!(ran.json().pointer(field), Some(&expected), "{line}\n{ran}");
    }
    assert_eq!(service.end(), Some(0));
}

/// The native tool's name and a moved directory go along, so that the service reads the call as the bridge does.
#[test]
fn a_call_of_another_agent_is_read_as_the_bridge_reads_it() {
    let Some(nats) = NatsServer::start("") else { return };
    let rules = json!([{ "type": "rule", "name": "made", "when": { "command": "touch" }, "block": "nothing is made" }]);
    let project = service_with(&json!([]));
    project.user_settings(
        &json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "matcher": "Bash", "hooks": rules }] } }),
    );
    let _service = Service::start(&project, &nats, &[]);
    let caller = client(&nats, &json!({}));
    let ran = bridge(&caller, "claude", "PreToolUse-Bash", &json!({}));
    assert!(ran.stdout.contains("nothing is made"), "{ran}");
    let log = fs::read_to_string(crate::program::log_path(&project)).unwrap();
    let decided: Value =
        serde_json::from_str(log.lines().find(|line| line.contains("\"type\":\"decision\"")).unwrap())
            .unwrap();
    assert_eq!(
        (&decided["agent"], &decided["project"]),
        (&json!("claude"), &json!(caller.dir())),
        "{decided}"
    );
    let other = bridge(&client(&nats, &json!({})), "codex", "PreToolUse-Bash", &json!({}));
    assert!(other.stdout.contains("nothing is made"), "{other}");
}

#[test]
fn hooks_of_a_service_run_in_its_own_folder_where_the_callers_is_not() {
    let Some(nats) = NatsServer::start("") else { return };
    let project = service_with(&json!([{ "type": "command", "command": "pwd; cat >&2; exit 2" }]));
    let _service = Service::start(&project, &nats, &[]);
    let here = project.dir().display().to_string();
    let elsewhere = TestProject::new();
    let there = elsewhere.dir().display().to_string();
    for (cwd, expected) in [("/nowhere/at/all", &here), (&*there, &there)] {
        let input =
            json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" }, "cwd": cwd });
        let request = json!({ "type": "hook-execution-request", "eventName": "BeforeTool", "correlationId": "7", "input": input });
        let answer = nats.raw().request("hookrail.decide", request.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["correlationId"], "7");
        assert_eq!(answer["output"]["blocked"], true, "{answer}");
        assert!(answer["output"]["reason"].as_str().unwrap().contains(cwd), "the caller's is in the payload");
        let log = fs::read_to_string(crate::program::log_path(&project)).unwrap();
        let last: Value = log
            .lines()
            .filter(|line| line.contains("\"hook_call\""))
            .map(|line| serde_json::from_str(line).unwrap())
            .next_back()
            .unwrap();
        assert_eq!(last["stdout"].as_str().map(str::trim), Some(expected.as_str()), "{last}");
    }
}

#[test]
fn what_is_asked_carries_home_project_and_paths() {
    let Some(nats) = NatsServer::start("") else { return };
    let mut service = nats.raw();
    service.subscribe("hookrail.decide");
    let caller = client(&nats, &json!({ "timeout": 60_000 }));
    symlink("/etc", caller.dir().join("door")).unwrap();
    let (project, home) = (caller.dir(), caller.home());
    let asking = std::thread::spawn(move || fire(&caller, "cat door/motd"));
    let (reply, question) = service.next();
    service.publish(&reply, br#"{"type":"hook-execution-response","success":true,"output":{"finalOutput":null,"blocked":true,"reason":"no"}}"#);
    assert_eq!(asking.join().unwrap().json()["reason"], "no");
    let question: Value = serde_json::from_slice(&question).unwrap();
    assert_eq!(question["type"], "hook-execution-request");
    assert_eq!(question["eventName"], "BeforeTool");
    assert_eq!(question["input"]["cwd"], json!(project));
    let caller = &question["caller"];
    assert_eq!(
        (&caller["home"], &caller["project"], &caller["directory"]),
        (&json!(home), &json!(project), &json!(project))
    );
    assert_eq!(caller["links"], json!({ project.join("door/motd").display().to_string(): "/etc/motd" }));
}

#[test]
fn check_knows_that_it_can_be_asked_and_without_a_server_it_refuses() {
    let project = TestProject::new();
    // Nobody but root could listen there, and nobody does.
    let hook = json!({ "type": "remote", "url": "nats://127.0.0.1:1", "timeout": 500 });
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }));
    let ran = run(&project, &["check"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    kit::failure(&fire(&project, "ls"));
}
