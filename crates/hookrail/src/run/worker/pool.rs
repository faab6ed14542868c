//! The workers of a session, by what they are started from, and the thread that ends those with nothing to do.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde::Serialize;

use super::Worker;
use crate::hook::{Hook, WorkerMode};
use crate::run::command::PreparedCommand;
use crate::run::reaper::Reaper;
use crate::run::runner::GRACE;
use crate::run::unix::{ProcessStat, lock};
use crate::verdict::failure::WorkerFailure;

/// How long a worker may have nothing to do before it is ended.
const IDLE: Duration = Duration::from_mins(10);
/// How many workers are kept. Beyond that, those without a process are dropped.
const MAX_WORKERS: usize = 256;
/// The shortest pause between two looks for idle workers, …
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
/// … and the longest.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// For how many hooks and directories it is kept which worker they belong to.
const MAX_ASSIGNED_HOOKS: usize = 4096;

/// The workers of a session. Clones share them; the last one to be dropped ends them.
///
/// A host that reads its settings again hands the pool to its next session, so that workers whose hooks did not change
/// stay.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    pub(in crate::run) shared: Arc<PoolShared>,
}

#[derive(Debug)]
pub(in crate::run) struct PoolShared {
    pub(in crate::run) reaper: Reaper,
    /// Hooks with the same command share a worker.
    workers: Mutex<HashMap<(WorkerMode, PreparedCommand), Arc<Worker>>>,
    /// Workers by the address of a hook, which is kept alive here, and the directory. Preparing its command and comparing
    /// whole environments at each event would cost more than the event.
    known: Mutex<HashMap<(usize, OsString), AssignedHook>>,
    /// How long a worker may have nothing to do.
    idle: Duration,
    /// Ends, as it is dropped, the thread that looks for idle workers.
    keeper: OnceLock<mpsc::Sender<()>>,
}

/// A hook, and the worker that is asked for it.
type AssignedHook = (Arc<Hook>, Arc<Worker>);

impl PoolShared {
    /// All workers, with and without a process.
    fn workers(&self) -> Vec<Arc<Worker>> {
        lock(&self.workers).values().cloned().collect()
    }

    /// Ends all workers, each as soon as it has no open question.
    pub(in crate::run) fn end(&self) {
        lock(&self.workers).values().for_each(|worker| worker.end());
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
        Self { shared: Arc::new(PoolShared { reaper, workers, known, idle, keeper: OnceLock::new() }) }
    }

    /// The worker of a hook that has one, in a directory. `prepare` makes the command if it is not known yet; a process that
    /// runs is not ended because the search path would lead to another program now.
    pub(in crate::run) fn worker(
        &self,
        hook: &Arc<Hook>,
        cwd: &Path,
        prepare: impl FnOnce() -> PreparedCommand,
    ) -> Arc<Worker> {
        let place = (Arc::as_ptr(hook).addr(), cwd.as_os_str().to_owned());
        if let Some((_, worker)) = lock(&self.shared.known).get(&place) {
            return Arc::clone(worker);
        }
        let command = prepare();
        let worker = {
            let mut workers = lock(&self.shared.workers);
            if workers.len() >= MAX_WORKERS {
                workers.retain(|_, worker| worker.process_id().is_some());
                lock(&self.shared.known).clear();
            }
            let make = || Arc::new(Worker::new(hook, &command, &self.shared.reaper));
            Arc::clone(workers.entry((hook.worker, command.clone())).or_insert_with(make))
        };
        let mut known = lock(&self.shared.known);
        if known.len() >= MAX_ASSIGNED_HOOKS {
            known.clear();
        }
        worker.also_watch(&hook.watch);
        known.insert(place, (Arc::clone(hook), Arc::clone(&worker)));
        drop(known);
        self.start_keeper();
        worker
    }

    /// Starts the thread that ends idle workers, if there is none. Without a thread they end with the session.
    fn start_keeper(&self) {
        self.shared.keeper.get_or_init(|| {
            let (stop, stopped) = mpsc::channel();
            let (pool, idle) = (Arc::downgrade(&self.shared), self.shared.idle);
            let pause = (idle / 4).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            let keep = move || {
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(pause) {
                    let Some(shared) = pool.upgrade() else { return };
                    shared.workers().iter().for_each(|worker| worker.tidy(idle));
                }
            };
            let _ = std::thread::Builder::new().name("hookrail-workers".to_owned()).spawn(keep);
            stop
        });
    }

    /// Ends workers that belong to none of these hooks. For a host that has read its settings again.
    pub fn keep_only<'h>(&self, hooks: impl IntoIterator<Item = &'h Hook>) {
        let hooks: Vec<&Hook> = hooks.into_iter().collect();
        let belongs = |worker: &Worker| {
            hooks.iter().any(|hook| {
                hook.worker == worker.hook.worker
                    && hook.command() == worker.hook.command()
                    && hook.env == worker.hook.env
            })
        };
        lock(&self.shared.known).retain(|_, (_, worker)| belongs(worker));
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
        self.shared.end();
    }

    /// What the workers did.
    pub fn status(&self) -> Vec<WorkerStatus> {
        let workers = self.shared.workers();
        let processes: Vec<Option<i32>> = workers.iter().map(|worker| worker.process_id()).collect();
        let has_process = processes.iter().any(Option::is_some);
        let memory = if has_process { memory_by_group() } else { HashMap::new() };
        let status = |(worker, process): (&Arc<Worker>, Option<i32>)| {
            let health = lock(&worker.health);
            WorkerStatus {
                command: worker.hook.command().to_owned(),
                process,
                answered: health.answered,
                started: health.started,
                restarts: health.started.saturating_sub(1),
                last_failure: health.last_failure.clone(),
                memory: process.and_then(|leader| memory.get(&leader).copied()),
            }
        };
        workers.iter().zip(processes).map(status).collect()
    }
}

impl Drop for PoolShared {
    fn drop(&mut self) {
        self.end();
    }
}

/// The record of one worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkerStatus {
    /// The command of its hooks.
    pub command: String,
    /// The id of its process, while one runs.
    pub process: Option<i32>,
    /// How many events it answered.
    pub answered: u64,
    /// How often a process of it was started.
    pub started: u64,
    /// How often it had to be started again.
    pub restarts: u64,
    /// How it failed last.
    pub last_failure: Option<WorkerFailure>,
    /// What the processes of its group hold in memory, in bytes, where the system reports it.
    pub memory: Option<u64>,
}

/// What the processes of each group hold in memory: a command may have a shell around it, or helpers. Empty where the
/// system does not report it.
fn memory_by_group() -> HashMap<i32, u64> {
    let mut memory = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        if let (Some(group), Some(bytes)) = (group_of(process), resident(process)) {
            *memory.entry(group).or_default() += bytes;
        }
    }
    memory
}

fn group_of(process: u32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    ProcessStat::parse(&stat).map(|stat| stat.group)
}

/// What a process holds in memory.
fn resident(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
