//! The line that asks a worker: the payload that a hook would read from its stdin, with an id and a timeout.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use crate::run::payload::{Payload, PayloadCursor};

/// Payloads up to this size are copied into the line, so that a request is one write.
const COPIED: usize = 64 * 1024;

/// A request, and how much of it the pipe has taken.
#[derive(Debug)]
pub(super) struct RequestLine {
    parts: [LinePart; 3],
    /// The payload is not whole yet.
    is_growing: bool,
    /// How many bytes the pipe has taken.
    sent: u64,
}

#[derive(Debug)]
enum LinePart {
    Bytes(Vec<u8>, usize),
    Payload(PayloadCursor),
    Sent,
}

impl RequestLine {
    /// The line `{"id":…,"input":…,"timeoutMs":…}`.
    pub(super) fn new(id: &str, payload: &Payload, timeout: Duration) -> io::Result<Self> {
        let (mut head, tail) = (head(id), tail(timeout));
        let parts = if payload.len() <= COPIED {
            head.extend_from_slice(&payload.to_bytes()?);
            head.extend_from_slice(&tail);
            [LinePart::Bytes(head, 0), LinePart::Sent, LinePart::Sent]
        } else {
            let cursor = LinePart::Payload(PayloadCursor::new(payload));
            [LinePart::Bytes(head, 0), cursor, LinePart::Bytes(tail, 0)]
        };
        Ok(Self { parts, is_growing: false, sent: 0 })
    }

    /// The beginning of a line around a payload that is still being written.
    pub(super) fn growing(id: &str, payload: &Payload) -> Self {
        let parts =
            [LinePart::Bytes(head(id), 0), LinePart::Payload(PayloadCursor::new(payload)), LinePart::Sent];
        Self { parts, is_growing: true, sent: 0 }
    }

    /// Takes over what was added to the payload.
    pub(super) fn grow(&mut self, payload: &Payload) {
        if let [_, LinePart::Payload(cursor), _] = &mut self.parts {
            cursor.grow(payload);
        }
    }

    /// Takes over the rest of the complete payload.
    pub(super) fn complete(&mut self, payload: &Payload, timeout: Duration) {
        self.grow(payload);
        let [_, _, last] = &mut self.parts;
        *last = LinePart::Bytes(tail(timeout), 0);
        self.is_growing = false;
    }

    /// How many bytes the pipe has taken.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// Writes without waiting. `true` when all is written, `false` when the caller has to yield first, `WouldBlock` when the
    /// pipe is full. Any other error means that the other end is closed.
    pub(super) fn push(&mut self, pipe: impl AsFd) -> io::Result<bool> {
        for part in &mut self.parts {
            let done = match part {
                LinePart::Sent => continue,
                LinePart::Bytes(bytes, sent) => {
                    while let Some(rest) = bytes.get(*sent..).filter(|rest| !rest.is_empty()) {
                        let count = rustix::io::retry_on_intr(|| rustix::io::write(&pipe, rest))?;
                        *sent += count;
                        self.sent += count as u64;
                    }
                    true
                }
                LinePart::Payload(cursor) => {
                    let before = cursor.sent();
                    let pushed = cursor.push(pipe.as_fd());
                    self.sent += (cursor.sent() - before) as u64;
                    pushed?
                }
            };
            if !done || (self.is_growing && matches!(part, LinePart::Payload(_))) {
                return Ok(false);
            }
            *part = LinePart::Sent;
        }
        Ok(true)
    }
}

/// The line before the payload.
fn head(id: &str) -> Vec<u8> {
    format!("{{\"id\":\"{id}\",\"input\":").into_bytes()
}

/// The line behind the payload.
fn tail(timeout: Duration) -> Vec<u8> {
    format!(",\"timeoutMs\":{}}}\n", timeout.as_millis()).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_question_is_one_line_around_the_payload() {
        for text in ["plain".to_owned(), "two\nlines\u{2028}".to_owned(), "é\n".repeat(300_000)] {
            let input = json!({ "tool_input": { "content": text } });
            let payload = Payload::new(&input).unwrap();
            let mut question = RequestLine::new("a7", &payload, Duration::from_millis(1500)).unwrap();
            let (mut reader, writer) = io::pipe().unwrap();
            crate::run::unix::set_nonblocking(&writer).unwrap();
            let reading = std::thread::spawn(move || {
                let mut read = String::new();
                reader.read_to_string(&mut read).map(|_| read)
            });
            loop {
                match question.push(&writer) {
                    Ok(true) => break,
                    Ok(false) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
            drop(writer);
            let line = reading.join().unwrap().unwrap();
            assert_eq!(line.matches('\n').count(), 1, "one line, ended");
            assert_eq!(question.sent(), line.len() as u64);
            let read: Value = serde_json::from_str(&line).unwrap();
            assert!(read == json!({ "id": "a7", "input": input, "timeoutMs": 1500 }));
        }
    }
}
