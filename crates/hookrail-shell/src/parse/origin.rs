//! Texts that are put together from pieces of another one before they are read.
//!
//! A text in backticks loses backslashes, and a here-document loses tabs and joined lines. A place is
//! always one in the text that a person wrote, so each byte of such a copy keeps its offset there.

use std::rc::Rc;

use super::{Parsed, ShellParser};
use crate::syntax::{Script, Span, WordPart};

/// Where the bytes of a parser's text come from.
#[derive(Debug, Clone)]
pub(super) enum TextOrigin {
    /// The text is the outermost one, or places in it are not asked for.
    Itself,
    /// A copy: where it begins in the outermost text, and the same for each of its bytes.
    Copied(u32, Rc<[u32]>),
}

/// A text that is read after it was put together.
#[derive(Debug, Default)]
pub(super) struct Copied {
    pub(super) text: String,
    /// For each byte its offset in the outermost text.
    from: Vec<u32>,
    /// Where the copied text begins there, whatever was left out at its beginning.
    start: u32,
}

impl Copied {
    /// An empty copy of what begins at `start` of the outermost text.
    pub(super) fn at(start: u32) -> Self {
        Self { start, ..Self::default() }
    }

    /// Adds another copy at the end.
    pub(super) fn append(&mut self, mut other: Self) {
        self.text.push_str(&other.text);
        self.from.append(&mut other.from);
    }

    /// Takes the last byte off, which is ASCII.
    pub(super) fn drop_last(&mut self) {
        self.text.pop();
        self.from.truncate(self.text.len());
    }

    /// Takes the tabs at the beginning off.
    pub(super) fn drop_tabs(&mut self) {
        let tabs = self.text.bytes().take_while(|byte| *byte == b'\t').count();
        self.text.drain(..tabs);
        self.from.drain(..tabs);
    }

    /// Reads the text as commands `depth` levels deep.
    pub(super) fn parse(self, depth: usize) -> Parsed<Script> {
        ShellParser::new(&self.text, depth, TextOrigin::Copied(self.start, self.from.into())).script()
    }

    /// Reads the text by the rules of double quotes, `depth` levels deep.
    pub(super) fn parse_quoted(self, depth: usize) -> Parsed<Vec<WordPart>> {
        ShellParser::new(&self.text, depth, TextOrigin::Copied(self.start, self.from.into())).quoted_text()
    }
}

impl ShellParser<'_> {
    /// Copies the bytes up to the next one that `stops` accepts.
    pub(super) fn copy_until(&mut self, copy: &mut Copied, stops: impl Fn(u8) -> bool) {
        let start = self.cursor.at();
        self.cursor.take_until(&mut String::new(), stops);
        self.copy(copy, start);
    }

    /// Copies the bytes from `start` to here.
    pub(super) fn copy(&self, copy: &mut Copied, start: usize) {
        let end = self.cursor.at();
        copy.text.push_str(self.cursor.slice(start, end));
        match &self.origin {
            TextOrigin::Itself => copy.from.extend((start..end).map(narrow)),
            TextOrigin::Copied(_, from) => copy.from.extend(from.get(start..end).unwrap_or_default()),
        }
    }

    /// What was read from `start` to here.
    pub(super) fn span(&self, start: usize) -> Span {
        Span { start: self.offset(start), end: self.offset(self.cursor.at()) }
    }

    /// Where an offset of this text is in the outermost one.
    ///
    /// It is counted from the byte before, so that what a copy left out there belongs to what follows: `\$x` in
    /// backticks begins at the backslash.
    pub(super) fn offset(&self, at: usize) -> u32 {
        match &self.origin {
            TextOrigin::Itself => narrow(at),
            TextOrigin::Copied(start, from) => {
                let before = at.checked_sub(1).and_then(|before| from.get(before));
                before.map_or(*start, |before| before.saturating_add(1))
            }
        }
    }
}

/// Offsets fit: a longer text than [`MAX_TEXT`](crate::MAX_TEXT) is not read.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
