//! Workers: processes that are kept for the next event instead of being started for each one.
//!
//! A pool holds one worker for each command, environment and directory. Nothing is started before an event needs it, and
//! hooks without a worker never come here.

mod answer;
mod connection;
mod fingerprint;
#[cfg(target_os = "linux")]
pub(super) mod fork;
mod health;
mod line_worker;
mod pipes;
mod pool;
mod recognise;

use std::path::Path;
use std::sync::MutexGuard;
use std::time::Duration;

#[cfg(target_os = "linux")]
use self::fork::ForkWorker;
use self::health::Health;
use self::line_worker::{LineWorker, Turn};
pub(super) use self::pool::PoolShared;
pub use self::pool::{WorkerPool, WorkerStatus};
pub use self::recognise::ForkObstacle;
use super::command::{CommandPreparer, PreparedCommand};
use super::environment::EnvironmentVariable;
use super::payload::Payload;
use super::process::Finished;
use super::reaper::Reaper;
use crate::hook::{Hook, WorkerMode};
use crate::settings::Redaction;

#[derive(Debug)]
pub(super) struct Worker {
    /// The command as configured, and what its settings add to the environment.
    command: String,
    added: Vec<(String, String)>,
    mode: WorkerMode,
    kind: WorkerKind,
}

#[derive(Debug)]
enum WorkerKind {
    Lines(Box<LineWorker>),
    #[cfg(target_os = "linux")]
    Fork(Box<ForkWorker>),
}

/// What a pool does with a worker, whether or not a process of it runs.
trait KeptProcess {
    /// The process ends when a file changes that these patterns match.
    fn also_watch(&self, patterns: &[String]);

    /// Ends the process as soon as nobody waits for it.
    fn end(&self);

    /// Ends the process if it has had nothing to do for so long, or is of no use any more.
    fn tidy(&self, idle: Duration);

    /// The id of the process that runs.
    fn process_id(&self) -> Option<i32>;

    /// What it answered and how it failed.
    fn health(&self) -> MutexGuard<'_, Health>;
}

/// What a worker is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) payload: &'q Payload,
    /// Variables of the session that asks, where that is another process's. None replaces one that the worker has.
    pub(super) variables: &'q [EnvironmentVariable],
}

impl Worker {
    /// Whether hooks of this mode are asked at all, instead of being run once per event.
    pub(super) const fn is_used(mode: WorkerMode) -> bool {
        match mode {
            WorkerMode::Off => false,
            WorkerMode::Lines => true,
            WorkerMode::Fork => cfg!(target_os = "linux"),
        }
    }

    fn new(hook: &Hook, command: &PreparedCommand, reaper: &Reaper) -> Self {
        let kind = match hook.worker {
            #[cfg(target_os = "linux")]
            WorkerMode::Fork => WorkerKind::Fork(Box::new(ForkWorker::new(hook, command, reaper))),
            _ => WorkerKind::Lines(Box::new(LineWorker::new(hook.command(), command, reaper))),
        };
        Self { command: hook.command().to_owned(), added: hook.env.clone(), mode: hook.worker, kind }
    }

    /// Waits until this worker may be asked: one that answers line by line is asked in turn, and forks run side by side. That
    /// does not use up the hook's timeout.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        match &self.kind {
            WorkerKind::Lines(lines) => Some(lines.turn().await),
            #[cfg(target_os = "linux")]
            WorkerKind::Fork(_) => None,
        }
    }

    /// Asks the worker about an event. `None` if it has to be run by a process of its own.
    pub(super) async fn answer(
        &self,
        _turn: Option<Turn<'_>>,
        question: Question<'_>,
        timeout: Duration,
        keep: usize,
    ) -> Option<Finished> {
        match &self.kind {
            WorkerKind::Lines(lines) => Some(lines.answer(question, timeout, keep).await),
            #[cfg(target_os = "linux")]
            WorkerKind::Fork(fork) => fork.answer(question, timeout, keep).await,
        }
    }

    /// The worker, whatever its kind.
    fn kept(&self) -> &dyn KeptProcess {
        match &self.kind {
            WorkerKind::Lines(lines) => &**lines,
            #[cfg(target_os = "linux")]
            WorkerKind::Fork(fork) => &**fork,
        }
    }
}

/// Why a hook with `"worker": "fork"` would be run once per event in this directory; `None` if it runs in forks, or has
/// no such setting.
pub fn fork_obstacle(hook: &Hook, environment: Vec<EnvironmentVariable>, cwd: &Path) -> Option<ForkObstacle> {
    if hook.worker != WorkerMode::Fork {
        return None;
    }
    let preparer = CommandPreparer::new(environment, &Redaction::default(), true);
    recognise::recognise(hook, &preparer.prepare(hook, cwd)).err()
}

/// Access to private functions for the checks of `crate::fuzzing`.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing {
    use super::answer::{Line, read_line};

    /// What a line means, as far as the checks compare it.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct LineMeaning {
        line: Line,
        /// How many bytes were kept of each stream of an answer.
        pub(crate) kept: Option<(usize, usize)>,
    }

    /// Reads a line.
    pub(crate) fn meaning(bytes: &[u8], keep: usize) -> LineMeaning {
        let line = read_line(bytes, keep);
        let kept = match &line {
            Line::Answer(_, answer) => Some((answer.stdout.bytes.len(), answer.stderr.bytes.len())),
            _ => None,
        };
        LineMeaning { line, kept }
    }
}
