//! Hooks whose end is noticed after their deadline, because nothing polled them.

use std::future::{Future, poll_fn};
use std::pin::pin;

use super::*;

const TIMEOUT: Duration = Duration::from_millis(200);

fn wait_for_end(leader: Pid) {
    eventually("the hook's end", || unix::peek(leader) != ChildState::Running);
}

/// Occupies the thread until the process has ended and its deadline has passed.
fn block_past_deadline(leader: Pid, deadline: Instant) {
    wait_for_end(leader);
    while Instant::now() <= deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
async fn an_end_before_the_first_look_counts() {
    let full_pipe = "x".repeat(65536);
    for (requirement, script, exit, stdout, stderr) in [
        ("R14", "echo no >&2; exit 2", Exit::Code(2), "", "no"),
        ("R14", "echo '{}'", Exit::Code(0), "{}", ""),
        ("R14", "kill -9 $$", Exit::Signal(9), "", ""),
        // The pipe is full to the brim, and a child that the hook left behind keeps it open.
        ("R14", "head -c 65536 /dev/zero | tr '\\0' x; sleep 5 & exit 2", Exit::Code(2), &*full_pipe, ""),
    ] {
        let (group, streams) = started(&bash(script), &small_payload(), &Reaper::new());
        block_past_deadline(group.leader, group.started + TIMEOUT);
        let finished = finish(group, streams, TIMEOUT).await;
        assert_eq!(finished.exit, exit, "{requirement}: {script}");
        assert_eq!(text(&finished.stderr), stderr, "{requirement}: {script}");
        assert!(text(&finished.stdout) == stdout, "{requirement}: {script}");
    }
}

#[tokio::test]
async fn an_end_behind_a_busy_thread_counts() {
    let script = "read -r line; echo no >&2; exit 2";
    let (group, streams) = started(&bash(script), &small_payload(), &Reaper::new());
    // Enough for the first poll to come before the deadline.
    let timeout = Duration::from_secs(2);
    let (leader, deadline) = (group.leader, group.started + timeout);
    let mut run = pin!(finish(group, streams, timeout));
    let mut first_poll = true;
    let finished = poll_fn(|cx| {
        let polled = run.as_mut().poll(cx);
        if polled.is_pending() && std::mem::take(&mut first_poll) {
            // Everything is registered with the reactor now, which reports nothing until this returns.
            block_past_deadline(leader, deadline);
        }
        polled
    })
    .await;
    assert_eq!(finished.exit, Exit::Code(2));
    assert_eq!(text(&finished.stderr), "no");
}

/// What a child writes after the hook's end was noticed is read, however long that takes this thread.
#[tokio::test]
async fn what_follows_shortly_after_the_exit_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (go, written) = (folder.path().join("go"), folder.path().join("written"));
    let script = "(until [ -e go ]; do sleep 0.01; done; echo late; : > written) & exit 0";
    let (group, streams) = started(&bash_in(folder.path(), script), &small_payload(), &Reaper::new());
    let leader = group.leader;
    wait_for_end(leader);
    let mut run = pin!(finish(group, streams, LONG));
    let finished = poll_fn(|cx| {
        let polled = run.as_mut().poll(cx);
        // Once its end is noticed, the leader is reaped.
        if unix::peek(leader) == ChildState::Lost && !go.exists() {
            assert!(polled.is_pending(), "the child still holds the outputs");
            std::fs::write(&go, "").unwrap();
            eventually("the child's line", || written.exists());
        }
        polled
    })
    .await;
    assert_eq!((finished.exit, text(&finished.stdout)), (Exit::Code(0), "late"));
}

#[tokio::test]
async fn a_hook_that_still_runs_has_timed_out() {
    let reaper = Reaper::with_grace(Duration::ZERO);
    let script = "trap '' TERM; echo no >&2; sleep 30 & wait";
    let finished = run_process(&bash(script), &small_payload(), TIMEOUT, ALL, &reaper).await;
    assert_eq!(finished.exit, Exit::TimedOut(TIMEOUT));
}
