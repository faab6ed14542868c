//! Lines of a file, one at a time, each of a bounded length. A line that is longer is passed over without being
//! kept, so that a file of any size and shape takes the same memory.

use std::io::{self, BufRead, Read as _};

/// The longest line that is read. Transcripts hold whole files and pictures in one line.
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;

/// The next line of a file, or that it is too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TranscriptLine<'a> {
    /// A line without its end.
    Text(&'a [u8]),
    /// A line that is too long to be read.
    TooLong,
}

/// Reads lines into one buffer.
pub(super) struct TranscriptLines<R> {
    reader: R,
    buffer: Vec<u8>,
    most: usize,
    /// The number of the line last given, from 1.
    pub(super) number: u64,
    /// Bytes read so far.
    pub(super) bytes: u64,
}

impl<R: BufRead> TranscriptLines<R> {
    /// The lines of a reader, each of at most `most` bytes.
    pub(super) fn new(reader: R, most: usize) -> Self {
        Self { reader, buffer: Vec::new(), most, number: 0, bytes: 0 }
    }

    /// The next line; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<TranscriptLine<'_>>> {
        self.buffer.clear();
        // A single huge line must not hold its memory for the rest of the file.
        if self.buffer.capacity() > 1024 * 1024 {
            self.buffer.shrink_to(64 * 1024);
        }
        // One byte more, which shows that the line is too long if it is not the line's end.
        let mut line = self.reader.by_ref().take(self.most as u64 + 1);
        self.bytes += line.read_until(b'\n', &mut self.buffer)? as u64;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let is_ended = self.buffer.last() == Some(&b'\n');
        if !is_ended && self.buffer.len() > self.most {
            self.bytes += self.reader.skip_until(b'\n')? as u64;
            return Ok(Some(TranscriptLine::TooLong));
        }
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        Ok(Some(TranscriptLine::Text(text)))
    }
}

#[cfg(test)]
mod tests;
