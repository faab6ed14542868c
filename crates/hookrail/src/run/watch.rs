//! Descriptors that wake a future, with a slower way for when they cannot.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long an unregistered descriptor may go unnoticed.
const TICK: Duration = Duration::from_millis(5);

/// A non-blocking descriptor, owned.
#[derive(Debug)]
pub(super) enum WatchedDescriptor<T: AsRawFd> {
    /// The runtime's reactor wakes us.
    Registered(AsyncFd<T>),
    /// The reactor would not take it (the system limits what can be watched): we look from time to time.
    Unregistered(T),
}

impl<T: AsRawFd + Into<OwnedFd>> WatchedDescriptor<T> {
    /// A descriptor that is read from.
    pub(super) fn readable(fd: T) -> Self {
        Self::register(fd, Interest::READABLE)
    }

    /// A descriptor that is written to.
    pub(super) fn writable(fd: T) -> Self {
        Self::register(fd, Interest::WRITABLE)
    }

    #[expect(
        deprecated,
        reason = "its successor is `unsafe` because `AsRawFd` could lie; the standard owners used here do not"
    )]
    fn register(fd: T, interest: Interest) -> Self {
        match AsyncFd::try_with_interest(fd, interest) {
            Ok(registered) => Self::Registered(registered),
            Err(error) => Self::Unregistered(error.into_parts().0),
        }
    }

    /// The descriptor.
    pub(super) fn get_ref(&self) -> &T {
        match self {
            Self::Registered(fd) => fd.get_ref(),
            Self::Unregistered(fd) => fd,
        }
    }

    /// The descriptor, no longer registered.
    pub(super) fn into_inner(self) -> T {
        match self {
            Self::Registered(fd) => fd.into_inner(),
            Self::Unregistered(fd) => fd,
        }
    }

    /// Takes the reactor away, as if it had refused.
    #[cfg(test)]
    pub(super) fn unregister(self) -> Self {
        Self::Unregistered(self.into_inner())
    }

    /// Does `operation` once the descriptor is readable; pending while that says `WouldBlock`.
    pub(super) fn poll_read<R>(
        &self,
        cx: &mut Context<'_>,
        ticker: &mut Ticker,
        operation: impl FnMut(&T) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_io(cx, ticker, AsyncFd::poll_read_ready, operation)
    }

    /// The same for writing.
    pub(super) fn poll_write<R>(
        &self,
        cx: &mut Context<'_>,
        ticker: &mut Ticker,
        operation: impl FnMut(&T) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        self.poll_io(cx, ticker, AsyncFd::poll_write_ready, operation)
    }

    fn poll_io<R>(
        &self,
        cx: &mut Context<'_>,
        ticker: &mut Ticker,
        poll_ready: impl for<'f> Fn(
            &'f AsyncFd<T>,
            &mut Context<'_>,
        ) -> Poll<io::Result<AsyncFdReadyGuard<'f, T>>>,
        mut operation: impl FnMut(&T) -> io::Result<R>,
    ) -> Poll<io::Result<R>> {
        match self {
            Self::Registered(fd) => loop {
                let mut guard = ready!(poll_ready(fd, cx))?;
                if let Ok(result) = guard.try_io(|fd| operation(fd.get_ref())) {
                    return Poll::Ready(result);
                }
            },
            Self::Unregistered(fd) => ticker.attempt(operation(fd)),
        }
    }
}

/// Wakes the future again soon when something had to be looked at without a reactor.
#[derive(Debug, Default)]
pub(super) struct Ticker {
    wanted: bool,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Ticker {
    /// Asks to be polled again soon.
    pub(super) fn want(&mut self) {
        self.wanted = true;
    }

    fn attempt<R>(&mut self, result: io::Result<R>) -> Poll<io::Result<R>> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.want();
                Poll::Pending
            }
            result => Poll::Ready(result),
        }
    }

    /// Arms the next look if one was asked for. To be called last, before the future returns pending.
    pub(super) fn arm(&mut self, cx: &mut Context<'_>) {
        if !std::mem::take(&mut self.wanted) {
            return;
        }
        let next = Instant::now() + TICK;
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(next)));
        sleep.as_mut().reset(next);
        if sleep.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
    }
}
