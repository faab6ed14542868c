//! P14: a call that passes through `hookrail mcp`, over the same call without it.
//!
//! The server is this program again, which answers at once. A rule is asked about each call and lets it pass.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::args::Args;
use crate::program::Program;
use crate::report::{Report, Target, time};
use crate::stats::{Budget, duel, median};

const BENCH: &str = "P14 mcp, a passed call over none, µs";

/// What a call may take longer, in microseconds.
const OVER: f64 = 200.0;

const SETTINGS: &str = r#"{ "enableHooks": true, "hooks": { "BeforeTool": [{ "matcher": "mcp__files__.*", "hooks": [
    { "type": "rule", "name": "keep", "when": { "input.path": "secret.txt" }, "block": "it is kept" }
] }] } }"#;

/// Compares a server behind the proxy with the same one alone.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("mcp") {
        Ok(program) => program,
        Err(why) => return report.skip(BENCH, &why),
    };
    let home = tempfile::tempdir().expect("makes a temporary folder");
    std::fs::create_dir_all(home.path().join(".hookrail")).expect("makes a folder");
    std::fs::write(home.path().join(".hookrail/settings.json"), SETTINGS).expect("writes settings");
    let mut alone = Client::start(server());
    let mut guarded = Client::start(behind(&program, home.path()));
    assert!(guarded.call("secret.txt").contains("it is kept"), "the rule is asked");
    assert!(guarded.call("note.txt").contains("done"), "the call passes");

    let budget = Budget { most: 20_000, least: 300, ..args.budget() };
    let duel = duel(budget, || drop(alone.call("note.txt")), || drop(guarded.call("note.txt")));
    let detail = format!("{}, alone {}", time(median(&duel.ours.wall)), time(median(&duel.base.wall)));
    report.add(BENCH, duel.over(), Target::AtMost(OVER), detail);
}

/// The server; runs until its input ends.
pub(crate) fn answer_all() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (_, id) = line.split_once("\"id\":").expect("a request");
        let id = id.split(',').next().unwrap_or_default();
        let result = r#"{"content":[{"type":"text","text":"done"}]}"#;
        if writeln!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

fn server() -> Command {
    let mut server = Command::new(std::env::current_exe().expect("knows itself"));
    server.arg("child-mcp");
    server
}

fn behind(program: &Program, home: &Path) -> Command {
    let (server, mut proxy) = (server(), Command::new(program.path()));
    proxy.arg("mcp").arg("--home").arg(home).arg("--system").arg(home.join("none.json"));
    proxy
        .args(["--server", "files", "--"])
        .arg(server.get_program())
        .args(server.get_args())
        .current_dir(home);
    proxy
}

/// One call at a time.
struct Client {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts a server");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { requests: child.stdin.take(), child, answers, id: 0 }
    }

    fn call(&mut self, path: &str) -> String {
        self.id += 1;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{{\"name\":\"read\",\"arguments\":{{\"path\":\"{path}\",\"limit\":200}}}}}}\n",
            self.id
        );
        self.requests.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("sends");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("receives");
        assert!(!answer.is_empty(), "the server is gone");
        answer
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}
