//! Many events over several workers while somebody kills them at random: nothing leaks, nobody is left, no block is lost.
//!
//! The long form: `HOOKRAIL_WORKER_SOAK_EVENTS=20000 cargo test --release -p hookrail --test workers soak`

use std::sync::Arc;
use std::time::Duration;

use hookrail::Hook;
use hookrail::components::WorkerFailure;
use hookrail::components::WorkerMode;
use hookrail_testkit::{process, wait_until};
use serde_json::json;

use crate::kit::{LONG, Stage, hook, python, worker_failure};

const WORKERS: usize = 10;
const SHORT: usize = 400;
/// Every so many events somebody kills the worker while it is asked, and every so many while it has nothing to do.
/// Neither divides the number of workers, so that all of them have their turn.
const KILL_BUSY: usize = 11;
const KILL_IDLE: usize = 13;
/// How much more memory this process may hold at the end: what other tests beside this one need.
const MOST_GROWTH: u64 = 16 << 20;

/// Takes a moment, blocks, and says which event it was asked about.
const SCRIPT: &str = r#"
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    time.sleep(0.002)
    answer = {"id": question["id"], "output": {"decision": "block", "reason": str(question["input"]["n"])}}
    print(json.dumps(answer), flush=True)
"#;

#[tokio::test]
async fn killed_workers_lose_nothing() {
    let events =
        std::env::var("HOOKRAIL_WORKER_SOAK_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    let stage = Stage::new();
    stage.script("guard.py", SCRIPT);
    let hooks: Vec<Arc<Hook>> =
        (0..WORKERS).map(|n| hook(format!("{} guard.py {n}", python()), WorkerMode::Lines, LONG)).collect();
    let (mut blocked, mut failed, mut kills, mut busy_kills) = (0, 0, 0, 0);
    let (mut descriptors, mut memory) = (0, 0);
    for n in 0..events {
        let hook = hooks.get(n % WORKERS).expect("one of them");
        if n % KILL_IDLE == 0 {
            let killed = kill_worker(&stage, hook);
            // One that is asked while it dies has been asked: that would be a failure.
            wait_until(LONG, "it is dead", || killed.is_none_or(|pid| !is_running(pid)));
            kills += usize::from(killed.is_some());
        }
        let event = json!({ "n": n });
        let killing = async {
            if n % KILL_BUSY == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                busy_kills += usize::from(kill_worker(&stage, hook).is_some());
            }
        };
        let (run, ()) = tokio::join!(stage.run(hook, &event), killing);
        match (run.failure(), &run.output) {
            (None, Some(output)) => {
                let reason = output.reason.as_deref();
                assert_eq!(reason, Some(n.to_string().as_str()), "an answer to another event");
                blocked += 1;
            }
            // Said aloud, so that `onFailure` decides; never an allow.
            (Some(_), _) => {
                assert_eq!(
                    worker_failure(&run),
                    Some(&WorkerFailure::Signal { signal: 9 }),
                    "event {n}: {run:?}"
                );
                failed += 1;
            }
            (None, None) => panic!("event {n}: a lost block"),
        }
        if n == 3 * WORKERS {
            descriptors = process::descriptors().len();
        }
        if n == events / 4 {
            memory = process::resident_memory();
        }
    }
    assert_eq!(blocked + failed, events);
    assert!(
        failed <= busy_kills,
        "{failed} failures, {busy_kills} kills of busy workers, {kills} of idle ones"
    );
    assert!(busy_kills + kills > events / KILL_IDLE, "{kills} and {busy_kills} kills");
    // Those of a worker that is just being replaced come and go.
    let now = process::descriptors();
    assert!(now.len() <= descriptors + 2 * WORKERS, "{descriptors} descriptors at first, now {now:?}");
    let grown = process::resident_memory().saturating_sub(memory);
    assert!(grown < MOST_GROWTH, "{grown} bytes more than after a quarter of the events");
    let answered: u64 = stage.runner.workers().status().iter().map(|status| status.answered).sum();
    assert_eq!(answered, blocked as u64);
    stage.close().await;
    assert_eq!(process::zombies(), [], "zombies");
}

/// Kills the process of a hook's worker, if one runs.
fn kill_worker(stage: &Stage, hook: &Hook) -> Option<i32> {
    let all = stage.runner.workers().status();
    let pid = all.iter().find(|status| status.command == hook.command())?.process?;
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid)?, rustix::process::Signal::KILL)
        .ok()?;
    Some(pid)
}

/// Whether a child of ours has not ended.
fn is_running(pid: i32) -> bool {
    let zombies = process::zombies();
    let is_it = |process: &process::Process| i64::from(process.pid) == i64::from(pid);
    !zombies.iter().any(is_it) && process::children().iter().any(is_it)
}
