//! P11 to P13: calls of `hookrail bridge`, to an empty program that reads the same stdin.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::args::Args;
use crate::floor::{CommandOutput, Floor};
use crate::program::{Program, copied};
use crate::report::{Report, Target, time};
use crate::stats::{Budget, Duel, duel, median};
use crate::sys::find_program;

const BENCH: &str = "P11 bridge";
/// A harmless line of eighty bytes.
const HARMLESS: &str = "cd crates/cli && cargo test --locked --test it rules 2>&1 | tail -20; git status";
/// A line that a shipped rule blocks.
const BLOCKED: &str = "git push --force origin main";
/// A hook that reads its events and blocks them.
const WORKER: &str = r#"import json, sys
for line in sys.stdin:
    event = json.loads(line)
    print(json.dumps({"id": event["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
"#;

/// Compares calls of another agent with the start of a program.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("bridge") {
        Ok(program) => program,
        Err(why) => return report.skip(BENCH, &why),
    };
    let empty = match EmptyProgram::build() {
        Ok(empty) => empty,
        Err(why) => return report.skip(BENCH, &why),
    };
    let group = json!({ "matcher": "write_file", "hooks": [{ "type": "command", "command": "exit 2" }] });
    let other_tool = json!({ "enableHooks": true, "hooks": { "BeforeTool": [group] } });
    let strict = json!({ "enableHooks": true, "hooksConfig": { "rules": ["@strict"] } });
    for (bench, settings, line, target) in [
        ("P11 bridge, no matching hook, wall", &other_tool, HARMLESS, 1.0),
        ("P11a bridge, all shipped rules, harmless line, wall", &strict, HARMLESS, 1.5),
        ("P11c bridge, all shipped rules, blocked line, wall", &strict, BLOCKED, 1.8),
    ] {
        let call = BridgeCall::new(&program, &settings.to_string(), line);
        call.check(line == BLOCKED);
        let duel = duel(args.budget(), || empty.run(&call.payload), || call.run());
        report.add(bench, duel.wall(), Target::AtMost(target), detail(&duel, "empty program"));
    }
    let rules = |count: usize| BridgeCall::new(&program, &own_rules(count), HARMLESS);
    let [one, hundred, thousand] = [1, 100, 1_000].map(rules);
    for call in [&one, &hundred, &thousand] {
        call.check(false);
    }
    let to_one = duel(args.budget(), || one.run(), || hundred.run());
    let bench = "P11b bridge, 100 rules of one's own, to one rule, wall";
    report.add(bench, to_one.wall(), Target::AtMost(1.3), detail(&to_one, "one rule"));
    let to_parsing = duel(
        args.budget(),
        || {
            empty.run(&thousand.payload);
            parse(&std::fs::read_to_string(thousand.settings()).expect("reads settings"));
        },
        || thousand.run(),
    );
    let bench = "P11b bridge, 1,000 rules of one's own, to reading and parsing them, wall";
    report.add(bench, to_parsing.wall(), Target::AtMost(1.2), detail(&to_parsing, "parsing"));
}

/// A decision that a service makes, over a NATS server on this machine, to the same decision by a rule here.
pub(crate) fn remote(args: &Args, report: &mut Report) {
    const BENCH: &str = "P13 bridge, remote decision over loopback, over a rule, µs";
    let program = match Program::build("bridge") {
        Ok(program) => program,
        Err(why) => return report.skip(BENCH, &why),
    };
    let nats = ["nats-server", "/usr/sbin/nats-server"].into_iter().find_map(|server| {
        Command::new(server).args(["-a", "127.0.0.1", "-p", "42229"]).stderr(Stdio::null()).spawn().ok()
    });
    let Some(nats) = nats.map(Running) else { return report.skip(BENCH, "nats-server is not installed") };
    let url = "nats://127.0.0.1:42229";
    let rule = json!({ "type": "rule", "when": { "command": "git push --force" }, "block": "no" });
    let settings =
        |hook: &Value| json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
    let here = BridgeCall::new(&program, &settings(&rule).to_string(), BLOCKED);
    let far = json!({ "type": "remote", "url": url, "timeout": 10_000 });
    let far = BridgeCall::new(&program, &settings(&far).to_string(), BLOCKED);
    let mut service = Command::new(program.path());
    service.args(["serve", "--nats", url, "--home"]).arg(here.home.path());
    let service = service.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut service = Running(service.expect("the service starts"));
    let said = BufReader::new(service.0.stderr.take().expect("a pipe")).lines();
    let connected = said.map_while(Result::ok).any(|line| line.contains("connected to"));
    assert!(connected, "the service has a connection");
    // Asked until it listens.
    let is_failure = |said: &CommandOutput| String::from_utf8_lossy(&said.stdout).contains("no verdict");
    while far.bridge.run(&far.payload).iter().any(is_failure) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    here.check(true);
    far.check(true);
    let duel = duel(args.budget(), || here.run(), || far.run());
    report.add(BENCH, duel.over(), Target::AtMost(1_500.0), detail(&duel, "a rule"));
    drop((service, nats));
}

/// Ended with the benchmark.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Compares a Python worker that the keeper holds with one that is started for each event, and with an empty program.
pub(crate) fn keeper(args: &Args, report: &mut Report) {
    const BENCH: &str = "P12 a Python worker hook";
    let kept = match PythonHook::build() {
        Ok(kept) => kept,
        Err(why) => return report.skip(BENCH, &why),
    };
    let alone = duel(args.budget(), || kept.alone.run(), || kept.kept.run());
    let bench = "P12 a Python worker hook without the keeper, to one with it, wall";
    report.add(bench, alone.wall().inverse(), Target::AtLeast(12.0), detail(&alone, "without"));
    let to_empty = duel(args.budget(), || kept.empty.run(&kept.kept.payload), || kept.kept.run());
    let bench = "P12 a Python worker hook with the keeper, to an empty program, wall";
    report.add(bench, to_empty.wall(), Target::AtMost(2.5), detail(&to_empty, "empty program"));
}

/// A Python hook in a call: with the keeper, and where there cannot be one.
pub(crate) struct PythonHook {
    _script: TempDir,
    kept: BridgeCall,
    alone: BridgeCall,
    empty: EmptyProgram,
}

impl PythonHook {
    pub(crate) fn build() -> Result<Self, String> {
        let (program, empty) = (Program::build("keeper")?, EmptyProgram::build()?);
        let python = find_program("python3").ok_or("Python is not installed")?;
        let script = tempfile::tempdir().expect("makes a temporary folder");
        let path = script.path().join("worker.py");
        std::fs::write(&path, WORKER).expect("writes a script");
        let command = format!("{python} {}", path.display());
        let hook = json!({ "type": "command", "command": command, "worker": true, "onFailure": "block" });
        let settings =
            json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }).to_string();
        let [kept, alone] = [(); 2].map(|()| BridgeCall::new(&program, &settings, HARMLESS));
        std::fs::write(alone.home.path().join(".hookrail/run"), "not a folder").expect("writes a file");
        kept.check(true);
        alone.check(true);
        Ok(Self { _script: script, kept, alone, empty })
    }

    /// How long each takes with a payload of so many bytes: alone, kept, and an empty program.
    pub(crate) fn medians(&mut self, budget: Budget, bytes: usize) -> [f64; 3] {
        for call in [&mut self.kept, &mut self.alone] {
            call.payload = payload(HARMLESS, &"x".repeat(bytes));
        }
        let alone = duel(budget, || self.alone.run(), || self.kept.run());
        let empty = duel(budget, || self.empty.run(&self.kept.payload), || self.kept.run());
        [&alone.base, &empty.ours, &empty.base].map(|samples| median(&samples.wall))
    }
}

fn detail(duel: &Duel, base: &str) -> String {
    format!("{}, {base} {}", time(median(&duel.ours.wall)), time(median(&duel.base.wall)))
}

/// Parses settings as the program does, and does nothing with them.
pub(crate) fn parse(text: &str) {
    let options = jsonc_parser::CollectOptions::default();
    let parsed = jsonc_parser::parse_to_ast(text, &options, &jsonc_parser::ParseOptions::default());
    assert!(black_box(parsed.expect("is JSON")).value.is_some(), "settings are an object");
}

/// Settings with rules on programs that no line of the benchmark has.
pub(crate) fn own_rules(count: usize) -> String {
    let rule = |number: usize| {
        json!({ "type": "rule", "name": format!("own-{number}"),
            "when": { "command": [format!("tool{number} delete --force"), format!("tool{number} drop ... prod*")] },
            "block": format!("Tool {number} deletes what others need."),
            "examples": { "match": [format!("tool{number} delete --force x")], "noMatch": [format!("tool{number} list")] } })
    };
    let rules: Vec<Value> = (0..count).map(rule).collect();
    let group = json!({ "matcher": "run_shell_command", "hooks": rules });
    json!({ "enableHooks": true, "hooks": { "BeforeTool": [group] } }).to_string()
}

/// How long a call takes with so many rules of one's own, and how long an empty program; for a plot.
pub(crate) fn over_rules(budget: Budget, counts: &[usize]) -> Result<Vec<Duel>, String> {
    let (program, empty) = (Program::build("bridge")?, EmptyProgram::build()?);
    let calls = counts.iter().map(|count| BridgeCall::new(&program, &own_rules(*count), HARMLESS));
    Ok(calls.map(|call| duel(budget, || empty.run(&call.payload), || call.run())).collect())
}

/// A call by an agent whose user has settings.
struct BridgeCall {
    program: String,
    home: TempDir,
    bridge: Floor,
    payload: Vec<u8>,
}

impl BridgeCall {
    fn new(program: &Program, settings: &str, line: &str) -> Self {
        let home = tempfile::tempdir().expect("makes a temporary folder");
        let folder = home.path().to_str().expect("temporary folders have plain names").to_owned();
        std::fs::create_dir_all(home.path().join(".hookrail")).expect("makes a folder");
        std::fs::write(home.path().join(".hookrail/settings.json"), settings).expect("writes settings");
        let none = format!("{folder}/none.json");
        let words = [program.path(), "bridge", "--home", &folder, "--system", &none, "claude", "PreToolUse"];
        let (program, bridge) = (program.path().to_owned(), Floor::program(&words, &[]));
        Self { program, home, bridge, payload: payload(line, "works on it") }
    }

    fn settings(&self) -> PathBuf {
        self.home.path().join(".hookrail/settings.json")
    }

    /// Whether it answers as expected. The first event of a session is remembered; the others are what there are many of.
    fn check(&self, is_blocked: bool) {
        for said in self.bridge.run(&self.payload).into_iter().chain(self.bridge.run(&self.payload)) {
            let words = String::from_utf8_lossy(&said.stdout).into_owned();
            assert_eq!(words.contains("\"deny\""), is_blocked, "{words}");
            assert_eq!(words.is_empty(), !is_blocked, "{words}");
        }
    }

    fn run(&self) {
        drop(self.bridge.run(&self.payload));
    }
}

/// A keeper must not outlive what is measured.
impl Drop for BridgeCall {
    fn drop(&mut self) {
        let mut stop = Command::new(&self.program);
        let _ = stop.args(["keeper", "stop", "--home"]).arg(self.home.path()).output();
    }
}

fn payload(line: &str, description: &str) -> Vec<u8> {
    let payload = json!({
        "session_id": "bench", "transcript_path": "", "cwd": "/", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": { "command": line, "description": description },
    });
    payload.to_string().into_bytes()
}

/// A program that reads its stdin and nothing else.
struct EmptyProgram {
    _folder: TempDir,
    floor: Floor,
}

impl EmptyProgram {
    fn build() -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("makes a temporary folder");
        let path = folder.path().join("linked/empty");
        std::fs::create_dir(folder.path().join("linked")).expect("makes a folder");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/hooks/empty_program.rs");
        let built =
            Command::new(rustc).args(["--edition=2024", "-Copt-level=3", source, "-o"]).arg(&path).status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("the empty program does not build".to_owned());
        }
        let path = copied(&path, folder.path())?;
        let floor = Floor::program(&[path.to_str().expect("a plain path")], &[]);
        Ok(Self { _folder: folder, floor })
    }

    fn run(&self, payload: &[u8]) {
        drop(self.floor.run(payload));
    }
}
