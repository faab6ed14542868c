//! Several futures as one: all make progress together, results keep their order, and dropping the whole
//! drops every part.
//!
//! A task for each would need everything it borrows to be shared, and would end some time after it was
//! dropped. A plain loop over all of them would poll each whenever one is ready, which grows with the square
//! of their number. So each future has its own waker, which notes whose turn it is.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Runs all futures to their end. The first poll of each happens in order.
pub(super) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let turns = Arc::new(Turns::default());
    let mut parts: Vec<Part<F>> =
        futures.into_iter().enumerate().map(|(index, future)| Part::new(index, future, &turns)).collect();
    let mut unfinished = parts.len();
    lock(&turns.queue).ready = (0..parts.len()).collect();
    let mut due = Vec::new();
    poll_fn(|cx| {
        std::mem::swap(&mut lock(&turns.queue).ready, &mut due);
        for index in due.drain(..) {
            if parts.get_mut(index).is_some_and(Part::poll) {
                unfinished -= 1;
            }
        }
        if unfinished == 0 {
            return Poll::Ready(());
        }
        let mut queue = lock(&turns.queue);
        if queue.ready.is_empty() {
            // Set before the lock is let go, so that no turn is noted without a wake-up.
            queue.whole = Some(cx.waker().clone());
        } else {
            // Somebody's turn came meanwhile. Other tasks have theirs first.
            drop(queue);
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await;
    parts.into_iter().filter_map(|part| part.output).collect()
}

struct Part<F: Future> {
    /// `None` when it is finished.
    future: Option<Pin<Box<F>>>,
    waker: Waker,
    output: Option<F::Output>,
}

impl<F: Future> Part<F> {
    fn new(index: usize, future: F, turns: &Arc<Turns>) -> Self {
        let turn = Turn { index, turns: Arc::clone(turns) };
        Self { future: Some(Box::pin(future)), waker: Waker::from(Arc::new(turn)), output: None }
    }

    /// Polls it if it is not finished; tells whether it is from now on.
    fn poll(&mut self) -> bool {
        let Some(future) = &mut self.future else { return false };
        let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&self.waker)) else {
            return false;
        };
        self.future = None;
        self.output = Some(output);
        true
    }
}

/// Whose turn it is.
#[derive(Default)]
struct Turns {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    ready: Vec<usize>,
    /// Wakes whoever polls the whole; taken by the first part that gets ready.
    whole: Option<Waker>,
}

struct Turn {
    index: usize,
    turns: Arc<Turns>,
}

impl Wake for Turn {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let whole = {
            let mut queue = lock(&self.turns.queue);
            if !queue.ready.contains(&self.index) {
                queue.ready.push(self.index);
            }
            queue.whole.take()
        };
        // Woken outside of the lock, for a waker may do anything.
        if let Some(whole) = whole {
            whole.wake();
        }
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn results_keep_their_order_and_all_run_at_once() {
        let begin = tokio::time::Instant::now();
        let futures = (0..50_u64).map(|index| async move {
            tokio::time::sleep(Duration::from_millis(100 - index)).await;
            index
        });
        assert_eq!(join_all(futures).await, (0..50).collect::<Vec<_>>());
        assert!(begin.elapsed() <= Duration::from_millis(110), "one after another would take seconds");
        assert!(join_all(std::iter::empty::<std::future::Ready<u8>>()).await.is_empty());
    }

    #[tokio::test]
    async fn a_part_is_polled_only_when_it_is_its_turn() {
        let polls = AtomicUsize::new(0);
        let futures = (0..100).map(|_| {
            let polls = &polls;
            async move {
                for _ in 0..3 {
                    let mut inner = std::pin::pin!(tokio::time::sleep(Duration::from_millis(5)));
                    poll_fn(|cx| {
                        polls.fetch_add(1, Ordering::Relaxed);
                        inner.as_mut().poll(cx)
                    })
                    .await;
                }
            }
        });
        join_all(futures).await;
        assert!(polls.load(Ordering::Relaxed) <= 100 * 3 * 3, "{polls:?} polls of 100 futures with 3 waits");
    }

    #[tokio::test]
    async fn a_part_that_wakes_itself_does_not_starve_the_others() {
        let done = AtomicUsize::new(0);
        let futures = (0..4).map(|_| async {
            tokio::task::yield_now().await;
            done.fetch_add(1, Ordering::Relaxed);
            while done.load(Ordering::Relaxed) < 4 {
                tokio::task::yield_now().await;
            }
        });
        join_all(futures).await;
    }

    #[test]
    fn dropping_the_whole_drops_every_part() {
        struct Guard<'a>(&'a AtomicUsize);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let dropped = AtomicUsize::new(0);
        {
            let futures = (0..5).map(|_| async {
                let _guard = Guard(&dropped);
                std::future::pending::<()>().await;
            });
            let mut whole = std::pin::pin!(join_all(futures));
            assert!(whole.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert_eq!(dropped.load(Ordering::Relaxed), 0);
        }
        assert_eq!(dropped.load(Ordering::Relaxed), 5);
    }
}
