//! What a worker did, for reports.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use serde::Serialize;

use super::Worker;
use crate::run::unix::ProcessStat;
use crate::verdict::failure::WorkerFailure;

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

/// What these workers did so far.
pub(super) fn statuses(workers: &[Arc<Worker>]) -> Vec<WorkerStatus> {
    let workers: Vec<(&Arc<Worker>, Option<i32>)> =
        workers.iter().map(|worker| (worker, worker.process_id())).collect();
    let has_process = workers.iter().any(|(_, process)| process.is_some());
    let memory = if has_process { memory_by_group() } else { HashMap::new() };
    let status = |(worker, process): (&Arc<Worker>, Option<i32>)| {
        let health = worker.health();
        WorkerStatus {
            command: worker.command.clone(),
            process,
            answered: health.answered,
            started: health.started,
            restarts: health.started.saturating_sub(1),
            last_failure: health.last_failure.clone(),
            memory: process.and_then(|leader| memory.get(&leader).copied()),
        }
    };
    workers.into_iter().map(status).collect()
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

/// The process group of a process.
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
