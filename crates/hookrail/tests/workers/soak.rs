//! Many events over several workers while somebody kills them at random: nothing leaks, nobody is left, no block is lost.
//!
//! The long form: `HOOKRAIL_WORKER_SOAK_EVENTS=20000 cargo test --release -p hookrail --test workers soak`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hookrail::{Hook, WorkerMode};
use hookrail_testkit::process;
use serde_json::json;

use crate::kit::{LONG, Stage, hook};

const WORKERS: usize = 10;
const SHORT: usize = 400;

/// Blocks, and says which event it was asked about.
const SCRIPT: &str = r#"
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"id": question["id"], "output": {"decision": "block", "reason": str(question["input"]["n"])}}), flush=True)
"#;

#[tokio::test]
async fn killed_workers_lose_nothing() {
    let events = std::env::var("HOOKRAIL_WORKER_SOAK_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    let stage = Stage::new();
    stage.script("guard.py", SCRIPT);
    let hooks: Vec<Arc<Hook>> = (0..WORKERS)
        .map(|n| hook(format!("python3 guard.py {n}"), WorkerMode::Lines, LONG))
        .collect();
    let (mut blocked, mut failed) = (0, 0);
    let mut first = None;
    let stop = Arc::new(AtomicBool::new(false));
    let mark = stage.processes_mark();
    let killer = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || kill_now_and_then(&mark, &stop)
    });
    for n in 0..events {
        let hook = hooks.get(n % WORKERS).expect("one of them");
        let run = stage.run(hook, &json!({ "n": n })).await;
        match (&run.failure, &run.output) {
            (None, Some(output)) => {
                assert_eq!(output.reason.as_deref(), Some(n.to_string().as_str()), "an answer to another event");
                blocked += 1;
            }
            // Said aloud, so that `onFailure` decides; never an allow.
            (Some(_), _) => failed += 1,
            (None, None) => panic!("event {n}: a lost block"),
        }
        if n == 2 * WORKERS {
            first = Some(process::descriptors().len());
        }
    }
    stop.store(true, Ordering::Relaxed);
    let kills = killer.join().expect("killing does not panic");
    assert_eq!(blocked + failed, events);
    assert!(failed <= kills * 4, "{failed} failures, {kills} kills");
    assert!(blocked > events / 2, "{blocked} of {events} blocked; {kills} kills");
    let all = stage.runner.workers().status();
    assert_eq!(all.len(), WORKERS);
    // Those of a worker that is just being replaced come and go.
    let most = first.expect("enough events") + 8 * WORKERS;
    assert!(process::descriptors().len() <= most, "descriptors leak: {:?}", process::descriptors().len());
    stage.close().await;
}

/// Kills one of the marked processes from time to time; says how many.
fn kill_now_and_then(mark: &str, stop: &AtomicBool) -> usize {
    let mut kills = 0;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(150));
        let living = process::marked(mark);
        let Some(process) = living.get(kills * 7 % living.len().max(1)) else { continue };
        let pid = rustix::process::Pid::from_raw(i32::try_from(process.pid).expect("small")).expect("not 0");
        if rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok() {
            kills += 1;
        }
    }
    kills
}
