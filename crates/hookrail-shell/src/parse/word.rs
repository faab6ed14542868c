//! Words that are not quoted as a whole, and the patterns of `[[ … ]]` and `extglob`.

use super::ShellParser;
use super::cursor::{TextCursor, is_meta};
use super::quote::QuoteContext;
use crate::syntax::{Quote, UnexpandedWord, WordPart};

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

impl ShellParser<'_> {
    /// Reads the word that comes next, if one does.
    pub(super) fn word(&mut self) -> Option<UnexpandedWord> {
        let start = self.cursor.at();
        let parts = self.parts(Ends::Meta);
        (!parts.is_empty()).then(|| UnexpandedWord { parts, array: None, span: self.span(start) })
    }

    /// Reads parts of a word up to what ends it, which is left unread.
    ///
    /// One loop serves words, operands of `${…}`, subscripts and the patterns of `[[ … ]]`: they differ only in what ends
    /// them and in whether a single quote is a quote.
    pub(super) fn parts(&mut self, ends: Ends) -> Vec<WordPart> {
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
                    let inner = self.deeper(|parser| parser.quoted_parts(QuoteContext::Double));
                    parts.push(WordPart::Double(inner));
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
                    parts.push(WordPart::Process(self.substitution()));
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if ends == Ends::Meta && self.extglob && self.begins_pattern() =>
                {
                    let inner = self.deeper(Self::pattern);
                    literal.push(char::from(next));
                    literal.push_str("(*)");
                    flush(&mut literal, &mut parts);
                    // What the pattern says is not known to be a match; what it runs is.
                    parts.extend(
                        inner.into_iter().filter(is_expansion).map(|part| WordPart::Double(vec![part])),
                    );
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
        let mut ahead: TextCursor<'_> = self.cursor.clone();
        ahead.skip();
        ahead.take("(");
        ahead.peek() != Some(b')')
    }

    /// Reads an extended pattern up to its closing parenthesis.
    fn pattern(&mut self) -> Vec<WordPart> {
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
}

/// Whether a part can run commands.
fn is_expansion(part: &WordPart) -> bool {
    !matches!(part, WordPart::Literal(_) | WordPart::Quoted { .. } | WordPart::Opaque)
}

/// Moves the literal text that was collected to the parts.
fn flush(literal: &mut String, parts: &mut Vec<WordPart>) {
    if !literal.is_empty() {
        parts.push(WordPart::Literal(std::mem::take(literal)));
    }
}
