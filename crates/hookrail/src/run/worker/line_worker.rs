//! A worker that answers line by line: one process at a time, started when an event needs it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::answer::WorkerAnswer;
use super::connection::{Asked, Failure, Outcome, QuestionLimits, WorkerConnection};
use super::files::{CommandFiles, FilesFingerprint};
use super::health::Health;
use super::start::start;
use super::turns::{QueuePosition, Turn, Turns};
use crate::run::capture::Captured;
use crate::run::command::PreparedCommand;
use crate::run::locks::lock;
use crate::run::payload::Payload;
use crate::run::process::{Finished, LONGEST_WAIT};
use crate::run::reaper::Reaper;
use crate::run::unix;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The variable that marks the process of a worker.
const VARIABLE: &str = "HOOKRAIL_WORKER";

/// One worker, whether or not a process of it runs.
#[derive(Debug)]
pub(in crate::run) struct LineWorker {
    command: PreparedCommand,
    files: Mutex<CommandFiles>,
    turns: Arc<Turns>,
    running: Mutex<Option<RunningProcess>>,
    /// Held while a process is started, so that no second one is started.
    starting: tokio::sync::Mutex<()>,
    health: Mutex<Health>,
    reaper: Reaper,
}

#[derive(Debug)]
struct RunningProcess {
    connection: Arc<WorkerConnection>,
    files: FilesFingerprint,
    last_used: Instant,
}

/// How a caller comes to ask.
#[derive(Debug)]
pub(super) enum Entry<'t> {
    /// It has its turn and asks now.
    Turn(Turn<'t>),
    /// It has begun to send the question.
    Early(EarlyQuestion<'t>),
}

/// A question whose sending began while its payload was being written. Dropping it gives the question up.
#[derive(Debug)]
pub(super) struct EarlyQuestion<'t> {
    turn: Turn<'t>,
    asked: Asked,
    begin: Instant,
}

impl EarlyQuestion<'_> {
    /// Sends what was added to the payload.
    pub(super) fn grow(&self, payload: &Payload) {
        self.asked.grow(payload);
    }
}

impl LineWorker {
    /// A worker for a command. Nothing is started.
    pub(super) fn new(text: &str, command: &PreparedCommand, reaper: &Reaper) -> Self {
        Self {
            files: Mutex::new(CommandFiles::named_in(text, command)),
            command: as_worker(command),
            turns: Arc::new(Turns::new()),
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            health: Mutex::default(),
            reaper: reaper.clone(),
        }
    }

    /// Waits until the worker may be asked.
    pub(super) async fn turn(&self) -> Turn<'_> {
        self.turns.take(QueuePosition::Last).await
    }

    /// Begins to send an event while its payload is still being written, if a process runs and has no other open question.
    pub(super) fn begin(&self, payload: &Payload) -> Option<EarlyQuestion<'_>> {
        let turn = self.turns.try_take()?;
        let _starting = self.starting.try_lock().ok()?;
        let begin = Instant::now();
        let asked = self.running_connection()?.begin(payload)?;
        Some(EarlyQuestion { turn, asked, begin })
    }

    /// Asks the worker about one event. The deadline counts from here, or from when an early question began, and covers the
    /// start of a process.
    pub(super) async fn ask<'t>(
        &'t self,
        entry: Entry<'t>,
        payload: &Payload,
        timeout: Duration,
        keep: usize,
        alone: bool,
    ) -> Finished {
        let (mut turn, mut asked, begin) = match entry {
            Entry::Turn(turn) => (turn, None, Instant::now()),
            Entry::Early(EarlyQuestion { turn, asked, begin }) => (turn, Some(asked), begin),
        };
        let deadline = begin + timeout.min(LONGEST_WAIT);
        let finished = |exit, stdout, stderr| Finished { exit, stdout, stderr, duration: begin.elapsed() };
        let text = |bytes| Captured { bytes, truncated: false };
        let mut limits = QuestionLimits { payload, timeout, deadline, keep, alone };
        for _ in 0..2 {
            let outcome = match asked.take() {
                Some(asked) => asked.complete(limits).await,
                None => match self.connection(deadline).await {
                    Ok(connection) => connection.ask(limits).await,
                    Err(why) => {
                        return finished(Exit::NoAnswer(why), Captured::default(), Captured::default());
                    }
                },
            };
            match outcome {
                Outcome::Answered(WorkerAnswer { exit, stdout, stderr }) => {
                    lock(&self.health).answered();
                    return finished(exit, stdout, stderr);
                }
                Outcome::Failed(Failure { why, unexpected_output, stderr }) => {
                    lock(&self.health).failed(why.clone(), Instant::now());
                    return finished(Exit::NoAnswer(why), text(unexpected_output), text(stderr));
                }
                Outcome::TimedOut(stderr) => {
                    lock(&self.health).failed(WorkerFailure::TimedOut(timeout), Instant::now());
                    return finished(Exit::TimedOut(timeout), Captured::default(), text(stderr));
                }
                Outcome::AskAgain => {}
            }
            // Once more, before the questions that have not been sent at all.
            let position = turn.position();
            drop(turn);
            match timeout_at(deadline.into(), self.turns.take(position)).await {
                Ok(again) => turn = again,
                Err(_) => return finished(Exit::TimedOut(timeout), Captured::default(), Captured::default()),
            }
            limits.timeout = deadline.saturating_duration_since(Instant::now());
        }
        finished(Exit::NoAnswer(WorkerFailure::EndedTwice), Captured::default(), Captured::default())
    }

    /// The process to ask: the one that runs, or a new one.
    async fn connection(&self, deadline: Instant) -> Result<Arc<WorkerConnection>, WorkerFailure> {
        let _starting = self.starting.lock().await;
        if let Some(connection) = self.running_connection() {
            return Ok(connection);
        }
        if let Some(why) = lock(&self.health).pause(Instant::now()) {
            return Err(why);
        }
        let files = lock(&self.files).load_fingerprint();
        let started = start(&self.command, deadline, &self.reaper, open_stdin).await;
        let started = started.map_err(WorkerFailure::NotStarted);
        let started = started.inspect_err(|why| lock(&self.health).failed(why.clone(), Instant::now()))?;
        lock(&self.health).started += 1;
        self.turns.allow(1);
        let connection = Arc::new(WorkerConnection::new(started, Arc::clone(&self.turns)));
        let running =
            RunningProcess { connection: Arc::clone(&connection), files, last_used: Instant::now() };
        *lock(&self.running) = Some(running);
        Ok(connection)
    }

    /// The process that runs, if it can be asked and its files are what they were.
    fn running_connection(&self) -> Option<Arc<WorkerConnection>> {
        let mut running = lock(&self.running);
        let current = running.as_mut()?;
        if lock(&self.files).are_as(&mut current.files) && current.connection.is_usable() {
            current.last_used = Instant::now();
            return Some(Arc::clone(&current.connection));
        }
        current.connection.retire();
        *running = None;
        None
    }

    /// Files that these patterns match count as files of the worker, too.
    pub(super) fn also_watch(&self, patterns: &[String]) {
        lock(&self.files).also_watch(patterns);
    }

    /// Ends the process if it has had nothing to do for so long, has ended by itself, or its files changed.
    pub(super) fn tidy(&self, idle: Duration) {
        let mut running = lock(&self.running);
        let Some(current) = running.as_mut().filter(|current| !current.connection.is_busy()) else { return };
        if current.last_used.elapsed() >= idle
            || !current.connection.is_usable()
            || !lock(&self.files).are_as(&mut current.files)
        {
            current.connection.retire();
            *running = None;
        }
    }

    /// Ends the process as soon as it has no open question.
    pub(super) fn end(&self) {
        if let Some(current) = lock(&self.running).take() {
            current.connection.retire();
        }
    }

    /// The id of the process that runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        lock(&self.running).as_ref()?.connection.process_id()
    }

    /// What it answered and how it failed.
    pub(super) fn health(&self) -> MutexGuard<'_, Health> {
        lock(&self.health)
    }
}

fn open_stdin() -> io::Result<(OwnedFd, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    unix::set_nonblocking(&writer)?;
    Ok((reader.into(), writer))
}

/// The same command with the variable that marks the process of a worker.
fn as_worker(command: &PreparedCommand) -> PreparedCommand {
    let mut worker = command.clone();
    let mut env = command.env.to_vec();
    crate::run::environment::set(&mut env, VARIABLE.into(), "1".into());
    worker.env = env.into();
    worker.fallback = command.fallback.as_deref().map(|fallback| Box::new(as_worker(fallback)));
    worker
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::fixtures::hook;
    use crate::run::command::CommandPreparer;
    use crate::run::inherited_environment;
    use crate::settings::Redaction;

    const ANSWERS: &str = r#"
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "exitCode": 0}), flush=True)
"#;

    #[tokio::test]
    async fn an_idle_process_ends_when_its_script_changes() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("answers.py");
        std::fs::write(&script, ANSWERS).unwrap();
        let hook = Arc::new(hook("python3 answers.py"));
        let preparer = CommandPreparer::new(inherited_environment(), &Redaction::default(), true);
        let command = preparer.prepare(&hook, folder.path());
        let reaper = Reaper::with_grace(Duration::from_millis(200));
        let worker = LineWorker::new(hook.command(), &command, &reaper);
        let payload = Payload::new(&json!({})).unwrap();
        let entry = Entry::Turn(worker.turn().await);
        let finished = worker.ask(entry, &payload, Duration::from_mins(1), 1_000, false).await;
        assert_eq!(finished.exit, Exit::Code(0));

        worker.tidy(Duration::MAX);
        assert!(worker.process_id().is_some(), "nothing changed");
        std::fs::write(&script, format!("{ANSWERS}# changed\n")).unwrap();
        worker.tidy(Duration::MAX);
        assert_eq!(worker.process_id(), None);
        reaper.drain().await;
    }
}
