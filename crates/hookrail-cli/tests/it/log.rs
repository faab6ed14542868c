//! `hookrail log`: logs that are torn, rotated, cut off and growing.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::mpsc;
use std::time::Duration;

use hookrail_testkit::TestProject;
use serde_json::json;

use crate::program::{hookrail, log_path, run};

/// A line as the engine writes it.
fn call(event: &str, name: &str, milliseconds: u64, output: &serde_json::Value) -> String {
    let line = json!({
        "type": "hook_call", "event": event, "name": name, "command": format!("./{name}.sh"), "output": output,
        "exitCode": 0, "signal": null, "stdout": "", "stderr": "", "durationMs": milliseconds, "success": true,
        "error": null, "timestamp": format!("2026-01-01T00:00:00.{milliseconds:03}Z"), "sessionId": "s",
    });
    format!("{line}\n")
}

/// A log with everything that can stand in one.
fn sample() -> String {
    let failed = json!({
        "type": "hook_call", "event": "BeforeTool", "name": "guard", "command": "./guard.sh", "output": null,
        "exitCode": null, "signal": null, "durationMs": 500, "success": false, "error": "timed out\u{1b}[2J",
        "timestamp": "2026-01-01T00:00:00.500Z", "sessionId": "s", "input": { "tool_name": "x" }, "future": [1],
    });
    [
        call("BeforeTool", "guard", 10, &json!(null)),
        r#"{"type":"session_start","timestamp":"t","sessionId":"s"}"#.to_owned() + "\n",
        "not a line\n\n".to_owned(),
        call("BeforeTool", "guard", 20, &json!({ "decision": "deny", "reason": "no\nway" })),
        call("AfterTool", "format", 30, &json!({ "decision": "block", "systemMessage": "formatted" })),
        r#"{"type":"hook_call","event":"Befo"#.to_owned(),
        call("AfterTool", "format", 40, &json!({ "continue": false, "stopReason": "enough" })),
        call("BeforeTool", "guard", 50, &json!({ "decision": "block", "continue": false })),
        format!("{failed}\n"),
        r#"{"type":"hook_batch","event":"BeforeTool","hookCount":1}"#.to_owned() + "\n",
        r#"{"type":"hook_call","event":"BeforeTool","na"#.to_owned(),
    ]
    .concat()
}

#[test]
fn shows_calls_with_filters() {
    let project = TestProject::new();
    project.file("session.jsonl", sample());
    let mut all = String::new();
    for filters in [
        &[][..],
        &["--event", "AfterTool"],
        &["--hook", "guard"],
        &["--hook", "./format.sh"],
        &["--outcome", "allow"],
        &["--outcome", "block"],
        &["--outcome", "stop"],
        &["--outcome", "failure"],
        &["--event", "AfterTool", "--outcome", "failure"],
        &["--stats"],
        &["--stats", "--event", "AfterTool", "--format", "json"],
        &["--outcome", "failure", "--format", "json"],
    ] {
        let args = [&["log", "session.jsonl"], filters].concat();
        let ran = run(&project, &args);
        assert_eq!(ran.code, Some(0), "{ran}");
        all = all + &ran.to_string() + "\n";
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("log", all); });
}

#[test]
fn reads_the_engines_own_log_with_those_moved_aside() {
    let project = TestProject::new();
    let log = log_path(&project);
    let empty = run(&project, &["log"]);
    assert_eq!((empty.code, &*empty.stdout, &*empty.stderr), (Some(0), "", "no hook calls\n"));
    assert_eq!(run(&project, &["log", "--stats", "--format", "json"]).json(), json!([]));
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    for (suffix, name) in [(".3", "c"), (".2", "d"), (".1", "e"), ("", "f")] {
        fs::write(format!("{}{suffix}", log.display()), call("BeforeTool", name, 1, &json!(null))).unwrap();
    }
    let ran = run(&project, &["log", "--format", "json"]);
    let names: Vec<_> =
        ran.stdout.lines().filter_map(|line| line.split(r#""name":""#).nth(1)?.chars().next()).collect();
    assert_eq!(names, ['c', 'd', 'e', 'f'], "the oldest first: {ran}");
}

#[test]
fn a_log_that_cannot_be_read_is_an_error() {
    let project = TestProject::new();
    project.file("good.jsonl", sample());
    for args in
        [&["log", "good.jsonl", "missing.jsonl"][..], &["log", "."], &["log", "--follow", "missing.jsonl"]]
    {
        let ran = run(&project, args);
        assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran}");
        assert!(ran.stderr.starts_with("error: cannot read `"), "{ran}");
    }
    let ran = run(&project, &["log", "--follow", "--stats"]);
    assert_eq!(ran.code, Some(64), "{ran}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = TestProject::new();
    project.file("session.jsonl", call("BeforeTool", "guard", 1, &json!(null)).repeat(20_000));
    let mut child = hookrail(&project, &["log", "session.jsonl"]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn follows_a_log_through_rotation_and_truncation() {
    let project = TestProject::new();
    let log = log_path(&project);
    let mut child = hookrail(&project, &["log", "--follow", "--hook", "wanted"]).spawn().unwrap();
    let (sender, lines) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || stdout.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    let wanted = |milliseconds| call("BeforeTool", "wanted", milliseconds, &json!(null));
    let append = |text: &str| {
        let mut file = fs::File::options().create(true).append(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    let expect = |milliseconds: u64| {
        let line = lines.recv_timeout(Duration::from_mins(1)).expect("a line");
        assert!(line.contains(&format!(" {milliseconds} ms")), "{milliseconds} expected: {line}");
    };
    // The log comes into being, with a line torn in two.
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let line = wanted(101);
    append(&line[..40]);
    std::thread::sleep(Duration::from_millis(300));
    append(&line[40..]);
    expect(101);
    append(&(call("BeforeTool", "other", 102, &json!(null)) + &wanted(103)));
    expect(103);
    // It is moved aside right after another line.
    append(&wanted(104));
    fs::rename(&log, log.with_extension("jsonl.1")).unwrap();
    append(&(wanted(105) + &"{\"type\":\"note\"}\n".repeat(5)));
    expect(104);
    expect(105);
    // It is cut off: what is there afterwards is shorter than what was read.
    fs::write(&log, wanted(106)).unwrap();
    expect(106);
    child.kill().unwrap();
    child.wait().unwrap();
}
