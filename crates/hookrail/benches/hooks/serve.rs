//! P9: requests per second through `hookrail serve`, to an echo server on the same runtime.
//!
//! Both servers are processes of their own behind a socket, and the same client talks to both.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::args::Args;
use crate::program::Program;
use crate::report::{Report, Target, time};
use crate::stats::{Budget, duel, median};

const BENCH: &str = "P9 serve, requests per second";

/// Requests that are sent and not answered.
const IN_FLIGHT: usize = 64;

/// Compares the two servers.
pub(crate) fn measure(args: &Args, report: &mut Report) {
    let program = match Program::build("serve") {
        Ok(program) => program,
        Err(why) => return report.skip(BENCH, &why),
    };
    let folder = tempfile::tempdir().expect("makes a temporary folder");
    let (serve_socket, echo_socket) = (folder.path().join("serve"), folder.path().join("echo"));
    let project = crate::program::project(
        r#"{"matcher": "write_file", "hooks": [{"type": "command", "command": "exit 0"}]}"#,
    );
    let mut serve = program.command(&project);
    serve.args(["serve", "--trust-hooks", "--socket"]).arg(&serve_socket);
    let mut echo = Command::new(std::env::current_exe().expect("knows itself"));
    echo.arg("child-echo").arg(&echo_socket);
    let (mut serving, mut echoing) = (Server::start(serve), Server::start(echo));
    let (Some(mut serve), Some(mut echo)) = (serving.connect(&serve_socket), echoing.connect(&echo_socket))
    else {
        return report.skip(BENCH, "the program has no command `serve`");
    };

    let requests = if args.quick { 4_000 } else { 20_000 };
    let budget = Budget { most: 60, ..args.budget() };
    let duel = duel(budget, || echo.round(requests), || serve.round(requests));
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let each = |samples: &[f64]| time(median(samples) / requests as f64);
    let detail = format!("{} a request, echo {}", each(&duel.ours.wall), each(&duel.base.wall));
    report.add(BENCH, duel.wall().inverse(), Target::AtLeast(0.35), detail);
}

/// The echo server; runs until it is killed.
pub(crate) fn echo(socket: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
    runtime.block_on(async {
        let listener = tokio::net::UnixListener::bind(socket).expect("listens");
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (reader, mut writer) = stream.into_split();
                let mut reader = BufReader::new(reader);
                let mut line = Vec::new();
                while reader.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
                    if writer.write_all(&line).await.is_err() {
                        return;
                    }
                    line.clear();
                }
            });
        }
    });
}

/// A server that is killed in the end.
struct Server(Child);

impl Server {
    fn start(mut command: Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().expect("starts a server"))
    }

    /// Waits until it listens; `None` if it ends instead.
    fn connect(&mut self, socket: &Path) -> Option<Client> {
        let begin = Instant::now();
        loop {
            match UnixStream::connect(socket) {
                Ok(stream) => return Some(Client::new(stream)),
                Err(error) => assert!(begin.elapsed() < Duration::from_secs(20), "no server: {error}"),
            }
            if self.0.try_wait().is_ok_and(|ended| ended.is_some()) {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Keeps a number of requests in flight: one that is answered is followed by the next.
struct Client {
    stream: UnixStream,
    buffer: Vec<u8>,
    line: Vec<u8>,
}

impl Client {
    fn new(stream: UnixStream) -> Self {
        let line = concat!(
            r#"{"type":"hook-execution-request","eventName":"BeforeTool","correlationId":"0123456789","#,
            r#""input":{"tool_name":"read_file","tool_input":{"file_path":"src/main.rs","limit":200}}}"#,
            "\n"
        );
        Self { stream, buffer: vec![0; 64 * 1024], line: line.into() }
    }

    fn round(&mut self, requests: usize) {
        let mut sent = requests.min(IN_FLIGHT);
        let mut answered = 0;
        self.stream.write_all(&self.line.repeat(sent)).expect("sends");
        while answered < requests {
            let count = self.stream.read(&mut self.buffer).expect("receives");
            assert!(count > 0, "the server is gone");
            let answers = self.buffer[..count].split(|byte| *byte == b'\n').count() - 1;
            answered += answers;
            let more = answers.min(requests - sent);
            if more > 0 {
                self.stream.write_all(&self.line.repeat(more)).expect("sends");
                sent += more;
            }
        }
    }
}
