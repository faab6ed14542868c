//! What a worker wrote: lines of its stdout as they become whole, and the end of its stderr.

use std::io::{self, PipeReader};

use rustix::buffer::spare_capacity;

/// How much is read at once; the capacity of a pipe.
const READ: usize = 64 * 1024;
/// A buffer that grew beyond this for one long line is given back.
const USUAL: usize = 1024 * 1024;
/// How much of stderr is kept: its end, which is closest to the failure.
const KEPT_ERRORS: usize = 16 * 1024;

/// Bytes on their way to becoming lines.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the first line begins that was not taken yet.
    start: usize,
    /// Up to where there is no line feed.
    scanned: usize,
}

impl LineBuffer {
    /// One read; 0 at the end of the stream.
    pub(super) fn read_once(&mut self, pipe: &PipeReader) -> io::Result<usize> {
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.bytes.shrink_to(USUAL);
            (self.start, self.scanned) = (0, 0);
        }
        // Doubles when it is full, so that a long line is not copied at each read.
        self.bytes.reserve(READ);
        Ok(rustix::io::retry_on_intr(|| rustix::io::read(pipe, spare_capacity(&mut self.bytes)))?)
    }

    /// Takes the next whole line, without its line feed.
    pub(super) fn next_line(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.get(self.scanned..)?;
        let Some(length) = memchr::memchr(b'\n', rest) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let end = self.scanned + length;
        let line = if self.start == 0 && end + 1 == self.bytes.len() && end > READ {
            // A long line is handed over as it is.
            let mut line = std::mem::take(&mut self.bytes);
            line.pop();
            (self.start, self.scanned) = (0, 0);
            return Some(line);
        } else {
            self.bytes.get(self.start..end)?.to_vec()
        };
        self.start = end + 1;
        self.scanned = self.start;
        Some(line)
    }

    /// What was read and is no whole line yet.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

/// The end of what was written to a stderr.
#[derive(Debug, Default)]
pub(super) struct StderrTail {
    bytes: Vec<u8>,
    scratch: Vec<u8>,
}

impl StderrTail {
    /// One read; 0 at the end of the stream.
    pub(super) fn read_once(&mut self, pipe: &PipeReader) -> io::Result<usize> {
        self.scratch.clear();
        self.scratch.reserve_exact(READ);
        let count = rustix::io::retry_on_intr(|| rustix::io::read(pipe, spare_capacity(&mut self.scratch)))?;
        self.bytes.extend_from_slice(&self.scratch);
        if let Some(surplus) = self.bytes.len().checked_sub(KEPT_ERRORS) {
            self.bytes.drain(..surplus);
        }
        self.scratch = Vec::new();
        Ok(count)
    }

    /// What is kept.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn lines_are_found_whatever_the_pieces() {
        let long = "x".repeat(300_000);
        let text = format!("a\n\nbc\n{long}\nend");
        for piece in [1, 2, 7, 65_536, usize::MAX] {
            let (reader, mut writer) = io::pipe().unwrap();
            let piece = piece.min(text.len());
            let mut buffer = LineBuffer::default();
            let mut lines = Vec::new();
            for chunk in text.as_bytes().chunks(piece.min(60_000)) {
                writer.write_all(chunk).unwrap();
                assert!(buffer.read_once(&reader).unwrap() > 0);
                while let Some(line) = buffer.next_line() {
                    lines.push(String::from_utf8(line).unwrap());
                }
            }
            assert!(lines == ["a", "", "bc", &long], "pieces of {piece}");
            assert_eq!(buffer.rest(), b"end");
        }
    }

    #[test]
    fn only_the_end_of_stderr_is_kept() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut tail = StderrTail::default();
        for number in 0..40 {
            writer.write_all(format!("{number:>1000}").as_bytes()).unwrap();
            tail.read_once(&reader).unwrap();
        }
        assert_eq!(tail.bytes().len(), KEPT_ERRORS);
        assert!(tail.bytes().ends_with(b" 39"));
    }
}
