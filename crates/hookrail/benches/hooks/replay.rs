//! `hookrail test` to cold `fire`s, and `hookrail replay`: calls a second on one core, memory over many calls.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::args::Args;
use crate::floor::Floor;
use crate::program::{Program, project, variables};
use crate::report::{Report, Target, time};
use crate::stats::{Budget, Ratio, duel, median};
use crate::sys::cpu_time;

const TEST: &str = "TEST 1,000 tests of rules, to 1,000 cold fires, wall";
const SPEED: &str = "REPLAY calls a second on one core, 50 rules";
const SHIPPED_SPEED: &str = "REPLAY calls a second on one core, all shipped rules";
const TESTS: usize = 1_000;

/// Shell lines of eighty bytes, as agents write them.
const LINES: [&str; 4] = [
    "cd crates/cli && cargo test --locked --test it rules 2>&1 | tail -20; git status",
    "git add -A && git commit -m 'fix: what was broken before' && git push origin dev",
    "find . -name '*.rs' -not -path './target/*' | xargs wc -l | sort -n | tail -n 30",
    "for f in src/a.rs src/b.rs; do sed -n 1,40p \"$f\" | grep -c unwrap || true; done;",
];

/// Fifty rules on commands, paths and arguments.
fn rules() -> Vec<Value> {
    const COMMANDS: [&str; 10] = [
        "git push --force",
        "rm -r -f",
        "npm publish",
        "docker system prune",
        "kubectl delete",
        "terraform destroy",
        "git reset --hard",
        "chmod 777",
        "cargo publish",
        "git clean -f",
    ];
    let when = |number: usize| match number % 5 {
        0 | 1 => json!({ "command": COMMANDS[number % COMMANDS.len()] }),
        2 => json!({ "writes": [format!("secrets{number}/**"), format!("**/.env{number}")] }),
        3 => json!({ "reads": format!("**/id_rsa{number}") }),
        _ => json!({ "input.file_path": { "regex": format!("\\.pem{number}$") } }),
    };
    (0..50).map(|number| json!({ "type": "rule", "name": format!("r{number}"), "when": when(number), "block": "no" })).collect()
}

fn guarded() -> TempDir {
    project(&json!({ "hooks": rules() }).to_string())
}

/// Compares one run of a thousand tests with as many cold `fire`s.
pub(crate) fn test(args: &Args, report: &mut Report) {
    let program = match Program::build("test") {
        Ok(program) => program,
        Err(why) => return report.skip(TEST, &why),
    };
    let project = guarded();
    let tests: Vec<Value> = (0..TESTS)
        .map(|number| {
            json!({ "name": format!("test {number}"), "event": "BeforeTool", "tool": "run_shell_command",
                "input": { "command": LINES[number % LINES.len()] }, "expect": { "decision": "allow" } })
        })
        .collect();
    let test_file = project.path().join("tests.json");
    fs::write(&test_file, Value::Array(tests).to_string()).expect("writes tests");
    let directory = project.path().to_str().expect("temporary folders have plain names");
    let input = json!({ "command": LINES[0] }).to_string();
    let variables = variables(project.path());
    let fire = Floor::program(
        &[
            program.path(),
            "-C",
            directory,
            "fire",
            "BeforeTool",
            "--tool",
            "run_shell_command",
            "--input",
            &input,
        ],
        &variables,
    );
    let all = Floor::program(
        &[program.path(), "-C", directory, "test", test_file.to_str().expect("a plain path")],
        &variables,
    );
    for said in fire.run(b"").into_iter().chain(all.run(b"")) {
        assert_eq!(said.code, 0, "the program works: {}", String::from_utf8_lossy(&said.stderr));
    }
    let budget = Budget { most: 40, least: 5, ..args.budget() };
    let duel = duel(budget, || drop(fire.run(b"")), || drop(all.run(b"")));
    let (ours, base) = (median(&duel.ours.wall), median(&duel.base.wall));
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let ratio = duel.wall().scaled(1.0 / TESTS as f64);
    report.add(TEST, ratio, Target::AtMost(0.1), format!("{}, one fire {}", time(ours), time(base)));
}

/// Measures the speed of a replay, and whether its memory grows with what it reads.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("replay") {
        Ok(program) => program,
        Err(why) => return report.skip(SPEED, &why),
    };
    let shipped = guarded();
    let strict = json!({ "enableHooks": true, "hooksConfig": { "rules": ["@strict"] } }).to_string();
    fs::write(shipped.path().join("home/.llxprt/settings.json"), strict).expect("writes settings");
    measure_speed(args, report, &program, &shipped, SHIPPED_SPEED);
    let project = guarded();
    measure_speed(args, report, &program, &project, SPEED);
    let (few, many) = (10_000, if args.quick { 200_000 } else { 1_000_000 });
    let peak = |calls: usize| {
        let file = transcript(&project, calls);
        let mut command = program.command(&project);
        command.args(["replay", "--format", "json"]).arg(&file).stdout(Stdio::null());
        let peaks: Vec<f64> = (0..2).map(|_| peak_memory(&mut command)).collect();
        fs::remove_file(file).expect("removes the transcript");
        peaks
    };
    let (small, large) = (peak(few), peak(many));
    let megabytes = |peaks: &[f64]| median(peaks) / 1e6;
    let detail = format!("{:.1} MB, to {:.1} MB", megabytes(&large), megabytes(&small));
    let bench = format!("REPLAY peak memory, {many} calls to {few}");
    report.add(&bench, Ratio::of(&large, &small), Target::AtMost(1.2), detail);
}

/// Replays the calls of a transcript, all of which are allowed.
fn measure_speed(args: &Args, report: &mut Report, program: &Program, project: &TempDir, bench: &str) {
    let calls = 100_000;
    let file = transcript(project, calls);
    let directory = project.path().to_str().expect("temporary folders have plain names");
    let path = file.to_str().expect("a plain path");
    let arguments = [program.path(), "-C", directory, "replay", "--format", "json", path];
    let replay = Floor::program(&arguments, &variables(project.path()));
    let mut rates = Vec::new();
    for _ in 0..if args.quick { 3 } else { 7 } {
        let before = cpu_time();
        for said in replay.run(b"") {
            let text = String::from_utf8_lossy(&said.stdout);
            assert!(text.contains(&format!("\"calls\":{calls},")), "everything is replayed: {text}");
        }
        #[allow(clippy::cast_precision_loss, reason = "a small count")]
        rates.push(calls as f64 / cpu_time().saturating_sub(before).as_secs_f64());
    }
    let rate = Ratio::of(&rates, &[1.0]);
    report.add(bench, rate, Target::AtLeast(20_000.0), format!("{} a call", time(1.0 / rate.middle)));
}

/// The largest size of a program while it runs, in bytes. The kernel keeps it, so that looking now and then is enough; what
/// it tells after the end would count our own size as well, because the child begins in our memory.
#[allow(clippy::cast_precision_loss, reason = "sizes are far from the limits of a float")]
fn peak_memory(command: &mut Command) -> f64 {
    let mut child = command.spawn().expect("starts the program");
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = now.unwrap_or(peak).max(peak);
        if let Some(status) = child.try_wait().expect("waits for the program") {
            assert!(status.success(), "the program works");
            return peak as f64 * 1024.0;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A transcript of Claude Code: half file tools, half shell lines, each with its result.
fn transcript(project: &TempDir, calls: usize) -> PathBuf {
    let call = |number: usize| match number % 4 {
        0 => ("Read", json!({ "file_path": format!("src/file{}.rs", number % 97) })),
        1 | 3 => ("Bash", json!({ "command": LINES[number / 2 % LINES.len()] })),
        _ => (
            "Edit",
            json!({ "file_path": format!("docs/page{}.md", number % 89), "old_string": "one", "new_string": "two" }),
        ),
    };
    let path = project.path().join(format!("transcript-{calls}.jsonl"));
    let mut file = std::io::BufWriter::new(fs::File::create(&path).expect("makes the transcript"));
    let mut text = String::new();
    for number in 0..calls {
        let (name, input) = call(number);
        text.clear();
        let _ = writeln!(
            text,
            r#"{{"type":"assistant","cwd":"/p","sessionId":"s","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"{number}","name":"{name}","input":{input}}}]}}}}"#
        );
        let _ = writeln!(
            text,
            r#"{{"type":"user","cwd":"/p","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{number}","content":"ok"}}]}}}}"#
        );
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("writes the transcript");
    }
    std::io::Write::flush(&mut file).expect("writes the transcript");
    path
}
