//! Here-documents: text that stands behind the line that asks for it.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Parser;
use super::parse_quoted;
use crate::shell::syntax::{Part, RedirectKind};

/// A here-document whose body has not been reached.
#[derive(Debug)]
pub(super) struct Pending {
    delimiter: String,
    /// Whether a part of the delimiter was quoted, which takes the meaning from `$` in the body.
    quoted: bool,
    /// `<<-`: tabs before each line are dropped.
    strips_tabs: bool,
    body: Rc<OnceCell<Vec<Part>>>,
}

impl Parser<'_> {
    /// Reads the delimiter behind `<<` or `<<-`.
    pub(super) fn document(&mut self, strips_tabs: bool) -> RedirectKind {
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        if self.word().is_none() {
            self.broken = true;
        }
        let written = self.cursor.slice(start, self.cursor.at());
        // Bash has rules of its own for these; a delimiter that is misread would swallow commands.
        self.broken |= written.contains(['$', '`', '\n', '(']);
        let (delimiter, quoted) = without_quotes(written);
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { delimiter, quoted, strips_tabs, body: Rc::clone(&body) });
        RedirectKind::Document(body)
    }

    /// Reads the bodies that begin here, at the beginning of a line.
    pub(super) fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.pending) {
            let text = self.document_body(&document);
            let parts = if document.quoted {
                vec![Part::Quoted(text)]
            } else {
                let depth = self.depth;
                let (parts, broken) = parse_quoted(&text, depth + 1);
                self.broken |= broken;
                parts
            };
            // Each document is read once, so the cell is empty.
            let _ = document.body.set(parts);
        }
    }

    /// Marks documents without a body as broken: Bash takes what is left of the text for them.
    pub(super) fn finish_documents(&mut self) {
        if !self.pending.is_empty() {
            self.broken = true;
            self.read_documents();
        }
    }

    /// The lines up to the delimiter, which is stepped over.
    fn document_body(&mut self, document: &Pending) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            let had_text = self.cursor.byte(self.cursor.at()).is_some();
            loop {
                self.cursor.take_until(&mut line, |byte| byte == b'\n');
                let is_joined = !document.quoted && ends_in_odd_backslashes(&line);
                let has_end = self.cursor.byte(self.cursor.at()).is_some();
                self.cursor.skip();
                if is_joined && has_end {
                    line.pop();
                    continue;
                }
                if has_end {
                    line.push('\n');
                }
                break;
            }
            let line = if document.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if line.strip_suffix('\n').unwrap_or(line) == document.delimiter && had_text {
                return text;
            }
            text.push_str(line);
            if self.cursor.byte(self.cursor.at()).is_none() {
                // Bash ends the document at the end of the text, with a warning.
                return text;
            }
        }
    }
}

/// Whether the last backslash of a line is not itself escaped, so that the next line belongs to it.
fn ends_in_odd_backslashes(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// A delimiter without its quotes, and whether it had any.
fn without_quotes(written: &str) -> (String, bool) {
    let mut result = String::new();
    let mut quote = None;
    let mut quoted = false;
    let mut chars = written.chars();
    while let Some(next) = chars.next() {
        match (quote, next) {
            (None, '\'' | '"') => {
                quote = Some(next);
                quoted = true;
            }
            (Some(open), _) if next == open => quote = None,
            (None | Some('"'), '\\') => {
                quoted = true;
                result.extend(chars.next());
            }
            _ => result.push(next),
        }
    }
    (result, quoted)
}
