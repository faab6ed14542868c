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
mod request_line;
mod start;
mod status;
mod turns;
mod watched;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

pub use self::fork::ForkObstacle;
use self::fork::ForkWorker;
use self::health::Health;
use self::keeper::Keeper;
use self::line_worker::{Entry, LineWorker};
pub use self::status::WorkerStatus;
use self::status::statuses;
use super::command::{CommandPreparer, PreparedCommand};
use super::environment::EnvironmentVariable;
use super::payload::Payload;
use super::process::Finished;
use super::reaper::Reaper;
use super::runner::GRACE;
use crate::hook::{Hook, WorkerMode};
use crate::settings::Redaction;

/// How long a worker may have nothing to do before it is ended.
const IDLE: Duration = Duration::from_mins(10);
/// How many workers are remembered. Beyond that, those without a process are forgotten.
const REMEMBERED: usize = 256;
/// How many hooks are remembered to belong to a worker.
const REMEMBERED_HOOKS: usize = 4096;

/// The workers of a session. Clones share them; the last one to be dropped ends them.
///
/// A host that reads its settings again hands the pool to its next session, so that workers whose hooks did not change
/// stay.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    shared: Arc<PoolShared>,
}

#[derive(Debug)]
struct PoolShared {
    reaper: Reaper,
    workers: Mutex<HashMap<WorkerKey, Arc<Worker>>>,
    /// Workers by the address of a hook, which is kept alive here. Preparing its command and comparing whole environments
    /// at each event would cost more than the event.
    known: Mutex<HashMap<usize, AssignedHook>>,
    keeper: Keeper,
    /// How many events wait for an answer of a worker now.
    open_questions: AtomicUsize,
}

/// A hook with the worker that was asked last, and the directory of that worker.
#[derive(Debug)]
struct AssignedHook {
    hook: Arc<Hook>,
    cwd: PathBuf,
    worker: Arc<Worker>,
}

/// A handle that keeps no worker alive.
#[derive(Debug, Clone)]
pub(super) struct WeakPool(Weak<PoolShared>);

impl WeakPool {
    /// Ends all workers, if there still are some.
    pub(super) fn end(&self) {
        if let Some(shared) = self.0.upgrade() {
            WorkerPool { shared }.end();
        }
    }
}

/// Hooks with equal keys share a worker.
#[derive(Debug, PartialEq, Eq, Hash)]
struct WorkerKey {
    mode: WorkerMode,
    program: OsString,
    arg0: Option<OsString>,
    args: Vec<OsString>,
    env: Arc<[EnvironmentVariable]>,
    cwd: PathBuf,
}

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

/// A caller that asks a worker of a pool, counted until it is dropped.
#[derive(Debug)]
pub(super) struct OpenQuestionCount<'p>(&'p AtomicUsize);

impl OpenQuestionCount<'_> {
    /// Whether this is the only open question.
    pub(super) fn is_only_one(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 1
    }
}

impl Drop for OpenQuestionCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Default for WorkerPool {
    fn default() -> Self {
        Self::new(GRACE)
    }
}

impl WorkerPool {
    /// A pool without workers. `grace` is the time that a process has to clean up when it is ended.
    pub fn new(grace: Duration) -> Self {
        Self::with_idle(grace, IDLE)
    }

    /// A pool that ends workers after `idle` without an event.
    pub fn with_idle(grace: Duration, idle: Duration) -> Self {
        let reaper = Reaper::with_grace(grace);
        let (workers, known) = (Mutex::default(), Mutex::default());
        Self {
            shared: Arc::new(PoolShared {
                reaper,
                workers,
                known,
                keeper: Keeper::new(idle),
                open_questions: AtomicUsize::new(0),
            }),
        }
    }

    /// The same pool, without keeping its workers alive.
    pub(super) fn downgrade(&self) -> WeakPool {
        WeakPool(Arc::downgrade(&self.shared))
    }

    /// What ends processes for this pool.
    pub(super) fn reaper(&self) -> &Reaper {
        &self.shared.reaper
    }

    /// The worker of a hook that has one, in a directory. `prepare` makes the command if it is not known yet; a process that
    /// runs is not ended because the search path would lead to another program now.
    pub(super) fn worker(
        &self,
        hook: &Arc<Hook>,
        cwd: &Path,
        prepare: impl FnOnce() -> Arc<PreparedCommand>,
    ) -> Arc<Worker> {
        let address = Arc::as_ptr(hook).addr();
        let is_it = |known: &&AssignedHook| {
            Arc::ptr_eq(&known.hook, hook) && known.cwd.as_os_str() == cwd.as_os_str()
        };
        if let Some(known) = lock(&self.shared.known).get(&address).filter(is_it) {
            return Arc::clone(&known.worker);
        }
        let command = prepare();
        let key = WorkerKey {
            mode: hook.worker,
            program: command.program.clone(),
            arg0: command.arg0.clone(),
            args: command.args.clone(),
            env: Arc::clone(&command.env),
            cwd: command.cwd.clone(),
        };
        let worker = {
            let mut workers = lock(&self.shared.workers);
            if workers.len() >= REMEMBERED {
                workers.retain(|_, worker| worker.process_id().is_some());
                lock(&self.shared.known).clear();
            }
            let make = || Arc::new(Worker::new(hook, &command, &self.shared.reaper));
            Arc::clone(workers.entry(key).or_insert_with(make))
        };
        let mut known = lock(&self.shared.known);
        if known.len() >= REMEMBERED_HOOKS {
            known.clear();
        }
        let (hook, cwd) = (Arc::clone(hook), cwd.to_owned());
        worker.also_watch(&hook.watch);
        known.insert(address, AssignedHook { hook, cwd, worker: Arc::clone(&worker) });
        drop(known);
        Keeper::start(&self.shared);
        worker
    }

    /// Counts a caller that is about to ask a worker.
    pub(super) fn count_question(&self) -> OpenQuestionCount<'_> {
        self.shared.open_questions.fetch_add(1, Ordering::Relaxed);
        OpenQuestionCount(&self.shared.open_questions)
    }

    /// Ends workers that belong to none of these hooks. For a host that has read its settings again.
    pub fn keep_only<'h>(&self, hooks: impl IntoIterator<Item = &'h Hook>) {
        let hooks: Vec<&Hook> = hooks.into_iter().collect();
        let belongs = |worker: &Worker| {
            hooks.iter().any(|hook| {
                hook.worker == worker.mode && hook.command() == worker.command && hook.env == worker.added
            })
        };
        lock(&self.shared.known).retain(|_, known| belongs(&known.worker));
        lock(&self.shared.workers).retain(|_, worker| {
            let keep = belongs(worker);
            if !keep {
                worker.end();
            }
            keep
        });
    }

    /// Ends all workers, each as soon as it has no open question. The next event starts new ones.
    pub fn end(&self) {
        for worker in lock(&self.shared.workers).values() {
            worker.end();
        }
    }

    /// What the workers did.
    pub fn status(&self) -> Vec<WorkerStatus> {
        let workers: Vec<Arc<Worker>> = lock(&self.shared.workers).values().cloned().collect();
        statuses(&workers)
    }
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

impl Drop for PoolShared {
    fn drop(&mut self) {
        for worker in lock(&self.workers).values() {
            worker.end();
        }
        self.keeper.stop();
    }
}

/// A panic while one of these locks was held leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
