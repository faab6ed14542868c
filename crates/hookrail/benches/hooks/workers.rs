//! W1 to W6: workers, to a raw pipe and to a process per event.
//!
//! The raw pipe is the same program, asked the same bytes by blocking writes and reads: no JSON, no deadline, nothing
//! prepared for the case that something goes wrong.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::args::Args;
use crate::engine::{Engine, large_payload, request_of, small_payload};
use crate::report::{Report, Target, time};
use crate::stats::{Budget, Duel, Ratio, Samples, duel, median};
use crate::sys::{find_program, on_one_core};

/// A hook as people write it: with the kit, which reads the event and answers in JSON.
const KIT: &str = include_str!("../../../../docs/clients/hookrail_hook.py");
const KIT_GUARD: &str = r#"from hookrail_hook import Block, hook
@hook
def guard(event):
    if event["tool_input"]["file_path"].endswith(".env"):
        raise Block("secrets stay where they are")
"#;
/// Answers every question, with the id from its beginning, and does not look at the event; an ordinary hook without
/// `HOOKRAIL_WORKER`.
const PYTHON: &str = r#"import os, sys
if os.environ.get("HOOKRAIL_WORKER"):
    for line in sys.stdin.buffer:
        id = line[7 : line.index(b'"', 7)]
        os.write(1, b'{"id":"' + id + b'","exitCode":0}\n')
else:
    sys.stdin.buffer.read()
"#;
const NODE: &str = r#"const readline = require('readline');
if (process.env.HOOKRAIL_WORKER) {
  readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
    process.stdout.write('{"id":"' + line.slice(7, line.indexOf('"', 7)) + '","exitCode":0}\n');
  });
} else {
  process.stdin.resume();
}
"#;
/// A typical hook, as it is.
const GUARD: &str = r"import json, sys, re, os, pathlib
event = json.load(sys.stdin)
path = pathlib.Path(event['tool_input']['file_path'])
if re.search(r'\.env$', path.name) and os.path.basename(path):
    print(json.dumps({'decision': 'block', 'reason': 'secrets'}))
";

/// What a worker's event may cost, in raw round trips.
const ROUND_TRIP: f64 = 2.0;
/// How much cheaper than a process per event it has to be.
const PYTHON_FLOOR: f64 = 100.0;
const NODE_FLOOR: f64 = 500.0;
const FORK_FLOOR: f64 = 4.0;
/// How often a worker is asked for each of these processes.
const EVENTS_PER_PROCESS: usize = 10;
/// How well eight workers share the cores, and how close 10 MB come to the raw pipe.
const PARALLEL: f64 = 1.2;
const LARGE: f64 = 1.6;

struct Scripts {
    kit: String,
    python: String,
    node: String,
    guard: String,
    _folder: TempDir,
}

impl Scripts {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("makes a temporary folder");
        let write = |program: &str, name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writes a script");
            format!("{program} {}", path.to_str().expect("temporary folders have plain names"))
        };
        // Behind a version manager, most of the time would be its own.
        let python = real_program("python3", &["-c", "import sys; print(sys.executable)"]);
        let node = real_program("node", &["-p", "process.execPath"]);
        write(&python, "hookrail_hook.py", KIT);
        Self {
            kit: write(&python, "kit_guard.py", KIT_GUARD),
            python: write(&python, "worker.py", PYTHON),
            node: write(&node, "worker.cjs", NODE),
            guard: write(&python, "guard.py", GUARD),
            _folder: folder,
        }
    }
}

fn real_program(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(name).args(arguments).output();
    output
        .map_or_else(|_| name.to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn engine(event: &str, commands: &[String], worker: &Value) -> Engine {
    let hook = |command: &String| json!({"type": "command", "command": command, "worker": worker});
    let hooks: Vec<Value> = commands.iter().map(hook).collect();
    Engine::with_settings(&json!({"enableHooks": true, "hooks": {event: [{"hooks": hooks}]}}).to_string())
}

/// The same program, asked without us.
struct RawPipe {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    question: Vec<u8>,
    answer: Vec<u8>,
}

impl RawPipe {
    fn new(command: &str, payload: &[u8]) -> Self {
        let mut words = command.split(' ');
        let mut program = Command::new(words.next().unwrap_or_default());
        program.args(words).env("HOOKRAIL_WORKER", "1").current_dir(Path::new("/"));
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("is piped"));
        let question = [b"{\"id\":\"00000000x1\",\"input\":", payload, b",\"timeoutMs\":60000}\n"].concat();
        Self { child, stdin, stdout: BufReader::new(stdout), question, answer: Vec::new() }
    }

    /// Skips the line in which a worker announces itself, which it does when it is first asked.
    fn announced(mut self) -> Self {
        self.ask();
        self.stdout.read_until(b'\n', &mut self.answer).expect("the worker answers");
        self
    }

    fn ask(&mut self) {
        let stdin = self.stdin.as_mut().expect("is open");
        stdin.write_all(&self.question).expect("the worker reads");
        self.answer.clear();
        self.stdout.read_until(b'\n', &mut self.answer).expect("the worker answers");
        assert!(self.answer.ends_with(b"\n"), "an answer");
    }
}

impl Drop for RawPipe {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}

/// Events are short here: many of them are taken together.
fn many(budget: Budget) -> Budget {
    Budget { most: budget.most.saturating_mul(20), least: budget.least.saturating_mul(20), ..budget }
}

fn add(report: &mut Report, bench: &str, duel: &Duel, ratio: Ratio, target: Target) {
    let (base, ours) = (median(&duel.base.wall), median(&duel.ours.wall));
    report.add(bench, ratio, target, format!("{} to {}", time(ours), time(base)));
}

/// An event of a worker, to the raw pipe: a hook of the kit, and a program that does not look at the event. Both wherever
/// the kernel puts the two processes, and with both on one core, where no processor has to be woken.
pub(crate) fn round_trip(args: &Args, report: &mut Report) {
    let scripts = Scripts::new();
    let kit = |bench: &str, target, report: &mut Report| {
        let raw = RawPipe::new(&scripts.kit, &small_payload()).announced();
        one_round_trip(args, report, bench, &scripts.kit, raw, target);
    };
    let bare = |bench: &str, report: &mut Report| {
        let raw = RawPipe::new(&scripts.python, &small_payload());
        one_round_trip(args, report, bench, &scripts.python, raw, Target::None);
    };
    kit("W1 worker to raw pipe", Target::AtMost(ROUND_TRIP), report);
    on_one_core(|| kit("W1 worker to raw pipe, on one core", Target::AtMost(ROUND_TRIP), report));
    bare("W1 a program that does not read its event", report);
    on_one_core(|| bare("W1 a program that does not read its event, on one core", report));
}

fn one_round_trip(
    args: &Args,
    report: &mut Report,
    bench: &str,
    command: &str,
    mut raw: RawPipe,
    target: Target,
) {
    let engine = engine("BeforeTool", &[command.to_owned()], &json!(true));
    let duel = duel(many(args.budget()), || raw.ask(), || engine.before_tool());
    add(report, bench, &duel, duel.wall(), target);
}

/// A Python worker, to a process per event.
pub(crate) fn python(args: &Args, report: &mut Report) {
    per_event(args, report, "W2 Python worker", &Scripts::new().python, &json!(true), PYTHON_FLOOR);
}

/// A Node worker, to a process per event.
pub(crate) fn node(args: &Args, report: &mut Report) {
    if find_program("node").is_some() {
        per_event(args, report, "W3 Node worker", &Scripts::new().node, &json!(true), NODE_FLOOR);
    } else {
        report.skip("W3 Node worker", "there is no node");
    }
}

/// A Python script in forks, to a process per event.
pub(crate) fn forks(args: &Args, report: &mut Report) {
    per_event(args, report, "W4 Python in forks", &Scripts::new().guard, &json!("fork"), FORK_FLOOR);
}

fn per_event(args: &Args, report: &mut Report, bench: &str, command: &str, worker: &Value, floor: f64) {
    let commands = [command.to_owned()];
    let once = engine("BeforeTool", &commands, &json!(false));
    let kept = engine("BeforeTool", &commands, worker);
    // The process per event is the slower one, and so what is judged is how many times. Each of these processes leaves
    // the caches to nobody, which a worker would not meet in a session: it is asked several times in between.
    let mut events = Samples::default();
    let duel = duel(
        args.budget(),
        || {
            for _ in 0..EVENTS_PER_PROCESS {
                events.take(&mut || kept.before_tool());
            }
        },
        || once.before_tool(),
    );
    let duel = Duel { base: events, ..duel };
    add(report, bench, &duel, duel.wall(), Target::AtLeast(floor));
}

/// Eight workers asked about one event, to one worker × 8 / cores.
pub(crate) fn eight(args: &Args, report: &mut Report) {
    let scripts = Scripts::new();
    let commands: Vec<String> = (0..8).map(|number| format!("{} {number}", scripts.python)).collect();
    let one = engine("BeforeTool", &commands[..1], &json!(true));
    let all = engine("BeforeTool", &commands, &json!(true));
    let duel = duel(many(args.budget()), || one.before_tool(), || all.before_tool());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    #[allow(clippy::cast_precision_loss, reason = "there are few cores")]
    let fair = 8.0 / cores as f64;
    let Ratio { middle, low, high } = duel.wall();
    let ratio = Ratio { middle: middle / fair, low: low / fair, high: high / fair };
    add(report, "W5 eight workers to one × 8 / cores", &duel, ratio, Target::AtMost(PARALLEL));
}

/// A request of 10 MB, to the raw pipe.
pub(crate) fn large(args: &Args, report: &mut Report) {
    let scripts = Scripts::new();
    let request = request_of(10 << 20);
    let mut raw = RawPipe::new(&scripts.python, &large_payload(&request));
    let engine = engine("BeforeModel", std::slice::from_ref(&scripts.python), &json!(true));
    let duel = duel(args.budget(), || raw.ask(), || engine.before_model(&request));
    add(report, "W6 10 MB to raw pipe", &duel, duel.wall(), Target::AtMost(LARGE));
    // The raw pipe gets bytes that are ready; here they are made by `serde_json` first, as somebody has to.
    let write = || drop(black_box(large_payload(&request)));
    let duel = self::duel(
        args.budget(),
        || {
            write();
            raw.ask();
        },
        || engine.before_model(&request),
    );
    add(report, "W6 10 MB to JSON and raw pipe", &duel, duel.wall(), Target::None);
}

/// One event with a request of about this size: with the raw pipe, a worker, in a fork and with a process per event.
pub(crate) fn medians(budget: Budget, bytes: usize) -> [f64; 4] {
    let scripts = Scripts::new();
    let request = request_of(bytes);
    let mut raw = RawPipe::new(&scripts.python, &large_payload(&request));
    let engine = |worker| engine("BeforeModel", std::slice::from_ref(&scripts.python), &worker);
    let (kept, forked, once) = (engine(json!(true)), engine(json!("fork")), engine(json!(false)));
    let to_raw = duel(many(budget), || raw.ask(), || kept.before_model(&request));
    let to_process = duel(budget, || forked.before_model(&request), || once.before_model(&request));
    [&to_raw.base, &to_raw.ours, &to_process.base, &to_process.ours].map(|samples| median(&samples.wall))
}

/// A contender without a report, for a profiler to look at: `worker`, `raw`, or both in turns.
pub(crate) fn repeat(who: &str, count: usize, bytes: usize) {
    let scripts = Scripts::new();
    let request = request_of(bytes);
    let large = bytes > 0;
    let payload = if large { large_payload(&request) } else { small_payload() };
    let mut raw = RawPipe::new(&scripts.python, &payload);
    let event = if large { "BeforeModel" } else { "BeforeTool" };
    let engine = engine(event, std::slice::from_ref(&scripts.python), &json!(true));
    for _ in 0..count {
        if who != "worker" {
            raw.ask();
        }
        match who {
            "raw" => {}
            _ if large => engine.before_model(&request),
            _ => engine.before_tool(),
        }
    }
}
