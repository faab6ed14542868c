//! Hooks that do not end, do not let go, or are given up.

use std::pin::pin;

use super::*;

async fn run_for(script: &str, timeout: Duration, reaper: &Reaper) -> Finished {
    run_process(&bash(script), &small_payload(), timeout, ALL, reaper).await
}

#[tokio::test]
async fn a_timeout_asks_politely_first() {
    let folder = tempfile::tempdir().unwrap();
    let reaper = Reaper::with_grace(LONG);
    let script = "trap 'echo asked > note; exit 0' TERM; echo $$ started; while :; do sleep 0.05; done";
    let timeout = Duration::from_secs(2);
    let finished =
        run_process(&bash_in(folder.path(), script), &small_payload(), timeout, ALL, &reaper).await;
    assert_eq!(finished.exit, Exit::TimedOut(timeout), "HOOK-119: the timeout is part of the verdict");
    assert!(text(&finished.stdout).ends_with("started"), "what it wrote until then is kept");
    assert!(finished.duration >= timeout && finished.duration < LONG);

    let begin = Instant::now();
    reaper.drain().await;
    assert!(begin.elapsed() < LONG, "a group that ends by itself is not waited for any longer");
    let note = std::fs::read_to_string(folder.path().join("note")).unwrap();
    assert_eq!(note, "asked\n", "HOOK-117");
    assert_group_ended(first_pid(&finished.stdout), "HOOK-117");
}

#[tokio::test]
async fn a_hook_that_ignores_the_request_is_killed_after_five_seconds() {
    let (reaper, timeout, grace) = (Reaper::new(), Duration::from_secs(2), Duration::from_secs(5));
    let script = "trap '' TERM; echo $$; while :; do sleep 0.2; done";
    let begin = Instant::now();
    let finished = run_for(script, timeout, &reaper).await;
    assert_eq!(finished.exit, Exit::TimedOut(timeout));
    let leader = first_pid(&finished.stdout);
    let verdict = Instant::now();
    assert!(!reaper.is_drained(), "the verdict does not wait for the kill");
    reaper.drain().await;
    assert!(begin.elapsed() >= timeout + grace, "HOOK-118: killed after {:?}", begin.elapsed());
    assert!(verdict.elapsed() < 2 * grace, "HOOK-118: killed {:?} after the verdict", verdict.elapsed());
    assert_group_ended(leader, "HOOK-118");
}

/// Runs scripts at once, each of which first writes its process id and is expected to run out of time. The time
/// is enough for them to get that far on a busy machine.
async fn time_out_all(scripts: &[(&'static str, &'static str)], payload: &Payload, grace: Duration) {
    let timeout = Duration::from_secs(3);
    let reaper = Reaper::with_grace(grace);
    let mut runs = tokio::task::JoinSet::new();
    for &(name, script) in scripts {
        let (payload, reaper) = (payload.clone(), reaper.clone());
        runs.spawn(async move { (name, run_process(&bash(script), &payload, timeout, 1000, &reaper).await) });
    }
    let finished = runs.join_all().await;
    reaper.drain().await;
    assert_eq!(finished.len(), scripts.len());
    for (name, finished) in finished {
        assert_eq!(finished.exit, Exit::TimedOut(timeout), "{name}");
        assert!(finished.duration >= timeout && finished.duration < LONG, "{name}: {:?}", finished.duration);
        assert_group_ended(first_pid(&finished.stdout), name);
    }
}

#[tokio::test]
async fn grandchildren_are_ended_with_the_group() {
    let scripts = [
        ("polite grandchildren", "echo $$; sleep 100 & sleep 100 & wait"),
        ("only the leader is polite", "echo $$; (trap '' TERM; while :; do sleep 0.1; done) & wait"),
        ("an impolite orphan", "echo $$; (trap '' TERM; sleep 100; sleep 100) & sleep 100"),
        ("nobody is polite", "trap '' TERM; echo $$; bash -c 'sleep 100; sleep 100' & sleep 100; sleep 100"),
        ("stopped", "echo $$; sleep 100 & kill -STOP $$"),
    ];
    time_out_all(&scripts, &small_payload(), Duration::from_millis(300)).await;
}

#[tokio::test]
async fn a_drip_does_not_outlive_the_deadline() {
    let scripts = [
        ("drips", "echo $$; while :; do echo x; sleep 0.05; done"),
        ("floods stdout", "echo $$; yes"),
        ("floods stderr", "echo $$; yes >&2"),
        ("reads and hangs", "echo $$; cat; sleep 100"),
        ("closes its outputs and hangs", "echo $$; exec >&- 2>&-; sleep 100"),
    ];
    time_out_all(&scripts, &payload_of(10_000_000).0, Duration::ZERO).await;
}

#[tokio::test]
async fn the_reaper_comes_back_for_more() {
    let reaper = Reaper::with_grace(Duration::ZERO);
    for _ in 0..3 {
        reaper.drain().await;
        let (group, streams) = started(&bash("sleep 100"), &small_payload(), &reaper);
        let leader = group.leader;
        assert_eq!(finish(group, streams, Duration::ZERO).await.exit, Exit::TimedOut(Duration::ZERO));
        reaper.drain().await;
        assert!(!group_exists(leader));
    }
}

#[tokio::test]
async fn a_background_child_is_neither_awaited_nor_harmed() {
    let reaper = Reaper::new();
    for script in [
        "echo $$; sleep 100 & exit 4",
        "echo $$; sleep 100 >/dev/null & exit 4",
        "echo $$; sleep 100 2>/dev/null & exit 4",
        "echo $$; (while :; do echo more; sleep 0.02; done) & exit 4",
    ] {
        let finished = run_for(script, LONG, &reaper).await;
        assert_eq!(finished.exit, Exit::Code(4), "{script}");
        assert!(finished.duration < Duration::from_secs(20), "{script}: {:?}", finished.duration);
        let leader = first_pid(&finished.stdout);
        reaper.drain().await;
        assert!(group_exists(leader), "{script}: the background process is left alone");
        unix::signal_group(leader, unix::Signal::KILL);
    }
}

#[tokio::test]
async fn giving_up_kills_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let reaper = Reaper::with_grace(LONG);
    let script = "trap '' TERM; (trap '' TERM; sleep 100; sleep 100) & echo $$ > pid.new; mv pid.new pid; sleep 100; sleep 100";
    let command = bash_in(folder.path(), script);
    let payload = small_payload();
    let note = folder.path().join("pid");
    let leader = || {
        let bytes = std::fs::read(&note).unwrap();
        std::fs::remove_file(&note).unwrap();
        first_pid(&Captured { bytes, truncated: false })
    };

    {
        let mut future = pin!(run_process(&command, &payload, LONG, ALL, &reaper));
        while !note.exists() {
            let soon = sleep(Duration::from_millis(10));
            assert!(tokio::time::timeout(Duration::from_millis(10), future.as_mut()).await.is_err());
            soon.await;
        }
    }
    let dropped = leader();
    reaper.drain().await;
    assert_group_ended(dropped, "the future was dropped");

    let process = started(&command, &payload, &reaper);
    eventually("the start", || note.exists());
    drop(process);
    let dropped = leader();
    reaper.drain().await;
    assert_group_ended(dropped, "the process was never waited for");

    let runtime = tokio::runtime::Handle::current();
    let panicking = std::thread::spawn({
        let (command, payload, reaper, note) =
            (command.clone(), payload.clone(), reaper.clone(), note.clone());
        move || {
            let _entered = runtime.enter();
            let _process = started(&command, &payload, &reaper);
            eventually("the start", || note.exists());
            std::panic::resume_unwind(Box::new("a panic on purpose"));
        }
    });
    assert!(panicking.join().is_err());
    let dropped = leader();
    reaper.drain().await;
    assert_group_ended(dropped, "the caller panicked");
}

#[test]
fn an_escalation_survives_the_runtime_and_the_reaper() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let reaper = Reaper::with_grace(Duration::from_millis(500));
    let script = "trap '' TERM; echo $$; sleep 100; sleep 100";
    let finished = runtime.block_on(run_for(script, Duration::from_secs(2), &reaper));
    drop(runtime);
    drop(reaper);
    let leader = first_pid(&finished.stdout);
    eventually("the kill", || !group_exists(leader));
}
