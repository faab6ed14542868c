//! Waiting for the answer of a quick worker on the calling thread.

use std::time::{Duration, Instant};

use super::ConnectionState;
use crate::run::worker::connection::{Outcome, QUICK_ANSWER};

/// A yield that takes longer than this means that another program uses the processor.
const CONTENDED_YIELD: Duration = Duration::from_micros(200);
/// How many of the next waits sleep after such a yield.
const SLEEPING_WAITS: u32 = 255;

/// How the answer of a process is waited for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// In the runtime.
    Usual,
    /// On the calling thread, because its last answer was quick.
    Quick,
    /// In the runtime, because several questions are open at once.
    Concurrent,
}

impl ConnectionState {
    /// Sends a question to a worker that is known to be quick, and waits for the answer on the calling thread without
    /// yielding to other tasks. `None` if there is no answer by `until`: the question stays open, and the caller waits in
    /// the runtime.
    pub(in crate::run::worker::connection) fn ask_blocking(
        &mut self,
        number: u64,
        until: Instant,
    ) -> Option<Outcome> {
        if self.pace != Pace::Quick {
            return None;
        }
        let pipes = &mut self.process.as_mut()?.pipes;
        if !pipes.write_now(self.open.get_mut(number)?) {
            return None;
        }
        let outcome = self.wait_spinning(number).or_else(|| self.wait_sleeping(number, until));
        if outcome.is_none() {
            self.pace = Pace::Usual;
        }
        outcome
    }

    /// Waits for a moment without sleeping, because waking an idle processor takes longer than such an answer. Each round
    /// yields to other programs, which may be the worker. If one of them keeps the processor for long, the next waits
    /// sleep instead.
    fn wait_spinning(&mut self, number: u64) -> Option<Outcome> {
        if let Some(left) = self.sleeping_waits_left.checked_sub(1) {
            self.sleeping_waits_left = left;
            return None;
        }
        let begin = Instant::now();
        let mut now = begin;
        while self.closed.is_none() && now - begin < QUICK_ANSWER {
            std::thread::yield_now();
            let outcome = if self.read_once_unwatched() { self.take(number) } else { None };
            let before = std::mem::replace(&mut now, Instant::now());
            if now - before > CONTENDED_YIELD {
                self.sleeping_waits_left = SLEEPING_WAITS;
            }
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }

    /// Sleeps until the answer arrives.
    fn wait_sleeping(&mut self, number: u64, until: Instant) -> Option<Outcome> {
        while self.closed.is_none() {
            let left = until.saturating_duration_since(Instant::now());
            let pipes = &self.process.as_ref()?.pipes;
            if left.is_zero() || !pipes.wait_for_output(left) {
                return None;
            }
            if self.read_once_unwatched()
                && let Some(outcome) = self.take(number)
            {
                return Some(outcome);
            }
        }
        None
    }

    /// Chooses how to wait next time, by how long an answer took. A new process is assumed to be quick: its first answer
    /// was late because it had to start.
    pub(in crate::run::worker::connection) fn answered_after(&mut self, time: Duration) {
        if self.pace != Pace::Concurrent {
            let is_quick = self.answered == 1 || time <= QUICK_ANSWER;
            self.pace = if is_quick { Pace::Quick } else { Pace::Usual };
        }
    }
}
