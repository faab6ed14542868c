//! Here-documents: text that follows the line that asks for it.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ShellParser;
use super::origin::Copied;
use crate::syntax::{Quote, WordPart};

/// A here-document whose body has not been reached.
#[derive(Debug)]
pub(super) struct PendingHeredoc {
    delimiter: String,
    /// Whether a part of the delimiter was quoted, which takes the meaning from `$` in the body.
    quoted: bool,
    /// `<<-`: tabs before each line are dropped.
    strips_tabs: bool,
    body: Rc<OnceCell<Vec<WordPart>>>,
}

impl ShellParser<'_> {
    /// Notes the here-document whose delimiter was written from `start` to here.
    pub(super) fn document(&mut self, start: usize, strips_tabs: bool) -> Rc<OnceCell<Vec<WordPart>>> {
        let written = self.cursor.slice(start, self.cursor.at());
        // Bash has rules of its own for these; a delimiter that is misread would swallow commands.
        self.broken |= written.contains(['$', '`', '\n', '(']);
        let (delimiter, quoted) = without_quotes(written);
        let body = Rc::new(OnceCell::new());
        self.pending.push(PendingHeredoc { delimiter, quoted, strips_tabs, body: Rc::clone(&body) });
        body
    }

    /// Reads the bodies that begin here, at the beginning of a line.
    pub(super) fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.pending) {
            let start = self.cursor.at();
            let body = self.document_body(&document);
            let parts = if document.quoted {
                vec![WordPart::Quoted { text: body.text, quote: Quote::Double, span: self.span(start) }]
            } else {
                self.absorb(body.parse_quoted(self.depth + 1))
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
    fn document_body(&mut self, document: &PendingHeredoc) -> Copied {
        let mut body = Copied::at(self.offset(self.cursor.at()));
        loop {
            let mut line = Copied::default();
            let had_text = self.cursor.byte(self.cursor.at()).is_some();
            loop {
                self.copy_until(&mut line, |byte| byte == b'\n');
                let is_joined = !document.quoted && ends_in_odd_backslashes(&line.text);
                let end = self.cursor.at();
                let has_end = self.cursor.byte(end).is_some();
                self.cursor.skip();
                if is_joined && has_end {
                    line.drop_last();
                    continue;
                }
                if has_end {
                    self.copy(&mut line, end);
                }
                break;
            }
            if document.strips_tabs {
                line.drop_tabs();
            }
            if line.text.strip_suffix('\n').unwrap_or(&line.text) == document.delimiter && had_text {
                return body;
            }
            body.append(line);
            if self.cursor.byte(self.cursor.at()).is_none() {
                // Bash ends the document at the end of the text, with a warning.
                return body;
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
