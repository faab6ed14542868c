//! A leak soak: thousands of events with good, failing, timing-out, lingering and cancelled hooks, after which
//! everything that could leak is as it was after the first hundred.
//!
//! The short form, 2,000 events, is part of the test suite. The long form:
//! `HOOKRAIL_SOAK_EVENTS=20000 cargo test --release -p hookrail --test soak -- --nocapture`
#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "helpers of tests fail them by panicking and tell how far they are"
)]

use std::time::{Duration, Instant};

use hookrail::effects::{ModelGate, ToolGate};
use hookrail::genai::GenerateContentParameters;
use hookrail::{HookSession, JsonObject, TrustPolicy};
use hookrail_testkit::{TestProject, process};
use serde_json::{Value, json};

/// How many events the short form fires.
const SHORT: usize = 2_000;
/// After how many events the first sample is taken: everything that is made once exists by then.
const WARM_UP: usize = 100;
/// How many samples are taken after that.
const SAMPLES: usize = 10;
/// Descriptors and children must be exactly as many as in the first sample. Threads that the runtime keeps for
/// blocking work come and go; this many more are none of ours.
const THREADS_TOLERANCE: u64 = 2;
/// The allocator keeps what it got and gives it out again; this much more is not a leak. Two kilobytes leaked by
/// each event would be found out by the short form, two hundred bytes by the long one.
const MEMORY_TOLERANCE: u64 = 4 * 1024 * 1024;
/// Within this the short form must be done, on any machine.
const LIMIT: Duration = Duration::from_mins(10);

/// What could leak.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sample {
    descriptors: usize,
    threads: u64,
    children: usize,
    memory: u64,
}

impl Sample {
    fn take() -> Self {
        assert_eq!(process::zombies(), [], "zombies");
        Self {
            descriptors: process::descriptors().len(),
            threads: process::threads(),
            children: process::children().len(),
            memory: process::resident_memory(),
        }
    }

    fn assert_close_to(&self, first: &Self, events: usize) {
        let context = format!("after {events} events: {self:?}, at first {first:?}");
        assert_eq!(self.descriptors, first.descriptors, "descriptors {context}");
        assert_eq!(self.children, first.children, "children {context}");
        assert!(self.threads <= first.threads + THREADS_TOLERANCE, "threads {context}");
        assert!(self.memory <= first.memory + MEMORY_TOLERANCE, "memory {context}");
    }
}

/// One tool per kind of hook; the tool's name chooses the hooks.
fn settings() -> Value {
    let group = |matcher: &str, hooks: Value| json!({ "matcher": format!("^{matcher}$"), "hooks": hooks });
    let hook =
        |command: &str, timeout: u64| json!({ "type": "command", "command": command, "timeout": timeout });
    let mut chain = group(
        "chained",
        json!([
            hook(r#"echo '{"hookSpecificOutput":{"tool_input":{"n":1}}}'"#, 60_000),
            hook("exec cat", 60_000)
        ]),
    );
    chain.as_object_mut().expect("a group").insert("sequential".to_owned(), json!(true));
    json!({ "enableHooks": true, "hooks": {
        "BeforeTool": [
            group("good", json!([hook("/bin/true", 60_000)])),
            group("speaks", json!([hook(r#"echo '{"decision":"block","reason":"no"}'"#, 60_000)])),
            group("fails", json!([hook("echo bad >&2; exit 1", 60_000)])),
            group("missing", json!([hook("./no-such-hook", 60_000)])),
            group("parallel", json!([hook("/bin/true", 60_000), hook("exit 2", 60_000), hook("exit 3", 60_000)])),
            group("floods", json!([hook("head -c 100000 /dev/zero", 60_000)])),
            group("deaf", json!([hook("exec <&-; exit 0", 60_000)])),
            chain,
            group("slow", json!([hook("exec sleep 60", 5)])),
            group("slow_with_children", json!([hook("sleep 60 & sleep 60", 30)])),
            group("cancelled", json!([hook("exec sleep 60", 60_000), hook("exec sleep 61", 60_000)])),
            group("background", json!([hook("sleep 0.05 > /dev/null & exit 0", 60_000)])),
        ],
        "BeforeModel": [{ "hooks": [hook("/bin/true", 60_000)] }],
    } })
}

/// What is fired, over and over. Cheap ones are frequent.
const MIX: [&str; 20] = [
    "good",
    "speaks",
    "fails",
    "model",
    "good",
    "parallel",
    "nobody",
    "good",
    "slow",
    "cancelled",
    "chained",
    "fails",
    "floods",
    "large",
    "missing",
    "deaf",
    "good",
    "slow_with_children",
    "cancelled_early",
    "background",
];

#[test]
fn thousands_of_events_leave_nothing_behind() {
    let events =
        std::env::var("HOOKRAIL_SOAK_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(SHORT);
    let begin = Instant::now();
    let project = TestProject::new();
    let config = HookSession::builder(project.dir(), TrustPolicy::AllowAll).settings(settings()).build();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        // Threads for blocking work would otherwise come and go during the samples.
        .thread_keep_alive(Duration::from_hours(24))
        .max_blocking_threads(4)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut first = None;
        let pace = (events / SAMPLES).max(WARM_UP);
        for (fired, kind) in MIX.iter().cycle().take(events).enumerate() {
            if fired == WARM_UP || (fired > WARM_UP && fired % pace == 0) {
                sample(&config, &mut first, fired, begin).await;
            }
            fire(&config, kind).await;
        }
        sample(&config, &mut first, events, begin).await;
    });
    if events <= SHORT {
        assert!(begin.elapsed() < LIMIT, "it took {:?}", begin.elapsed());
    }
}

async fn sample(config: &HookSession, first: &mut Option<Sample>, fired: usize, begin: Instant) {
    config.hook_system().expect("hooks are on").drain().await;
    let sample = Sample::take();
    eprintln!("{fired} events, {:.1} s: {sample:?}", begin.elapsed().as_secs_f64());
    match first {
        None => *first = Some(sample),
        Some(first) => sample.assert_close_to(first, fired),
    }
}

async fn fire(config: &HookSession, kind: &str) {
    let small = JsonObject::from_iter([("path".to_owned(), json!("a.txt"))]);
    match kind {
        "model" => {
            let request = GenerateContentParameters::default();
            assert!(matches!(config.fire_before_model(&request).await.gate, ModelGate::Send { .. }));
        }
        "large" => {
            let content = json!("x".repeat(300_000));
            let input = JsonObject::from_iter([("content".to_owned(), content)]);
            assert!(config.fire_before_tool("good", &input).await.notes.output.is_none());
        }
        // Given up while it runs, and given up while it is being started.
        "cancelled" | "cancelled_early" => {
            let patience = Duration::from_millis(if kind == "cancelled" { 10 } else { 0 });
            let event = config.fire_before_tool("cancelled", &small);
            assert!(tokio::time::timeout(patience, event).await.is_err(), "it sleeps for a minute");
        }
        tool => {
            let gate = config.fire_before_tool(tool, &small).await.gate;
            let blocked = matches!(gate, ToolGate::Block { .. });
            assert_eq!(blocked, matches!(tool, "speaks" | "parallel"), "{tool}");
        }
    }
}
