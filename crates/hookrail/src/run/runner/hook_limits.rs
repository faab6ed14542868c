//! What the settings of a level say about running its hooks, and what the system allows.

use std::ffi::OsString;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::super::command::CommandPreparer;
use super::super::payload::Payload;
use crate::settings::{Limits, Redaction};

/// What is kept of each output stream, unless the settings say otherwise or the payload is large.
pub(super) const KEPT_OUTPUT: usize = 16 * 1024 * 1024;

/// The descriptors that one hook takes while it is being spawned, and those left to the rest of the program.
const DESCRIPTORS_PER_HOOK: u64 = 6;
const RESERVED_DESCRIPTORS: u64 = 32;

/// What the settings say about running hooks.
pub(super) struct HookLimits {
    pub(super) commands: CommandPreparer,
    /// One permit for each hook that may run now, whichever event it belongs to. Waiting for one does not
    /// count as running.
    pub(super) slots: Arc<Semaphore>,
    max_output_bytes: Option<u64>,
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
            commands: CommandPreparer::new(environment, redaction, direct_execution),
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
            commands: CommandPreparer::new(environment, redaction, direct_execution),
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
