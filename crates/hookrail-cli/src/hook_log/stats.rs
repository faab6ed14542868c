//! Numbers about hooks, from what the log tells of them.

use std::collections::BTreeMap;
use std::path::Path;

use hookrail::EventName;
use serde::Serialize;

use super::read::{Call, Lines, READ_AT_MOST, open_with_rotated};

/// What the log tells of one hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookStats {
    pub(crate) event: String,
    pub(crate) name: String,
    pub(crate) runs: usize,
    pub(crate) blocks: usize,
    pub(crate) failures: usize,
    pub(crate) p50_ms: u64,
    pub(crate) p95_ms: u64,
    pub(crate) max_ms: u64,
    /// When it ran last.
    pub(crate) last_run: String,
}

/// Collects numbers, hook by hook. A hook is known by its event and its name.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    hooks: BTreeMap<(String, String), Collected>,
    /// Whether there are older lines that were not read.
    pub(crate) is_cut: bool,
}

#[derive(Debug, Default)]
struct Collected {
    durations: Vec<u64>,
    blocks: usize,
    failures: usize,
    last_run: String,
}

impl Statistics {
    /// Reads the end of a log with those that were moved aside. What cannot be read is left out: numbers about the
    /// past are never worth a failure.
    pub(crate) fn load(path: &Path) -> Self {
        let mut statistics = Self::default();
        let mut logs = open_with_rotated(path).unwrap_or_default();
        if logs.keep_last(READ_AT_MOST).is_err() {
            return statistics;
        }
        statistics.is_cut = logs.is_cut;
        for (_, file) in logs.files {
            for line in Lines::new(file).map_while(Result::ok) {
                statistics.add(line.call);
            }
        }
        statistics
    }

    /// What to tell a person if older lines were left out.
    pub(crate) fn cut_note(&self) -> Option<String> {
        self.is_cut
            .then(|| format!("note: only the last {} MB of the log were read", READ_AT_MOST / 1_000_000))
    }

    /// Takes a call into account.
    pub(crate) fn add(&mut self, call: Call) {
        let (blocked, failed) = (call.blocked(), call.error.is_some());
        let hook = self.hooks.entry((call.event, call.name)).or_default();
        hook.durations.push(call.duration_ms);
        hook.blocks += usize::from(blocked);
        hook.failures += usize::from(failed);
        if call.timestamp > hook.last_run {
            hook.last_run = call.timestamp;
        }
    }

    /// The numbers of one hook; `None` if it never ran.
    pub(crate) fn of(&self, event: EventName, name: &str) -> Option<HookStats> {
        self.hooks.get_key_value(&(event.as_str().to_owned(), name.to_owned())).map(summarise)
    }

    /// The numbers of all hooks, by event and name.
    pub(crate) fn all(&self) -> Vec<HookStats> {
        self.hooks.iter().map(summarise).collect()
    }
}

fn summarise(((event, name), collected): (&(String, String), &Collected)) -> HookStats {
    let mut durations = collected.durations.clone();
    durations.sort_unstable();
    HookStats {
        event: event.clone(),
        name: name.clone(),
        runs: durations.len(),
        blocks: collected.blocks,
        failures: collected.failures,
        p50_ms: percentile(&durations, 50).unwrap_or_default(),
        p95_ms: percentile(&durations, 95).unwrap_or_default(),
        max_ms: durations.last().copied().unwrap_or_default(),
        last_run: collected.last_run.clone(),
    }
}

/// The smallest of the sorted values that is not exceeded by this many of a hundred.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}
