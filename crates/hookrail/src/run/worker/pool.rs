//! The workers of a session, by what they are started from.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use super::Worker;
use super::keeper::Keeper;
use super::status::{WorkerStatus, statuses};
use crate::hook::{Hook, WorkerMode};
use crate::run::command::PreparedCommand;
use crate::run::environment::EnvironmentVariable;
use crate::run::locks::lock;
use crate::run::reaper::Reaper;
use crate::run::runner::GRACE;

/// How long a worker may have nothing to do before it is ended.
const IDLE: Duration = Duration::from_mins(10);
/// How many workers are kept. Beyond that, those without a process are dropped.
const MAX_WORKERS: usize = 256;
/// For how many hooks it is kept which worker they belong to.
const MAX_ASSIGNED_HOOKS: usize = 4096;

/// The workers of a session. Clones share them; the last one to be dropped ends them.
///
/// A host that reads its settings again hands the pool to its next session, so that workers whose hooks did not change
/// stay.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    shared: Arc<PoolShared>,
}

#[derive(Debug)]
pub(super) struct PoolShared {
    reaper: Reaper,
    workers: Mutex<HashMap<WorkerKey, Arc<Worker>>>,
    /// Workers by the address of a hook, which is kept alive here. Preparing its command and comparing whole environments
    /// at each event would cost more than the event.
    known: Mutex<HashMap<usize, AssignedHook>>,
    pub(super) keeper: Keeper,
    /// How many events wait for an answer of a worker now.
    open_questions: AtomicUsize,
}

impl PoolShared {
    /// All workers, with and without a process.
    pub(super) fn workers(&self) -> Vec<Arc<Worker>> {
        lock(&self.workers).values().cloned().collect()
    }
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
pub(in crate::run) struct WeakPool(Weak<PoolShared>);

impl WeakPool {
    /// Ends all workers, if there still are some.
    pub(in crate::run) fn end(&self) {
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

/// A caller that asks a worker of a pool, counted until it is dropped.
#[derive(Debug)]
pub(in crate::run) struct OpenQuestionCount<'p>(&'p AtomicUsize);

impl OpenQuestionCount<'_> {
    /// Whether this is the only open question.
    pub(in crate::run) fn is_only_one(&self) -> bool {
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
    pub(in crate::run) fn downgrade(&self) -> WeakPool {
        WeakPool(Arc::downgrade(&self.shared))
    }

    /// What ends processes for this pool.
    pub(in crate::run) fn reaper(&self) -> &Reaper {
        &self.shared.reaper
    }

    /// The worker of a hook that has one, in a directory. `prepare` makes the command if it is not known yet; a process that
    /// runs is not ended because the search path would lead to another program now.
    pub(in crate::run) fn worker(
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
            if workers.len() >= MAX_WORKERS {
                workers.retain(|_, worker| worker.process_id().is_some());
                lock(&self.shared.known).clear();
            }
            let make = || Arc::new(Worker::new(hook, &command, &self.shared.reaper));
            Arc::clone(workers.entry(key).or_insert_with(make))
        };
        let mut known = lock(&self.shared.known);
        if known.len() >= MAX_ASSIGNED_HOOKS {
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
    pub(in crate::run) fn count_question(&self) -> OpenQuestionCount<'_> {
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
        statuses(&self.shared.workers())
    }
}

impl Drop for PoolShared {
    fn drop(&mut self) {
        for worker in lock(&self.workers).values() {
            worker.end();
        }
        self.keeper.stop();
    }
}
