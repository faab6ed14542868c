//! What a fork costs, against a process per event.

use std::time::{Duration, Instant};

use crate::client::Loader;
use crate::table::{folder, simple};

/// A typical hook.
const SCRIPT: &str = "import json, sys, re, os, pathlib
event = json.load(sys.stdin)
path = pathlib.Path(event['tool_input']['file_path'])
if re.search(r'\\.env$', path.name) and os.path.basename(path):
    print(json.dumps({'decision': 'block', 'reason': 'secrets'}))
";
const INPUT: &[u8] = br#"{"tool_name":"write_file","tool_input":{"file_path":"a/.env"}}"#;
const ROUNDS: usize = 30;
/// How much cheaper a fork has to be.
const FLOOR: f64 = 4.0;

#[test]
fn a_fork_is_cheaper_than_a_process_by_far() {
    let (_folder, path) = folder();
    let hook = simple(&path, SCRIPT);
    let mut loader = Loader::start(&hook);
    assert_eq!(loader.run(INPUT), hook.run_new(INPUT));
    // Taken in turns, so that whatever else the machine does slows both.
    let (mut forks, mut processes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        forks.push(time(|| _ = loader.run(INPUT)));
        processes.push(time(|| _ = hook.run_new(INPUT)));
    }
    let (fork, process) = (median(forks), median(processes));
    let times = process.as_secs_f64() / fork.as_secs_f64();
    println!("a process per event: {process:?}; a fork: {fork:?}; {times:.1} times less");
    assert!(times >= FLOOR, "a process per event: {process:?}; a fork: {fork:?}; only {times:.1} times less");
}

fn time(action: impl FnOnce()) -> Duration {
    let start = Instant::now();
    action();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().expect("there are some")
}
