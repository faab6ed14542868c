//! Where hostile hooks are let loose.
//!
//! A row's test starts its own binary again, once for each variant, with the variant's name in the
//! environment. That process fires one event and checks everything it can see from inside, its own memory
//! included; the test checks that it ended well and in time.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookrail::components::{Event, ProcessedHookResult};
use hookrail::{BlockCause, HookRun, HookSession, JsonObject, TrustPolicy};
use hookrail_testkit::{TestProject, process, process_is_alive, wait_until};
use serde_json::{Value, json};

const VARIANT: &str = "HOOKRAIL_HOSTILE_VARIANT";
const MIB: u64 = 1024 * 1024;
/// What a verdict may take beyond the hook's own time on a busy machine.
const SLACK: Duration = Duration::from_secs(30);
/// What is kept of each output stream of a hook with a small payload.
const KEPT_OUTPUT: usize = 16 * 1024 * 1024;
/// Enough for every hook that is expected to end by itself.
pub(crate) const AMPLE: u64 = 60_000;

/// One hostile hook and what must become of it.
pub(crate) struct Row {
    /// Its command; `{project}/hostile.sh`, see `script`, unless a row says otherwise.
    pub(crate) command: &'static str,
    /// The text of `hostile.sh` below its `#!/bin/bash`, if there is to be such a file.
    pub(crate) script: Option<&'static str>,
    /// What else is to be in the project.
    pub(crate) prepare: fn(&TestProject),
    /// In milliseconds.
    pub(crate) timeout: u64,
    /// How many bytes the tool's argument has.
    pub(crate) payload: usize,
    /// What the hook's answer counts as.
    pub(crate) verdict: Verdict,
    /// What may still run afterwards.
    pub(crate) left: Left,
    /// A closer look.
    pub(crate) check: fn(&TestProject, &HookRun),
}

/// What a hook's answer counts as.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It runs well and says nothing.
    Silent,
    /// It runs well and says something that contains this.
    Says(&'static str),
    /// It blocks with a reason that contains this.
    Blocks(&'static str),
    /// It gives no verdict, and the error contains this.
    Fails(&'static str),
}

/// What may still run afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nobody.
    Nobody,
    /// Background processes of a hook that ended by itself: so many, in its group.
    InGroup(usize),
    /// Processes that left the group: so many.
    Elsewhere(usize),
}

impl Row {
    /// A shell command that ends by itself.
    pub(crate) const fn new(command: &'static str, verdict: Verdict) -> Self {
        Self {
            command,
            script: None,
            prepare: |_| {},
            timeout: AMPLE,
            payload: 20,
            verdict,
            left: Left::Nobody,
            check: |_, _| {},
        }
    }

    /// A script of its own, in the project.
    pub(crate) const fn script(script: &'static str, verdict: Verdict) -> Self {
        Self { script: Some(script), ..Self::new("./hostile.sh", verdict) }
    }

    /// A shell command that runs out of its time of two seconds.
    pub(crate) const fn hangs(command: &'static str) -> Self {
        Self { timeout: 2000, ..Self::new(command, Verdict::Fails("timed out after 2000 ms")) }
    }
}

/// With which other hooks a row runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// Alone, without a shell where none is needed.
    Alone,
    /// With three neighbours, always with a shell.
    Neighbours,
    /// Alone, set to block on failure.
    Guard,
}

impl Variant {
    const ALL: [Self; 3] = [Self::Alone, Self::Neighbours, Self::Guard];

    fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Neighbours => "neighbours",
            Self::Guard => "guard",
        }
    }
}

/// Runs a row in all its variants, or, inside the process of a variant, that one.
pub(crate) fn run(module: &str, name: &str, row: &Row) {
    if let Ok(wanted) = std::env::var(VARIANT) {
        let variant = Variant::ALL.into_iter().find(|variant| variant.name() == wanted);
        return fire(row, variant.expect("a variant"));
    }
    let module = module.strip_prefix("hostile::").unwrap_or(module);
    let test = format!("{module}::{name}");
    let variants = Variant::ALL
        .into_iter()
        .filter(|variant| *variant != Variant::Guard || matches!(row.verdict, Verdict::Fails(_)));
    // Most of them wait most of the time: all at once.
    let started: Vec<_> = variants.map(|variant| (variant.name(), start_again(&test, variant))).collect();
    for (variant, child) in started {
        let output = child.wait_with_output().expect("the outputs of a variant");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{test}, {variant}: {}\n{stdout}\n{stderr}", output.status);
        assert!(stdout.contains("1 passed"), "{test}, {variant}: no test of this name ran\n{stdout}");
    }
}

fn start_again(test: &str, variant: Variant) -> Child {
    let own = std::env::current_exe().expect("the path of this binary");
    Command::new(own)
        .args([test, "--exact", "--nocapture"])
        .env(VARIANT, variant.name())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("this binary starts again")
}

/// Fires one event at a row's hook and checks what comes of it.
fn fire(row: &Row, variant: Variant) {
    let project = TestProject::named("a hostile project");
    if let Some(script) = row.script {
        project.script("hostile.sh", script);
    }
    (row.prepare)(&project);
    let mark = format!("{}-{}", std::process::id(), variant.name());
    let config = config(row, variant, &project, &mark);
    let input = JsonObject::from_iter([("content".to_owned(), Value::from("x".repeat(row.payload)))]);
    // One thread for the engine: whatever blocks it is noticed.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");

    let kept = runtime.block_on(async {
        let system = config.hook_system().expect("hooks are on");
        system.initialize();
        let handler = system.event_handler().expect("a started system");
        // What the first event ever opens, such as the source of process descriptors, is not a leak.
        let _ =
            handler.fire(&Event::BeforeTool { tool_name: "warm_up", tool_input: &JsonObject::new() }).await;
        let before = process::descriptors();

        let begin = Instant::now();
        let result = handler.fire(&Event::BeforeTool { tool_name: "write_file", tool_input: &input }).await;
        let elapsed = begin.elapsed();
        let limit = Duration::from_millis(row.timeout) + SLACK;
        assert!(elapsed < limit, "the verdict took {elapsed:?}");
        check_verdict(row, variant, &project, &result);
        // What is not a text grows when it is decoded; what is kept are the bytes.
        let limit = KEPT_OUTPUT.max(2 * row.payload);
        let streams = result.runs.iter().flat_map(|run| [&run.stdout, &run.stderr]);
        let kept: usize = streams.map(|stream| stream.len().min(limit)).sum();
        drop(result);

        let begin = Instant::now();
        system.drain().await;
        assert!(begin.elapsed() < SLACK, "the hook was there for {:?} after its verdict", begin.elapsed());
        assert_eq!(process::children(), [], "children or zombies are left");
        assert_eq!(process::descriptors(), before, "descriptors are left");
        kept
    });
    check_left(row, &mark);
    check_memory(row, kept);
}

fn config(row: &Row, variant: Variant, project: &TestProject, mark: &str) -> HookSession {
    let on_failure = if variant == Variant::Guard { "block" } else { "allow" };
    let mut hooks = vec![json!({
        "type": "command", "name": "hostile", "command": row.command, "timeout": row.timeout, "onFailure": on_failure,
    })];
    if variant == Variant::Neighbours {
        // One before and two behind the hostile one, which run and are merged in this order.
        hooks.insert(0, neighbour("first", r#"{"decision":"block","reason":"the neighbour says no"}"#));
        hooks.push(neighbour("second", r#"{"systemMessage":"the neighbour speaks"}"#));
        hooks.push(neighbour("third", r#"{"hookSpecificOutput":{"tool_input":{"checked":true}}}"#));
    }
    let meeting = project.home().join("meeting");
    std::fs::create_dir_all(&meeting).expect("a meeting place");
    let path = std::env::var_os("PATH").expect("a search path");
    let environment = [
        ("PATH", path),
        (process::MARK, mark.into()),
        ("MEETING", meeting.into()),
        ("NEIGHBOURS", if variant == Variant::Neighbours { "3" } else { "0" }.into()),
    ];
    HookSession::builder(project.dir(), TrustPolicy::AllowAll)
        .settings(json!({ "enableHooks": true, "hooks": { "BeforeTool": [
            { "matcher": "^warm_up$", "hooks": [{ "type": "command", "command": "true" }, { "type": "command", "command": ":" }] },
            { "matcher": "^write_file$", "hooks": hooks },
        ] } }))
        .environment(environment.into_iter().map(|(name, value)| (name.into(), value)).collect())
        .direct_execution(variant != Variant::Neighbours)
        .build()
}

/// A hook that reads all of its input and answers. It tells that it has started, for those hostile hooks
/// that would otherwise keep it from starting.
fn neighbour(name: &str, answer: &str) -> Value {
    let command = format!(r#": > "$MEETING/{name}"; cat > /dev/null; echo '{answer}'"#);
    json!({ "type": "command", "name": name, "command": command, "timeout": AMPLE })
}

fn check_verdict(row: &Row, variant: Variant, project: &TestProject, result: &ProcessedHookResult) {
    let run = result.runs.iter().find(|run| run.hook.name == "hostile");
    let run = run.unwrap_or_else(|| panic!("the hostile hook did not run: {:?}", result.aggregated.errors));
    let seen = format!(
        "{:?}, failure {:?}, warnings {:?}, stdout {:?}, stderr {:?}",
        run.exit(),
        run.failure(),
        run.warnings,
        start(&run.stdout),
        start(&run.stderr)
    );
    let block = result.block.as_ref();
    let output = run.output.as_ref();
    match row.verdict {
        Verdict::Silent => assert!(run.success() && output.is_none(), "{seen}"),
        Verdict::Says(text) => {
            let said = output.and_then(|output| output.system_message.as_deref()).unwrap_or_default();
            assert!(run.success() && said.contains(text), "{seen}");
        }
        Verdict::Blocks(text) => {
            assert!(run.failure().is_none(), "{seen}");
            let block = block.expect("a block");
            assert_eq!(block.cause, BlockCause::Policy, "{seen}");
            assert!(block.reason.contains(text), "{seen}, reason {:?}", start(&block.reason));
        }
        Verdict::Fails(text) => {
            assert!(run.failure().is_some_and(|failure| failure.to_string().contains(text)), "{seen}");
            assert!(!result.aggregated.success, "{seen}");
            let errors = &result.aggregated.errors;
            assert!(
                matches!(errors.as_slice(), [error] if error.hook.as_deref() == Some("hostile")
                    && error.to_string().contains(text)),
                "{errors:?}"
            );
        }
    }
    match (variant, &row.verdict) {
        (Variant::Alone, Verdict::Fails(_)) => assert!(block.is_none(), "fail-open: {block:?}"),
        (Variant::Alone, _) => {}
        (Variant::Guard, _) => {
            let block = block.expect("a guard that gives no verdict blocks");
            assert_eq!(block.cause, BlockCause::Failure);
            assert!(block.reason.contains("set to block on failure"), "{}", start(&block.reason));
        }
        (Variant::Neighbours, _) => check_neighbours(result),
    }
    (row.check)(project, run);
}

fn check_neighbours(result: &ProcessedHookResult) {
    let order: Vec<_> = result.runs.iter().map(|run| run.hook.name.as_str()).collect();
    assert_eq!(order, ["first", "hostile", "second", "third"], "plan order");
    for run in result.runs.iter().filter(|run| run.hook.name != "hostile") {
        assert!(run.success(), "neighbour `{}`: {:?} {:?}", run.hook.name, run.exit(), run.failure());
    }
    let block = result.block.as_ref().expect("the neighbour's block");
    assert!(block.reason.contains("the neighbour says no"), "{}", start(&block.reason));
    let said = result.system_message.as_deref().unwrap_or_default();
    assert!(said.contains("the neighbour speaks"), "{}", start(said));
    let output = result.aggregated.final_output.as_ref().expect("an output");
    assert_eq!(output.specific("tool_input"), Some(&json!({ "checked": true })));
}

/// Looks for everybody who carries the mark, wherever they went, and ends them.
fn check_left(row: &Row, mark: &str) {
    // Whoever was signalled may take a moment to be gone.
    let expected = match row.left {
        Left::Nobody => 0,
        Left::InGroup(count) | Left::Elsewhere(count) => count,
    };
    let limit = Instant::now() + SLACK;
    let mut left = process::marked(mark);
    while left.len() > expected && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
        left = process::marked(mark);
    }
    assert_eq!(left.len(), expected, "{:?} expected, {left:?} found", row.left);
    for stray in left {
        let target = stray.pid.to_string();
        let killed = Command::new("kill").args(["-KILL", &target]).status().expect("`kill` runs");
        assert!(killed.success(), "{stray:?} could not be ended");
        wait_until(SLACK, "the end of a stray", || !process_is_alive(stray.pid));
    }
}

fn check_memory(row: &Row, kept: usize) {
    let (payload, kept) = (row.payload as u64, kept as u64);
    let bound = 64 * MIB + 2 * payload + 6 * kept;
    let peak = process::peak_memory();
    assert!(
        peak < bound,
        "the peak of {} MiB is beyond 64 MiB + 2 × {payload} + 6 × {kept} = {} MiB",
        peak / MIB,
        bound / MIB
    );
}

/// The beginning of a text that may be a flood.
fn start(text: &str) -> String {
    text.chars().take(200).collect()
}
