//! How well a worker does: what it answered, how it failed, and when it may be started again.

use std::time::{Duration, Instant};

/// So many failures in a row, and the next start has to wait.
const FAILURES_BEFORE_PAUSE: u32 = 3;
/// The first pause, and the longest: each further failure doubles it.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The record of one worker.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// How many processes were started.
    pub(super) started: u64,
    /// How many events were answered.
    pub(super) answered: u64,
    /// How it failed last.
    pub(super) last_failure: Option<String>,
    failures_in_a_row: u32,
    paused_until: Option<Instant>,
}

impl Health {
    /// An event was answered.
    pub(super) fn answered(&mut self) {
        self.answered += 1;
        self.failures_in_a_row = 0;
        self.paused_until = None;
    }

    /// It failed once, however many events were open.
    pub(super) fn failed(&mut self, why: &str, now: Instant) {
        self.last_failure = Some(why.to_owned());
        self.failures_in_a_row = self.failures_in_a_row.saturating_add(1);
        if let Some(more) = self.failures_in_a_row.checked_sub(FAILURES_BEFORE_PAUSE) {
            let pause = PAUSES.0.saturating_mul(1_u32.checked_shl(more).unwrap_or(u32::MAX)).min(PAUSES.1);
            self.paused_until = Some(now + pause);
        }
    }

    /// Why it must not be started now; `None` if it may.
    pub(super) fn pause(&self, now: Instant) -> Option<String> {
        let left = self.paused_until?.checked_duration_since(now).filter(|left| !left.is_zero())?;
        let last = self.last_failure.as_deref().unwrap_or("no answer");
        Some(format!(
            "is not started for another {} ms, after {} failures in a row; the last: {last}",
            left.as_millis().max(1),
            self.failures_in_a_row
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_begin_with_the_third_failure_and_double() {
        let mut health = Health::default();
        let now = Instant::now();
        let seconds =
            |health: &Health| (0..100).find(|s| health.pause(now + Duration::from_secs(*s)).is_none());
        for expected in [0, 0, 1, 2, 4, 8, 16, 30, 30] {
            health.failed("died", now);
            assert_eq!(seconds(&health), Some(expected));
        }
        for _ in 0..100 {
            health.failed("died", now);
        }
        assert_eq!(seconds(&health), Some(30));
        assert!(health.pause(now).is_some_and(|why| why.contains("109 failures") && why.ends_with("died")));
        health.answered();
        assert_eq!(seconds(&health), Some(0));
        health.failed("died", now);
        assert_eq!(seconds(&health), Some(0), "the row was broken");
    }
}
