//! Workers that misbehave, with neighbours that must not notice.

use std::path::Path;
use std::time::{Duration, Instant};

use hookrail::HookRun;
use hookrail::components::WorkerMode;
use hookrail::components::{AnswerBound, AnswerFault, HookFailure, WorkerFailure};
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

/// Why the events of a worker fail, without what it wrote to stderr; `None` for one that is not listed.
fn failure_of(name: &str) -> Option<HookFailure> {
    let why = match name {
        "answers_deeply_nested.py" => return Some(HookFailure::Unreadable(AnswerBound::Depth)),
        "dies_at_start.sh" => WorkerFailure::Exited { code: 3 },
        "dies_before_answering.sh" => WorkerFailure::Signal { signal: 9 },
        "exits_blocking_without_answering.sh" => WorkerFailure::Exited { code: 2 },
        "dies_while_answering.py"
        | "dies_without_newline.py"
        | "exits_well_without_answering.sh"
        | "forks_and_dies.py"
        | "leaves_its_group.py" => WorkerFailure::Exited { code: 0 },
        "answers_for_another_id.py" | "answers_before_the_question.py" => WorkerFailure::UnknownQuestion,
        "answers_with_a_number_as_id.py"
        | "answers_with_text_before.py"
        | "answers_with_plain_text.sh"
        | "answers_with_nothing_but_lines.sh"
        | "answers_with_nul.py"
        | "says_ready_again.py" => WorkerFailure::StrayLine,
        "answers_with_a_gibibyte.py" | "fills_its_pipe_while_written_to.py" => WorkerFailure::TooLong,
        "answers_with_both.py" => WorkerFailure::Malformed(AnswerFault::Both),
        "answers_with_neither.py" => WorkerFailure::Malformed(AnswerFault::Neither),
        "answers_with_odd_exit_codes.py" => WorkerFailure::Malformed(AnswerFault::ExitCode),
        "closes_stdin.sh" => WorkerFailure::ClosedStdin,
        "closes_stdout.sh" => WorkerFailure::ClosedStdout,
        _ => return None,
    };
    Some(HookFailure::NoAnswer { why, stderr: String::new() })
}

/// Why a run failed, without what it wrote to stderr.
fn without_stderr(run: &HookRun) -> Option<HookFailure> {
    let mut failure = run.failure()?.clone();
    if let HookFailure::NoAnswer { stderr, .. } = &mut failure {
        stderr.clear();
    }
    Some(failure)
}

/// Waits until a worker that ends, or closes its stdin, after its answer has done so.
async fn wait_for_its_end(stage: &Stage, row: &HostileWorker) {
    let statuses = stage.runner.workers().status();
    let status = statuses.iter().find(|status| status.command.contains(row.name)).expect("it was asked");
    let Some(process) = status.process else { return };
    let has_ended = || match row.name {
        "dies_after_answering.py" => {
            stage.processes().iter().all(|other| i64::from(other.pid) != i64::from(process))
        }
        "closes_stdin_after_answering.py" => !Path::new(&format!("/proc/{process}/fd/0")).exists(),
        _ => true,
    };
    let deadline = Instant::now() + LONG;
    while !has_ended() {
        assert!(Instant::now() < deadline, "{} does not end", row.name);
        tokio::time::sleep(Duration::from_millis(5)).await;
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
        // Of two closed streams either may be noticed first.
        if row.first == Outcome::Failure && row.name != "closes_everything.sh" {
            assert_eq!(without_stderr(&first), failure_of(row.name), "{}: {first:?}", row.name);
        }
        let reason = other.output.and_then(|output| output.reason);
        assert_eq!(reason.as_deref(), Some("neighbour"), "{}", row.name);
        wait_for_its_end(&stage, row).await;
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
    hostile_workers_harm_no_other_hook_1 => 0;
    hostile_workers_harm_no_other_hook_2 => 1;
    hostile_workers_harm_no_other_hook_3 => 2;
    hostile_workers_harm_no_other_hook_4 => 3;
}
