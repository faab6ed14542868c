//! A fleet in one process: many machines, each with a connection of its own, ask at a steady rate. It prints how many answers
//! came, how long they took, and what they cost.
//!
//! `cargo run --profile dist -p hookrail-remote --example fleet -- measure target/dist/hookrail` starts a NATS server (`nats-server`
//! of `PATH` or `/usr/sbin`) and a service of that program, and prints the table of `docs/fleet.md` in two minutes.
//! `… fleet -- ask nats://127.0.0.1:4222 1000 10 20` asks services that run already: the server, machines, questions a second of
//! each, seconds.
#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookrail_remote::{Asker, Endpoint, Question, output_of};
use serde_json::{Value, json};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error>>;

const SUBJECT: &str = "hookrail.decide";
/// What a hook with the documented timeout would wait.
const DEADLINE: Duration = Duration::from_millis(500);
/// Calls of `bridge` of each kind.
const CALLS: usize = 200;
/// Ticks of the times in `/proc`, as they are on every Linux system that people have.
const TICKS: f64 = 100.0;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["measure", program] => measure(Path::new(program)),
        ["ask", url, machines, rate, seconds] => {
            println!("{}", load(url, machines.parse()?, rate.parse()?, seconds.parse()?)?.shown());
            Ok(())
        }
        _ => Err("usage: fleet measure PROGRAM | fleet ask URL MACHINES RATE SECONDS".into()),
    }
}

/// How one run went.
struct Ran {
    took: Vec<Duration>,
    failed: usize,
}

impl Ran {
    /// The time within which so many of a thousand answers came.
    fn at(&self, share: usize) -> f64 {
        let at = (self.took.len() * share / 1000).min(self.took.len().saturating_sub(1));
        self.took.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }

    fn shown(&self) -> String {
        format!(
            "{} answers, {} failures; median {:.2} ms, 99 of 100 in {:.2} ms, 999 of 1000 in {:.2} ms, slowest {:.2} ms",
            self.took.len(),
            self.failed,
            self.at(500),
            self.at(990),
            self.at(999),
            self.at(1000)
        )
    }
}

/// Asks for a while. All machines are connected before the first question.
fn load(url: &str, machines: u32, rate: u32, seconds: u32) -> Outcome<Ran> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let payload = json!({ "session_id": "s", "cwd": "/home/dev/project", "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": { "command": "git status && cargo test -p core" } });
    let payload = payload.to_string().into_bytes();
    let caller =
        json!({ "home": "/home/dev", "project": "/home/dev/project", "directory": "/home/dev/project" });
    let message = Question { event: "BeforeTool", payload: &payload, caller: &caller }.message()?;
    let pause = Duration::from_secs(1) / rate;
    let mut ran = runtime.block_on(async {
        let connected = std::sync::Arc::new(tokio::sync::Barrier::new(machines as usize));
        let mut fleet = JoinSet::new();
        for machine in 0..machines {
            let (url, message, connected) = (url.to_owned(), message.clone(), connected.clone());
            fleet.spawn(async move {
                let asker = Asker::default();
                let endpoint = Endpoint { url, credentials: None, certificates: "/etc/ssl/cert.pem".into() };
                let (mut took, mut failed) = (Vec::new(), 0_usize);
                if asker.ask(&endpoint, SUBJECT, message.clone()).await.is_err() {
                    failed += 1;
                }
                connected.wait().await;
                let first = Instant::now() + pause + pause * machine / machines;
                for number in 0..rate * seconds {
                    // Planned, not measured from the last answer: a service that falls behind must show.
                    let at = first + pause * number;
                    tokio::time::sleep_until(at.into()).await;
                    let question = asker.ask(&endpoint, SUBJECT, message.clone());
                    match tokio::time::timeout(DEADLINE, question).await {
                        Ok(Ok(answer)) if output_of(&answer).is_ok() => took.push(at.elapsed()),
                        _ => failed += 1,
                    }
                }
                Ran { took, failed }
            });
        }
        let mut all = Ran { took: Vec::new(), failed: 0 };
        while let Some(done) = fleet.join_next().await {
            let Ok(more) = done else { continue };
            all.took.extend(more.took);
            all.failed += more.failed;
        }
        all
    });
    ran.took.sort_unstable();
    Ok(ran)
}

/// A process that ends with this one.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Started {
    /// Its time on processors, in seconds.
    fn cpu(&self) -> f64 {
        cpu(&self.0.id().to_string())
    }

    /// The most memory that it had, in MB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap_or_default();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().split(' ').next());
        most.and_then(|most| most.parse::<u64>().ok()).unwrap_or_default() / 1000
    }
}

fn cpu(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name, which may have spaces in it, the times of user and system are the 12th and 13th.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(11).take(2).filter_map(|time| time.parse::<f64>().ok());
    times.sum::<f64>() / TICKS
}

/// Homes, a server and a service, and all figures of the page.
fn measure(program: &Path) -> Outcome<()> {
    let program = program.canonicalize()?;
    let folder = tempfile::tempdir()?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let url = format!("nats://127.0.0.1:{port}");
    let rule =
        json!({ "type": "rule", "name": "push", "when": { "command": "git push" }, "block": "no pushes" });
    let home = |name: &str, hook: &Value| -> Outcome<PathBuf> {
        let home = folder.path().join(name);
        fs::create_dir_all(home.join(".hookrail"))?;
        let settings = json!({ "enableHooks": true, "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
        fs::write(home.join(".hookrail/settings.json"), settings.to_string())?;
        Ok(home)
    };
    let local = home("local", &rule)?;
    let remote = home("remote", &json!({ "type": "remote", "url": url, "timeout": 5000 }))?;
    let of_service = home("service", &rule)?;
    let system = folder.path().join("none.json");

    let nats = ["nats-server", "/usr/sbin/nats-server"].iter().find_map(|server| {
        let mut command = Command::new(server);
        command.args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
    });
    let nats = Started(nats.ok_or("nats-server is not installed")?);
    let mut command = Command::new(&program);
    command.args(["serve", "--nats", &url, "--home"]).arg(&of_service).arg("--system").arg(&system);
    let service = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let service = Started(service.current_dir(folder.path()).spawn()?);

    let bridge = |home: &Path| -> Outcome<(Duration, String)> {
        let call = json!({ "session_id": "s", "transcript_path": "/tmp/t", "cwd": folder.path(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "git push" } });
        let begin = Instant::now();
        let mut command = Command::new(&program);
        command
            .args(["bridge", "--home"])
            .arg(home)
            .arg("--system")
            .arg(&system)
            .args(["claude", "PreToolUse"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(folder.path()).spawn()?;
        child.stdin.take().ok_or("no pipe")?.write_all(call.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        Ok((begin.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned()))
    };
    let begin = Instant::now();
    while !bridge(&remote)?.1.contains("no pushes") {
        if begin.elapsed() > Duration::from_secs(30) {
            return Err("the service does not answer".into());
        }
    }
    let (mut here, mut there, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CALLS {
        let ((one, said), (two, also)) = (bridge(&local)?, bridge(&remote)?);
        if !said.contains("no pushes") || !also.contains("no pushes") {
            return Err("a call was not blocked".into());
        }
        here.push(one);
        there.push(two);
        added.push(two.saturating_sub(one));
    }
    let shown = |mut times: Vec<Duration>| {
        times.sort_unstable();
        let millis = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0);
        format!("{:.1} ms at the median, {:.1} ms at best", millis(CALLS / 2), millis(0))
    };
    let load_now = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load of the machine before: {}", load_now.trim());
    println!("\n| | |\n|---|---|");
    println!("| `bridge` with a rule of this machine that blocks | {} |", shown(here));
    println!("| `bridge` with a `remote` hook whose service blocks | {} |", shown(there));
    println!("| what the remote decision adds, call by call: connect, ask, answer | {} |", shown(added));

    println!(
        "\n| clients × events a second of each | answers, failures | median | 99 of 100 | 999 of 1000 | CPU a decision: service, NATS, clients | cores |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (machines, rate, seconds) in
        [(10, 10, 10), (100, 10, 10), (1000, 2, 10), (1000, 10, 12), (1000, 20, 10)]
    {
        let now = || [service.cpu(), nats.cpu(), cpu("self")];
        let [service_then, nats_then, clients_then] = now();
        let ran = load(&url, machines, rate, seconds)?;
        let [of_service, of_nats, of_clients] = now();
        let each = |used: f64| used * 1e6 / f64::from(machines * rate * seconds);
        let used = [of_service - service_then, of_nats - nats_then, of_clients - clients_then].map(each);
        let [used_by_service, used_by_nats, used_by_clients] = used;
        let cores = used.iter().sum::<f64>() * f64::from(machines * rate) / 1e6;
        println!(
            "| {machines} × {rate} | {}, {} | {:.2} ms | {:.1} ms | {:.1} ms | {:.0} µs, {:.0} µs, {:.0} µs | {cores:.2} |",
            ran.took.len(),
            ran.failed,
            ran.at(500),
            ran.at(990),
            ran.at(999),
            used_by_service,
            used_by_nats,
            used_by_clients,
        );
    }
    println!("\nmemory of the service {} MB, of nats-server {} MB", service.memory(), nats.memory());
    Ok(())
}
