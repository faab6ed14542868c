//! Lines of a file, one at a time, each of a bounded length. A line that is longer is passed over without being
//! kept, so that a file of any size and shape takes the same memory.

use std::io::{self, BufRead};

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
        let (mut any, mut too_long) = (false, false);
        loop {
            let piece = match self.reader.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                break;
            }
            any = true;
            let end = piece.iter().position(|byte| *byte == b'\n');
            let content = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
            if self.buffer.len() + content.len() > self.most {
                too_long = true;
                self.buffer.clear();
            }
            if !too_long {
                self.buffer.extend_from_slice(content);
            }
            let used = end.map_or(piece.len(), |end| end + 1);
            self.bytes += used as u64;
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(if too_long { TranscriptLine::TooLong } else { TranscriptLine::Text(&self.buffer) }))
    }
}

#[cfg(test)]
mod tests;
