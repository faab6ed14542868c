//! Quoted text, and the quotes that a dollar sign or a backtick begins.

use std::rc::Rc;

use super::origin::Copied;
use super::{ShellParser, ansi_c};
use crate::syntax::{Quote, Span, WordPart};

/// The kinds of text with the rules of double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteContext {
    /// Between `"` and `"`.
    Double,
    /// In a here-document or an expression: up to the end, and `"` means nothing.
    Document,
}

impl ShellParser<'_> {
    /// Reads a text in single quotes.
    pub(super) fn single_quoted(&mut self) -> WordPart {
        let start = self.cursor.at();
        self.cursor.skip();
        let mut text = String::new();
        self.cursor.take_until(&mut text, |byte| byte == b'\'');
        self.close_raw(b'\'');
        self.quoted(text, Quote::Single, start)
    }

    /// A part that means itself and was written from `start` to here.
    pub(super) fn quoted(&self, text: String, quote: Quote, start: usize) -> WordPart {
        WordPart::Quoted { text, quote, span: self.span(start) }
    }

    /// Steps over a closing quote, before which no line may be joined.
    fn close_raw(&mut self, quote: u8) {
        if self.cursor.byte(self.cursor.at()) == Some(quote) {
            self.cursor.skip();
        } else {
            self.broken = true;
        }
    }

    /// Reads text with the rules of double quotes, and the closing quote.
    pub(super) fn quoted_parts(&mut self, quoting: QuoteContext) -> Vec<WordPart> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut start = self.cursor.at();
        let end = loop {
            match self.cursor.peek() {
                None => {
                    self.broken |= quoting == QuoteContext::Double;
                    break self.cursor.at();
                }
                Some(b'"') if quoting == QuoteContext::Double => {
                    let end = self.cursor.at();
                    self.cursor.skip();
                    break end;
                }
                Some(b'\\') => {
                    self.cursor.skip();
                    match self.cursor.byte(self.cursor.at()) {
                        Some(next @ (b'$' | b'`' | b'\\')) => {
                            text.push(char::from(next));
                            self.cursor.skip();
                        }
                        Some(b'"') if quoting == QuoteContext::Double => {
                            text.push('"');
                            self.cursor.skip();
                        }
                        _ => text.push('\\'),
                    }
                }
                Some(b'$' | b'`') => {
                    let before = self.cursor.at();
                    if let Some(part) = self.expansion(true) {
                        self.add_quoted(&mut parts, &mut text, start, before);
                        parts.push(part);
                        start = self.cursor.at();
                    } else {
                        text.push('$');
                    }
                }
                Some(_) => {
                    text.extend(self.cursor.take_raw());
                    self.cursor.take_until(&mut text, |byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'));
                }
            }
        };
        self.add_quoted(&mut parts, &mut text, start, end);
        parts
    }

    /// Adds the text that was read between two places, if there is any.
    fn add_quoted(&self, parts: &mut Vec<WordPart>, text: &mut String, start: usize, end: usize) {
        if !text.is_empty() {
            let span = Span { start: self.offset(start), end: self.offset(end) };
            parts.push(WordPart::Quoted { text: std::mem::take(text), quote: Quote::Double, span });
        }
    }

    /// Reads what begins with `$` or a backtick; `None` for a dollar sign that means nothing, which is stepped over.
    pub(super) fn expansion(&mut self, quoted: bool) -> Option<WordPart> {
        if self.cursor.take("`") {
            return Some(self.backticks(quoted));
        }
        let start = self.cursor.at();
        self.cursor.skip();
        match self.cursor.peek() {
            Some(b'\'') if !quoted => {
                self.cursor.skip();
                Some(self.ansi_c(start))
            }
            Some(b'"') if !quoted => {
                self.cursor.skip();
                Some(WordPart::Translated(self.deeper(|parser| parser.quoted_parts(QuoteContext::Double))))
            }
            _ => self.dollar(quoted, start),
        }
    }

    /// Reads the text behind the `$'` at `start`, and the closing quote, which a backslash can escape.
    fn ansi_c(&mut self, start: usize) -> WordPart {
        let inside = self.cursor.at();
        loop {
            self.cursor.take_until(&mut String::new(), |byte| matches!(byte, b'\'' | b'\\'));
            if self.cursor.byte(self.cursor.at()) != Some(b'\\') {
                break;
            }
            self.cursor.skip();
            self.cursor.take_raw();
        }
        let written = self.cursor.slice(inside, self.cursor.at());
        self.close_raw(b'\'');
        ansi_c::decode(written).map_or(WordPart::Opaque, |text| self.quoted(text, Quote::AnsiC, start))
    }

    /// Reads a text in backticks. Its backslashes are taken off before it is read as commands, so that it is a text of its
    /// own: an escaped backtick inside it belongs to the inner text, and in double quotes so does an escaped quote.
    fn backticks(&mut self, quoted: bool) -> WordPart {
        let mut code = Copied::at(self.offset(self.cursor.at()));
        loop {
            self.copy_until(&mut code, |byte| matches!(byte, b'`' | b'\\'));
            let at = self.cursor.at();
            if self.cursor.byte(at) != Some(b'\\') {
                break;
            }
            self.cursor.skip();
            let is_escape = match self.cursor.take_raw() {
                Some('`' | '$' | '\\') => true,
                Some('"') => quoted,
                _ => false,
            };
            self.copy(&mut code, at + usize::from(is_escape));
        }
        self.close_raw(b'`');
        let script = self.deeper(|parser| parser.absorb(code.parse(parser.depth)));
        WordPart::Command(Rc::new(script))
    }
}
