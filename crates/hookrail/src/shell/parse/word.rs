//! Words: quotes, escapes and everything that begins with a dollar sign.

use std::rc::Rc;

use super::cursor::{Cursor, is_meta};
use super::origin::Copied;
use super::{Parser, ansi_c};
use crate::shell::syntax::{Part, Quote, Span, Word};

/// Where text with the rules of double quotes stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Between `"` and `"`.
    Double,
    /// In a here-document or an expression: up to the end, and `"` means nothing.
    Document,
}

/// What ends a word that is not quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// A blank or an operator.
    Meta,
    /// `}` of `${…}`, where blanks and operators are text; inside double quotes `'` is text as well.
    Brace { quoted: bool },
    /// `]` of a subscript.
    Bracket,
    /// A blank, outside of parentheses: the regular expression and the patterns of `[[ … ]]`.
    Pattern,
}

impl Parser<'_> {
    /// Reads the word that comes next, if one does.
    pub(super) fn word(&mut self) -> Option<Word> {
        let start = self.cursor.at();
        let parts = self.parts(Ends::Meta);
        (!parts.is_empty()).then(|| Word { parts, array: None, span: self.span(start) })
    }

    /// Reads parts of a word up to what ends it, which is left unread.
    ///
    /// One loop serves words, operands of `${…}`, subscripts and the patterns of `[[ … ]]`: they differ only in what ends
    /// them and in whether a single quote is a quote.
    pub(super) fn parts(&mut self, ends: Ends) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        // Parentheses of a pattern, or brackets of a subscript, that are open.
        let mut open = 0_usize;
        while let Some(next) = self.cursor.peek() {
            match next {
                b'\'' if ends != (Ends::Brace { quoted: true }) => {
                    flush(&mut literal, &mut parts);
                    parts.push(self.single_quoted());
                }
                b'"' => {
                    self.cursor.skip();
                    flush(&mut literal, &mut parts);
                    let inner = self.deeper(|parser| parser.quoted_parts(Quoting::Double));
                    parts.push(Part::Double(inner));
                }
                b'\\' => {
                    let start = self.cursor.at();
                    self.cursor.skip();
                    flush(&mut literal, &mut parts);
                    match self.cursor.take_raw() {
                        Some(next) => parts.push(self.quoted(next.to_string(), Quote::Escape, start)),
                        None => literal.push('\\'),
                    }
                }
                b'$' | b'`' => {
                    flush(&mut literal, &mut parts);
                    let quoted = ends == (Ends::Brace { quoted: true });
                    match self.expansion(quoted) {
                        Some(part) => parts.push(part),
                        None => literal.push('$'),
                    }
                }
                b'<' | b'>' if self.cursor.peek_second() == Some(b'(') && ends != Ends::Pattern => {
                    flush(&mut literal, &mut parts);
                    self.cursor.skip();
                    self.cursor.take("(");
                    parts.push(Part::Process(self.substitution()));
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if ends == Ends::Meta && self.extglob && self.begins_pattern() =>
                {
                    let inner = self.deeper(Self::pattern);
                    literal.push(char::from(next));
                    literal.push_str("(*)");
                    flush(&mut literal, &mut parts);
                    // What the pattern says is not known to be a match; what it runs is.
                    parts.extend(inner.into_iter().filter(is_expansion).map(|part| Part::Double(vec![part])));
                }
                _ => {
                    let ended = match ends {
                        Ends::Meta => is_meta(next),
                        Ends::Brace { .. } => next == b'}',
                        Ends::Bracket => next == b']' && open == 0,
                        Ends::Pattern => {
                            (is_meta(next) && open == 0 && !matches!(next, b'(' | b'|' | b'<' | b'>'))
                                || (next == b')' && open == 0)
                        }
                    };
                    if ended {
                        break;
                    }
                    match (ends, next) {
                        (Ends::Pattern, b'(') | (Ends::Bracket, b'[') => open += 1,
                        (Ends::Pattern, b')') | (Ends::Bracket, b']') => open = open.saturating_sub(1),
                        _ => {}
                    }
                    self.plain_run(&mut literal, ends);
                }
            }
        }
        flush(&mut literal, &mut parts);
        parts
    }

    /// Takes the next character, and as many after it as need no look at all. Most of a text is made of such runs, and
    /// one copy for each is what makes the reader fast.
    fn plain_run(&mut self, literal: &mut String, ends: Ends) {
        literal.extend(self.cursor.take_raw());
        let extglob = self.extglob;
        self.cursor.take_until(literal, |byte| {
            is_meta(byte)
                || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`')
                || (ends != Ends::Meta && matches!(byte, b'}' | b'[' | b']'))
                || (extglob && matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!'))
        });
    }

    /// Whether the next two bytes begin an extended pattern. `f+()` is the name of a function.
    fn begins_pattern(&mut self) -> bool {
        if self.cursor.peek_second() != Some(b'(') {
            return false;
        }
        let mut ahead: Cursor<'_> = self.cursor.clone();
        ahead.skip();
        ahead.take("(");
        ahead.peek() != Some(b')')
    }

    /// Reads an extended pattern up to its closing parenthesis.
    fn pattern(&mut self) -> Vec<Part> {
        self.cursor.skip();
        self.cursor.take("(");
        let mut parts = Vec::new();
        loop {
            parts.extend(self.parts(Ends::Meta));
            match self.cursor.peek() {
                Some(b')') => {
                    self.cursor.skip();
                    return parts;
                }
                Some(b'(') => {
                    let inner = self.deeper(|parser| {
                        parser.cursor.skip();
                        let inner = parser.parts(Ends::Meta);
                        parser.expect(")");
                        inner
                    });
                    parts.extend(inner);
                }
                Some(b'\n') | None => {
                    self.broken = true;
                    return parts;
                }
                Some(_) => self.cursor.skip(),
            }
        }
    }

    /// Reads a text in single quotes.
    fn single_quoted(&mut self) -> Part {
        let start = self.cursor.at();
        self.cursor.skip();
        let mut text = String::new();
        self.cursor.take_until(&mut text, |byte| byte == b'\'');
        self.close_raw(b'\'');
        self.quoted(text, Quote::Single, start)
    }

    /// A part that means itself and was written from `start` to here.
    fn quoted(&self, text: String, quote: Quote, start: usize) -> Part {
        Part::Quoted { text, quote, span: self.span(start) }
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
    pub(super) fn quoted_parts(&mut self, quoting: Quoting) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut start = self.cursor.at();
        loop {
            match self.cursor.peek() {
                None => {
                    self.broken |= quoting == Quoting::Double;
                    break;
                }
                Some(b'"') if quoting == Quoting::Double => {
                    if !text.is_empty() {
                        parts.push(self.quoted(std::mem::take(&mut text), Quote::Double, start));
                    }
                    self.cursor.skip();
                    break;
                }
                Some(b'\\') => {
                    self.cursor.skip();
                    match self.cursor.byte(self.cursor.at()) {
                        Some(next @ (b'$' | b'`' | b'\\')) => {
                            text.push(char::from(next));
                            self.cursor.skip();
                        }
                        Some(b'"') if quoting == Quoting::Double => {
                            text.push('"');
                            self.cursor.skip();
                        }
                        _ => text.push('\\'),
                    }
                }
                Some(b'$' | b'`') => {
                    let before = self.cursor.at();
                    if let Some(part) = self.expansion(true) {
                        if !text.is_empty() {
                            let span = Span { start: self.offset(start), end: self.offset(before) };
                            let text = std::mem::take(&mut text);
                            parts.push(Part::Quoted { text, quote: Quote::Double, span });
                        }
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
        }
        if !text.is_empty() {
            parts.push(self.quoted(text, Quote::Double, start));
        }
        parts
    }

    /// Reads what begins with `$` or a backtick; `None` for a dollar sign that means nothing, which is stepped over.
    fn expansion(&mut self, quoted: bool) -> Option<Part> {
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
                Some(Part::Translated(self.deeper(|parser| parser.quoted_parts(Quoting::Double))))
            }
            _ => self.dollar(quoted, start),
        }
    }

    /// Reads the text behind the `$'` at `start`, and the closing quote, which a backslash can escape.
    fn ansi_c(&mut self, start: usize) -> Part {
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
        ansi_c::decode(written).map_or(Part::Opaque, |text| self.quoted(text, Quote::AnsiC, start))
    }

    /// Reads a text in backticks. Its backslashes are taken off before it is read as commands, so that it is a text of its
    /// own: an escaped backtick inside it belongs to the inner text, and in double quotes so does an escaped quote.
    fn backticks(&mut self, quoted: bool) -> Part {
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
        let script = self.deeper(|parser| {
            let parsed = code.parse(parser.depth);
            parser.broken |= parsed.broken;
            parser.too_deep |= parsed.too_deep;
            parsed.script
        });
        Part::Command(Rc::new(script))
    }
}

/// Whether a part can run commands.
fn is_expansion(part: &Part) -> bool {
    !matches!(part, Part::Literal(_) | Part::Quoted { .. } | Part::Opaque)
}

/// Moves the literal text that was collected to the parts.
fn flush(literal: &mut String, parts: &mut Vec<Part>) {
    if !literal.is_empty() {
        parts.push(Part::Literal(std::mem::take(literal)));
    }
}
