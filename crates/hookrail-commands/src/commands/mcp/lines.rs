//! Lines from a descriptor, each with its end, in bounded memory.

use super::message::Id;
use crate::commands::serve::descriptor::Descriptor;

/// The longest line that is passed on.
pub(super) const LONGEST: usize = 64 << 20;
/// What is read at once.
const CHUNK: usize = 64 << 10;
/// A buffer that grew beyond this for one long line is given back after it.
const KEPT: usize = 1 << 20;
/// The longest key or id that is looked at in a line that is too long.
const LONGEST_TOKEN: usize = 4 << 10;

/// A line, or what is known of one that is too long.
pub(super) enum Line {
    /// With its end, unless it is the last one.
    Text(Vec<u8>),
    /// Longer than [`LONGEST`]. Its id as it was written, if it has one.
    TooLong(Option<String>),
}

/// Cuts what comes from a descriptor into lines.
pub(super) struct Lines {
    input: Descriptor,
    chunk: Vec<u8>,
    buffer: Vec<u8>,
    /// Bytes before this one were handed out.
    start: usize,
    /// Bytes between `start` and this one hold no line end.
    searched: usize,
    longest: usize,
    too_long: Option<IdScanner>,
    ended: bool,
}

impl Lines {
    pub(super) fn of(input: Descriptor) -> Self {
        let (chunk, buffer) = (vec![0; CHUNK], Vec::new());
        Self { input, chunk, buffer, start: 0, searched: 0, longest: LONGEST, too_long: None, ended: false }
    }

    /// The next line; `None` at the end. Nothing is lost if the future is dropped.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let unseen = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = unseen.iter().position(|byte| *byte == b'\n') {
                return Some(self.take(self.searched + at + 1));
            }
            self.searched = self.buffer.len();
            if self.ended {
                let is_over = self.start == self.buffer.len() && self.too_long.is_none();
                return (!is_over).then(|| self.take(self.buffer.len()));
            }
            if self.buffer.len() - self.start > self.longest || self.too_long.is_some() {
                let part = self.buffer.get(self.start..).unwrap_or_default();
                self.too_long.get_or_insert_default().feed(part);
                self.start = self.buffer.len();
            }
            self.make_room();
            // A connection that broke ends like one that was closed.
            let count = self.input.read(&mut self.chunk).await.unwrap_or(0);
            self.buffer.extend_from_slice(self.chunk.get(..count).unwrap_or_default());
            self.ended = count == 0;
        }
    }

    /// Moves an unfinished line to the front.
    fn make_room(&mut self) {
        if self.start == self.buffer.len() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        } else {
            self.buffer.drain(..self.start);
        }
        self.searched -= self.start;
        self.start = 0;
    }

    /// The line that ends here.
    fn take(&mut self, end: usize) -> Line {
        let line = self.buffer.get(self.start..end).unwrap_or_default();
        let is_long = line.len() > self.longest;
        let taken = match self.too_long.take().or_else(|| is_long.then(IdScanner::default)) {
            Some(mut scanner) => {
                scanner.feed(line);
                Line::TooLong(scanner.id())
            }
            None => Line::Text(line.to_vec()),
        };
        (self.start, self.searched) = (end, end);
        taken
    }
}

/// Finds the id of a message while its bytes pass by.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "a state of a scanner, each independent of the others")]
struct IdScanner {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// Whether a value is awaited in the outermost object, rather than a key.
    is_value: bool,
    is_id: bool,
    token: Vec<u8>,
    id: Option<Vec<u8>>,
}

impl IdScanner {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.is_value = true;
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_value(),
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    /// What is deeper than the keys of the message is passed over.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && (!self.is_value || self.is_id) && self.token.len() < LONGEST_TOKEN {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.is_id) {
            self.id = Some(token);
        }
        self.is_value = false;
    }

    /// The id as it was written, if it is one.
    fn id(self) -> Option<String> {
        String::from_utf8(self.id?).ok().filter(|raw| Id::read(raw).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_message_is_found_wherever_it_is() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, Some("7")),
            (r#"{"result":{"id":8,"x":["id",{"id":9}]},"jsonrpc":"2.0","id" : "a\"b" }"#, Some(r#""a\"b""#)),
            (r#"{"result":"\"id\":3","method":"x"}"#, None),
            (r#"{"id":{"a":1}}"#, None),
            (r#"{"id":null}"#, Some("null")),
            ("not JSON", None),
            ("", None),
        ] {
            let mut scanner = IdScanner::default();
            let (first, second) = text.as_bytes().split_at(text.len() / 2);
            scanner.feed(first);
            scanner.feed(second);
            assert_eq!(scanner.id().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn lines_keep_their_ends_and_long_ones_their_id() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (reader, writer) = std::io::pipe().unwrap();
            let text = format!("a\r\n\n{{\"id\":5,\"x\":\"{}\"}}\nlast", "y".repeat(300));
            let sent = std::thread::spawn(move || {
                use std::io::Write as _;
                let mut writer = writer;
                writer.write_all(text.as_bytes()).unwrap();
            });
            let mut lines = Lines::of(Descriptor::owned(reader.into()).unwrap());
            lines.longest = 100;
            let mut seen = Vec::new();
            while let Some(line) = lines.next().await {
                seen.push(match line {
                    Line::Text(bytes) => String::from_utf8(bytes).unwrap(),
                    Line::TooLong(id) => format!("too long: {id:?}"),
                });
            }
            sent.join().unwrap();
            assert_eq!(seen, ["a\r\n", "\n", "too long: Some(\"5\")", "last"]);
        });
    }
}
