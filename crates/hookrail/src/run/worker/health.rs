//! The record of a worker: what it answered, how it failed, and when it may be started again.

use std::time::{Duration, Instant};

use crate::verdict::failure::WorkerFailure;

/// So many failures in a row, and the next start has to wait.
const FAILURES_BEFORE_PAUSE: u32 = 3;
/// The first pause. Each further failure doubles it, …
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The record of one worker.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// How many processes were started.
    pub(super) started: u64,
    /// How many events were answered.
    pub(super) answered: u64,
    pub(super) last_failure: Option<WorkerFailure>,
    failures_in_a_row: u32,
    paused_until: Option<Instant>,
}

impl Health {
    /// Counts an answered event, which ends a row of failures.
    pub(super) fn answered(&mut self) {
        self.answered += 1;
        self.failures_in_a_row = 0;
        self.paused_until = None;
    }

    /// Counts one failure, however many events were open.
    pub(super) fn failed(&mut self, why: WorkerFailure, now: Instant) {
        self.last_failure = Some(why);
        self.failures_in_a_row = self.failures_in_a_row.saturating_add(1);
        if let Some(more) = self.failures_in_a_row.checked_sub(FAILURES_BEFORE_PAUSE) {
            let pause =
                FIRST_PAUSE.saturating_mul(1_u32.checked_shl(more).unwrap_or(u32::MAX)).min(LONGEST_PAUSE);
            self.paused_until = Some(now + pause);
        }
    }

    /// Why it must not be started now; `None` if it may.
    pub(super) fn pause(&self, now: Instant) -> Option<WorkerFailure> {
        let left = self.paused_until?.checked_duration_since(now).filter(|left| !left.is_zero())?;
        // A pause follows from a failure, so that there is one.
        let last = Box::new(self.last_failure.clone()?);
        Some(WorkerFailure::Paused { left, failures: self.failures_in_a_row, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIED: WorkerFailure = WorkerFailure::Exited { code: 1 };

    #[test]
    fn pauses_begin_with_the_third_failure_and_double() {
        let mut health = Health::default();
        let now = Instant::now();
        let seconds =
            |health: &Health| (0..100).find(|s| health.pause(now + Duration::from_secs(*s)).is_none());
        for expected in [0, 0, 1, 2, 4, 8, 16, 30, 30] {
            health.failed(DIED, now);
            assert_eq!(seconds(&health), Some(expected));
        }
        for _ in 0..100 {
            health.failed(DIED, now);
        }
        assert_eq!(seconds(&health), Some(30));
        let left = Duration::from_secs(30);
        let pause = WorkerFailure::Paused { left, failures: 109, last: Box::new(DIED) };
        assert_eq!(health.pause(now), Some(pause));
        health.answered();
        assert_eq!(seconds(&health), Some(0));
        health.failed(DIED, now);
        assert_eq!(seconds(&health), Some(0), "the row was broken");
    }
}
