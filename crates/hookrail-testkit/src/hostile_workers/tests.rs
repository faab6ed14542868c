//! Every row does what its name describes, as a plain reader of the protocol sees it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::process;

/// The most that is read of one line.
const LONGEST_LINE: u64 = 16 << 20;
/// How long a worker is watched that never gives an answer.
const LOOK: Duration = Duration::from_secs(1);
/// How long its last words may take to be read after a worker's end, where another process keeps its stdout open.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long a worker may take that does come to something. Generous: the machine may be busy.
const LIMIT: Duration = Duration::from_mins(2);

/// Reads what comes of the event `z7`.
fn read_answer(stdout: &mut BufReader<ChildStdout>) -> Outcome {
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        _ = stdout.take(LONGEST_LINE).read_until(b'\n', &mut line);
        if line.pop() != Some(b'\n') {
            return Outcome::Failure;
        }
        let Ok(answer) = serde_json::from_str::<Value>(&String::from_utf8_lossy(&line)) else {
            return Outcome::Failure;
        };
        if is_first && answer.get("ready") == Some(&json!(true)) {
            is_first = false;
            continue;
        }
        let reason = answer.pointer("/output/reason").and_then(Value::as_str).unwrap_or_default();
        let blocks = answer.pointer("/output/decision") == Some(&json!("block"));
        return match (answer.get("id") == Some(&json!("z7")), answer.get("exitCode")) {
            (true, None) if blocks && reason == "no" => Outcome::Answer,
            (true, None) if blocks && reason.starts_with("no") => Outcome::AnswerInPart,
            _ => Outcome::Failure,
        };
    }
}

fn start(worker: &HostileWorker, folder: &Path, mark: &str) -> Child {
    let mut command = Command::new(worker.install(folder));
    command.env("HOOKRAIL_WORKER", "1").env(process::MARK, mark).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("the worker starts")
}

/// Ends every process that inherited the mark, in any group or session.
fn end(child: &mut Child, mark: &str) {
    crate::wait_until(LIMIT, "they end", || {
        for process in process::marked(mark) {
            let target = process.pid.to_string();
            let _ = Command::new("kill").args(["-KILL", &target]).stderr(Stdio::null()).status();
        }
        process::marked(mark).is_empty()
    });
    child.wait().expect("the child is ours");
}

fn first_outcome(worker: &HostileWorker, folder: &Path) -> Outcome {
    let mark = format!("{}-{}", worker.name, std::process::id());
    let mut child = start(worker, folder, &mark);
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let (sender, outcome) = mpsc::channel();
    let by_reading = sender.clone();
    thread::spawn(move || by_reading.send(read_answer(&mut stdout)));
    let question = json!({"id": "z7", "input": {"tool_name": "t"}, "timeoutMs": 1000});
    // One that does not read, or is gone, is found out by its answer.
    let _ = writeln!(stdin, "{question}");
    let only_look = worker.first == Outcome::TimedOut;
    let start = Instant::now();
    let seen = loop {
        assert!(start.elapsed() < LIMIT, "{}: nothing came of it", worker.name);
        // A child may hold its streams open: its own end is one, too. So is a stdin that is no longer read.
        if let Ok(outcome) = outcome.recv_timeout(Duration::from_millis(20)) {
            break outcome;
        }
        let has_ended = child.try_wait().expect("the child is ours").is_some();
        let stdin = format!("/proc/{}/fd/0", child.id());
        if has_ended || (cfg!(target_os = "linux") && std::fs::read_link(stdin).is_err()) {
            break outcome.recv_timeout(LAST_WORDS).unwrap_or(Outcome::Failure);
        }
        if only_look {
            break outcome.recv_timeout(LOOK).unwrap_or(Outcome::TimedOut);
        }
    };
    end(&mut child, &mark);
    seen
}

#[test]
fn every_row_does_what_its_name_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let wrong: Vec<_> = HOSTILE_WORKERS
        .iter()
        .filter_map(|worker| {
            let seen = first_outcome(worker, folder.path());
            (seen != worker.first).then(|| format!("{}: {seen:?}, not {:?}", worker.name, worker.first))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_are_unique_and_scripts_describe_what_they_do() {
    let mut names: Vec<_> = HOSTILE_WORKERS.iter().map(|worker| worker.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), HOSTILE_WORKERS.len());
    for worker in HOSTILE_WORKERS {
        assert!(worker.script.starts_with("#!/"), "{}", worker.name);
        let says = worker.script.lines().nth(1).unwrap_or_default();
        assert!(says.starts_with("# ") || says.starts_with("\"\"\""), "{}: {says}", worker.name);
    }
}
