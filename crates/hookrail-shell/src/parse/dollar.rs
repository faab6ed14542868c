//! `$x`, `${…}`, `$(…)`, `$((…))` and `$[…]`.

use std::rc::Rc;

use super::cursor::is_name;
use super::quote::QuoteContext;
use super::word::Ends;
use super::{ShellParser, Until};
use crate::syntax::{Arithmetic, Operation, Parameter, UnexpandedWord, WordPart};

impl ShellParser<'_> {
    /// Reads what follows the dollar sign at `start`; `None` if it means nothing there.
    pub(super) fn dollar(&mut self, quoted: bool, start: usize) -> Option<WordPart> {
        let next = self.cursor.peek()?;
        match next {
            b'(' => {
                self.cursor.skip();
                if self.cursor.peek() == Some(b'(')
                    && let Some(expression) = self.expression()
                {
                    return Some(WordPart::Arithmetic(Rc::new(expression)));
                }
                Some(WordPart::Command(self.substitution()))
            }
            b'{' => {
                self.cursor.skip();
                Some(self.deeper(|parser| Some(parser.braced(quoted, start))).unwrap_or(WordPart::Opaque))
            }
            b'[' => {
                self.cursor.skip();
                let start = self.cursor.at();
                let parts = self.deeper(|parser| parser.parts(Ends::Bracket));
                let text = self.cursor.slice(start, self.cursor.at()).to_owned();
                self.expect("]");
                Some(WordPart::Arithmetic(Rc::new(Arithmetic { text, parts })))
            }
            _ => {
                let name = self.parameter_name(false)?;
                let parameter = Parameter { name, span: self.span(start), ..Parameter::default() };
                Some(WordPart::Parameter(Box::new(parameter)))
            }
        }
    }

    /// Reads `(…))` behind `(` as an expression; `None`, and nothing is read, if it is not closed by `))`.
    ///
    /// `((` can also begin two subshells. Bash decides as it is done here: by whether the parenthesis that closes the inner
    /// one is followed by another. The look is linear and nesting is bounded, so that the whole stays linear.
    pub(super) fn expression(&mut self) -> Option<Arithmetic> {
        let start = self.cursor.at();
        let close = self.matching_paren(start)?;
        if self.cursor.byte(close + 1) != Some(b')') {
            return None;
        }
        let text = self.cursor.slice(start + 1, close).to_owned();
        let outer = self.cursor.end();
        self.cursor.go(start + 1);
        self.cursor.set_end(close);
        let parts = self.deeper(|parser| parser.quoted_parts(QuoteContext::Document));
        self.cursor.set_end(outer);
        self.cursor.go(close + 2);
        Some(Arithmetic { text, parts })
    }

    /// The place of the parenthesis that closes the one at `start`, quotes stepped over. Quotes count although they mean
    /// little in arithmetic, because the text may turn out to be commands.
    fn matching_paren(&self, start: usize) -> Option<usize> {
        let (mut at, mut open) = (start, 0_usize);
        loop {
            match self.cursor.byte(at)? {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Some(at);
                    }
                }
                b'\\' => at += 1,
                quote @ (b'\'' | b'"' | b'`') => at = self.after_quote(at, quote)?,
                _ => {}
            }
            at += 1;
        }
    }

    /// The place of the quote that closes the one at `at`.
    fn after_quote(&self, mut at: usize, quote: u8) -> Option<usize> {
        loop {
            at += 1;
            match self.cursor.byte(at)? {
                b'\\' if quote != b'\'' => at += 1,
                byte if byte == quote => return Some(at),
                _ => {}
            }
        }
    }

    /// The name, number or sign of a parameter, which is stepped over.
    fn parameter_name(&mut self, braced: bool) -> Option<String> {
        let next = self.cursor.peek()?;
        let mut name = String::new();
        match next {
            _ if b"@*#?-$!".contains(&next) || (next.is_ascii_digit() && !braced) => {
                name.push(char::from(next));
                self.cursor.skip();
            }
            _ if is_name(next) => {
                // A name may be written over two lines.
                while self.cursor.peek().is_some_and(is_name) {
                    self.cursor.take_until(&mut name, |byte| !is_name(byte));
                }
            }
            _ => return None,
        }
        Some(name)
    }

    /// Reads what follows `${`, whose dollar sign is at `start`, and the closing brace.
    fn braced(&mut self, quoted: bool, start: usize) -> WordPart {
        let next = self.cursor.peek();
        if matches!(next, Some(b' ' | b'\t' | b'\n' | b'|')) {
            // Bash 5.3 runs the commands; older ones refuse the text.
            self.cursor.take("|");
            let script = self.list(Until::Words(&["}"]));
            self.expect_word("}");
            return WordPart::Command(Rc::new(script));
        }
        let second = self.cursor.peek_second();
        let prefixed = matches!((next, second), (Some(b'#'), Some(byte)) if byte != b'}' && !is_operator(byte))
            || matches!((next, second), (Some(b'!'), Some(byte)) if is_name(byte) || matches!(byte, b'@' | b'*' | b'#'));
        if prefixed {
            self.cursor.skip();
        }
        let name = self.parameter_name(true).unwrap_or_default();
        let subscript = self.subscript();
        let read = self.operation(quoted);
        self.expect("}");
        let operation = read.operation;
        let is_word = matches!(operation, Operation::Default | Operation::Assign | Operation::Alternative);
        // With a prefix it is the length of a value, or the value of the variable that it names.
        let is_other =
            (is_word && prefixed) || (operation == Operation::Plain && (prefixed || name.is_empty()));
        let operation = if is_other { Operation::Other } else { operation };
        let span = self.span(start);
        WordPart::Parameter(Box::new(Parameter { name, subscript, operation, span, ..read }))
    }

    /// Reads `[…]` behind the name of an array.
    fn subscript(&mut self) -> Option<(String, Vec<WordPart>)> {
        if self.cursor.peek() != Some(b'[') {
            return None;
        }
        self.cursor.skip();
        let start = self.cursor.at();
        let parts = self.parts(Ends::Bracket);
        let text = self.cursor.slice(start, self.cursor.at()).to_owned();
        self.expect("]");
        Some((text, parts))
    }

    /// Reads what is between the name and the closing brace, which is left unread, as a parameter without a name.
    ///
    /// Only operators that can give another text than the value (`-`, `=`, `+`) are distinguished. All others change the
    /// value in ways that are not followed, so that only the expansions inside them matter.
    fn operation(&mut self, quoted: bool) -> Parameter {
        let colon = self.cursor.peek() == Some(b':')
            && matches!(self.cursor.peek_second(), Some(b'-' | b'=' | b'+' | b'?'));
        if colon {
            self.cursor.skip();
        }
        let sign = self.cursor.peek();
        let operation = match sign {
            Some(b'}') => Operation::Plain,
            Some(b'-') => Operation::Default,
            Some(b'=') => Operation::Assign,
            Some(b'+') => Operation::Alternative,
            Some(b'?') => Operation::Required,
            _ => Operation::Other,
        };
        let is_word = !matches!(operation, Operation::Plain | Operation::Other);
        if is_word {
            self.cursor.skip();
        }
        let at = self.cursor.at();
        let ends = Ends::Brace { quoted: quoted && (is_word || sign == Some(b':')) };
        let word = UnexpandedWord { parts: self.parts(ends), array: None, span: self.span(at) };
        if operation == Operation::Other && self.cursor.slice(at, self.cursor.at()).trim_end() == "@P" {
            return Parameter { operation: Operation::Prompt, ..Parameter::default() };
        }
        Parameter { operation, colon, word, ..Parameter::default() }
    }
}

/// Whether a byte behind `${#` says that `#` is the parameter, as in `${#:-x}`.
fn is_operator(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b'+' | b'%' | b'/' | b'^' | b',' | b'[')
}
