//! Redirections, in any place of a command.

use super::ShellParser;
use super::cursor::is_name;
use crate::syntax::{Redirect, RedirectKind, UnexpandedWord};

impl ShellParser<'_> {
    /// Reads the redirection that comes next, if one does.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.cursor.at();
        let descriptor = self.descriptor();
        let Some(kind) = self.redirect_kind() else {
            self.cursor.go(start);
            return None;
        };
        Some(Redirect { descriptor, kind })
    }

    /// Reads all redirections that come next.
    pub(super) fn redirects(&mut self) -> Vec<Redirect> {
        let mut found = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => found.push(redirect),
                None => return found,
            }
        }
    }

    /// Steps over `2` in `2>` and `{name}` in `{name}>`. The caller goes back if no redirection follows: in `echo 2` the
    /// number is an operand. Which descriptor it is matters only for the standard input.
    fn descriptor(&mut self) -> Option<u32> {
        let start = self.cursor.at();
        let mut digits = String::new();
        self.cursor.take_until(&mut digits, |byte| !byte.is_ascii_digit());
        if !digits.is_empty() {
            return digits.parse().ok();
        }
        if self.cursor.take("{") {
            let mut name = String::new();
            self.cursor.take_until(&mut name, |byte| !is_name(byte));
            if name.is_empty() || !self.cursor.take("}") {
                self.cursor.go(start);
            }
        }
        None
    }

    /// Reads the operator and its operand; `None`, and nothing is read, if no operator comes next.
    fn redirect_kind(&mut self) -> Option<RedirectKind> {
        let next = self.cursor.peek()?;
        let second = self.cursor.peek_second();
        if matches!((next, second), (b'<' | b'>', Some(b'('))) {
            return None;
        }
        let kind = match next {
            b'<' if self.cursor.take("<<<") => RedirectKind::String(self.target()),
            b'<' if self.cursor.take("<<-") => self.document(true),
            b'<' if self.cursor.take("<<") => self.document(false),
            b'<' if self.cursor.take("<&") => RedirectKind::Duplicate(self.target(), false),
            b'<' if self.cursor.take("<>") => RedirectKind::ReadWrite(self.target()),
            b'<' if self.cursor.take("<") => RedirectKind::Read(self.target()),
            b'>' if self.cursor.take(">&") => RedirectKind::Duplicate(self.target(), true),
            b'>' if self.cursor.take(">>") || self.cursor.take(">|") || self.cursor.take(">") => {
                RedirectKind::Write(self.target())
            }
            b'&' if self.cursor.take("&>>") || self.cursor.take("&>") => RedirectKind::Write(self.target()),
            _ => return None,
        };
        Some(kind)
    }

    /// Reads the word behind an operator; the text is broken without one.
    fn target(&mut self) -> UnexpandedWord {
        self.cursor.skip_blanks();
        let Some(word) = self.word() else {
            self.broken = true;
            return UnexpandedWord::default();
        };
        word
    }
}
