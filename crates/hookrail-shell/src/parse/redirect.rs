//! Redirections, in any place of a command.

use super::ShellParser;
use super::cursor::is_name;
use crate::syntax::{Redirect, RedirectKind};

/// What begins a redirection, of operators with the same beginning the longest first.
const OPERATORS: [(&str, RedirectKind); 12] = [
    ("<<<", RedirectKind::String),
    ("<<-", RedirectKind::Document { strips_tabs: true }),
    ("<<", RedirectKind::Document { strips_tabs: false }),
    ("<&", RedirectKind::DuplicateInput),
    ("<>", RedirectKind::ReadWrite),
    ("<", RedirectKind::Read),
    (">&", RedirectKind::DuplicateOutput),
    (">>", RedirectKind::Append),
    (">|", RedirectKind::Write),
    (">", RedirectKind::Write),
    ("&>>", RedirectKind::Append),
    ("&>", RedirectKind::Write),
];

impl ShellParser<'_> {
    /// Reads the redirection that comes next, if one does. The text is broken where its operand is missing.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.cursor.at();
        let descriptor = self.descriptor();
        let Some(kind) = self.operator() else {
            self.cursor.go(start);
            return None;
        };
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        let word = self.word();
        self.broken |= word.is_none();
        let word = word.unwrap_or_default();
        let body = match kind {
            RedirectKind::Document { strips_tabs } => Some(self.document(start, strips_tabs)),
            _ => None,
        };
        Some(Redirect { descriptor, kind, word, body })
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

    /// Steps over the operator that comes next, if one does. `<(` and `>(` begin a word.
    fn operator(&mut self) -> Option<RedirectKind> {
        let next = self.cursor.peek().filter(|next| b"<>&".contains(next))?;
        if next != b'&' && self.cursor.peek_second() == Some(b'(') {
            return None;
        }
        OPERATORS.iter().find(|(operator, _)| self.cursor.take(operator)).map(|(_, kind)| *kind)
    }
}
