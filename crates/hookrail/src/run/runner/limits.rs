//! What the settings of a level say about running its hooks, what the system allows, and how a shortage is waited out.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Instant;

use tokio::sync::Semaphore;

use super::super::command::CommandPreparer;
use super::super::environment::EnvironmentSource;
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
    pub(super) max_output_bytes: Option<u64>,
}

type MakePreparer = Box<dyn FnOnce() -> CommandPreparer + Send>;

impl HookLimits {
    /// At least one hook may run at a time, however few descriptors the process may open: with no permit all would wait forever.
    pub(super) fn new(
        limits: Limits,
        redaction: Redaction,
        environment: EnvironmentSource,
        direct_execution: bool,
    ) -> Self {
        let at_once =
            limits.max_concurrent.min(descriptor_bound(descriptor_limit())).clamp(1, Semaphore::MAX_PERMITS);
        let prepare = move || CommandPreparer::new(environment(), &redaction, direct_execution);
        Self {
            commands: LazyLock::new(Box::new(prepare)),
            slots: Arc::new(Semaphore::new(at_once)),
            max_output_bytes: limits.max_output_bytes,
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

impl Shortage {
    /// The moment from which the wait of a hook for a scarce resource counts, whose event came at `asked`. Time in a queue
    /// counts only as far as those in front waited for the same thing.
    pub(super) fn since(&self, asked: Instant) -> Instant {
        (*lock(&self.since).get_or_insert_with(Instant::now)).max(asked)
    }

    /// A process could be started.
    pub(super) fn over(&self) {
        *lock(&self.since) = None;
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
        let began = shortage.since(start);
        assert!(began >= start, "the queue before the shortage does not count");
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(shortage.since(start), began, "it goes on, and those behind share it");
        let later = Instant::now();
        assert_eq!(shortage.since(later), later, "a later event has its whole time");
        shortage.over();
        assert!(shortage.since(start) > began, "the next shortage is another one");
    }
}
