//! Workers that misbehave, with neighbours that must not notice.

use std::time::Duration;

use hookrail::components::WorkerMode;
use hookrail::{HookFailure, HookRun};
use hookrail_testkit::hostile_workers::{HOSTILE_WORKERS, HostileWorker, Outcome};
use serde_json::json;

use crate::kit::{LONG, SHORT, Stage, hook, python};

/// A worker as it should be.
const NEIGHBOUR: &str = r#"
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "neighbour"}}), flush=True)
"#;

/// What came of an event; `None` if it is neither an answer of these workers nor a failure.
fn outcome(run: &HookRun) -> Option<Outcome> {
    let reason = run.output.as_ref().and_then(|output| output.reason.clone()).unwrap_or_default();
    let blocks = run.output.as_ref().is_some_and(|output| output.decision == Some(hookrail::Decision::Block));
    match run.failure() {
        None if blocks && reason == "no" => Some(Outcome::Answer),
        None if blocks && reason.starts_with("no") => Some(Outcome::AnswerInPart),
        Some(HookFailure::TimedOut(_)) => Some(Outcome::TimedOut),
        Some(_) => Some(Outcome::Failure),
        None => None,
    }
}

async fn check(row: &HostileWorker) {
    let stage = Stage::new();
    stage.script("neighbour.py", NEIGHBOUR);
    let neighbour = hook(format!("{} neighbour.py", python()), WorkerMode::Lines, LONG);
    // Those that never come to anything are not waited for longer than it takes to be sure.
    let timeout = if row.first == Outcome::TimedOut { SHORT } else { LONG };
    let path = row.install(stage.dir());
    let hostile = hook(path.display().to_string(), WorkerMode::Lines, timeout);
    let event = json!({ "tool_name": "t", "tool_input": { "text": "x".repeat(300) } });
    for round in 0..2 {
        let (first, other) = tokio::join!(stage.run(&hostile, &event), stage.run(&neighbour, &event));
        assert_eq!(outcome(&first), Some(row.first), "{}, event {round}: {first:?}", row.name);
        let reason = other.output.and_then(|output| output.reason);
        assert_eq!(reason.as_deref(), Some("neighbour"), "{}", row.name);
        // Whatever it does after its answer is done by now, most often.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let statuses = stage.runner.workers().status();
    let neighbour =
        statuses.iter().find(|status| status.command.contains("neighbour")).expect("it was asked");
    assert_eq!(
        (neighbour.started, neighbour.answered, &neighbour.last_failure),
        (1, 2, &None),
        "{}",
        row.name
    );
    if row.name == "leaves_its_group.py" {
        // No signal to its group reaches it, with a worker or without.
        stage.runner.drain().await;
        for process in stage.processes() {
            let pid =
                rustix::process::Pid::from_raw(i32::try_from(process.pid).expect("small")).expect("not 0");
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it is ours");
        }
        return;
    }
    stage.close().await;
}

/// One test for each slice of the table, so that they run side by side.
macro_rules! slices {
    ($($name:ident => $slice:literal;)+) => {
        const SLICES: usize = [$($slice),+].len();
        $(
            #[tokio::test]
            async fn $name() {
                for row in HOSTILE_WORKERS.iter().skip($slice).step_by(SLICES) {
                    check(row).await;
                }
            }
        )+
    };
}

slices! {
    hostile_workers_harm_nobody_1 => 0;
    hostile_workers_harm_nobody_2 => 1;
    hostile_workers_harm_nobody_3 => 2;
    hostile_workers_harm_nobody_4 => 3;
}
