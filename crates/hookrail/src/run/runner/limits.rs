//! What the settings of a level say about running its hooks, what the system allows, and how a shortage is waited out.

use std::ffi::OsString;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Instant;

use tokio::sync::Semaphore;

use super::super::command::CommandPreparer;
use super::super::payload::Payload;
use super::super::unix::lock;
use crate::settings::{Limits, Redaction};

/// What is kept of each output stream, unless the settings say otherwise or the payload is large.
pub(super) const KEPT_OUTPUT: usize = 16 * 1024 * 1024;

/// The descriptors that one hook takes while it is being spawned, and those left to the rest of the program.
const DESCRIPTORS_PER_HOOK: u64 = 6;
const RESERVED_DESCRIPTORS: u64 = 32;

/// What the settings say about running hooks.
pub(super) struct HookLimits {
    /// Made when the first process is started: with rules alone, nothing of the environment is looked at.
    pub(super) commands: LazyLock<CommandPreparer, MakePreparer>,
    /// One permit for each hook that may run now, whichever event it belongs to. Waiting for one does not
    /// count as running.
    pub(super) slots: Arc<Semaphore>,
    max_output_bytes: Option<u64>,
}

type MakePreparer = Box<dyn FnOnce() -> CommandPreparer + Send>;

fn preparer(
    environment: Vec<(OsString, OsString)>,
    redaction: &Redaction,
    direct_execution: bool,
) -> LazyLock<CommandPreparer, MakePreparer> {
    let redaction = redaction.clone();
    LazyLock::new(Box::new(move || CommandPreparer::new(environment, &redaction, direct_execution)))
}

impl HookLimits {
    /// At least one hook may run at a time, however few descriptors the process may open: with no permit all would wait forever.
    pub(super) fn new(
        limits: Limits,
        redaction: &Redaction,
        environment: Vec<(OsString, OsString)>,
        direct_execution: bool,
    ) -> Self {
        let at_once =
            limits.max_concurrent.min(descriptor_bound(descriptor_limit())).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            commands: preparer(environment, redaction, direct_execution),
            slots: Arc::new(Semaphore::new(at_once)),
            max_output_bytes: limits.max_output_bytes,
        }
    }

    /// The same limits, shared, for hooks that inherit another environment.
    pub(super) fn with_environment(
        &self,
        environment: Vec<(OsString, OsString)>,
        redaction: &Redaction,
        direct_execution: bool,
    ) -> Self {
        Self {
            commands: preparer(environment, redaction, direct_execution),
            slots: Arc::clone(&self.slots),
            max_output_bytes: self.max_output_bytes,
        }
    }

    /// How much of each output stream is kept.
    pub(super) fn keep(&self, payload: &Payload) -> usize {
        match self.max_output_bytes {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => KEPT_OUTPUT.max(payload.len().saturating_mul(2)),
        }
    }
}

/// How many descriptors this process may open; `None` for any number.
pub(super) fn descriptor_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// How many hooks can run at once with so many descriptors.
pub(super) fn descriptor_bound(descriptors: Option<u64>) -> usize {
    let left = descriptors.unwrap_or(u64::MAX).saturating_sub(RESERVED_DESCRIPTORS);
    usize::try_from(left / DESCRIPTORS_PER_HOOK).unwrap_or(usize::MAX)
}

/// The present shortage of descriptors, processes or memory, if there is one. Hooks wait it out together: few may run at
/// once where descriptors are scarce, and if each of those that queue waited for its own time, one after the other, an event
/// with ten hooks would take ten timeouts.
#[derive(Debug, Default)]
pub(super) struct Shortage {
    since: Mutex<Option<Instant>>,
}

/// The wait of one hook during a shortage.
#[derive(Debug)]
pub(super) struct ShortageWait<'a> {
    shortage: &'a Shortage,
    asked: Instant,
}

impl Shortage {
    /// For a hook of an event that came at this moment.
    pub(super) fn waiting_from(&self, asked: Instant) -> ShortageWait<'_> {
        ShortageWait { shortage: self, asked }
    }
}

impl ShortageWait<'_> {
    /// The moment from which the wait for a scarce resource counts. Time in a queue counts only as far as those in front
    /// waited for the same thing.
    pub(super) fn since(&self) -> Instant {
        let mut since = lock(&self.shortage.since);
        (*since.get_or_insert_with(Instant::now)).max(self.asked)
    }

    /// A process could be started.
    pub(super) fn over(&self) {
        *lock(&self.shortage.since) = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_wait_counts_from_the_shortage_or_the_event_whichever_is_later() {
        let shortage = Shortage::default();
        let start = Instant::now();
        let first = shortage.waiting_from(start);
        let began = first.since();
        assert!(began >= start, "the queue before the shortage does not count");
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(first.since(), began, "it goes on");
        assert_eq!(shortage.waiting_from(start).since(), began, "those behind share it");
        let later = Instant::now();
        assert_eq!(shortage.waiting_from(later).since(), later, "a later event has its whole time");
        first.over();
        assert!(first.since() > began, "the next shortage is another one");
    }
}
