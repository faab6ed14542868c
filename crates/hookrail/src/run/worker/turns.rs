//! The queue of callers of a worker: in the order of arrival, as many at once as the worker allows.
//!
//! Waiting here does not use up a hook's timeout.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// The queue before one worker.
#[derive(Debug)]
pub(super) struct Turns {
    queue: Mutex<CallerQueue>,
}

#[derive(Debug)]
struct CallerQueue {
    /// How many callers may ask at once.
    allowed: usize,
    /// How many do.
    taken: usize,
    next_ticket: u64,
    waiting: VecDeque<(u64, Option<Waker>)>,
}

/// The right to ask, given back when it is dropped.
#[derive(Debug)]
pub(in crate::run) struct Turn<'t> {
    turns: &'t Turns,
    ticket: u64,
}

/// The position of a caller in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueuePosition {
    /// Behind all others.
    Last,
    /// The position that a caller had before, which has to ask once more.
    Again(u64),
}

impl Turns {
    /// A queue that admits one caller at a time.
    pub(super) fn new() -> Self {
        let (taken, next_ticket, waiting) = (0, 0, VecDeque::new());
        Self { queue: Mutex::new(CallerQueue { allowed: 1, taken, next_ticket, waiting }) }
    }

    /// Admits so many callers at once from now on. Those already admitted keep their turns.
    pub(super) fn allow(&self, at_once: usize) {
        let mut queue = self.lock();
        queue.allowed = at_once.max(1);
        queue.wake_first();
    }

    /// Waits for a turn. Dropping the future leaves the queue.
    pub(super) async fn take(&self, position: QueuePosition) -> Turn<'_> {
        let waiting = QueuedCaller { turns: self, ticket: self.lock().enter(position) };
        poll_fn(|cx| {
            let mut queue = self.lock();
            let is_first = queue.waiting.front().is_some_and(|(ticket, _)| *ticket == waiting.ticket);
            if is_first && queue.taken < queue.allowed {
                queue.taken += 1;
                queue.waiting.pop_front();
                queue.wake_first();
                return Poll::Ready(());
            }
            if let Some((_, waker)) = queue.waiting.iter_mut().find(|(ticket, _)| *ticket == waiting.ticket) {
                *waker = Some(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
        // Its ticket is gone from the queue, so that dropping `waiting` changes nothing.
        Turn { turns: self, ticket: waiting.ticket }
    }

    /// Takes a turn if there is one at once.
    pub(super) fn try_take(&self) -> Option<Turn<'_>> {
        let mut queue = self.lock();
        if !queue.waiting.is_empty() || queue.taken >= queue.allowed {
            return None;
        }
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.taken += 1;
        Some(Turn { turns: self, ticket })
    }

    fn lock(&self) -> MutexGuard<'_, CallerQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallerQueue {
    fn enter(&mut self, position: QueuePosition) -> u64 {
        let ticket = match position {
            QueuePosition::Last => self.next_ticket,
            QueuePosition::Again(ticket) => ticket,
        };
        self.next_ticket = self.next_ticket.max(ticket + 1);
        // Tickets grow from the front to the back.
        let at = self.waiting.partition_point(|(other, _)| *other < ticket);
        self.waiting.insert(at, (ticket, None));
        ticket
    }

    fn wake_first(&mut self) {
        if self.taken < self.allowed
            && let Some(waker) = self.waiting.front_mut().and_then(|(_, waker)| waker.take())
        {
            waker.wake();
        }
    }
}

impl Turn<'_> {
    /// Its position in the queue.
    pub(super) fn position(&self) -> QueuePosition {
        QueuePosition::Again(self.ticket)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.turns.lock();
        queue.taken = queue.taken.saturating_sub(1);
        queue.wake_first();
    }
}

/// A caller in the queue, or just admitted.
struct QueuedCaller<'t> {
    turns: &'t Turns,
    ticket: u64,
}

impl Drop for QueuedCaller<'_> {
    fn drop(&mut self) {
        let mut queue = self.turns.lock();
        queue.waiting.retain(|(ticket, _)| *ticket != self.ticket);
        queue.wake_first();
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    fn is_ready<T>(future: &mut std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn turns_are_taken_in_order() {
        let turns = Turns::new();
        let (mut first, mut second) =
            (pin!(turns.take(QueuePosition::Last)), pin!(turns.take(QueuePosition::Last)));
        let turn = is_ready(&mut first).expect("no other caller");
        assert!(is_ready(&mut second).is_none(), "one at a time");
        let mut again = pin!(turns.take(turn.position()));
        assert!(is_ready(&mut again).is_none());
        drop(turn);
        assert!(is_ready(&mut second).is_none(), "another caller is before it");
        assert!(is_ready(&mut again).is_some());
        assert!(is_ready(&mut second).is_some());
    }

    #[test]
    fn a_caller_that_gives_up_leaves_the_queue() {
        let turns = Turns::new();
        let mut first = pin!(turns.take(QueuePosition::Last));
        let turn = is_ready(&mut first).expect("no other caller");
        let mut impatient = Box::pin(turns.take(QueuePosition::Last));
        assert!(is_ready(&mut impatient.as_mut()).is_none());
        let mut last = pin!(turns.take(QueuePosition::Last));
        assert!(is_ready(&mut last).is_none());
        drop(impatient);
        drop(turn);
        assert!(is_ready(&mut last).is_some());
    }

    #[test]
    fn a_worker_may_allow_several_at_once() {
        let turns = Turns::new();
        let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(turns.take(QueuePosition::Last))).collect();
        let mut polled =
            || -> Vec<_> { waiting.iter_mut().filter_map(|future| is_ready(&mut future.as_mut())).collect() };
        let taken = polled();
        assert_eq!(taken.len(), 1);
        turns.allow(3);
        drop(waiting.remove(0));
        let more: Vec<_> = waiting.iter_mut().filter_map(|future| is_ready(&mut future.as_mut())).collect();
        assert_eq!(more.len(), 2, "three at once, one of which asks already");
        turns.allow(0);
        drop((waiting, taken, more));
        let mut last = pin!(turns.take(QueuePosition::Last));
        assert!(is_ready(&mut last).is_some(), "at least one");
    }
}
