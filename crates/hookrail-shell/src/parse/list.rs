//! Lists of commands: what separates, joins and ends them.

use std::rc::Rc;

use super::ShellParser;
use crate::syntax::{AndOr, Pipeline, Script};

/// What ends a list of commands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// The end of the text.
    End,
    /// `)`
    Paren,
    /// One of these reserved words.
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseArm,
}

impl ShellParser<'_> {
    /// Reads commands up to `until`, which is left unread.
    pub(super) fn list(&mut self, until: Until) -> Script {
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
                b')' | b';' | b'|' | b'&' if next != b'&' || self.cursor.peek_second() != Some(b'>') => {
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
    pub(super) fn pipeline(&mut self) -> Pipeline {
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
    pub(super) fn substitution(&mut self) -> Rc<Script> {
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
