//! One table of hooks, run once per event, as a worker and in forks.

use hookrail::components::WorkerMode;
use hookrail::components::{HookFailure, WorkerFailure};
use serde_json::{Value, json};

use crate::kit::{LONG, SHORT, Stage, hook, python, verdict, worker_failure};

/// Does what the event says: as an ordinary hook, or as a worker.
const SCRIPT: &str = r#"
import json, os, sys, time

def die(how):
    if how == "kill":
        os.kill(os.getpid(), 9)
    if how == "hang":
        time.sleep(3600)
    if how == "raise":
        raise ValueError("a bug")

if os.environ.get("HOOKRAIL_WORKER") == "1":
    for line in sys.stdin:
        question = json.loads(line)
        event, id = question["input"], json.dumps(question["id"])
        die(event["how"])
        if event["how"] == "output":
            text = '{"id":%s,"output":%s}' % (id, event["stdout"])
        else:
            streams = (id, event["exit"], json.dumps(event["stdout"]), json.dumps(event["stderr"]))
            text = '{"id":%s,"exitCode":%d,"stdout":%s,"stderr":%s}' % streams
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.flush()
else:
    event = json.load(sys.stdin)
    die(event["how"])
    sys.stdout.buffer.write(event["stdout"].encode("utf-8", "surrogatepass"))
    sys.stderr.buffer.write(event["stderr"].encode("utf-8", "surrogatepass"))
    sys.stdout.flush()
    sys.exit(event["exit"])
"#;

fn answers() -> Vec<(&'static str, Value)> {
    let exits = |stdout: &str, stderr: &str, exit: u8| json!({ "how": "exit", "stdout": stdout, "stderr": stderr, "exit": exit });
    let output = |stdout: &str| json!({ "how": "output", "stdout": stdout, "stderr": "", "exit": 0 });
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(2000), "]".repeat(2000));
    let long = format!("{{\"systemMessage\":\"{}\"}}", "é\\n".repeat(100_000));
    vec![
        ("silence", exits("", "", 0)),
        ("silence and a log line", exits("", "checked", 0)),
        ("a block", output(r#"{"decision":"block","reason":"no"}"#)),
        ("a block on stdout", exits(r#"{"decision":"block","reason":"no"}"#, "", 0)),
        ("an allow with a change", output(r#"{"hookSpecificOutput":{"tool_input":{"a":[1,2.50,"é"]}}}"#)),
        ("ask", output(r#"{"decision":"ask","reason":"sure?"}"#)),
        ("a stop", output(r#"{"continue":false,"stopReason":"enough"}"#)),
        (
            "permission",
            output(r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#),
        ),
        ("mistyped fields", output(r#"{"decision":5,"continue":"no","x":null}"#)),
        ("an unknown decision", output(r#"{"decision":"blokc"}"#)),
        ("repeated keys", output(r#"{"decision":"allow","decision":"block","reason":"last"}"#)),
        ("numbers beyond all measure", output(r#"{"decision":"block","n":1e999,"m":-1e999}"#)),
        ("half a surrogate pair", output(r#"{"decision":"block","reason":"\ud800"}"#)),
        ("an empty object", output("{}")),
        ("a number", output("42")),
        ("an array", output("[1, 2]")),
        ("null", output("null")),
        ("too deep", output(&deep)),
        ("long", output(&long)),
        ("long on stdout", exits(&long, "", 0)),
        ("plain text", exits("hello\nthere", "", 0)),
        ("an object in a text", exits("\"{\\\"decision\\\":\\\"block\\\"}\"", "", 0)),
        ("an object with a mistake", exits("{\"decision\": block}", "", 0)),
        ("a block by exit", exits("", "no", 2)),
        ("a block by exit, stdout", exits("no", "", 2)),
        ("a block by exit, silent", exits("", "", 2)),
        ("a failure", exits("", "", 1)),
        ("a failure with words", exits("{\"decision\":\"block\"}", "boom", 3)),
        ("the last exit code", exits("x", "y", 255)),
    ]
}

#[tokio::test]
async fn answers_mean_the_same_however_they_come() {
    let stage = Stage::new();
    stage.script("hook.py", SCRIPT);
    let command = format!("{} hook.py", python());
    let once = hook(&command, WorkerMode::Off, LONG);
    let others = [hook(&command, WorkerMode::Lines, LONG), hook(&command, WorkerMode::Fork, LONG)];
    for (name, event) in answers() {
        let expected = stage.run(&once, &event).await;
        for other in &others {
            let run = stage.run(other, &event).await;
            let context = format!("{name}, {:?}", other.worker);
            assert_eq!(verdict(&run), verdict(&expected), "{context}");
            assert_eq!(run.failure(), expected.failure(), "{context}");
            assert_eq!(run.warnings, expected.warnings, "{context}");
            assert_eq!(run.exit(), expected.exit(), "{context}");
            assert_eq!(run.success(), expected.success(), "{context}");
            // A worker's log lines are its own.
            if event["how"] == "exit" {
                assert_eq!((&run.stdout, &run.stderr), (&expected.stdout, &expected.stderr), "{context}");
            }
        }
    }
    let all = stage.runner.workers().status();
    assert_eq!(all.len(), 2);
    for status in all {
        assert_eq!((status.started, status.answered), (1, answers().len() as u64), "{status:?}");
    }
    stage.close().await;
}

#[tokio::test]
async fn failures_are_failures_however_they_come() {
    for (how, timeout) in [("kill", LONG), ("raise", LONG), ("hang", SHORT)] {
        let event = json!({ "how": how, "stdout": "{\"decision\":\"block\"}", "stderr": "", "exit": 0 });
        for mode in [WorkerMode::Off, WorkerMode::Lines, WorkerMode::Fork] {
            let stage = Stage::new();
            stage.script("hook.py", SCRIPT);
            let run = stage.run(&hook(format!("{} hook.py", python()), mode, timeout), &event).await;
            assert!(run.failure().is_some() && !run.success(), "{how} {mode:?}: {run:?}");
            assert_eq!(matches!(run.failure(), Some(HookFailure::TimedOut(_))), how == "hang", "{run:?}");
            if how == "raise" {
                assert!(run.stderr.contains("ValueError: a bug"), "{mode:?}: {run:?}");
            }
            stage.close().await;
        }
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_fails() {
    let stage = Stage::new();
    let run = stage.run(&hook("./no-such-program", WorkerMode::Lines, LONG), &json!({})).await;
    assert_eq!(worker_failure(&run), Some(&WorkerFailure::Exited { code: 127 }), "{run:?}");
    assert!(run.stderr.contains("no-such-program"), "{run:?}");
    stage.close().await;
}
