//! Real processes, most of them bash. Deadlines are generous: machines are busy.

mod hostile;
mod late;
mod limits;
mod start;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::unix::{self, Pid};
use super::*;

/// Enough for anything that is expected to end by itself.
pub(super) const LONG: Duration = Duration::from_mins(1);
/// Enough for any output that is to be kept whole.
pub(super) const ALL: usize = 64 * 1024 * 1024;

fn command_in(cwd: &Path, program: &str, args: &[&str]) -> PreparedCommand {
    PreparedCommand {
        program: program.into(),
        arg0: None,
        args: args.iter().map(Into::into).collect(),
        env: [("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())].into(),
        cwd: cwd.to_owned(),
        fallback: None,
    }
}

pub(super) fn bash_in(cwd: &Path, script: &str) -> PreparedCommand {
    command_in(cwd, "/bin/bash", &["-c", script])
}

pub(super) fn bash(script: &str) -> PreparedCommand {
    bash_in(Path::new("/"), script)
}

pub(super) fn small_payload() -> Payload {
    Payload::new(&json!({"hook_event_name": "BeforeTool"})).unwrap()
}

/// A payload of about this many bytes, no two stretches of which are alike.
pub(super) fn payload_of(bytes: usize) -> (Payload, Vec<u8>) {
    let filler = "fill".repeat(250);
    let value: Value = (0..bytes / 1010).map(|n| json!(format!("{n:07}{filler}"))).collect();
    (Payload::new(&value).unwrap(), serde_json::to_vec(&value).unwrap())
}

async fn run(script: &str) -> Finished {
    run_process(&bash(script), &small_payload(), LONG, ALL, &Reaper::new()).await
}

pub(super) fn text(captured: &Captured) -> &str {
    std::str::from_utf8(&captured.bytes).unwrap().trim_end()
}

/// Runs a command alone.
pub(in crate::run) async fn run_process(
    command: &PreparedCommand,
    payload: &Payload,
    timeout: Duration,
    keep: usize,
    reaper: &Reaper,
) -> Finished {
    let begin = Instant::now();
    let left = || timeout.saturating_sub(begin.elapsed());
    match start(command, reaper, timeout, &left, || Streams::open(payload, keep)).await {
        Ok((group, streams)) => finish(group, streams, timeout).await,
        Err(why) => not_started(why),
    }
}

/// Starts a command that can be started at once.
pub(super) fn started(
    command: &PreparedCommand,
    payload: &Payload,
    reaper: &Reaper,
) -> (ProcessGroup, Streams) {
    let (child_streams, streams) = Streams::open(payload, ALL).unwrap();
    (spawn(command, child_streams, reaper).unwrap(), streams)
}

/// The process id that a script wrote as its first word.
fn first_pid(captured: &Captured) -> Pid {
    let text = String::from_utf8_lossy(&captured.bytes);
    let word = text.split_whitespace().next().expect("the script wrote its process id");
    Pid::from_raw(word.parse().expect("a process id")).unwrap()
}

/// Whether a process is in the group, zombies included.
fn group_exists(leader: Pid) -> bool {
    rustix::process::test_kill_process_group(leader).is_ok()
}

/// No process of the group runs. Orphans may still be there as zombies until init reaps them.
fn assert_group_ended(leader: Pid, why: &str) {
    let table = unix::ProcessTable::load().unwrap();
    assert!(!table.shows_life_in_group(leader), "{why}");
}

/// Waits for something that happens outside of this process.
pub(super) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < LONG, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn the_exit_is_reported_as_it_was() {
    for (requirement, script, expected) in [
        ("HOOK-070", "exit 0", Exit::Code(0)),
        ("HOOK-070", "exit 1", Exit::Code(1)),
        ("HOOK-070", "exit 2", Exit::Code(2)),
        ("HOOK-070", "exit 255", Exit::Code(255)),
        ("HOOK-070", "no-such-program-anywhere", Exit::Code(127)),
        ("HOOK-196", "kill -KILL $$", Exit::Signal(9)),
        ("HOOK-196", "kill -TERM $$", Exit::Signal(15)),
        ("HOOK-196", "kill -PIPE $$", Exit::Signal(13)),
        ("HOOK-196", "exec bash -c 'ulimit -c 0; kill -SEGV $$'", Exit::Signal(11)),
    ] {
        assert_eq!(run(script).await.exit, expected, "{requirement}: {script}");
    }
}

#[tokio::test]
async fn stderr_is_kept_apart_from_stdout() {
    let finished = run("echo one; echo two >&2; echo three; echo four >&2").await;
    assert_eq!(text(&finished.stdout), "one\nthree", "HOOK-069");
    assert_eq!(text(&finished.stderr), "two\nfour", "HOOK-069");
    assert!(!finished.stdout.truncated && !finished.stderr.truncated);
}

#[tokio::test]
async fn stdin_is_a_pipe_with_the_payload_and_an_end() {
    // Around what a pipe takes, what a wide pipe takes, and what is spliced in many turns.
    for size in [0, 100, 65_000, 70_000, 250_000, 300_000, 5_000_000] {
        let (payload, expected) = payload_of(size);
        let command = bash("[[ -p /dev/stdin ]] || exit 9; exec cat");
        let finished = run_process(&command, &payload, LONG, ALL, &Reaper::new()).await;
        assert_eq!(finished.exit, Exit::Code(0), "HOOK-061: {size}");
        assert!(finished.stdout.bytes == expected, "HOOK-061: {size}: the text did not arrive unchanged");
        assert_eq!(payload.len(), expected.len());
    }
}

#[tokio::test]
async fn one_payload_serves_many_hooks_at_once() {
    let (payload, expected) = payload_of(3_000_000);
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let payload = payload.clone();
        runs.spawn(async move { run_process(&bash("cat"), &payload, LONG, ALL, &Reaper::new()).await });
    }
    while let Some(finished) = runs.join_next().await {
        assert!(finished.unwrap().stdout.bytes == expected);
    }
}

#[tokio::test]
async fn payload_and_output_flow_at_once() {
    let (payload, expected) = payload_of(4_000_000);
    for (script, name) in [
        ("head -c 3000000 /dev/zero; wc -c", "writes before it reads"),
        ("tee /dev/stderr | wc -c >&2; head -c 3000000 /dev/zero", "echoes on stderr"),
    ] {
        let finished = run_process(&bash(script), &payload, LONG, ALL, &Reaper::new()).await;
        assert_eq!(finished.exit, Exit::Code(0), "{name}");
        let both = [finished.stdout.bytes, finished.stderr.bytes].concat();
        let count = expected.len().to_string();
        assert!(both.windows(count.len()).any(|window| window == count.as_bytes()), "{name}");
    }
}

#[tokio::test]
async fn a_hook_need_not_read_its_input() {
    let (payload, _) = payload_of(50_000_000);
    for script in [
        "exec 0<&-; sleep 0.2; echo fine; echo well >&2",
        "echo fine; echo well >&2",
        "head -c 100 >/dev/null; echo fine; echo well >&2",
        "cat >/dev/null; echo fine; echo well >&2",
        "sleep 0.3; echo fine; echo well >&2",
    ] {
        let finished = run_process(&bash(script), &payload, LONG, ALL, &Reaper::new()).await;
        assert_eq!(finished.exit, Exit::Code(0), "HOOK-192: {script}");
        assert_eq!(text(&finished.stdout), "fine", "HOOK-192: {script}");
        assert_eq!(text(&finished.stderr), "well", "HOOK-192: {script}");
    }
}

#[tokio::test]
async fn only_the_beginning_of_a_flood_is_kept() {
    for (script, keep, kept, truncated) in [
        ("head -c 100000000 /dev/zero", 1000, 1000, true),
        ("head -c 5000000 /dev/zero", 100_000, 100_000, true),
        ("head -c 5000 /dev/zero", 5001, 5000, false),
        ("head -c 5000 /dev/zero", 5000, 5000, false),
        ("head -c 5000 /dev/zero", 4999, 4999, true),
        ("echo", 0, 0, true),
        ("true", 0, 0, false),
    ] {
        for (redirect, on_stderr) in [("", false), (" >&2", true)] {
            let command = bash(&format!("{script}{redirect}"));
            let finished = run_process(&command, &small_payload(), LONG, keep, &Reaper::new()).await;
            let (flooded, other) = if on_stderr {
                (finished.stderr, finished.stdout)
            } else {
                (finished.stdout, finished.stderr)
            };
            assert_eq!(finished.exit, Exit::Code(0), "{script}{redirect}");
            assert_eq!((flooded.bytes.len(), flooded.truncated), (kept, truncated), "{script}{redirect}");
            assert!(flooded.bytes.capacity() <= 2 * keep.max(2 * 4096), "{script}{redirect}");
            assert_eq!(other, Captured::default(), "{script}{redirect}");
        }
    }
}

#[tokio::test]
async fn the_process_outlives_its_outputs() {
    let finished = run("echo early; exec >&- 2>&-; sleep 0.4; exit 7").await;
    assert_eq!(finished.exit, Exit::Code(7));
    assert_eq!(text(&finished.stdout), "early");
    assert!(finished.duration >= Duration::from_millis(400));
}
