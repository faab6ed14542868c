//! What the log tells of workers: the last word of each session about each of them.

use std::collections::HashMap;
use std::io::BufRead as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{READ_AT_MOST, open_with_rotated};

/// What a worker did in the last session that had one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PastWorker {
    /// How often a process of it was started.
    pub(crate) started: u64,
    /// How many events it answered.
    pub(crate) answered: u64,
    /// How often it had to be started again.
    pub(crate) restarts: u64,
    /// How it failed last.
    pub(crate) last_failure: Option<String>,
    /// The memory of its process at the end, in bytes.
    pub(crate) memory: Option<u64>,
}

/// All of them, by command.
#[derive(Debug, Default)]
pub(crate) struct PastWorkers(HashMap<String, PastWorker>);

impl PastWorkers {
    /// Reads a log with those that were moved aside. What cannot be read is left out.
    pub(crate) fn load(path: &Path) -> Self {
        #[derive(Deserialize)]
        struct Line {
            command: String,
            #[serde(flatten)]
            worker: PastWorker,
        }
        let mut workers = HashMap::new();
        let mut logs = open_with_rotated(path).unwrap_or_default();
        if logs.keep_last(READ_AT_MOST).is_err() {
            return Self(workers);
        }
        for (_, file) in logs.files {
            for line in file.split(b'\n').map_while(Result::ok) {
                // Most lines are of another kind, and long.
                if line.starts_with(b"{\"type\":\"worker\"")
                    && let Ok(Line { command, worker }) = serde_json::from_slice(&line)
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
mod tests {
    use super::*;
    use crate::hook_log::HookLog;

    #[test]
    fn the_last_word_about_a_worker_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = HookLog::new(folder.path());
        let mut status = hookrail::internal::WorkerStatus {
            command: "a \"b\"".to_owned(),
            process: None,
            answered: 7,
            started: 1,
            restarts: 0,
            last_failure: None,
            memory: Some(4096),
        };
        log.workers(&[status.clone()]);
        (status.answered, status.started, status.restarts) = (9, 2, 1);
        status.last_failure = Some("died".to_owned());
        log.workers(&[status]);
        let read = PastWorkers::load(&crate::hook_log::path_in(folder.path()));
        let worker = read.of("a \"b\"").unwrap();
        assert_eq!((worker.started, worker.answered, worker.restarts), (2, 9, 1));
        assert_eq!((worker.last_failure.as_deref(), worker.memory), (Some("died"), Some(4096)));
        assert_eq!(read.of("b"), None);
    }
}
