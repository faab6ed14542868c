//! What a worker did, for whoever shows it.

use serde::Serialize;

use super::Worker;

/// The record of one worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    pub last_failure: Option<String>,
    /// The memory of its process in bytes, where the system tells.
    pub memory: Option<u64>,
}

impl Worker {
    /// What it did so far.
    pub(super) fn status(&self) -> WorkerStatus {
        let process = self.process_id();
        let health = self.health();
        WorkerStatus {
            command: self.command.clone(),
            process,
            answered: health.answered,
            started: health.started,
            restarts: health.started.saturating_sub(1),
            last_failure: health.last_failure.clone(),
            memory: process.and_then(memory),
        }
    }
}

/// What a process holds in memory.
fn memory(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
