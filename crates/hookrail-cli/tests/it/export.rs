//! `hookrail export --otlp` against collectors that work, are away, or misbehave.

use std::fs;

use hookrail_testkit::model_server::{Server, Step, send, sized};
use hookrail_testkit::{TestProject, wait_until};
use serde_json::{Value, json};

use crate::program::{Ran, hookrail};

fn ok() -> Vec<Step> {
    sized("200 OK", "Content-Type: application/json\r\n", "{}")
}

fn decision(number: u32, event: &str) -> String {
    let line = json!({
        "type": "decision", "timestamp": "2026-11-18T04:00:00.123Z", "sessionId": "s1", "callId": "c1",
        "event": event, "agent": "claude", "project": "/p", "tool": "run_shell_command",
        "summary": format!("rm {number}"), "decision": "block", "blockCause": "policy", "hook": "no-rm",
        "source": "/h/settings.json:3", "reason": "not here", "durationMs": 2,
    });
    format!("{line}\n")
}

/// A project whose user has this log.
fn with_log(text: &str) -> TestProject {
    let project = TestProject::new();
    fs::create_dir_all(project.home().join(".hookrail")).unwrap();
    fs::write(project.home().join(".hookrail/log.jsonl"), text).unwrap();
    project
}

fn export(project: &TestProject, server: &str, args: &[&str]) -> Ran {
    let mut command = hookrail(project, &[&["export", "--otlp"], args].concat());
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", server).env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret");
    Ran::in_project(project, command)
}

fn records(server: &Server) -> Vec<Value> {
    let bodies = server.received().into_iter().map(|got| serde_json::from_str::<Value>(&got.body).unwrap());
    let of = |body: Value| body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone();
    bodies.flat_map(of).collect()
}

fn summaries(server: &Server) -> Vec<String> {
    records(server).iter().map(|record| record["body"]["stringValue"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_decision_is_one_record_and_is_sent_once() {
    let call = "{\"type\":\"hook_call\",\"event\":\"BeforeTool\",\"name\":\"x\"}\n";
    let project = with_log(&(decision(1, "BeforeTool") + call + &decision(2, "BeforeTool")));
    let server = Server::start(vec![ok()]);
    let run = export(&project, &server.url(), &[]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    assert_eq!(summaries(&server), ["rm 1", "rm 2"]);
    let got = &server.received()[0];
    assert!(got.head.starts_with("POST /v1/logs") && got.head.contains("api-key: s3cret"), "{}", got.head);
    insta::assert_json_snapshot!(records(&server)[0], { ".observedTimeUnixNano" => "[now]" });

    assert_eq!(export(&project, &server.url(), &[]).code, Some(0));
    assert_eq!(server.received().len(), 1, "nothing new, nothing sent");
    let log = project.home().join(".hookrail/log.jsonl");
    let more = fs::read_to_string(&log).unwrap() + &decision(3, "BeforeTool");
    fs::write(&log, more).unwrap();
    assert_eq!(export(&project, &server.url(), &[]).code, Some(0));
    assert_eq!(summaries(&server), ["rm 1", "rm 2", "rm 3"]);
}

#[test]
fn prompts_are_sent_only_if_asked_for() {
    for (args, shown) in [(&[][..], ""), (&["--prompts"][..], "rm 1")] {
        let project = with_log(&decision(1, "BeforeAgent"));
        let server = Server::start(vec![ok()]);
        assert_eq!(export(&project, &server.url(), args).code, Some(0));
        assert_eq!(summaries(&server), [shown]);
    }
}

/// What a collector answers, whether the batch counts as sent, and how the program ends.
#[test]
fn a_collector_that_is_away_loses_nothing() {
    for away in
        ["503 Service Unavailable", "401 Unauthorized", "403 Forbidden", "429 Too Many Requests", "302 Found"]
    {
        let project = with_log(&decision(1, "BeforeTool"));
        let server = Server::start(vec![sized(away, "Location: http://127.0.0.1:9/\r\n", ""), ok()]);
        let run = export(&project, &server.url(), &[]);
        assert_eq!(run.code, Some(0), "{away}: {}", run.shown());
        assert_eq!(summaries(&server), ["rm 1", "rm 1"], "{away}: the same batch again");
        assert!(run.stderr.contains("waiting for") && !run.stderr.contains("s3cret"), "{}", run.shown());
    }
}

#[test]
fn a_batch_that_is_refused_as_bad_is_skipped_and_counted() {
    for bad in ["400 Bad Request", "413 Payload Too Large", "422 Unprocessable Entity"] {
        let project = with_log(&decision(1, "BeforeTool"));
        let server = Server::start(vec![sized(bad, "", "no")]);
        let run = export(&project, &server.url(), &[]);
        assert_eq!(run.code, Some(1), "{bad}: {}", run.shown());
        assert!(run.stderr.contains("refused 1 records as bad"), "{}", run.shown());
        assert_eq!(export(&project, &server.url(), &[]).code, Some(0), "it is not sent again");
        assert_eq!(server.received().len(), 1);
    }
    let project = with_log(&decision(1, "BeforeTool"));
    let partly = json!({ "partialSuccess": { "rejectedLogRecords": "1" } }).to_string();
    let server = Server::start(vec![sized("200 OK", "", partly)]);
    assert_eq!(export(&project, &server.url(), &[]).code, Some(1));
}

/// A login page is no collector, an answer that nobody can read changes nothing, and one that breaks off is tried again.
#[test]
fn whatever_a_collector_answers_nothing_is_lost() {
    let page = || sized("200 OK", "Content-Type: text/html; charset=utf-8\r\n", "<html>Please log in</html>");
    for (what, answers, sent) in [
        ("a login page", vec![page(), ok()], 2),
        ("nothing", vec![vec![], ok()], 2),
        ("another protocol", vec![vec![send("SSH-2.0-OpenSSH_9.9\r\n")], ok()], 2),
        ("half a head", vec![vec![send("HTTP/1.1 200 OK\r\nContent-")], ok()], 2),
        ("half a body", vec![vec![send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")], ok()], 1),
        ("garbage", vec![sized("200 OK", "", b"\xff\xfe")], 1),
        ("too much", vec![sized("200 OK", "", "x".repeat(1 << 20))], 1),
        (
            "nonsense about rejections",
            vec![sized("200 OK", "", r#"{"partialSuccess":{"rejectedLogRecords":-7}}"#)],
            1,
        ),
    ] {
        let project = with_log(&decision(1, "BeforeTool"));
        let server = Server::start(answers);
        let run = export(&project, &server.url(), &[]);
        assert_eq!(run.code, Some(0), "{what}: {}", run.shown());
        assert_eq!(summaries(&server), vec!["rm 1"; sent], "{what}");
        let again = export(&project, &server.url(), &[]);
        assert_eq!((again.code, server.received().len()), (Some(0), sent), "{what}: {}", again.shown());
    }
}

/// Killed when the collector has the batch and the position does not know it yet.
#[test]
fn a_killed_exporter_repeats_the_batch_in_flight_and_no_other() {
    let log: String = (0..600).map(|number| decision(number, "BeforeTool")).collect();
    let project = with_log(&log);
    let server = Server::start(vec![ok(), vec![Step::Hang], ok()]);
    let mut exporter = hookrail(&project, &["export", "--otlp"]);
    let mut exporter = exporter.env("OTEL_EXPORTER_OTLP_ENDPOINT", server.url()).spawn().unwrap();
    wait_until(std::time::Duration::from_mins(1), "the second batch", || server.received().len() == 2);
    exporter.kill().unwrap();
    exporter.wait().unwrap();
    let run = export(&project, &server.url(), &[]);
    assert_eq!(run.code, Some(0), "{}", run.shown());
    let sent = summaries(&server);
    let expected = (0..600).chain(512..600).map(|number| format!("rm {number}"));
    assert_eq!(sent, expected.collect::<Vec<_>>());
}

/// The position is unchanged, and the next run sends the same.
#[test]
fn giving_up_keeps_the_position() {
    let project = with_log(&decision(1, "BeforeTool"));
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = export(&project, &format!("http://{unused}"), &[]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("nothing is lost"), "{}", run.shown());
    let server = Server::start(vec![ok()]);
    assert_eq!(export(&project, &server.url(), &[]).code, Some(0));
    assert_eq!(summaries(&server), ["rm 1"]);
}

#[test]
fn one_exporter_at_a_time() {
    let project = with_log("");
    let lock = fs::File::create(project.home().join(".hookrail/export.lock")).unwrap();
    lock.lock().unwrap();
    let run = export(&project, "http://127.0.0.1:9", &[]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("another `hookrail export` is running"), "{}", run.shown());
}

#[test]
fn a_damaged_position_is_named() {
    let project = with_log(&decision(1, "BeforeTool"));
    fs::write(project.home().join(".hookrail/export.json"), "{").unwrap();
    let run = export(&project, "http://127.0.0.1:9", &[]);
    assert_eq!(run.code, Some(1), "{}", run.shown());
    assert!(run.stderr.contains("export.json") && run.stderr.contains("remove the file"), "{}", run.shown());
}

/// A real decision, made by the program itself, arrives while the exporter waits for more.
#[test]
fn a_followed_log_is_sent_as_it_grows() {
    let project = with_log("");
    let server = Server::start(vec![ok()]);
    let mut follower = hookrail(&project, &["export", "--otlp", "--follow"]);
    let mut follower = follower.env("OTEL_EXPORTER_OTLP_ENDPOINT", server.url()).spawn().unwrap();
    project.user_settings(&json!({ "enableHooks": true, "hooksConfig": { "rules": ["@standard"] } }));
    let rm = json!({ "command": "rm -rf /" }).to_string();
    let fired = Ran::new(&project, &["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &rm]);
    assert_eq!(fired.code, Some(2), "{}", fired.shown());
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while server.received().is_empty() && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
    assert_eq!(summaries(&server), ["rm -rf /"]);
}
