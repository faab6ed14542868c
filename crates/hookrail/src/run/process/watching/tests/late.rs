//! Hooks whose end is noticed after their deadline, because nothing polled them.

use std::future::Future;

use super::*;
use crate::run::unix::Pid;

const TIMEOUT: Duration = Duration::from_millis(200);

/// Occupies the thread until the process has ended and its deadline has passed.
fn block_past_deadline(leader: Pid, deadline: Instant) {
    eventually("the hook's end", || unix::peek(leader) != ChildState::Running);
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
        let spawned = spawn(&bash(script), &small_payload(), &Reaper::new()).unwrap();
        block_past_deadline(spawned.group.leader(), spawned.started + TIMEOUT);
        let finished = finish(spawned, TIMEOUT, ALL).await;
        assert_eq!(finished.exit, exit, "{requirement}: {script}");
        assert_eq!(text(&finished.stderr), stderr, "{requirement}: {script}");
        assert!(text(&finished.stdout) == stdout, "{requirement}: {script}");
    }
}

#[tokio::test]
async fn an_end_behind_a_busy_thread_counts() {
    let spawned =
        spawn(&bash("read -r line; echo no >&2; exit 2"), &small_payload(), &Reaper::new()).unwrap();
    // Enough for the first poll to come before the deadline.
    let timeout = Duration::from_secs(2);
    let (leader, deadline) = (spawned.group.leader(), spawned.started + timeout);
    let run = finish(spawned, timeout, ALL);
    let mut run = pin!(run);
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

#[tokio::test]
async fn without_a_reactor_the_last_look_is_taken_too() {
    let spawned = spawn(&bash("echo no >&2; exit 2"), &small_payload(), &Reaper::new()).unwrap();
    let deadline = spawned.started + TIMEOUT;
    block_past_deadline(spawned.group.leader(), deadline);
    let mut run = ProcessRun::new(spawned, deadline, ALL);
    run.stdout.unregister();
    run.stderr.unregister();
    let mut alarm = pin!(sleep_until(run.alarm_at.into()));
    let end = poll_fn(|cx| run.poll(cx, alarm.as_mut())).await;
    assert!(matches!(end, ProcessEnd::Exited(Exit::Code(2))));
    run.group.reap();
}

/// The first look sees the end, and what a child writes after that look is read by a later one.
#[tokio::test]
async fn what_follows_shortly_after_the_exit_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (go, written) = (folder.path().join("go"), folder.path().join("written"));
    let script = "(until [ -e go ]; do sleep 0.01; done; echo late; : > written) & exit 0";
    let spawned = spawn(&bash_in(folder.path(), script), &small_payload(), &Reaper::new()).unwrap();
    let deadline = spawned.started + LONG;
    let mut run = ProcessRun::new(spawned, deadline, ALL);
    let mut alarm = pin!(sleep_until(run.alarm_at.into()));
    let end = poll_fn(|cx| {
        let polled = run.poll(cx, alarm.as_mut());
        if run.ended.is_some() && !go.exists() {
            assert!(polled.is_pending(), "the child still holds the outputs");
            std::fs::write(&go, "").unwrap();
            // However long this takes: the outputs are read before the time for them counts.
            eventually("the child's line", || written.exists());
        }
        polled
    })
    .await;
    assert!(matches!(end, ProcessEnd::Exited(Exit::Code(0))));
    assert_eq!(text(&run.stdout.into_parts().0), "late");
    run.group.reap();
}

#[tokio::test]
async fn a_hook_that_still_runs_has_timed_out() {
    let spawned = spawn(
        &bash("trap '' TERM; echo no >&2; sleep 30 & wait"),
        &small_payload(),
        &Reaper::with_grace(Duration::ZERO),
    )
    .unwrap();
    let finished = finish(spawned, TIMEOUT, ALL).await;
    assert_eq!(finished.exit, Exit::TimedOut(TIMEOUT));
}
