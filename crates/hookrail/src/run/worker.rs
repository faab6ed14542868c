//! Workers: processes that are kept for the next event instead of being started for each one.
//!
//! A pool holds one worker for each command, environment and directory. Nothing is started before an event needs it, and
//! hooks without a worker never come here.

mod answer;
mod connection;
mod files;
mod fork;
mod health;
mod keeper;
mod line_worker;
mod lines;
mod pool;
mod request_line;
mod start;
mod status;
mod turns;
mod watched;

use std::path::Path;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

pub use self::fork::ForkObstacle;
use self::fork::ForkWorker;
use self::health::Health;
use self::line_worker::{Entry, LineWorker};
pub use self::pool::WorkerPool;
pub(super) use self::pool::{OpenQuestionCount, WeakPool};
pub use self::status::WorkerStatus;
use super::command::{CommandPreparer, PreparedCommand};
use super::environment::EnvironmentVariable;
use super::payload::Payload;
use super::process::Finished;
use super::reaper::Reaper;
use crate::hook::{Hook, WorkerMode};
use crate::settings::Redaction;

/// One worker.
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
    Fork(Box<ForkWorker>),
}

/// The right to ask a worker about one event now.
#[derive(Debug)]
pub(super) struct Admitted<'w>(AdmittedKind<'w>);

#[derive(Debug)]
enum AdmittedKind<'w> {
    /// A worker that is asked in turn.
    Lines(&'w LineWorker, Entry<'w>),
    /// A worker that runs events side by side.
    Fork(&'w ForkWorker),
}

impl Worker {
    fn new(hook: &Hook, command: &PreparedCommand, reaper: &Reaper) -> Self {
        let kind = match hook.worker {
            WorkerMode::Fork => WorkerKind::Fork(Box::new(ForkWorker::new(hook, command, reaper))),
            WorkerMode::Lines | WorkerMode::Off => {
                WorkerKind::Lines(Box::new(LineWorker::new(hook.command(), command, reaper)))
            }
        };
        Self { command: hook.command().to_owned(), added: hook.env.clone(), mode: hook.worker, kind }
    }

    /// Waits until this worker may be asked. That does not use up the hook's timeout.
    pub(super) async fn admit(&self) -> Admitted<'_> {
        match &self.kind {
            WorkerKind::Lines(lines) => Admitted(AdmittedKind::Lines(lines, Entry::Turn(lines.turn().await))),
            WorkerKind::Fork(fork) => Admitted(AdmittedKind::Fork(fork)),
        }
    }

    /// Begins to send an event while its payload is still being written; `None` where that cannot be done.
    pub(super) fn begin(&self, payload: &Payload) -> Option<Admitted<'_>> {
        match &self.kind {
            WorkerKind::Lines(lines) => {
                Some(Admitted(AdmittedKind::Lines(lines, Entry::Early(lines.begin(payload)?))))
            }
            WorkerKind::Fork(_) => None,
        }
    }

    /// Ends the process when a file changes that these patterns match.
    fn also_watch(&self, patterns: &[String]) {
        match &self.kind {
            WorkerKind::Lines(lines) => lines.also_watch(patterns),
            // A forked script reads its files anew for each event.
            WorkerKind::Fork(_) => {}
        }
    }

    fn end(&self) {
        match &self.kind {
            WorkerKind::Lines(lines) => lines.end(),
            WorkerKind::Fork(fork) => fork.end(),
        }
    }

    fn tidy(&self, idle: Duration) {
        match &self.kind {
            WorkerKind::Lines(lines) => lines.tidy(idle),
            WorkerKind::Fork(fork) => fork.tidy(idle),
        }
    }

    fn process_id(&self) -> Option<i32> {
        match &self.kind {
            WorkerKind::Lines(lines) => lines.process_id(),
            WorkerKind::Fork(fork) => fork.process_id(),
        }
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        match &self.kind {
            WorkerKind::Lines(lines) => lines.health(),
            WorkerKind::Fork(fork) => fork.health(),
        }
    }
}

impl Admitted<'_> {
    /// Sends what was added to the payload of an early question.
    pub(super) fn grow(&self, payload: &Payload) {
        if let AdmittedKind::Lines(_, Entry::Early(early)) = &self.0 {
            early.grow(payload);
        }
    }

    /// Asks the worker about an event. `None` if it has to be run by a process of its own.
    /// With `alone`, no other hook waits for this thread.
    pub(super) async fn ask(
        self,
        payload: &Payload,
        timeout: Duration,
        keep: usize,
        alone: bool,
    ) -> Option<Finished> {
        match self.0 {
            AdmittedKind::Lines(lines, entry) => Some(lines.ask(entry, payload, timeout, keep, alone).await),
            AdmittedKind::Fork(fork) => fork.ask(payload, timeout, keep).await,
        }
    }
}

/// Why a hook with `"worker": "fork"` would be run once per event in this directory; `None` if it runs in forks, or has
/// no such setting.
pub fn fork_obstacle(
    hook: &Arc<Hook>,
    environment: Vec<EnvironmentVariable>,
    cwd: &Path,
) -> Option<ForkObstacle> {
    if hook.worker != WorkerMode::Fork {
        return None;
    }
    let preparer = CommandPreparer::new(environment, &Redaction::default(), true);
    fork::obstacle(hook, &preparer.prepare(hook, cwd))
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
