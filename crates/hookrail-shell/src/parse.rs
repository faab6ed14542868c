//! From text to [`Script`]: a parser for the language of Bash.
//!
//! It never fails. A text that is not sound is read as far as it makes sense and marked as broken, because what can
//! be determined from half a text is still useful. Its time is linear in the text: it looks ahead only to see
//! whether `((` begins an expression, and as nesting is bounded that look is repeated a bounded number of times.
//! Grammar-based parsers that try one reading after another take exponential time there: `((((((((x;y))))))))`
//! with fourteen pairs keeps `brush-parser` 0.4 busy for 19 seconds.

pub(crate) mod ansi_c;
mod command;
mod compound;
mod cursor;
mod dollar;
mod heredoc;
mod list;
mod origin;
mod quote;
mod redirect;
mod word;

use self::cursor::{TextCursor, is_meta};
use self::heredoc::PendingHeredoc;
use self::list::Until;
use self::origin::TextOrigin;
use super::syntax::{Script, WordPart};

pub(super) use self::cursor::is_identifier;

/// How deep commands, substitutions and expansions may nest. No person writes more than a few levels; the parser
/// and everything behind it calls itself for each.
pub(super) const MAX_NESTING: usize = 40;

/// What a text was read as: commands, or by the rules of double quotes the text and the expansions in it.
#[derive(Debug, Default)]
pub(super) struct Parsed<T> {
    pub(super) tree: T,
    /// Whether something was not understood, or nests too deep.
    pub(super) broken: bool,
    /// Whether a part of the text was left unread because it nests too deep.
    pub(super) too_deep: bool,
}

/// Reads `text`, which itself is `depth` levels deep.
pub(super) fn parse(text: &str, depth: usize) -> Parsed<Script> {
    ShellParser::new(text, depth, TextOrigin::Itself).script()
}

/// Reads `text` as it would be read inside double quotes.
pub(super) fn parse_quoted(text: &str, depth: usize) -> Parsed<Vec<WordPart>> {
    ShellParser::new(text, depth, TextOrigin::Itself).quoted_text()
}

/// The parser of one text.
#[derive(Debug)]
struct ShellParser<'t> {
    cursor: TextCursor<'t>,
    origin: TextOrigin,
    depth: usize,
    broken: bool,
    too_deep: bool,
    /// Here-documents whose bodies come after the next line end.
    pending: Vec<PendingHeredoc>,
    /// Whether the text mentions `extglob`, so that `!(a|b)` can be a pattern.
    extglob: bool,
}

impl<'t> ShellParser<'t> {
    /// A parser at the beginning of `text`, which itself is `depth` levels deep.
    fn new(text: &'t str, depth: usize, origin: TextOrigin) -> Self {
        let extglob = text.contains("extglob");
        let cursor = TextCursor::new(text);
        Self { cursor, origin, depth, broken: false, too_deep: false, pending: Vec::new(), extglob }
    }

    /// Reads all of the text as commands.
    fn script(mut self) -> Parsed<Script> {
        let tree = self.list(Until::End);
        self.finish_documents();
        Parsed { tree, broken: self.broken, too_deep: self.too_deep }
    }

    /// Reads all of the text by the rules of double quotes.
    fn quoted_text(mut self) -> Parsed<Vec<WordPart>> {
        let tree = self.quoted_parts(quote::QuoteContext::Document);
        Parsed { tree, broken: self.broken, too_deep: self.too_deep }
    }

    /// Runs `read` one level deeper. Beyond the bound the rest of the text is given up.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_NESTING {
            self.too_deep = true;
            self.give_up();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Marks the text as broken and leaves the rest of it unread.
    fn give_up(&mut self) {
        self.broken = true;
        self.cursor.go(self.cursor.end());
    }

    /// Steps over `expected`; the text is broken without it.
    fn expect(&mut self, expected: &str) {
        if !self.cursor.take(expected) {
            self.broken = true;
        }
    }

    /// Steps over blanks and a comment. At most the line end is left.
    fn skip_blanks(&mut self) {
        self.cursor.skip_blanks();
        if self.cursor.peek() == Some(b'#') {
            self.cursor.take_until(&mut String::new(), |byte| byte == b'\n');
        }
    }

    /// Steps over blanks, comments and line ends.
    fn skip_lines(&mut self) {
        self.skip_blanks();
        while self.cursor.peek() == Some(b'\n') {
            self.line_end();
            self.skip_blanks();
        }
    }

    /// Steps over a line end and reads the here-documents that begin there.
    fn line_end(&mut self) {
        self.cursor.skip();
        self.read_documents();
    }

    /// The reserved word, or other word without quotes and expansions, that comes next, and where it ends.
    fn plain_word(&mut self) -> Option<(&'t str, usize)> {
        self.cursor.peek()?;
        let start = self.cursor.at();
        let mut end = start;
        while let Some(byte) = self.cursor.byte(end) {
            match byte {
                b'\'' | b'"' | b'\\' | b'$' | b'`' => return None,
                _ if is_meta(byte) => break,
                _ if end - start > 8 => return None,
                _ => end += 1,
            }
        }
        (end > start).then(|| (self.cursor.slice(start, end), end))
    }

    /// Steps over the reserved word `expected` if it comes next.
    fn take_word(&mut self, expected: &str) -> bool {
        self.skip_blanks();
        let found = self.plain_word().filter(|(word, _)| *word == expected);
        if let Some((_, end)) = found {
            self.cursor.go(end);
        }
        found.is_some()
    }

    /// Steps over blanks, line ends and the reserved word `expected`; the text is broken without it.
    fn expect_word(&mut self, expected: &str) {
        self.skip_lines();
        if !self.take_word(expected) {
            self.broken = true;
        }
    }

    /// The tree of an inner text that was read by itself, whose flaws are flaws of this one.
    fn absorb<T>(&mut self, parsed: Parsed<T>) -> T {
        self.broken |= parsed.broken;
        self.too_deep |= parsed.too_deep;
        parsed.tree
    }
}
