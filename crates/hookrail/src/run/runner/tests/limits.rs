//! Limits on hooks at once, on output and on descriptors, and hooks that are given up.

use super::*;
use crate::run::runner::limits::{KEPT_OUTPUT, descriptor_bound, descriptor_limit};

#[tokio::test]
async fn the_limit_holds_across_events_and_the_rest_queues() {
    let (_root, dir) = project();
    std::fs::create_dir(dir.join("running")).unwrap();
    let mut options = options();
    options.limits.max_concurrent = 3;
    let runner = HookRunner::new(options);
    let mut counting = Hook::clone(&hook(": > running/$$; ls running | wc -l; sleep .1; rm running/$$"));
    // Queueing takes longer than this.
    counting.timeout = Duration::from_millis(2500);
    let counting = Arc::new(counting);
    let hooks = vec![counting; 40];
    let payload = empty();
    let (one, other) = tokio::join!(
        runner.execute_hooks_parallel(&hooks, &payload, &dir),
        runner.execute_hooks_parallel(&hooks, &payload, &dir)
    );
    let counts: Vec<u32> =
        stdouts(&one).into_iter().chain(stdouts(&other)).map(|text| text.parse().unwrap()).collect();
    assert_eq!(counts.len(), 80);
    assert!(counts.iter().all(|count| (1..=3).contains(count)), "{counts:?}");
    assert!(counts.contains(&3), "{counts:?}");
}

#[tokio::test]
async fn giving_up_ends_all_hooks() {
    let (_root, dir) = project();
    let command = |n: u32| format!("echo $$ > pid.{n}.new; mv pid.{n}.new pid.{n}; sleep 600");
    let hooks: Vec<_> = (0..6).map(|n| hook(&command(n))).collect();
    let runner = runner();
    let payload = empty();
    let all_run = async {
        while (0..6).any(|n| !dir.join(format!("pid.{n}")).exists()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        runs = runner.execute_hooks_parallel(&hooks, &payload, &dir) => panic!("ended: {runs:?}"),
        () = all_run => {}
    }
    runner.drain().await;
    for n in 0..6 {
        let pid = Pid::from_raw(read(&dir, &format!("pid.{n}")).trim().parse().unwrap()).unwrap();
        assert!(test_kill_process(pid).is_err(), "hook {n} is still there");
    }
}

#[tokio::test]
async fn giving_up_early_leaves_nothing_behind() {
    let (_root, dir) = project();
    let hooks: Vec<_> = (0..4).map(|n| hook(&format!("echo $$ >> pids.{n}; sleep 600"))).collect();
    let runner = runner();
    let payload = empty();
    for pause in 0..12 {
        // From before the first hook is started to after the last.
        let patience = Duration::from_micros(300 * pause);
        let runs = runner.execute_hooks_parallel(&hooks, &payload, &dir);
        assert!(tokio::time::timeout(patience, runs).await.is_err());
        runner.drain().await;
        let pids: Vec<_> = (0..4).map(|n| read(&dir, &format!("pids.{n}"))).collect();
        for pid in pids.iter().flat_map(|pids| pids.split_whitespace()) {
            let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
            assert!(test_kill_process(pid).is_err(), "a hook is still there after {patience:?}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        let later: Vec<_> = (0..4).map(|n| read(&dir, &format!("pids.{n}"))).collect();
        assert_eq!(later, pids, "a hook started after everything was drained");
    }
}

#[tokio::test]
async fn output_is_decoded_and_bounded() {
    let (_root, dir) = project();
    let hooks = hooks(&[r"printf 'a\377b'; printf '\303\244' >&2", "printf 12345678901234567890"]);
    let runs = runner().execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!((runs[0].stdout.as_str(), runs[0].stderr.as_str()), ("a\u{fffd}b", "ä"));
    assert_eq!(runs[1].stdout, "12345678901234567890");

    let mut options = options();
    options.limits.max_output_bytes = Some(10);
    let runner = HookRunner::new(options);
    let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
    assert_eq!((runs[1].stdout.as_str(), runs[1].success()), ("1234567890", false));

    let large = Payload::new(&"x".repeat(KEPT_OUTPUT)).unwrap();
    assert_eq!(self::runner().limits.keep(&empty()), KEPT_OUTPUT);
    assert_eq!(self::runner().limits.keep(&large), 2 * (KEPT_OUTPUT + 2));
    assert_eq!(runner.limits.keep(&large), 10);
}

#[tokio::test]
async fn few_descriptors_are_enough_for_many_hooks() {
    const INSIDE: &str = "HOOKRAIL_TEST_FEW_DESCRIPTORS";
    assert_eq!([1024, 100, 20].map(|limit| descriptor_bound(Some(limit))), [165, 11, 0]);
    assert!(descriptor_bound(None) > 1024);
    if std::env::var_os(INSIDE).is_none() {
        // The limit belongs to a whole process, so this test runs once more in one of its own.
        let status = std::process::Command::new("bash")
            .args(["-c", "ulimit -n 64; exec \"$@\"", "bash"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "run::runner::tests::limits::few_descriptors_are_enough_for_many_hooks"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&status.stdout);
        assert!(status.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    assert_eq!(descriptor_limit(), Some(64));
    let (_root, dir) = project();
    let runs = runner().execute_hooks_parallel(&vec![hook("echo $((1+1))"); 400], &empty(), &dir).await;
    assert_eq!(stdouts(&runs), ["2"; 400]);
}

/// What makes starting impossible for good. With so few descriptors hooks run one at a time.
#[test]
fn hooks_that_cannot_start_wait_together() {
    const INSIDE: &str = "HOOKRAIL_TEST_NO_DESCRIPTORS";
    if std::env::var_os(INSIDE).is_none() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "run::runner::tests::limits::hooks_that_cannot_start_wait_together",
                "--nocapture",
            ])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let (_root, dir) = project();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let maximum = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let limit = rustix::process::Rlimit { current: Some(open), maximum };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let runner = runner();
    let timeout = Duration::from_secs(1);
    let hook = Arc::new(Hook { timeout, ..project_hook("echo $((1+1))") });
    let hooks: Vec<Arc<Hook>> = (0..10).map(|_| Arc::clone(&hook)).collect();
    let assert_together = |what: &str, runs: &[HookRun], begin: Instant| {
        assert_eq!(runs.len(), hooks.len(), "R9: {what}");
        for run in runs {
            let Exit::NotStarted(StartFailure::Scarce { within, error, .. }) = run.exit() else {
                panic!("R9: {what}: {:?}", run.exit())
            };
            assert!(*within <= timeout, "R9: {what}: {within:?}");
            assert_eq!(error.code(), Some(rustix::io::Errno::MFILE.raw_os_error()), "R9: {what}");
        }
        // One after the other they would take ten times as long.
        assert!((timeout..timeout * 9).contains(&begin.elapsed()), "R9: {what}: {:?}", begin.elapsed());
    };
    runtime.block_on(async {
        let begin = Instant::now();
        let runs = runner.execute_hooks_parallel(&hooks, &empty(), &dir).await;
        assert_together("side by side", &runs, begin);

        let begin = Instant::now();
        let input = object(json!({}));
        let (runs, _) =
            runner.execute_hooks_sequential(&hooks, EventName::BeforeTool, input, &dir, &|_, _| {}).await;
        assert_together("a chain", &runs, begin);
    });
}
