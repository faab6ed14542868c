//! The future of a trigger, which costs nearly nothing where there are no hooks.

use std::pin::Pin;
use std::task::{Context, Poll};

use crate::host::session::HookSession;

/// The future of a trigger. An `async` block would do, but its body is too large to be inlined, and the way
/// through it takes ten times as long as finding out that nothing is to be done.
pub(super) enum Trigger<'a, T, N, B> {
    /// Hooks are off. Known before the first poll, so that nothing has to be kept but the way to the result.
    Off(Option<N>),
    /// Not polled yet.
    Begin(Option<(N, B)>),
    /// Hooks run.
    Running(HooksFuture<'a, T>),
}

/// The future of an event whose hooks run. Its result is on the heap: written by a call into the place of the result
/// without hooks, it would keep that one in memory, too (`docs/performance.md`, P6).
pub(super) type HooksFuture<'a, T> = Pin<Box<dyn Future<Output = Box<T>> + Send + 'a>>;

/// Makes the future of an event whose hooks run; out of line, so that the way without hooks stays short.
#[inline(never)]
pub(super) fn boxed<'a, F: Future + Send + 'a>(
    make: impl FnOnce() -> F + Send + 'a,
) -> HooksFuture<'a, F::Output> {
    Box::pin(async move { Box::new(make().await) })
}

impl<T, N, B> Trigger<'_, T, N, B> {
    /// `unchanged` makes the result of an event without hooks, `begin` the future if some hook listens.
    #[inline]
    pub(super) fn new(session: &HookSession, unchanged: N, begin: B) -> Self {
        if session.enable_hooks() {
            Self::Begin(Some((unchanged, begin)))
        } else {
            Self::Off(Some(unchanged))
        }
    }
}

impl<'a, T, N, B> Future for Trigger<'a, T, N, B>
where
    N: FnOnce() -> T + Unpin,
    B: FnOnce() -> Option<HooksFuture<'a, T>> + Unpin,
{
    type Output = T;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "with hooks off, a call costs more than what it does")]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let trigger = self.get_mut();
        if let Self::Begin(begin) = trigger
            && let Some((unchanged, begin)) = begin.take()
        {
            match begin() {
                None => return Poll::Ready(unchanged()),
                Some(future) => *trigger = Self::Running(future),
            }
        }
        match trigger {
            Self::Off(unchanged) => match unchanged.take() {
                Some(unchanged) => Poll::Ready(unchanged()),
                // A future is not polled again after it was ready.
                None => Poll::Pending,
            },
            Self::Running(future) => future.as_mut().poll(context).map(|result| *result),
            Self::Begin(_) => Poll::Pending,
        }
    }
}
