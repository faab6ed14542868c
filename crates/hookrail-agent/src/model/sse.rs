//! Server-sent events: bytes in, events out, no I/O.
//!
//! The decoder follows the HTML standard's event stream format: lines end with LF, CRLF or CR, one BOM at
//! the very start is skipped, `:` starts a comment, several `data` lines are joined with LF, bytes that
//! are not UTF-8 are replaced. It takes bytes in pieces of any size, and every byte is looked at a fixed
//! number of times however the pieces are cut.
//!
//! An event is its data: types and ids have no meaning in a model's answer.
//!
//! One thing is left to the caller: an event that no blank line ends. The standard discards it, because
//! the connection may have broken in the middle of it. Gemini and some gateways leave the last blank line
//! out, so [`SseDecoder::finish`] hands such an event over separately, and the caller decides by how the
//! connection ended and whether the data is whole.

/// Largest event that is accepted if nothing else is asked for.
pub const DEFAULT_MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// An event, or a single line, is larger than the decoder accepts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

/// Turns the bytes of an event stream into events.
#[derive(Debug)]
pub struct SseDecoder {
    max_event_bytes: usize,
    /// The bytes of a line whose end has not come yet.
    line: Vec<u8>,
    /// Set while the bytes seen so far could still be the BOM.
    at_start: bool,
    /// Set after a CR, because an LF that follows belongs to the same line end.
    after_cr: bool,
    /// The data lines so far, each with an LF behind it; `None` before the first one.
    data: Option<Vec<u8>>,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_EVENT_BYTES)
    }
}

impl SseDecoder {
    /// A decoder that refuses events of more than `max_event_bytes` bytes.
    pub fn new(max_event_bytes: usize) -> Self {
        Self { max_event_bytes, line: Vec::new(), at_start: true, after_cr: false, data: None }
    }

    /// Takes the next bytes and appends the events that they complete to `events`.
    ///
    /// Events that were complete before a too large one are still appended. After an error the decoder is
    /// of no further use.
    pub fn push(&mut self, bytes: &[u8], events: &mut impl Extend<String>) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        while let Some((&first, after_first)) = rest.split_first() {
            if self.after_cr {
                self.after_cr = false;
                if first == b'\n' {
                    rest = after_first;
                    continue;
                }
            }
            let line_end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, ending) = rest.split_at(line_end.unwrap_or(rest.len()));
            self.extend_line(piece)?;
            if let Some((&ending, behind)) = ending.split_first() {
                self.after_cr = ending == b'\r';
                events.extend(self.end_line());
                rest = behind;
            } else {
                rest = ending;
            }
        }
        Ok(())
    }

    /// Ends the stream and gives the event that no blank line ended, if there is one.
    pub fn finish(mut self) -> Option<String> {
        if !self.line.is_empty() {
            // A last line that is not blank never completes an event.
            self.end_line();
        }
        self.take_event()
    }

    fn extend_line(&mut self, piece: &[u8]) -> Result<(), EventTooLarge> {
        let held = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
        if held + piece.len() > self.max_event_bytes {
            return Err(EventTooLarge { limit: self.max_event_bytes });
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// Reads the line that just ended; a blank one completes the event before it.
    fn end_line(&mut self) -> Option<String> {
        let held = std::mem::take(&mut self.line);
        let mut line = held.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return self.take_event();
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        // Other fields, and comments, which have an empty name, say nothing about an answer.
        if field == b"data" {
            let data = self.data.get_or_insert_default();
            data.extend_from_slice(value);
            data.push(b'\n');
        }
        None
    }

    fn take_event(&mut self) -> Option<String> {
        let mut data = self.data.take()?;
        data.pop();
        // Without a copy where the bytes are UTF-8, which they nearly always are.
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(String::from_utf8(data).unwrap_or_else(|error| lossy(error.as_bytes())))
    }
}

#[cfg(test)]
mod tests;
