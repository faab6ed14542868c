//! A bridge call that asks the keeper, and starts it where there is none.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookrail::components::{KeeperQuestion, KeeperReply, KeptAnswer, KeptExit, WorkerKeeper};
use rustix::process::geteuid;
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::place;
use super::wire::{self, Ask, LONGEST_ANSWER, LONGEST_QUESTION, Reply, Request, Status};
use crate::cli::Places;
use crate::commands::bridge::surroundings;
use crate::context::Context;

/// How long a keeper may take to start, …
const START_TIMEOUT: Duration = Duration::from_secs(1);
/// … to greet, …
const HELLO_TIMEOUT: Duration = Duration::from_millis(500);
/// … and to begin: a worker that is busy for longer is not waited for.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(2);
/// How long one may take to say how it is, or to end.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// What an answer may take besides the hook's own time.
const SLACK: Duration = Duration::from_secs(1);

/// The keeper of a bridge call.
pub(crate) struct KeeperClient {
    places: Places,
    project: PathBuf,
    state_dir: PathBuf,
    /// Why it was not asked.
    problem: Mutex<Option<String>>,
}

impl KeeperClient {
    /// The keeper for the hooks of a project.
    pub(crate) fn new(places: &Places, context: &Context) -> Self {
        let (project, state_dir) = (context.project().to_owned(), context.state_dir());
        Self { places: places.clone(), project, state_dir, problem: Mutex::default() }
    }

    /// Why a hook with a worker was run for this event alone.
    pub(crate) fn problem(&self) -> Option<String> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(format!("a worker was started for this event alone: the keeper {problem}"))
    }

    async fn exchange(&self, question: KeeperQuestion<'_>) -> Result<KeptAnswer, String> {
        let hook = question.hook;
        if question.directory != hook.enclosing.as_deref().unwrap_or(&self.project) {
            return Err("is not asked outside of the project".to_owned());
        }
        let variables = wire::variables_to_bytes(question.environment.iter());
        let left = question.left.unwrap_or(question.timeout + BEGIN_TIMEOUT);
        let ask = Ask {
            level: hook.origin.level.to_string(),
            file: hook.origin.file.clone(),
            line: hook.origin.line,
            digest: wire::hook_digest(hook),
            project: self.project.clone(),
            timeout_ms: millis(question.timeout),
            left_ms: millis(left),
            variable_bytes: variables.len(),
        };
        let body = [variables.as_slice(), question.payload.as_bytes()];
        if body.iter().map(|part| part.len()).sum::<usize>() > LONGEST_QUESTION {
            return Err("does not accept so large a payload".to_owned());
        }
        let begin = Instant::now();
        let mut stream = self.connect(left / 4).await?;
        let sent = wire::frame(&Request::Ask(ask), &body).map_err(|error| gone(&error))?;
        let asking = async {
            tokio::io::AsyncWriteExt::write_all(&mut stream, &sent).await?;
            wire::receive::<Reply>(&mut stream, 0).await
        };
        let hello = timeout(HELLO_TIMEOUT.min(left / 4), asking).await.map_err(|_| "does not greet")?;
        if !matches!(hello.map_err(|error| gone(&error))?.0, Reply::Hello) {
            return Err("does not greet".to_owned());
        }
        let wait = BEGIN_TIMEOUT.min(left / 3);
        let reply = timeout(wait, wire::receive::<Reply>(&mut stream, 0)).await.map_err(|_| "is busy")?;
        match reply.map_err(|error| gone(&error))?.0 {
            Reply::Begun => {}
            Reply::Unavailable(why) => return Err(format!("says: {why}")),
            _ => return Err("does not say what it does".to_owned()),
        }
        // From here on the hook runs, and its time is over when it is over.
        let wait = (question.timeout + SLACK).min(left.saturating_sub(begin.elapsed()));
        let timed_out = KeptAnswer {
            exit: KeptExit::TimedOut,
            stdout: Vec::new(),
            stdout_truncated: false,
            stderr: Vec::new(),
            duration: question.timeout,
        };
        let Ok(answer) = timeout(wait, wire::receive::<Reply>(&mut stream, LONGEST_ANSWER)).await else {
            return Ok(timed_out);
        };
        match answer.map_err(|error| gone(&error))? {
            (Reply::Answer { exit, stdout_bytes, stdout_truncated, duration_us }, mut stdout) => {
                let stderr = stdout.split_off(stdout_bytes.min(stdout.len()));
                let duration = Duration::from_micros(duration_us);
                Ok(KeptAnswer { exit, stdout, stdout_truncated, stderr, duration })
            }
            (Reply::Unavailable(why), _) => Err(format!("says: {why}")),
            _ => Err("does not say what came of it".to_owned()),
        }
    }

    /// A connection to the keeper, which is started if there is none.
    async fn connect(&self, patience: Duration) -> Result<UnixStream, String> {
        let path = path_of_agent(&self.state_dir);
        let socket = place::socket(&self.state_dir, &self.places, path.as_ref())
            .ok_or("has no place here: the path of its socket is too long, or there is no /proc")?;
        let mut started: Option<Child> = None;
        let begin = Instant::now();
        loop {
            if let Ok(stream) = UnixStream::connect(&socket).await {
                return is_same_user(&stream).then_some(stream).ok_or_else(|| "is another user's".to_owned());
            }
            match &mut started {
                None => {
                    place::make_folder(&self.state_dir)
                        .map_err(|error| format!("cannot be started: {error}"))?;
                    started = Some(
                        self.start(path.as_ref()).map_err(|error| format!("cannot be started: {error}"))?,
                    );
                }
                // One that found another one already there exits well.
                Some(child) => match child.try_wait() {
                    Ok(Some(status)) if !status.success() => return Err("cannot be started".to_owned()),
                    _ if begin.elapsed() > START_TIMEOUT.min(patience) => {
                        return Err("does not start in time".to_owned());
                    }
                    _ => sleep(Duration::from_millis(1)).await,
                },
            }
        }
    }

    /// Starts a keeper that nothing of this process reaches: it makes a session of its own.
    fn start(&self, path: Option<&OsString>) -> std::io::Result<Child> {
        let program =
            if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
        let mut command = Command::new(program);
        command.args(["keeper", "serve", "--home"]).args(&self.places.home);
        if let Some(system) = &self.places.system {
            command.arg("--system").arg(system);
        }
        command.env_clear().envs(path.map(|path| ("PATH", path))).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }
}

impl WorkerKeeper for KeeperClient {
    fn ask<'a>(&'a self, question: KeeperQuestion<'a>) -> KeeperReply<'a> {
        Box::pin(async move {
            match self.exchange(question).await {
                Ok(answer) => Some(answer),
                Err(why) => {
                    *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                    None
                }
            }
        })
    }
}

fn gone(error: &std::io::Error) -> String {
    format!("is gone: {error}")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The agent's search path, where `connect` stored none that counts.
pub(super) fn path_of_agent(state_dir: &Path) -> Option<OsString> {
    if surroundings::stored_path(state_dir).is_some() { None } else { std::env::var_os("PATH") }
}

/// Whether the other end belongs to the user.
pub(super) fn is_same_user(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
}

/// Asks a keeper to end; says whether there is one.
pub(super) fn stop(socket: &Path) -> bool {
    let Some(mut stream) = connected(socket) else { return false };
    let sent = wire::frame(&Request::Stop, &[]).and_then(|bytes| stream.write_all(&bytes));
    // Its greeting, and the end.
    let _ = stream.read_to_end(&mut Vec::new());
    sent.is_ok()
}

fn connected(socket: &Path) -> Option<StdStream> {
    let stream = StdStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    Some(stream)
}

/// Asks a keeper how it is.
pub(super) fn status(socket: &Path) -> Option<Status> {
    let asking = async {
        let mut stream = UnixStream::connect(socket).await?;
        wire::send(&mut stream, &Request::Status, &[]).await?;
        wire::receive::<Reply>(&mut stream, 0).await?;
        wire::receive::<Reply>(&mut stream, 0).await
    };
    let limited = async { timeout(ANSWER_TIMEOUT, asking).await };
    match crate::signals::runtime().ok()?.block_on(limited).ok()?.ok()? {
        (Reply::Status(status), _) => Some(status),
        _ => None,
    }
}
