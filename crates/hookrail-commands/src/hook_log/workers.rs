//! What the log contains about workers: the last line of each session about each of them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::BufRead as _;
use std::path::Path;

use hookrail::Hook;
use hookrail::components::WorkerMode;
use serde::{Deserialize, Serialize};

use super::{OpenLogs, READ_AT_MOST, local_time};
use crate::terminal::layout::counted;
use crate::terminal::printer::escape_line;

/// What a worker did in the last session that had one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PastWorker {
    /// How often a process of it was started.
    pub(crate) started: u64,
    pub(crate) answered: u64,
    /// How often it had to be started again.
    pub(crate) restarts: u64,
    pub(crate) last_failure: Option<String>,
    /// Whether it had a process when this was noted; older versions do not record it.
    pub(crate) running: Option<bool>,
    /// What its processes held then, in bytes.
    pub(crate) memory: Option<u64>,
    /// When this was noted.
    #[serde(rename(serialize = "notedAt"))]
    pub(crate) timestamp: String,
}

impl PastWorker {
    /// What it did, as text for a person.
    pub(crate) fn describe(&self) -> String {
        let process = match (self.memory, self.running) {
            (Some(bytes), _) => format!("{} MB", bytes / 1_000_000),
            (None, Some(false)) => "no process".to_owned(),
            (None, _) => "memory not known".to_owned(),
        };
        let mut text = format!(
            "{} answered, {}, {}, {process}",
            counted(self.answered, "event"),
            counted(self.started, "start"),
            counted(self.restarts, "restart"),
        );
        if !self.timestamp.is_empty() {
            let _ = write!(text, " as of {}", escape_line(&local_time(&self.timestamp)));
        }
        if let Some(why) = &self.last_failure {
            let _ = write!(text, "; last failure: {}", escape_line(why));
        }
        text
    }
}

/// How a hook's process is kept, and what the log contains about it.
#[derive(Debug, Serialize)]
pub(crate) struct WorkerReport<'l> {
    /// `lines` or `fork`.
    pub(crate) mode: &'static str,
    #[serde(flatten)]
    pub(crate) past: Option<&'l PastWorker>,
}

impl<'l> WorkerReport<'l> {
    /// `None` for a hook whose process is not kept.
    pub(crate) fn of(hook: &Hook, workers: &'l PastWorkers) -> Option<Self> {
        let mode = match hook.worker {
            WorkerMode::Off => return None,
            WorkerMode::Lines => "lines",
            WorkerMode::Fork => "fork",
        };
        Some(Self { mode, past: workers.of(hook.command()) })
    }

    /// What the log contains, as text for a person.
    pub(crate) fn describe(&self) -> String {
        self.past.map_or_else(|| "not kept by `serve` or `agent` yet".to_owned(), PastWorker::describe)
    }
}

/// The last records of all workers, by command.
#[derive(Debug, Default)]
pub(crate) struct PastWorkers(HashMap<String, PastWorker>);

impl PastWorkers {
    /// What the log contains, if one of these hooks has a worker; else nothing is read.
    pub(crate) fn load_for<'h>(hooks: impl IntoIterator<Item = &'h Hook>, path: &Path) -> Self {
        let has_workers = hooks.into_iter().any(|hook| hook.worker != WorkerMode::Off);
        if has_workers { Self::load(path) } else { Self::default() }
    }

    /// Reads a log with those that were moved aside. What cannot be read is left out.
    pub(crate) fn load(path: &Path) -> Self {
        #[derive(Deserialize)]
        struct WorkerLine {
            command: String,
            #[serde(flatten)]
            worker: PastWorker,
        }
        let mut workers = HashMap::new();
        for (_, file) in OpenLogs::end_of(path, READ_AT_MOST).files {
            for line in file.split(b'\n').map_while(Result::ok) {
                // Most lines are of another kind, and long.
                if line.starts_with(b"{\"type\":\"worker\"")
                    && let Ok(WorkerLine { command, worker }) = serde_json::from_slice(&line)
                {
                    workers.insert(command, worker);
                }
            }
        }
        Self(workers)
    }

    /// What a command's worker did last.
    pub(crate) fn of(&self, command: &str) -> Option<&PastWorker> {
        self.0.get(command)
    }
}

#[cfg(test)]
mod tests;
