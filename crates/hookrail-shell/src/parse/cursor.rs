//! The place of the parser in a text.

/// A place in a text, and the end up to which it is read.
///
/// Places are byte offsets. All syntax of the shell is ASCII, so a place where something is recognised is always
/// the beginning of a character.
#[derive(Debug, Clone)]
pub(super) struct TextCursor<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> TextCursor<'t> {
    /// The beginning of `text`.
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, end: text.len() }
    }

    /// The offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes to an offset that was seen before.
    pub(super) fn go(&mut self, at: usize) {
        self.at = at.min(self.end);
    }

    /// Where reading ends.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Lets reading end at `end`; the caller puts the old end back.
    pub(super) fn set_end(&mut self, end: usize) {
        self.end = end.min(self.text.len());
    }

    /// The text between two offsets.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to.min(self.text.len())).unwrap_or_default()
    }

    /// The byte at an offset before the end.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        if at < self.end { self.text.as_bytes().get(at).copied() } else { None }
    }

    /// The next byte. A backslash with a line end behind it is not text and is stepped over.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while self.byte(self.at) == Some(b'\\') && self.byte(self.at + 1) == Some(b'\n') {
            self.at += 2;
        }
        self.byte(self.at)
    }

    /// The byte after the next one, with joined lines stepped over as in [`peek`](Self::peek).
    pub(super) fn peek_second(&mut self) -> Option<u8> {
        self.peek()?;
        let mut at = self.at + 1;
        while self.byte(at) == Some(b'\\') && self.byte(at + 1) == Some(b'\n') {
            at += 2;
        }
        self.byte(at)
    }

    /// Whether `expected` (ASCII) comes next; it is stepped over if so.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        let start = self.at;
        for byte in expected.bytes() {
            if self.peek() != Some(byte) {
                self.at = start;
                return false;
            }
            self.at += 1;
        }
        true
    }

    /// Steps over the next byte, which the caller has looked at.
    pub(super) fn skip(&mut self) {
        self.at = (self.at + 1).min(self.end);
    }

    /// The next character as it is, joined lines not stepped over.
    pub(super) fn take_raw(&mut self) -> Option<char> {
        let next = self.slice(self.at, self.end).chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Adds the bytes up to the next one that `stops` accepts to `into`.
    pub(super) fn take_until(&mut self, into: &mut String, stops: impl Fn(u8) -> bool) {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..self.end).unwrap_or_default();
        self.at = start + rest.iter().position(|byte| stops(*byte)).unwrap_or(rest.len());
        into.push_str(self.slice(start, self.at));
    }

    /// Steps over blanks and joined lines.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }
}

/// Whether a byte ends a word that is not quoted.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Whether a byte can be part of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether `text` is the name of a variable.
pub(crate) fn is_identifier(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(is_name)
}
