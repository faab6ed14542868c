//! A worker that has always answered at once: whatever it does next has the same consequences as with any other.

use hookrail::components::WorkerMode;
use hookrail::components::{HookFailure, WorkerFailure};
use serde_json::json;

use crate::kit::{LONG, SHORT, Stage, hook, python};

/// Answers with a block whose reason is the event's text, or does what the event says.
const SCRIPT: &str = r#"
import json, os, sys, time

def say(id, text):
    os.write(1, (json.dumps({"id": id, "output": {"decision": "block", "reason": text}}) + "\n").encode())

for line in sys.stdin:
    question = json.loads(line)
    id, how = question["id"], question["input"]["how"]
    if how == "late":
        time.sleep(0.3)
    elif how == "hang":
        time.sleep(3600)
    elif how == "die":
        os._exit(3)
    elif how == "close":
        os.close(1)
        time.sleep(3600)
    elif how == "stray":
        os.write(1, b"hello\n")
    elif how == "other":
        id = "other"
    elif how == "half":
        text = (json.dumps({"id": id, "output": {"decision": "block", "reason": how}}) + "\n").encode()
        os.write(1, text[:10])
        time.sleep(0.05)
        os.write(1, text[10:])
        continue
    elif how == "long":
        say(id, "x" * 300_000)
        continue
    elif how == "loud":
        sys.stderr.write("x" * 1_000_000)
    say(id, how)
    if how == "twice":
        say(id, how)
"#;

/// What comes of an event: the reason of a block, or a failure.
enum Outcome {
    Block(&'static str),
    Failure(HookFailure),
}

#[tokio::test]
async fn whatever_a_prompt_worker_does_next_means_the_same() {
    use Outcome::{Block, Failure};
    let no_answer = |why| Failure(HookFailure::NoAnswer { why, stderr: String::new() });
    let long: &'static str = "x".repeat(300_000).leak();
    for (how, expected, started) in [
        ("usual", Block("usual"), 1),
        ("late", Block("late"), 1),
        ("half", Block("half"), 1),
        ("long", Block(long), 1),
        ("loud", Block("loud"), 1),
        ("twice", Block("twice"), 2),
        ("die", no_answer(WorkerFailure::Exited { code: 3 }), 2),
        ("close", no_answer(WorkerFailure::ClosedStdout), 2),
        ("stray", no_answer(WorkerFailure::StrayLine), 2),
        ("other", no_answer(WorkerFailure::UnknownQuestion), 2),
        ("hang", Failure(HookFailure::TimedOut(SHORT)), 2),
    ] {
        let stage = Stage::new();
        stage.script("hook.py", SCRIPT);
        // Hooks with the same command share a worker, whatever time each has. Only what hangs has little.
        let with_timeout = |timeout| hook(format!("{} hook.py", python()), WorkerMode::Lines, timeout);
        let (patient, hasty) = (with_timeout(LONG), with_timeout(SHORT));
        for how in ["first", "second", "third", how, "after"] {
            let hook = if how == "hang" { &hasty } else { &patient };
            let run = stage.run(hook, &json!({ "how": how })).await;
            let reason = run.output.as_ref().and_then(|output| output.reason.as_deref());
            match &expected {
                Block(text) if *text == how || how == "long" => assert!(reason == Some(*text), "{how}"),
                Failure(why) if !["first", "second", "third", "after"].contains(&how) => {
                    assert_eq!(run.failure(), Some(why), "{how}: {run:?}");
                }
                _ => assert_eq!((reason, run.failure()), (Some(how), None), "{how}"),
            }
        }
        assert_eq!(stage.status().started, started, "{how}");
        stage.close().await;
    }
}
