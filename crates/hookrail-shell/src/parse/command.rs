//! Simple commands, assignments and definitions of functions.

use std::rc::Rc;

use super::ShellParser;
use super::cursor::{TextCursor, is_name};
use super::word::Ends;
use crate::syntax::{Assign, CommandKind, ParsedCommand, UnexpandedWord, WordPart};

impl ShellParser<'_> {
    /// Reads one command of a pipeline.
    pub(super) fn command(&mut self) -> Option<ParsedCommand> {
        self.skip_blanks();
        if self.cursor.peek() == Some(b'(') {
            return Some(self.parenthesized());
        }
        if let Some((word, end)) = self.plain_word()
            && let Some(command) = self.compound(word, end)
        {
            return Some(command);
        }
        self.simple()
    }

    /// Reads a simple command, or the definition of a function without the word `function`.
    fn simple(&mut self) -> Option<ParsedCommand> {
        let mut assigns = Vec::new();
        let mut words: Vec<UnexpandedWord> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            let start = self.cursor.at();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(assign) = self.assignment()
            {
                assigns.push(assign);
                continue;
            }
            let Some(mut word) = self.word() else { break };
            let written = self.cursor.slice(start, self.cursor.at());
            if self.cursor.peek() == Some(b'(') && written.ends_with('=') {
                word.array = Some(self.deeper(Self::array));
            }
            words.push(word);
            if words.len() == 1 && assigns.is_empty() && redirects.is_empty() {
                self.cursor.skip_blanks();
                if self.cursor.peek() == Some(b'(') {
                    self.cursor.skip();
                    self.cursor.skip_blanks();
                    self.expect(")");
                    return Some(self.function_body(written.trim_end().to_owned()));
                }
            }
        }
        if self.cursor.peek() == Some(b'(') {
            // A parenthesis behind a word: Bash refuses it. What is inside may still be worth knowing.
            self.broken = true;
        }
        let is_empty = assigns.is_empty() && words.is_empty() && redirects.is_empty();
        (!is_empty).then_some(ParsedCommand { kind: CommandKind::Simple { assigns, words }, redirects })
    }

    /// Reads the compound command that is a function's body.
    pub(super) fn function_body(&mut self, name: String) -> ParsedCommand {
        self.skip_lines();
        let body = self.deeper(Self::command);
        let is_compound = body.as_ref().is_some_and(|body| !matches!(body.kind, CommandKind::Simple { .. }));
        self.broken |= !is_compound;
        let body = Rc::new(body.unwrap_or_else(ParsedCommand::nothing));
        ParsedCommand { kind: CommandKind::Function { name, body }, redirects: Vec::new() }
    }

    /// Reads `name=value`, `name+=value` or `name[…]=value`; `None`, and nothing is read, if none comes next.
    ///
    /// A subscript is read only once, also if no assignment follows: reading it again as part of a word would double
    /// the work with every level of nesting. The text is broken then.
    fn assignment(&mut self) -> Option<Assign> {
        let start = self.cursor.at();
        let name = self.name()?;
        let mut subscript = None;
        if self.cursor.peek() == Some(b'[') && self.has_subscript_assignment() {
            self.cursor.skip();
            subscript = Some(self.deeper(|parser| parser.parts(Ends::Bracket)));
            self.expect("]");
        }
        let append = self.cursor.take("+=");
        if !append && !self.cursor.take("=") {
            if subscript.is_none() {
                self.cursor.go(start);
                return None;
            }
            self.broken = true;
        }
        let value = if self.cursor.peek() == Some(b'(') {
            UnexpandedWord { array: Some(self.deeper(Self::array)), ..UnexpandedWord::default() }
        } else {
            self.word().unwrap_or_default()
        };
        Some(Assign { name, subscript, append, value, span: self.span(start) })
    }

    /// Reads the name of a variable.
    pub(super) fn name(&mut self) -> Option<String> {
        if !self.cursor.peek().is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit()) {
            return None;
        }
        let mut name = String::new();
        while self.cursor.peek().is_some_and(is_name) {
            self.cursor.take_until(&mut name, |byte| !is_name(byte));
        }
        Some(name)
    }

    /// Whether `[` after a name goes on to `]=` or `]+=` before the line ends. Without this look each `a[` of a
    /// long text could be read to its end in vain.
    fn has_subscript_assignment(&self) -> bool {
        let mut ahead: TextCursor<'_> = self.cursor.clone();
        for _ in 0..4096 {
            match ahead.peek() {
                None | Some(b'\n') => return false,
                Some(b']') => {
                    ahead.skip();
                    if ahead.peek() == Some(b'=')
                        || (ahead.peek() == Some(b'+') && ahead.peek_second() == Some(b'='))
                    {
                        return true;
                    }
                }
                Some(_) => ahead.skip(),
            }
        }
        true
    }

    /// Reads `( … )` of an array assignment.
    fn array(&mut self) -> Vec<UnexpandedWord> {
        self.cursor.skip();
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.cursor.take(")") {
                return words;
            }
            let Some(word) = self.word() else {
                self.broken = true;
                if self.cursor.peek().is_none() {
                    return words;
                }
                self.cursor.skip();
                continue;
            };
            words.push(word);
        }
    }

    /// Reads the words of a list such as that of `for`, up to the line end or operator behind it.
    pub(super) fn words(&mut self) -> Vec<UnexpandedWord> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.word() {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    /// Reads the word that must come next.
    pub(super) fn expect_any_word(&mut self) -> UnexpandedWord {
        self.skip_blanks();
        let word = self.word();
        self.broken |= word.is_none();
        word.unwrap_or(UnexpandedWord { parts: vec![WordPart::Opaque], ..UnexpandedWord::default() })
    }
}
