//! A text in which lines and columns are found without going through all of it.
//!
//! Thousands of findings may point into one file, and that file may be a single line.

use std::ops::Range;

/// For each stretch of so many bytes it is known how many characters come before it.
const STRETCH: usize = 1024;

/// A text and what is needed to find places in it.
#[derive(Debug)]
pub(super) struct IndexedText {
    pub(super) text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    /// How many characters begin before each stretch.
    characters: Vec<usize>,
}

impl IndexedText {
    /// Goes through the text once.
    pub(super) fn new(text: String) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(place, _)| place + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        let mut count = 0;
        let mut characters = Vec::with_capacity(text.len() / STRETCH + 1);
        for stretch in text.as_bytes().chunks(STRETCH) {
            characters.push(count);
            count += begun_in(stretch);
        }
        Self { text, lines, characters }
    }

    /// Line and column of a byte, counted from 1; a byte order mark is in no column.
    pub(super) fn place(&self, byte: usize) -> Option<(usize, usize)> {
        let start = self.line_around(byte)?.start;
        let mark = usize::from(self.text.get(start..)?.starts_with('\u{feff}') && byte > start);
        let line = self.lines.partition_point(|line| *line <= byte);
        Some((line, self.characters_before(byte)? - self.characters_before(start)? - mark + 1))
    }

    /// The line that a byte is in, without its end.
    pub(super) fn line_around(&self, byte: usize) -> Option<Range<usize>> {
        if !self.text.is_char_boundary(byte) {
            return None;
        }
        let next = self.lines.partition_point(|line| *line <= byte);
        let start = *self.lines.get(next.checked_sub(1)?)?;
        let end = self.lines.get(next).map_or(self.text.len(), |next| next - 1);
        Some(start..end)
    }

    /// Counts from the nearest known stretch, so a place at the end of a huge line costs no more than one at its start.
    fn characters_before(&self, byte: usize) -> Option<usize> {
        let stretch = (byte / STRETCH).min(self.characters.len().saturating_sub(1));
        let known = self.characters.get(stretch).copied().unwrap_or_default();
        Some(known + begun_in(self.text.as_bytes().get(stretch * STRETCH..byte)?))
    }
}

/// How many characters begin in these bytes.
fn begun_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests;
