//! What is kept of one output stream of a hook.

use std::io::{self, PipeReader};
use std::task::{Context, Poll};

use rustix::buffer::spare_capacity;

use super::unix;
use super::watch::{Ticker, WatchedDescriptor};

/// Reads done on one stream before the future yields: a flood must not starve the deadline.
pub(super) const READS_PER_TURN: usize = 16;
/// What is read before anything is allocated, and the first allocation for a stream that is longer.
const FIRST_READ: usize = 1024;
const FIRST_BUFFER: usize = 4 * 1024;
/// How much is read at once of what is dropped; the capacity of a pipe.
const SCRATCH: usize = 64 * 1024;

/// The kept beginning of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// There were more.
    pub truncated: bool,
}

/// A stream being read.
#[derive(Debug)]
pub(super) struct Capture {
    /// `None` once the stream has ended.
    pipe: Option<WatchedDescriptor<PipeReader>>,
    kept: Captured,
    keep: usize,
}

impl Capture {
    /// Reads a pipe that does not block, and keeps so many bytes of it.
    pub(super) fn new(pipe: PipeReader, keep: usize) -> Self {
        Self { pipe: Some(WatchedDescriptor::readable(pipe)), kept: Captured::default(), keep }
    }

    /// Whether every writer has closed its end, or reading failed.
    pub(super) fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// Takes the reactor away, as if it had refused.
    #[cfg(test)]
    pub(super) fn unregister(&mut self) {
        self.pipe = self.pipe.take().map(WatchedDescriptor::unregister);
    }

    /// What was kept, and the pipe if it is still open.
    pub(super) fn into_parts(self) -> (Captured, Option<PipeReader>) {
        (self.kept, self.pipe.map(WatchedDescriptor::into_inner))
    }

    /// Reads available output. Returns whether there was any.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, ticker: &mut Ticker, scratch: &mut Vec<u8>) -> bool {
        for turn in 0..READS_PER_TURN {
            let Some(pipe) = &self.pipe else { return turn > 0 };
            let (kept, keep) = (&mut self.kept, self.keep);
            match pipe.poll_read(cx, ticker, |pipe| read_once(pipe, kept, keep, scratch)) {
                Poll::Ready(Ok(0) | Err(_)) => self.pipe = None,
                Poll::Ready(Ok(_)) => {}
                Poll::Pending => return turn > 0,
            }
        }
        cx.waker().wake_by_ref();
        true
    }

    /// Reads what is there without asking the reactor, which may not have reported it yet.
    pub(super) fn read_available(&mut self, scratch: &mut Vec<u8>) {
        for _ in 0..READS_PER_TURN {
            let Some(pipe) = &self.pipe else { return };
            match read_once(pipe.get_ref(), &mut self.kept, self.keep, scratch) {
                Ok(0) => self.pipe = None,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// One read, straight into the kept bytes while there is room; 0 at the end of the stream.
fn read_once(
    pipe: &PipeReader,
    kept: &mut Captured,
    keep: usize,
    scratch: &mut Vec<u8>,
) -> io::Result<usize> {
    let bytes = &mut kept.bytes;
    let room = keep.saturating_sub(bytes.len());
    if room == 0 {
        // A stream of exactly the kept length is not truncated, so only a further byte says so.
        scratch.clear();
        scratch.reserve_exact(SCRATCH);
        let count = rustix::io::retry_on_intr(|| rustix::io::read(pipe, spare_capacity(scratch)))?;
        kept.truncated |= count > 0;
        return Ok(count);
    }
    if bytes.capacity() == 0 {
        // Most outputs are short and many are empty, which needs no allocation to find out.
        let mut first = [0; FIRST_READ];
        let count = rustix::io::retry_on_intr(|| rustix::io::read(pipe, &mut first))?;
        bytes.extend_from_slice(first.get(..count.min(room)).unwrap_or_default());
        kept.truncated |= count > room;
        return Ok(count);
    }
    if bytes.len() == bytes.capacity() {
        bytes.reserve_exact(bytes.len().max(FIRST_BUFFER).min(room));
    }
    let count = rustix::io::retry_on_intr(|| rustix::io::read(pipe, spare_capacity(bytes)))?;
    if bytes.len() > keep {
        // The allocator may have been more generous than asked.
        bytes.truncate(keep);
        kept.truncated = true;
    }
    Ok(count)
}

/// Opens a pipe for a hook's output: our end does not wait, the hook's end is an ordinary one.
pub(super) fn output_pipe() -> io::Result<(PipeReader, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    unix::set_nonblocking(&reader)?;
    Ok((reader, writer))
}
