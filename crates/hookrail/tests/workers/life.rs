//! From the first event that needs a worker to its end.

use std::time::{Duration, Instant};

use futures_lite::{join_events, poll_once};
use hookrail::components::WorkerPool;
use hookrail::components::{HookFailure, StartFailure, WorkerFailure};
use hookrail::components::{HookRunner, RunnerOptions, WorkerMode};
use hookrail_testkit::wait_until;
use serde_json::{Value, json};

use crate::kit::{LONG, Stage, hook, python, verdict, worker_failure};

/// Tells how many questions this process has been asked, and what it was started with.
const COUNTS: &str = r#"
import json, os, sys
count = 0
for line in sys.stdin:
    question = json.loads(line)
    count += 1
    said = {"count": count, "pid": os.getpid(), "group": os.getpgid(0), "timeout": question["timeoutMs"],
            "worker": os.environ.get("HOOKRAIL_WORKER"), "directory": os.getcwd(), "input": question["input"]}
    print(json.dumps({"id": question["id"], "output": said}), flush=True)
"#;

/// Writes down what it is asked and answers, and whether a question was there before the one before it was answered. It
/// answers the first one when the file `go` is there.
const ONE_AT_A_TIME: &str = r#"
import json, os, select, sys, time

def note(text):
    with open("order", "a") as order:
        order.write(text + "\n")

unread = b""
while True:
    while b"\n" not in unread:
        piece = os.read(0, 65536)
        if not piece:
            sys.exit()
        unread += piece
    line, unread = unread.split(b"\n", 1)
    question = json.loads(line)
    n = question["input"]["n"]
    note(f"asked {n}")
    while n == 0 and not os.path.exists("go"):
        time.sleep(0.01)
    early = unread or select.select([0], [], [], 0)[0]
    note(f"answers {n}" + (" while the next one waits" if early else ""))
    print(json.dumps({"id": question["id"], "output": {"n": n}}), flush=True)
"#;

/// Answers when told to: side by side, each after its own time. One that is to die waits for the file `go`.
const SIDE_BY_SIDE: &str = r#"
import json, sys, threading, time, os
print(json.dumps({"ready": True, "concurrent": 4}), flush=True)
lock = threading.Lock()
running = most = 0
# Lets nobody pass before four are there.
gate = threading.Barrier(4)

def answer(question):
    global running, most
    with lock:
        running += 1
        most = max(most, running)
    if question["input"].get("together"):
        gate.wait()
    time.sleep(question["input"].get("seconds", 0))
    if question["input"].get("die"):
        while not os.path.exists("go"):
            time.sleep(0.01)
        os._exit(1)
    with lock:
        running -= 1
        print(json.dumps({"id": question["id"], "output": {"n": question["input"]["n"], "most": most, "pid": os.getpid()}}), flush=True)

for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),)).start()
"#;

/// Blocks, as an ordinary hook and as a worker.
const BLOCKS: &str = r#"
import json, os, sys
if os.environ.get("HOOKRAIL_WORKER"):
    for line in sys.stdin:
        print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block"}}), flush=True)
else:
    print('{"decision": "block"}')
"#;

/// Never answers the first question of all.
const HANGS_ONCE: &str = r#"
import json, os, sys, time
for line in sys.stdin:
    if not os.path.exists("asked"):
        open("asked", "w").close()
        time.sleep(3600)
    print(json.dumps({"id": json.loads(line)["id"], "output": {"n": 1}}), flush=True)
"#;

/// Small helpers for futures.
mod futures_lite {
    use std::future::{Future, poll_fn};
    use std::pin::Pin;
    use std::task::Poll;

    /// Polls once, and says whether that was enough.
    pub(super) async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Waits for all, in order.
    pub(super) async fn join_events<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
        let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
        let mut done: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
        poll_fn(|cx| {
            for (future, slot) in futures.iter_mut().zip(&mut done) {
                if slot.is_none()
                    && let Poll::Ready(value) = future.as_mut().poll(cx)
                {
                    *slot = Some(value);
                }
            }
            if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        done.into_iter().flatten().collect()
    }
}

fn said(run: &hookrail::HookRun) -> Value {
    assert!(run.failure().is_none(), "{run:?}");
    serde_json::to_value(run.output.as_ref().expect("an output")).expect("JSON")
}

#[tokio::test]
async fn one_process_answers_all_events_of_a_command() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    let (first, second) = (
        hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG),
        hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG),
    );
    assert!(stage.runner.workers().status().is_empty(), "nothing is started before an event needs it");
    let mut pids = Vec::new();
    for (count, hook) in [&first, &second, &first].into_iter().enumerate() {
        let run = said(&stage.run(hook, &json!({ "n": count })).await);
        assert_eq!(run["count"], json!(count + 1));
        assert_eq!(run["worker"], json!("1"));
        assert_eq!(run["input"], json!({ "n": count }));
        assert_eq!(run["timeout"], json!(120_000));
        assert_eq!(run["group"], run["pid"], "a process group of its own");
        assert_eq!(run["directory"], json!(stage.dir().canonicalize().expect("it exists")));
        pids.push(run["pid"].clone());
    }
    pids.dedup();
    assert_eq!(pids.len(), 1);
    let status = stage.status();
    assert_eq!((status.started, status.answered, status.restarts), (1, 3, 0));
    assert_eq!(json!(status.process), pids[0]);
    assert!(status.memory.is_some_and(|bytes| bytes > 100_000) || !cfg!(target_os = "linux"));
    stage.close().await;
}

#[tokio::test]
async fn the_memory_of_a_worker_is_that_of_its_group() {
    let stage = Stage::new();
    // The shell stays, and Python holds twenty megabytes more than a bare one.
    stage.script("counts.py", &format!("kept = bytearray(20_000_000)\n{COUNTS}"));
    let hook = hook(format!("{} counts.py; exit", python()), WorkerMode::Lines, LONG);
    let run = said(&stage.run(&hook, &json!({})).await);
    let status = stage.status();
    assert_ne!(json!(status.process), run["pid"], "the leader is the shell");
    let expected = |bytes| (20_000_000..1_000_000_000).contains(&bytes);
    assert!(status.memory.is_some_and(expected) || !cfg!(target_os = "linux"), "{status:?}");
    stage.runner.drain().await;
    let status = stage.status();
    assert_eq!((status.process, status.memory, status.started), (None, None, 1));
    stage.close().await;
}

#[tokio::test]
async fn another_environment_is_another_worker() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    let one = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    let mut other = hookrail::Hook::clone(&one);
    other.env.push(("LEVEL".to_owned(), "2".to_owned()));
    let other = std::sync::Arc::new(other);
    for hook in [&one, &other] {
        assert_eq!(said(&stage.run(hook, &json!({})).await)["count"], json!(1));
    }
    assert_eq!(stage.runner.workers().status().len(), 2);
    stage.runner.workers().keep_only([&*other]);
    assert_eq!(stage.runner.workers().status().len(), 1);
    assert_eq!(said(&stage.run(&other, &json!({})).await)["count"], json!(2), "it was kept");
    assert_eq!(said(&stage.run(&one, &json!({})).await)["count"], json!(1), "it was ended");
    stage.close().await;
}

#[tokio::test]
async fn a_changed_file_gets_a_new_process() {
    for (file, command) in [
        ("counts.py", "exec python3 \"$LLXPRT_PROJECT_DIR/counts.py\" ; exit"),
        ("it counts.py", "exec python3 'it counts.py'"),
    ] {
        let stage = Stage::new();
        stage.script(file, COUNTS);
        let hook = hook(command, WorkerMode::Lines, LONG);
        assert_eq!(said(&stage.run(&hook, &json!({})).await)["count"], json!(1));
        assert_eq!(said(&stage.run(&hook, &json!({})).await)["count"], json!(2));
        stage.script(file, &COUNTS.replace("count = 0", "count = 10"));
        assert_eq!(said(&stage.run(&hook, &json!({})).await)["count"], json!(11), "{command}");
        assert_eq!(stage.status().restarts, 1);
        stage.close().await;
    }
}

#[tokio::test]
async fn a_watched_file_that_changes_gets_a_new_process() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    std::fs::create_dir(stage.dir().join("words")).expect("a folder");
    stage.script("words/secret.txt", "a");
    let plain = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    let mut watching = hookrail::Hook::clone(&plain);
    watching.watch = vec!["words/*.txt".to_owned()];
    let watching = std::sync::Arc::new(watching);
    let count = async |hook| said(&stage.run(hook, &json!({})).await)["count"].clone();
    assert_eq!((count(&watching).await, count(&watching).await), (json!(1), json!(2)));
    stage.script("words/other.md", "");
    assert_eq!(count(&watching).await, json!(3), "nobody watches that");
    stage.script("words/secret.txt", "ab");
    assert_eq!(count(&watching).await, json!(1), "a watched file changed");
    stage.script("words/new.txt", "");
    assert_eq!(count(&watching).await, json!(1), "a watched file came");
    std::fs::remove_file(stage.dir().join("words/new.txt")).expect("removed");
    assert_eq!(count(&watching).await, json!(1), "a watched file went");
    // The two share a process, and so what one of them watches.
    assert_eq!(count(&plain).await, json!(2));
    stage.script("words/secret.txt", "abc");
    assert_eq!(count(&plain).await, json!(1));
    assert_eq!(stage.status().restarts, 4);
    stage.close().await;
}

#[tokio::test]
async fn a_file_that_is_watched_from_now_on_counts_from_now_on() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    stage.script("words.txt", "a");
    let plain = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    let mut watching = hookrail::Hook::clone(&plain);
    watching.watch = vec!["words.txt".to_owned()];
    let watching = std::sync::Arc::new(watching);
    let count = async |hook| said(&stage.run(hook, &json!({})).await)["count"].clone();
    assert_eq!(count(&plain).await, json!(1));
    // Nobody knows what the process read before.
    assert_eq!(count(&watching).await, json!(1));
    assert_eq!(count(&plain).await, json!(2));
    stage.script("words.txt", "ab");
    assert_eq!(count(&plain).await, json!(1));
    stage.close().await;
}

/// How long the hooks of the next test have, and how long they wait for their turn before.
const QUEUED: Duration = Duration::from_secs(3);

#[tokio::test]
async fn questions_wait_for_each_other_without_losing_time() {
    let stage = Stage::new();
    stage.script("one.py", ONE_AT_A_TIME);
    let command = format!("{} one.py", python());
    // The first one holds the worker up. The others would be out of time if waiting counted.
    let first = hook(command.clone(), WorkerMode::Lines, LONG);
    let others = hook(command, WorkerMode::Lines, QUEUED);
    let events: Vec<Value> = (0..5).map(|n| json!({ "n": n })).collect();
    let hooks = std::iter::once(&first).chain(std::iter::repeat(&others));
    let mut asked: Vec<_> =
        hooks.zip(&events).map(|(hook, event)| Box::pin(stage.run(hook, event))).collect();
    for event in &mut asked {
        assert!(poll_once(event.as_mut()).await.is_none());
    }
    let release = async {
        tokio::time::sleep(QUEUED).await;
        stage.script("go", "");
    };
    let (runs, ()) = tokio::join!(join_events(asked), release);
    for (n, run) in runs.iter().enumerate() {
        assert_eq!(said(run), json!({ "n": n }), "in order");
    }
    let order = std::fs::read_to_string(stage.dir().join("order")).expect("it was written");
    let expected: Vec<String> = (0..5).flat_map(|n| [format!("asked {n}"), format!("answers {n}")]).collect();
    assert_eq!(order.lines().collect::<Vec<_>>(), expected);
    assert_eq!(stage.status().started, 1);
    stage.close().await;
}

#[tokio::test]
async fn those_that_say_so_are_asked_side_by_side() {
    let stage = Stage::new();
    stage.script("side.py", SIDE_BY_SIDE);
    let hook = hook(format!("{} side.py", python()), WorkerMode::Lines, LONG);
    said(&stage.run(&hook, &json!({ "n": 0 })).await);
    // None is answered before four are asked, so that fewer at once would wait for ever.
    let events: Vec<Value> = (0..8).map(|n| json!({ "n": n, "together": true })).collect();
    let runs = join_events(events.iter().map(|event| stage.run(&hook, event))).await;
    let said: Vec<Value> = runs.iter().map(said).collect();
    assert_eq!(
        said.iter().map(|run| run["n"].clone()).collect::<Vec<_>>(),
        (0..8).map(Value::from).collect::<Vec<_>>()
    );
    let most = said.iter().filter_map(|run| run["most"].as_u64()).max();
    assert_eq!(most, Some(4), "as many as announced, and no more");
    stage.close().await;
}

#[tokio::test]
async fn a_death_costs_one_event_and_the_others_are_asked_again() {
    let stage = Stage::new();
    stage.script("side.py", SIDE_BY_SIDE);
    let hook = hook(format!("{} side.py", python()), WorkerMode::Lines, LONG);
    let before = said(&stage.run(&hook, &json!({ "n": 0 })).await);
    let events = [
        json!({ "n": 1, "die": true }),
        json!({ "n": 2, "seconds": 3600 }),
        json!({ "n": 3, "seconds": 3600 }),
    ];
    // The others would take for ever, but are asked by a process that has never heard of that.
    let patient = SIDE_BY_SIDE.replace("time.sleep(question", "time.sleep(0 * question");
    let mut asked: Vec<_> = events.iter().map(|event| Box::pin(stage.run(&hook, event))).collect();
    for event in &mut asked {
        assert!(poll_once(event.as_mut()).await.is_none());
    }
    stage.script("side.py", &patient);
    stage.script("go", "");
    let runs = join_events(asked).await;
    assert_eq!(worker_failure(&runs[0]), Some(&WorkerFailure::Exited { code: 1 }), "{:?}", runs[0]);
    for (run, n) in runs.iter().skip(1).zip([2, 3]) {
        let run = said(run);
        assert_eq!(run["n"], json!(n));
        assert_ne!(run["pid"], before["pid"]);
    }
    let status = stage.status();
    assert_eq!((status.started, status.answered), (2, 3), "one death, one failure: {status:?}");
    stage.close().await;
}

#[tokio::test]
async fn three_failures_in_a_row_are_followed_by_a_pause() {
    let stage = Stage::new();
    stage.script("dies.sh", "read -r _; echo why >&2; exit 1");
    let died = || WorkerFailure::Exited { code: 1 };
    let hook = hook("bash dies.sh", WorkerMode::Lines, LONG);
    for _ in 0..3 {
        let run = stage.run(&hook, &json!({})).await;
        let died = HookFailure::NoAnswer { why: died(), stderr: "why".to_owned() };
        assert_eq!(run.failure(), Some(&died));
    }
    let run = stage.run(&hook, &json!({})).await;
    let Some(WorkerFailure::Paused { left, failures: 3, last }) = worker_failure(&run) else {
        panic!("it is not started: {run:?}")
    };
    assert_eq!((**last == died(), *left <= Duration::from_secs(1)), (true, true), "{run:?}");
    assert_eq!(stage.status().started, 3, "nothing is started in a pause");
    let deadline = Instant::now() + LONG;
    let run = loop {
        let run = stage.run(&hook, &json!({})).await;
        let Some(WorkerFailure::Paused { left, .. }) = worker_failure(&run) else { break run };
        assert!(Instant::now() < deadline, "the pause does not end");
        tokio::time::sleep(*left).await;
    };
    assert_eq!(worker_failure(&run), Some(&died()), "{run:?}");
    assert_eq!((stage.status().started, stage.status().last_failure), (4, Some(died())));
    stage.close().await;
}

#[tokio::test]
async fn a_caller_that_gives_up_leaves_the_worker_usable_or_ends_it() {
    let stage = Stage::new();
    stage.script("side.py", SIDE_BY_SIDE);
    let hook = hook(format!("{} side.py", python()), WorkerMode::Lines, LONG);
    let (quick, slow) = (json!({ "n": 1 }), json!({ "n": 2, "seconds": 3600 }));
    said(&stage.run(&hook, &quick).await);

    let mut given_up = Box::pin(stage.run(&hook, &slow));
    assert!(poll_once(given_up.as_mut()).await.is_none());
    drop(given_up);
    assert_eq!(said(&stage.run(&hook, &quick).await)["n"], json!(1), "alone: another process answers");
    assert_eq!(stage.status().started, 2);

    let half = json!({ "n": 3, "seconds": 0.3 });
    let mut given_up = Box::pin(stage.run(&hook, &slow));
    let mut kept = Box::pin(stage.run(&hook, &half));
    assert!(poll_once(given_up.as_mut()).await.is_none());
    assert!(poll_once(kept.as_mut()).await.is_none());
    drop(given_up);
    assert_eq!(said(&kept.await)["n"], json!(3), "the other one is not harmed");

    let large = json!({ "n": 4, "seconds": 3600, "text": "x".repeat(5_000_000) });
    let mut given_up = Box::pin(stage.run(&hook, &large));
    assert!(poll_once(given_up.as_mut()).await.is_none());
    drop(given_up);
    assert_eq!(said(&stage.run(&hook, &quick).await)["n"], json!(1), "in the middle of a question");
    stage.close().await;
}

/// Answers, and writes to stderr without an end; `written` says how much came through.
const FLOODS: &str = r#"
import json, os, sys, threading

def flood():
    for count in range(1, 1_000_000):
        os.write(2, b"x" * 65536)
        with open("written.new", "w") as file:
            file.write(str(count))
        os.replace("written.new", "written")

for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block"}}), flush=True)
    if threading.active_count() == 1:
        threading.Thread(target=flood, daemon=True).start()
"#;

#[tokio::test]
async fn a_flood_of_errors_costs_nothing_between_events() {
    let stage = Stage::new();
    stage.script("floods.py", FLOODS);
    let hook = hook(format!("{} floods.py", python()), WorkerMode::Lines, LONG);
    let written = || {
        let text = std::fs::read_to_string(stage.dir().join("written")).unwrap_or_default();
        text.parse::<u64>().unwrap_or_default()
    };
    for _ in 0..3 {
        let run = stage.run(&hook, &json!({})).await;
        assert_eq!(verdict(&run), r#"{"decision":"block"}"#);
        let before = written();
        tokio::time::sleep(Duration::from_millis(500)).await;
        // What the pipe holds, and what was on its way.
        assert!(written() <= before + 4, "{} after {before}", written());
    }
    assert_eq!(stage.status().started, 1);
    stage.close().await;
}

#[tokio::test]
async fn a_host_without_time_left_ends_no_worker() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    let hook = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    said(&stage.run(&hook, &json!({})).await);
    let mut options = RunnerOptions::new(stage.environment());
    options.workers = Some(stage.runner.workers().clone());
    options.answer_by = Some(Instant::now());
    let payload = hookrail::components::Payload::new(&json!({})).expect("JSON");
    let late = HookRunner::new(options);
    let runs = late.execute_hooks_parallel(std::slice::from_ref(&hook), &payload, stage.dir()).await;
    let expected = HookFailure::NotStarted { why: StartFailure::NoTimeLeft };
    assert_eq!(runs[0].failure(), Some(&expected));
    assert_eq!(said(&stage.run(&hook, &json!({})).await)["count"], json!(2), "it was not asked, and goes on");
    stage.close().await;
}

#[tokio::test]
async fn idle_workers_end() {
    let stage = Stage::with_idle(Duration::from_millis(200));
    stage.script("counts.py", COUNTS);
    let hook = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    said(&stage.run(&hook, &json!({})).await);
    wait_until(LONG, "the idle worker ends", || stage.processes().is_empty());
    assert_eq!(said(&stage.run(&hook, &json!({})).await)["count"], json!(1), "the next event starts another");
    stage.close().await;
}

#[tokio::test]
async fn workers_end_with_the_last_session_that_has_them() {
    let stage = Stage::new();
    stage.script("counts.py", COUNTS);
    let hook = hook(format!("{} counts.py", python()), WorkerMode::Lines, LONG);
    let payload = hookrail::components::Payload::new(&json!({})).expect("JSON");
    let pool = WorkerPool::new(Duration::from_millis(100));
    let mut counts = Vec::new();
    for _ in 0..2 {
        // As after a reload: another runner, the same workers.
        let mut options = RunnerOptions::new(stage.environment());
        options.workers = Some(pool.clone());
        let runner = HookRunner::new(options);
        let runs = runner.execute_hooks_parallel(std::slice::from_ref(&hook), &payload, stage.dir()).await;
        counts.push(said(&runs[0])["count"].clone());
    }
    assert_eq!(counts, [json!(1), json!(2)]);
    assert_eq!(stage.processes().len(), 1);
    drop(pool);
    wait_until(LONG, "its worker ends", || stage.processes().is_empty());
    stage.close().await;
}

fn new_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_worker_belongs_to_one_runtime_and_the_next_one_starts_another() {
    for mode in [WorkerMode::Lines, WorkerMode::Fork] {
        let stage = Stage::new();
        stage.script("counts.py", BLOCKS);
        let hook = hook(format!("{} counts.py", python()), mode, LONG);
        for number in 0..3 {
            let runtime = new_runtime();
            for _ in 0..2 {
                let run = runtime.block_on(stage.run(&hook, &json!({})));
                assert_eq!(verdict(&run), r#"{"decision":"block"}"#, "{mode:?}");
            }
            assert_eq!(stage.runner.workers().status()[0].started, number + 1, "{mode:?}");
            // One is left alone without being driven, the others are dropped.
            if number == 1 {
                std::mem::forget(runtime);
            }
        }
        // Those of other runtimes end, although nothing drives these.
        wait_until(LONG, "one is left", || stage.processes().len() <= 1);
        new_runtime().block_on(stage.close());
    }
}

#[test]
fn a_runtime_that_is_dropped_during_a_question_leaves_nothing() {
    for threads in [0, 2] {
        let stage = std::sync::Arc::new(Stage::new());
        stage.script("once.py", HANGS_ONCE);
        let hook = hook(format!("{} once.py", python()), WorkerMode::Lines, LONG);
        let runtime = match threads {
            0 => new_runtime(),
            _ => tokio::runtime::Builder::new_multi_thread()
                .worker_threads(threads)
                .enable_all()
                .build()
                .expect("a runtime"),
        };
        let (asking, hook_of_task) = (std::sync::Arc::clone(&stage), std::sync::Arc::clone(&hook));
        runtime.spawn(async move { asking.run(&hook_of_task, &json!({})).await });
        runtime.block_on(until_it_hangs(&stage));
        drop(runtime);
        wait_until(LONG, "the worker ends", || stage.processes().is_empty());
        let next = new_runtime();
        assert_eq!(said(&next.block_on(stage.run(&hook, &json!({}))))["n"], json!(1), "{threads}");
        next.block_on(std::sync::Arc::into_inner(stage).expect("nobody else has it").close());
    }
}

#[test]
fn a_question_that_outlives_its_runtime_is_asked_again() {
    let stage = Stage::new();
    stage.script("once.py", HANGS_ONCE);
    let hook = hook(format!("{} once.py", python()), WorkerMode::Lines, LONG);
    let event = json!({});
    let mut asked = Box::pin(stage.run(&hook, &event));
    let first = new_runtime();
    first.block_on(async {
        while !stage.dir().join("asked").exists() {
            assert!(poll_once(asked.as_mut()).await.is_none());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    drop(first);
    let second = new_runtime();
    assert_eq!(said(&second.block_on(asked))["n"], json!(1));
    assert_eq!(stage.status().started, 2);
    second.block_on(stage.close());
}

async fn until_it_hangs(stage: &Stage) {
    let deadline = Instant::now() + LONG;
    while !stage.dir().join("asked").exists() {
        assert!(Instant::now() < deadline, "it is not asked");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn large_payloads_and_answers_pass() {
    let stage = Stage::new();
    let echo = "import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n    print(json.dumps({'id': q['id'], 'output': {'systemMessage': q['input']['text']}}), flush=True)\n";
    stage.script("echo.py", echo);
    let hook = hook(format!("{} echo.py", python()), WorkerMode::Lines, LONG);
    for length in [0, 1, 65_000, 66_000, 2_000_000] {
        let text = "é".repeat(length);
        let run = stage.run(&hook, &json!({ "text": text })).await;
        assert!(run.failure().is_none(), "{length}: {:?}", run.failure());
        assert!(run.output.and_then(|output| output.system_message).unwrap_or_default() == text, "{length}");
    }
    assert_eq!(stage.status().started, 1);
    stage.close().await;
}

#[tokio::test]
async fn a_line_that_would_have_been_an_output_is_not_lost_in_silence() {
    let stage = Stage::new();
    stage
        .script("plain.sh", "while read -r _; do echo '{\"decision\": \"block\", \"reason\": \"no\"}'; done");
    let run = stage.run(&hook("bash plain.sh", WorkerMode::Lines, LONG), &json!({})).await;
    assert_eq!(verdict(&run), "failure ", "O23");
    assert!(run.warnings.iter().any(|warning| warning.contains("is ignored")), "O23: {:?}", run.warnings);
    stage.close().await;
}
