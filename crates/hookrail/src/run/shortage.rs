//! A shortage of descriptors, processes or memory, which hooks wait out together.
//!
//! Few hooks may run at once where descriptors are scarce. If each of those that queue waited for its own time, one after
//! the other, an event with ten hooks would take ten timeouts.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The present shortage, if there is one.
#[derive(Debug, Default)]
pub(super) struct Shortage {
    since: Mutex<Option<Instant>>,
}

/// The wait of one hook during a shortage.
#[derive(Debug)]
pub(crate) struct ShortageWait<'a> {
    shortage: &'a Shortage,
    asked: Instant,
}

impl Shortage {
    /// For a hook of an event that came at this moment.
    pub(super) fn waiting_from(&self, asked: Instant) -> ShortageWait<'_> {
        ShortageWait { shortage: self, asked }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShortageWait<'_> {
    /// The moment from which the wait for a scarce resource counts. Time in a queue counts only as far as those in front
    /// waited for the same thing.
    pub(super) fn since(&self) -> Instant {
        let mut since = self.shortage.lock();
        (*since.get_or_insert_with(Instant::now)).max(self.asked)
    }

    /// A process could be started.
    pub(super) fn over(&self) {
        *self.shortage.lock() = None;
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
