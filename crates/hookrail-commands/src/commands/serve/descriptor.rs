//! Reading and writing a descriptor without blocking a thread, and without changing it for others.
//!
//! Stdin and stdout are shared with the parent process: making them non-blocking would do so for the parent as well.
//! They are asked whether they are ready before each call instead. A pipe that is ready takes at least
//! [`PIPE_BUF`] bytes, and a socket more.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::PIPE_BUF;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;

/// A descriptor that a client is read from or written to.
pub(crate) enum Descriptor {
    /// Made non-blocking by us.
    NonBlocking(AsyncFd<OwnedFd>),
    /// Shared with other processes: a pipe, a terminal, a socket.
    Shared(AsyncFd<OwnedFd>),
    /// A file or device that is always ready.
    AlwaysReady(OwnedFd),
}

impl Descriptor {
    /// Stdin, to be read.
    pub(crate) fn stdin() -> io::Result<Self> {
        Self::shared(io::stdin().as_fd(), Interest::READABLE)
    }

    /// Stdout, to be written.
    pub(crate) fn stdout() -> io::Result<Self> {
        Self::shared(io::stdout().as_fd(), Interest::WRITABLE)
    }

    /// A copy of the descriptor is watched; the original keeps its flags.
    fn shared(fd: BorrowedFd<'_>, interest: Interest) -> io::Result<Self> {
        match watch(fd.try_clone_to_owned()?, interest) {
            Ok(watched) => Ok(Self::Shared(watched)),
            // The kernel does not watch what never blocks.
            Err((fd, error)) if error.raw_os_error() == Some(Errno::PERM.raw_os_error()) => {
                Ok(Self::AlwaysReady(fd))
            }
            Err((_, error)) => Err(error),
        }
    }

    /// A client's socket: one for reading, one for writing.
    pub(super) fn both_halves(stream: UnixStream) -> io::Result<(Self, Self)> {
        let input = OwnedFd::from(stream.into_std()?);
        let output = input.try_clone()?;
        let input = watch(input, Interest::READABLE).map_err(|(_, error)| error)?;
        let output = watch(output, Interest::WRITABLE).map_err(|(_, error)| error)?;
        Ok((Self::NonBlocking(input), Self::NonBlocking(output)))
    }

    /// Our end of a pipe to another process, to be read or written.
    pub(crate) fn owned(fd: OwnedFd) -> io::Result<Self> {
        let flags = rustix::fs::fcntl_getfl(&fd)?;
        rustix::fs::fcntl_setfl(&fd, flags | rustix::fs::OFlags::NONBLOCK)?;
        let is_written = flags.contains(rustix::fs::OFlags::WRONLY);
        let interest = if is_written { Interest::WRITABLE } else { Interest::READABLE };
        Ok(Self::NonBlocking(watch(fd, interest).map_err(|(_, error)| error)?))
    }

    /// Reads what is there, at least one byte; 0 at the end. Nothing is lost if the future is dropped.
    pub(crate) async fn read(&self, space: &mut [u8]) -> io::Result<usize> {
        let wanted = space.len();
        self.ready_for(Interest::READABLE, wanted, |fd| rustix::io::read(fd, &mut *space)).await
    }

    /// Writes what fits, at least one byte. Nothing is written if the future is dropped before it is ready.
    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = match self {
            Self::Shared(_) => bytes.get(..PIPE_BUF).unwrap_or(bytes),
            Self::NonBlocking(_) | Self::AlwaysReady(_) => bytes,
        };
        self.ready_for(Interest::WRITABLE, bytes.len(), |fd| rustix::io::write(fd, bytes)).await
    }

    /// Waits until the call would not block, and makes it. A short count is a result, not an error.
    async fn ready_for(
        &self,
        interest: Interest,
        wanted: usize,
        mut call: impl FnMut(BorrowedFd<'_>) -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        let (watched, ask_first) = match self {
            Self::NonBlocking(watched) => (watched, false),
            Self::Shared(watched) => (watched, true),
            Self::AlwaysReady(fd) => loop {
                match call(fd.as_fd()) {
                    Err(Errno::INTR) => {}
                    done => return Ok(done?),
                }
            },
        };
        loop {
            let mut ready = watched.ready(interest).await?;
            if ask_first && !is_ready(watched.get_ref().as_fd(), interest)? {
                ready.clear_ready();
                continue;
            }
            match call(watched.get_ref().as_fd()) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(error) => return Err(error.into()),
                Ok(count) => {
                    // Less than was asked for: there was no more, and a call to find that out is saved.
                    if count > 0 && count < wanted {
                        ready.clear_ready();
                    }
                    return Ok(count);
                }
            }
        }
    }
}

/// Gives the descriptor back if it cannot be watched.
#[expect(
    deprecated,
    reason = "its successor is `unsafe` because `AsRawFd` could lie; the standard owner used here does not"
)]
fn watch(fd: OwnedFd, interest: Interest) -> Result<AsyncFd<OwnedFd>, (OwnedFd, io::Error)> {
    AsyncFd::try_with_interest(fd, interest).map_err(tokio::io::unix::AsyncFdRegisterError::into_parts)
}

/// Whether the next call will not block.
fn is_ready(fd: BorrowedFd<'_>, interest: Interest) -> io::Result<bool> {
    let wanted = if interest.is_readable() { PollFlags::IN } else { PollFlags::OUT };
    let mut asked = [PollFd::from_borrowed_fd(fd, wanted)];
    loop {
        match poll(&mut asked, Some(&Timespec::default())) {
            Err(Errno::INTR) => {}
            answered => return Ok(answered? > 0),
        }
    }
}
