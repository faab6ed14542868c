//! `hookrail serve`, driven over stdin and stdout and over its socket.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod clients;
mod huge;
mod load;
mod protocol;
mod signals;
mod socket;
mod workers;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use hookrail_testkit::{TestProject, process, process_is_alive, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Generous: the machine may be busy.
const LIMIT: Duration = Duration::from_mins(1);

/// The program in a project, in an environment of its own.
fn program(project: &TestProject) -> Command {
    let mut command = crate::program::program();
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", project.home())
        .env("HOOKRAIL_HOME", project.home())
        .env("HOOKRAIL_SYSTEM_SETTINGS", project.system_settings_path())
        .current_dir(project.dir());
    command
}

/// User settings with hooks: `(event, matcher, command)`.
fn hooks(entries: &[(&str, &str, &str)]) -> Value {
    let mut events = serde_json::Map::new();
    for (event, matcher, command) in entries {
        let group = json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] });
        events.entry(*event).or_insert_with(|| json!([])).as_array_mut().unwrap().push(group);
    }
    json!({ "enableHooks": true, "hooks": events })
}

/// A project whose user has these hooks.
fn project_with(entries: &[(&str, &str, &str)]) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&hooks(entries));
    project
}

fn request(id: &str, event: &str, input: &Value) -> String {
    json!({ "type": "hook-execution-request", "eventName": event, "correlationId": id, "input": input })
        .to_string()
}

fn tool_request(id: &str, tool: &str) -> String {
    request(id, "BeforeTool", &json!({ "tool_name": tool, "tool_input": { "path": "a" } }))
}

/// A running server with its answers collected by a thread.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
    messages: Option<std::thread::JoinHandle<String>>,
}

impl Server {
    fn start(project: &TestProject, args: &[&str]) -> Self {
        let mut command = program(project);
        command.arg("serve").args(args);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if sender.send(line.expect("an answer is UTF-8")).is_err() {
                    return;
                }
            }
        });
        let messages = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("stderr is UTF-8");
            text
        });
        Self { child, stdin, answers, messages: Some(messages) }
    }

    /// Starts on a socket and waits until it is there.
    fn on_socket(project: &TestProject, args: &[&str]) -> (Self, PathBuf) {
        let path = project.home().join("bus.sock");
        let mut all = vec!["--socket", path.to_str().unwrap()];
        all.extend(args);
        let server = Self::start(project, &all);
        wait_until(LIMIT, "the socket", || std::os::unix::net::UnixStream::connect(&path).is_ok());
        (server, path)
    }

    fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    fn close_input(&mut self) {
        self.stdin = None;
    }

    fn answer(&self) -> Value {
        let line = self.answers.recv_timeout(LIMIT).expect("an answer in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("a torn answer ({error}): {line}"))
    }

    /// Sends one request and gets its answer.
    fn ask(&mut self, line: &str) -> Value {
        self.send(line);
        self.answer()
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the server lives");
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for the end: the exit, all answers that were left, what it printed on stderr.
    fn end(mut self) -> (ExitStatus, Vec<Value>, String) {
        let status = self.wait();
        let mut left = Vec::new();
        loop {
            match self.answers.recv_timeout(LIMIT) {
                Ok(line) => left.push(serde_json::from_str(&line).expect("a whole answer")),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("stdout stays open"),
            }
        }
        (status, left, self.messages.take().unwrap().join().expect("stderr was read"))
    }

    fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until(LIMIT, "the end of the server", || {
            status = self.child.try_wait().expect("a child can be waited for");
            status.is_some()
        });
        status.unwrap()
    }

    /// Closes the input and expects a good end; the answers that were left.
    fn finish(mut self) -> Vec<Value> {
        self.close_input();
        let (status, left, messages) = self.end();
        assert_eq!(status.code(), Some(0), "{messages}");
        left
    }

    /// How many descriptors and children the server has.
    fn footprint(&self) -> (usize, usize) {
        let pid = self.child.id();
        let children = process::all().into_iter().filter(|process| process.parent == pid).count();
        (process::descriptors_of(pid), children)
    }

    /// Resident memory in KiB.
    fn memory(&self) -> u64 {
        process::resident_memory_of(self.child.id()) / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers by their correlation id; each id at most once.
fn by_id(answers: impl IntoIterator<Item = Value>) -> HashMap<String, Value> {
    let mut all = HashMap::new();
    for answer in answers {
        let id = answer["correlationId"].as_str().expect("a correlation id").to_owned();
        if let Some(twice) = all.insert(id, answer) {
            panic!("answered twice: {twice}");
        }
    }
    all
}

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The pid that a hook wrote into a file.
fn pid_in(path: &Path) -> u32 {
    let mut pid = None;
    wait_until(LIMIT, "the hook's pid", || {
        pid = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok());
        pid.is_some()
    });
    pid.unwrap()
}

fn wait_for_end_of(pid: u32) {
    wait_until(LIMIT, "the end of a hook", || !process_is_alive(pid));
}
