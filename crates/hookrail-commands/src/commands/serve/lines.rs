//! Bytes in, lines out, in bounded memory.
//!
//! A line that is too long, not UTF-8, or for which there is no memory is answered with an error, and the next one is
//! read as usual; the unfinished lines of all clients share one bound. `tokio_util::codec::LinesCodec` (0.7.20) has the
//! longest line and none of the rest: `FramedRead` owns its buffer and grows it before the decoder is asked.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestLine<'a> {
    /// A line within the bounds, to be parsed.
    Text(&'a [u8]),
    /// It was thrown away.
    Refused(Refusal),
}

/// Why a line was thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is longer than allowed.
    TooLong,
    /// The unfinished lines of all clients together are longer than allowed.
    NoMemory,
}

/// The memory that the unfinished lines of all clients may take together, short ones left out.
#[derive(Debug)]
pub(super) struct LineMemory {
    left: AtomicUsize,
}

impl LineMemory {
    /// A budget of this many bytes.
    pub(super) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(bytes) })
    }

    /// Takes bytes, if there are so many left.
    fn take(&self, bytes: usize) -> bool {
        self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// What a finished or refused line had.
    fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Collects bytes and cuts them into lines. Empty lines are left out.
pub(super) struct RequestLines {
    buffer: Vec<u8>,
    /// Bytes before this one were handed out.
    start: usize,
    /// Bytes before this one were searched for a line end.
    searched: usize,
    /// Bytes from here on are free.
    end: usize,
    longest: usize,
    /// The rest of a line that was thrown away is on its way.
    refused: Option<Refusal>,
    ended: bool,
    memory: Arc<LineMemory>,
    /// How much of the shared memory this buffer has.
    taken: usize,
}

/// What is read at once.
const CHUNK: usize = 64 * 1024;
/// A buffer that grew beyond this for one long line is freed after it, and counts as shared memory before.
const KEPT: usize = 256 * 1024;

impl RequestLines {
    /// Takes lines of at most `longest` bytes, for which there is so much memory.
    pub(super) fn new(longest: usize, memory: Arc<LineMemory>) -> Self {
        let buffer = vec![0; CHUNK];
        let (start, searched, end) = (0, 0, 0);
        Self { buffer, start, searched, end, longest, refused: None, ended: false, memory, taken: 0 }
    }

    /// Where the next bytes go. All lines must have been taken before.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.searched, self.end) = (0, 0, 0);
            if self.buffer.len() > KEPT {
                self.shrink();
            }
        } else if self.start > 0 && self.buffer.len() - self.end < CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            // Doubled, so that a line of any length is copied but a few times; never much beyond the longest line.
            let longest = self.longest.saturating_add(CHUNK);
            let grown = self.buffer.len().saturating_mul(2).min(longest).max(self.buffer.len() + CHUNK);
            self.grow(grown);
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Makes the buffer larger, or throws away the line in it if there is no memory for that.
    fn grow(&mut self, length: usize) {
        let more = length.saturating_sub(KEPT).saturating_sub(self.taken);
        if self.memory.take(more) {
            self.taken += more;
            self.buffer.resize(length, 0);
        } else {
            self.refuse(Refusal::NoMemory);
            self.shrink();
        }
    }

    /// Back to the size of one read.
    fn shrink(&mut self) {
        self.buffer = vec![0; CHUNK];
        self.memory.give_back(std::mem::take(&mut self.taken));
    }

    /// Throws away what there is of the present line.
    fn refuse(&mut self, why: Refusal) {
        self.refused.get_or_insert(why);
        (self.start, self.searched, self.end) = (0, 0, 0);
    }

    /// So many bytes were put there.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// No more bytes will come. What is left is the last line.
    pub(super) fn finish(&mut self) {
        self.ended = true;
    }

    /// The next line, if it is complete.
    pub(super) fn next(&mut self) -> Option<RequestLine<'_>> {
        loop {
            let unseen = self.buffer.get(self.searched..self.end).unwrap_or_default();
            let (line_end, next) = match unseen.iter().position(|byte| *byte == b'\n') {
                Some(place) => (self.searched + place, self.searched + place + 1),
                None if self.ended => {
                    if self.start == self.end && self.refused.is_none() {
                        return None;
                    }
                    (self.end, self.end)
                }
                None => {
                    self.searched = self.end;
                    if self.refused.is_some() || self.end - self.start > self.longest {
                        self.refuse(Refusal::TooLong);
                    }
                    return None;
                }
            };
            let line = self.start..line_end;
            (self.start, self.searched) = (next, next);
            let too_long = (line.len() > self.longest).then_some(Refusal::TooLong);
            if let Some(why) = self.refused.take().or(too_long) {
                return Some(RequestLine::Refused(why));
            }
            let is_blank = self.buffer.get(line.clone()).unwrap_or_default().trim_ascii().is_empty();
            if !is_blank {
                return self.buffer.get(line).map(RequestLine::Text);
            }
        }
    }
}

impl Drop for RequestLines {
    fn drop(&mut self) {
        self.memory.give_back(self.taken);
    }
}
