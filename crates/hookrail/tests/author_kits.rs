//! The kits for authors of hooks, `docs/clients/hookrail_hook.*`: one hook of each, as a worker and once per event.
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail them by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A kit with its example.
#[derive(Debug, Clone, Copy)]
struct Kit {
    interpreter: &'static str,
    library: &'static str,
    example: &'static str,
}

const PYTHON: Kit = Kit { interpreter: "python3", library: "hookrail_hook.py", example: "guard.py" };
const NODE: Kit = Kit { interpreter: "node", library: "hookrail_hook.mjs", example: "guard.mjs" };

/// What the engine would make of an answer: the exit code, the output, and the beginning of stderr.
type Verdict = (i64, Value, String);

impl Kit {
    /// The kit and its example in a folder.
    fn install(self) -> tempfile::TempDir {
        let (folder, crate_folder) =
            (tempfile::tempdir().expect("a folder"), Path::new(env!("CARGO_MANIFEST_DIR")));
        for (from, name) in [("../../docs/clients", self.library), ("tests/data/kits", self.example)] {
            fs::copy(crate_folder.join(from).join(name), folder.path().join(name)).expect("a copy");
        }
        folder
    }

    fn command(self, folder: &Path) -> Command {
        let mut command = Command::new(self.interpreter);
        command.arg(folder.join(self.example)).current_dir(folder).env_remove("HOOKRAIL_WORKER");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the example for one event. What it said to stderr besides is not part of the verdict of a success.
    fn run_once(self, folder: &Path, event: &Value) -> Verdict {
        Self::run(self.command(folder), &event.to_string())
    }

    fn run(mut command: Command, event: &str) -> Verdict {
        let mut child = command.spawn().expect("the interpreter starts");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        stdin.write_all(event.as_bytes()).expect("the hook reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the child is ours");
        let code = i64::from(output.status.code().expect("an exit code"));
        let stdout = String::from_utf8(output.stdout).expect("text");
        let stderr = String::from_utf8(output.stderr).expect("text");
        verdict(code, &stdout, if code == 0 { "" } else { &stderr })
    }
}

fn verdict(code: i64, stdout: &str, stderr: &str) -> Verdict {
    let output = if stdout.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
    };
    (code, output, stderr.to_owned())
}

/// A running worker.
struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    is_ready: bool,
}

impl Worker {
    fn start(mut command: Command) -> Self {
        let mut child = command.env("HOOKRAIL_WORKER", "1").spawn().expect("the interpreter starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("stdout is piped"));
        Self { child, stdin, stdout: BufReader::new(stdout), is_ready: false }
    }

    fn send(&mut self, id: &str, event: &Value) {
        let line = json!({"id": id, "input": event, "timeoutMs": 5000});
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{line}").expect("the worker reads");
    }

    /// A worker says how much it is asked at once before its first answer.
    fn receive_ready(&mut self, concurrent: u32) {
        assert_eq!(self.receive(), json!({"ready": true, "concurrent": concurrent}));
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the worker writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, id: &str, event: &Value) -> Verdict {
        self.send(id, event);
        if !std::mem::replace(&mut self.is_ready, true) {
            self.receive_ready(1);
        }
        let answer = self.receive();
        assert_eq!(answer.get("id"), Some(&json!(id)), "{answer}");
        match (answer.get("output"), answer.get("exitCode").and_then(Value::as_i64)) {
            (Some(output), None) => (0, output.clone(), String::new()),
            (None, Some(code)) => {
                let text = |name| answer.get(name).and_then(Value::as_str).unwrap_or_default();
                verdict(code, text("stdout"), text("stderr"))
            }
            _ => panic!("both or neither: {answer}"),
        }
    }

    /// Closes its stdin; how it ended, what else it wrote to stdout, and its stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.stdin.take());
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("text");
        self.child.stderr.take().expect("stderr is piped").read_to_string(&mut stderr).expect("text");
        (self.child.wait().expect("the child is ours").code(), stdout, stderr)
    }
}

fn event(input: &Value) -> Value {
    json!({"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "t", "tool_input": input})
}

fn events(kit: Kit) -> Vec<Value> {
    let both = ["block", "block without a reason", "empty", "print", "fail", "return a number", "other"];
    let own: &[&str] = match kit.interpreter {
        "python3" => &["read", "return no number"],
        _ => &["fail later", "throw text"],
    };
    let mut events: Vec<_> = both.iter().chain(own).map(|what| event(&json!({"do": what}))).collect();
    events.push(event(&json!({"do": "return what is no JSON"})));
    for text in ["\u{e4}\u{2028}\u{2029}\r\u{0}\u{1f600}\\n", &"long ".repeat(600_000)] {
        events.push(event(&json!({"do": "change", "text": text})));
    }
    if kit.interpreter == "python3" {
        for code in [json!(0), json!(2), json!(null), json!(300), json!(-1), json!("words"), json!(true)] {
            events.push(event(&json!({"do": "exit", "code": code})));
        }
    }
    events
}

fn both_ways(kit: Kit) {
    let folder = kit.install();
    let mut worker = Worker::start(kit.command(folder.path()));
    let events = events(kit);
    for (number, event) in events.iter().enumerate() {
        let mut by_worker = worker.ask(&number.to_string(), event);
        if by_worker.0 == 0 {
            // What a hook prints is not part of the verdict of a success.
            by_worker.2.clear();
        }
        let mut once = kit.run_once(folder.path(), event);
        if by_worker.0 != 0 {
            assert!(
                !by_worker.2.contains(kit.library) || by_worker.2.contains("TypeError"),
                "{}",
                by_worker.2
            );
        }
        // Node's stack tells who called, which is not the same.
        if kit.interpreter == "node" {
            once.2 = once.2.lines().next().unwrap_or_default().to_owned();
            assert_eq!((by_worker.0, &by_worker.1), (once.0, &once.1), "{event:.200}");
            assert_eq!(by_worker.2.lines().next().unwrap_or_default(), once.2, "{event:.200}");
        } else {
            assert_eq!(by_worker, once, "{event:.200}");
        }
    }
    let count = worker.ask("last", &event(&json!({"do": "count"})));
    assert_eq!(count.1, json!({"count": events.len() + 1}), "one process answered all of them");
    let (code, stdout, stderr) = worker.end();
    assert_eq!((code, stdout.as_str()), (Some(0), ""), "{stderr}");
    assert!(
        ["a stray word", "a stray write", "a stray child"].iter().all(|word| stderr.contains(word)),
        "{stderr}"
    );
}

#[test]
fn python_verdicts_are_the_same_both_ways() {
    both_ways(PYTHON);
}

#[test]
fn node_verdicts_are_the_same_both_ways() {
    both_ways(NODE);
}

#[test]
fn verdicts_are_what_the_author_meant() {
    for kit in [PYTHON, NODE] {
        let folder = kit.install();
        let mut worker = Worker::start(kit.command(folder.path()));
        let blocked = json!({"decision": "block", "reason": "not this: \u{e4} \u{2028} one line"});
        assert_eq!(worker.ask("1", &event(&json!({"do": "block"}))), (0, blocked, String::new()));
        assert_eq!(worker.ask("2", &event(&json!({"do": "other"}))), (0, Value::Null, String::new()));
        let (code, output, stderr) = worker.ask("3", &event(&json!({"do": "fail"})));
        assert_eq!((code, output), (1, Value::Null));
        assert!(stderr.contains(kit.example), "{stderr}");
    }
}

#[test]
fn node_answers_side_by_side_if_asked() {
    let folder = NODE.install();
    let mut command = NODE.command(folder.path());
    command.arg("3");
    let mut worker = Worker::start(command);
    for (id, what) in [("1", "wait for the third"), ("2", "other"), ("3", "be the third")] {
        worker.send(id, &event(&json!({"do": what})));
    }
    worker.receive_ready(3);
    let mut answers: Vec<_> = (0..3).map(|_| worker.receive().to_string()).collect();
    answers.sort();
    let expected = [
        json!({"id": "1", "output": {"reason": "waited"}}).to_string(),
        json!({"id": "2", "exitCode": 0, "stdout": "", "stderr": ""}).to_string(),
        json!({"id": "3", "output": {"reason": "came"}}).to_string(),
    ];
    assert_eq!(answers, expected);
    assert_eq!(worker.end().0, Some(0));
}

/// Another host may start the hook with a variable that it found in a project's `.env`.
#[test]
fn a_hook_that_is_no_worker_answers_whatever_it_inherits() {
    for kit in [PYTHON, NODE] {
        let folder = kit.install();
        let inheriting = |event: &str| {
            let mut command = kit.command(folder.path());
            command.env("HOOKRAIL_WORKER", "1");
            Kit::run(command, event)
        };
        for what in ["block", "other", "fail", "empty"] {
            let event = event(&json!({"do": what, "input": {"id": "1"}}));
            let plain = kit.run_once(folder.path(), &event);
            for text in [event.to_string(), format!("{event}\n"), format!("{event:#}\n")] {
                let (code, output, stderr) = inheriting(&text);
                assert_eq!((code, &output), (plain.0, &plain.1), "{kit:?} {what}: {stderr}");
            }
        }
        assert_eq!(inheriting(""), (0, Value::Null, String::new()), "{kit:?}: nothing was asked");
    }
}

#[test]
fn a_worker_whose_engine_is_gone_ends() {
    for kit in [PYTHON, NODE] {
        let folder = kit.install();
        let mut worker = Worker::start(kit.command(folder.path()));
        worker.send("1", &event(&json!({"do": "empty"})));
        let Worker { mut child, stdin, stdout, .. } = worker;
        drop((stdin, stdout));
        assert_eq!(child.wait().expect("the child is ours").code(), Some(0), "{kit:?}");
    }
}

#[test]
fn an_imported_hook_is_a_plain_function() {
    let folder = PYTHON.install();
    let test = "import guard; print(guard.guard({'tool_input': {'do': 'count'}}))";
    let output =
        Command::new("python3").args(["-c", test]).current_dir(folder.path()).output().expect("python3");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{'count': 1}\n");
}
