//! From text to [`Script`]: a parser for the language of Bash.
//!
//! It never fails. A text that is not sound is read as far as it makes sense and marked as broken, because what can
//! be told from half a text is still worth telling. Its time is linear in the text: it looks ahead only to see
//! whether `((` begins an expression, and as nesting is bounded that look is repeated a bounded number of times.
//! Grammar-based parsers that try one reading after another take exponential time there: `((((((((x;y))))))))`
//! with fourteen pairs keeps `brush-parser` 0.4 busy for 19 seconds.

mod ansi_c;
mod command;
mod compound;
mod cursor;
mod dollar;
mod heredoc;
mod origin;
mod redirect;
mod word;

use std::rc::Rc;

use self::cursor::{Cursor, is_meta};
use self::heredoc::Pending;
use self::origin::Origin;
use super::syntax::{AndOr, Part, Pipeline, Script};

pub(super) use self::cursor::is_identifier;

/// How deep commands, substitutions and expansions may nest. No person writes more than a few levels; the parser
/// and everything behind it calls itself for each.
pub(super) const MAX_NESTING: usize = 40;

/// What a text was read as.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The commands.
    pub(super) script: Script,
    /// Whether something was not understood, or nests too deep.
    pub(super) broken: bool,
    /// Whether a part of the text was left unread because it nests too deep.
    pub(super) too_deep: bool,
}

/// Reads `text`, which itself stands `depth` levels deep.
pub(super) fn parse(text: &str, depth: usize) -> Parsed {
    Parser::new(text, depth, Origin::Itself).script()
}

/// What a text was read as by the rules of double quotes.
#[derive(Debug, Default)]
pub(super) struct ParsedQuoted {
    /// The text and the expansions in it.
    pub(super) parts: Vec<Part>,
    /// As in [`Parsed`].
    pub(super) broken: bool,
    /// As in [`Parsed`].
    too_deep: bool,
}

/// Reads `text` as it would be read inside double quotes.
pub(super) fn parse_quoted(text: &str, depth: usize) -> ParsedQuoted {
    Parser::new(text, depth, Origin::Itself).quoted_text()
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// The end of the text.
    End,
    /// `)`
    Paren,
    /// One of these reserved words.
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseArm,
}

/// The parser of one text.
#[derive(Debug)]
struct Parser<'t> {
    cursor: Cursor<'t>,
    origin: Origin,
    depth: usize,
    broken: bool,
    too_deep: bool,
    /// Here-documents whose bodies come after the next line end.
    pending: Vec<Pending>,
    /// Whether the text speaks of `extglob`, so that `!(a|b)` can be a pattern.
    extglob: bool,
}

impl<'t> Parser<'t> {
    /// A parser at the beginning of `text`, which itself stands `depth` levels deep.
    fn new(text: &'t str, depth: usize, origin: Origin) -> Self {
        let extglob = text.contains("extglob");
        let cursor = Cursor::new(text);
        Self { cursor, origin, depth, broken: false, too_deep: false, pending: Vec::new(), extglob }
    }

    /// Reads all of the text as commands.
    fn script(mut self) -> Parsed {
        let script = self.list(Until::End);
        self.finish_documents();
        Parsed { script, broken: self.broken, too_deep: self.too_deep }
    }

    /// Reads all of the text by the rules of double quotes.
    fn quoted_text(mut self) -> ParsedQuoted {
        let parts = self.quoted_parts(word::Quoting::Document);
        ParsedQuoted { parts, broken: self.broken, too_deep: self.too_deep }
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
        match self.plain_word() {
            Some((word, end)) if word == expected => {
                self.cursor.go(end);
                true
            }
            _ => false,
        }
    }

    /// Steps over blanks, line ends and the reserved word `expected`; the text is broken without it.
    fn expect_word(&mut self, expected: &str) {
        self.skip_lines();
        if !self.take_word(expected) {
            self.broken = true;
        }
    }

    /// Reads commands up to `until`, which is left unread.
    fn list(&mut self, until: Until) -> Script {
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            let Some(next) = self.cursor.peek() else { break };
            match next {
                b')' if matches!(until, Until::Paren) => break,
                b';' if matches!(until, Until::CaseArm)
                    && matches!(self.cursor.peek_second(), Some(b';' | b'&')) =>
                {
                    break;
                }
                b')' | b';' | b'|' => {
                    self.broken = true;
                    self.cursor.skip();
                    continue;
                }
                b'&' if self.cursor.peek_second() != Some(b'>') => {
                    self.broken = true;
                    self.cursor.skip();
                    continue;
                }
                _ => {}
            }
            if self.at_end_word(until) {
                break;
            }
            let before = self.cursor.at();
            items.push(self.and_or());
            if self.cursor.at() == before {
                // Nothing was recognised: the parser must go on all the same.
                self.broken = true;
                self.cursor.take_raw();
            }
        }
        Script { items }
    }

    /// Whether a reserved word that ends a list comes next.
    fn at_end_word(&mut self, until: Until) -> bool {
        let Some((word, end)) = self.plain_word() else { return false };
        let ends = match until {
            Until::Words(words) => words.contains(&word),
            Until::CaseArm => word == "esac",
            Until::End | Until::Paren => false,
        };
        let is_stray =
            !ends && matches!(word, "then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}");
        if is_stray {
            self.broken = true;
            self.cursor.go(end);
            return self.at_end_word(until);
        }
        ends
    }

    /// Reads pipelines joined by `&&` and `||`, and the separator behind them.
    fn and_or(&mut self) -> AndOr {
        let first = self.pipeline();
        let mut rest = Vec::new();
        let mut background = false;
        loop {
            self.skip_blanks();
            let is_and = self.cursor.take("&&");
            if is_and || self.cursor.take("||") {
                self.skip_lines();
                if matches!(self.cursor.peek(), None | Some(b';' | b'|' | b')')) {
                    self.broken = true;
                    break;
                }
                rest.push((is_and, self.pipeline()));
                continue;
            }
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (None | Some(b'\n' | b')'), _) | (Some(b';'), Some(b';' | b'&')) => {}
                (Some(b';'), _) => self.cursor.skip(),
                (Some(b'&'), next) if next != Some(b'>') => {
                    self.cursor.skip();
                    background = true;
                }
                // Two commands with nothing between them, as in `(a) b`.
                _ => self.broken = true,
            }
            break;
        }
        AndOr { first, rest, background }
    }

    /// Reads commands joined by `|`, with `!` and `time` before them.
    fn pipeline(&mut self) -> Pipeline {
        let mut time = None;
        loop {
            self.skip_blanks();
            let word = self.plain_word();
            match word {
                Some(("!", end)) => self.cursor.go(end),
                Some(("time", end)) => {
                    self.cursor.go(end);
                    time = Some(["-p", "--"].into_iter().filter(|option| self.take_word(option)).collect());
                }
                _ => break,
            }
        }
        let mut commands = Vec::new();
        loop {
            commands.extend(self.deeper(Self::command));
            self.skip_blanks();
            let is_pipe = self.cursor.peek() == Some(b'|') && self.cursor.peek_second() != Some(b'|');
            if !is_pipe {
                break;
            }
            self.cursor.skip();
            self.cursor.take("&");
            self.skip_lines();
            if matches!(self.cursor.peek(), None | Some(b')' | b';' | b'|')) {
                self.broken = true;
                break;
            }
        }
        Pipeline { time, commands }
    }

    /// Reads the commands of `$(`, `<(` or `>(`, whose parenthesis has been read, and the closing one.
    fn substitution(&mut self) -> Rc<Script> {
        let script = self.deeper(|parser| {
            let outer = std::mem::take(&mut parser.pending);
            let script = parser.list(Until::Paren);
            parser.finish_documents();
            parser.pending = outer;
            script
        });
        self.expect(")");
        Rc::new(script)
    }
}
