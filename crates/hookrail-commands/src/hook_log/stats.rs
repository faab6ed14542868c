//! Numbers about hooks, from the log.

use std::collections::BTreeMap;
use std::path::Path;

use hookrail::EventName;
use serde::Serialize;

use super::read::{LoggedCall, OpenLogs, READ_AT_MOST};

/// What the log contains about one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookStats {
    /// The project's folder; empty where the log does not contain it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) project: String,
    pub(crate) event: String,
    pub(crate) name: String,
    /// As far as the log was read.
    pub(crate) runs: usize,
    pub(crate) blocks: usize,
    /// How often it left a call to a person.
    pub(crate) asks: usize,
    pub(crate) failures: usize,
    pub(crate) p50_ms: u64,
    /// Nineteen of twenty runs took no longer.
    pub(crate) p95_ms: u64,
    pub(crate) max_ms: u64,
    pub(crate) last_run: String,
    /// Its command when it ran last.
    #[serde(skip)]
    pub(crate) command: String,
}

/// Collects numbers, hook by hook. A hook is known by its project, its event and its name: the same name in another
/// project is another hook.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// Durations are kept one by one, because percentiles cannot be added up.
    hooks: BTreeMap<HookKey, (HookStats, Vec<u64>)>,
    /// Whether there are older lines that were not read.
    pub(crate) is_cut: bool,
}

type HookKey = (String, String, String);

impl Statistics {
    /// Reads the end of a log with those that were moved aside.
    pub(crate) fn load(path: &Path) -> Self {
        let logs = OpenLogs::end_of(path, READ_AT_MOST);
        let mut statistics = Self { is_cut: logs.is_cut, ..Self::default() };
        logs.lines().map_while(Result::ok).for_each(|call| statistics.add(call));
        statistics
    }

    /// The note that older lines were left out, if they were.
    pub(crate) fn cut_note(&self) -> Option<String> {
        self.is_cut
            .then(|| format!("note: only the last {} MB of the log were read", READ_AT_MOST / 1_000_000))
    }

    /// Adds a call to the numbers of its hook.
    pub(crate) fn add(&mut self, call: LoggedCall) {
        let (blocked, asked, failed) = (call.blocked(), call.asked(), call.error.is_some());
        let (hook, durations) = self.hooks.entry((call.project, call.event, call.name)).or_default();
        durations.push(call.duration_ms);
        hook.blocks += usize::from(blocked);
        hook.asks += usize::from(asked);
        hook.failures += usize::from(failed);
        if call.timestamp > hook.last_run {
            hook.last_run = call.timestamp;
            hook.command = call.command.unwrap_or_default();
        }
    }

    /// The numbers of one hook in a project; `None` if it never ran there. Lines of older versions do not contain their
    /// project, and count for each.
    pub(crate) fn of(&self, project: &Path, event: EventName, name: &str) -> Option<HookStats> {
        let key = |project: &str| (project.to_owned(), event.as_str().to_owned(), name.to_owned());
        let here = key(&project.to_string_lossy());
        let mut known = self.hooks.get(&here).cloned();
        if let Some(older) = self.hooks.get(&key("")) {
            join(known.get_or_insert_default(), older);
        }
        known.map(|known| summarise((&here, &known)))
    }

    /// The numbers of all hooks, by project, event and name.
    pub(crate) fn all(&self) -> Vec<HookStats> {
        self.hooks.iter().map(summarise).collect()
    }
}

/// The command is that of the younger run.
fn join((hook, durations): &mut (HookStats, Vec<u64>), (other, more): &(HookStats, Vec<u64>)) {
    durations.extend_from_slice(more);
    hook.blocks += other.blocks;
    hook.asks += other.asks;
    hook.failures += other.failures;
    if other.last_run > hook.last_run {
        hook.last_run.clone_from(&other.last_run);
        hook.command.clone_from(&other.command);
    }
}

/// Sorts a copy: the numbers may grow afterwards.
fn summarise(((project, event, name), (hook, durations)): (&HookKey, &(HookStats, Vec<u64>))) -> HookStats {
    let mut durations = durations.clone();
    durations.sort_unstable();
    HookStats {
        project: project.clone(),
        event: event.clone(),
        name: name.clone(),
        runs: durations.len(),
        p50_ms: percentile(&durations, 50).unwrap_or_default(),
        p95_ms: percentile(&durations, 95).unwrap_or_default(),
        max_ms: durations.last().copied().unwrap_or_default(),
        ..hook.clone()
    }
}

/// The smallest of the sorted values that is not exceeded by this many of a hundred.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}
