//! The project-directory variables inside a command's text.
//!
//! Every hook finds these variables in its environment with exactly the value that they have in its
//! command, so the shell itself expands them correctly in double quotes, here-documents and nested shells,
//! and rightly not at all in single quotes. The one place where it would do too much is outside of quotes:
//! there it splits the directory's name at blanks and takes `*` in it for a pattern. So only those
//! occurrences are put into double quotes. The name of the directory never becomes shell text, which is why
//! none can be dangerous, and the text is the same for every directory.
//!
//! This is not a shell parser. It follows quotes and nesting as far as they decide whether an occurrence is
//! quoted. Should a very odd command lead it astray, the quotes it adds still come in pairs, and the worst
//! that can happen is that a name is split at its blanks.

use std::borrow::Cow;
use std::collections::VecDeque;

/// The variables that hold the working directory of a hook.
pub(crate) const PROJECT_DIR_VARIABLES: [&str; 3] =
    ["LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// Puts every unquoted project-directory variable of a command into double quotes.
pub(crate) fn quote_project_dirs(command: &str) -> Cow<'_, str> {
    if !PROJECT_DIR_VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    let mut quoted = String::with_capacity(command.len() + 16);
    let mut rest = 0;
    for place in Scanner::new(command).unquoted_occurrences() {
        let (Some(before), Some(variable)) = (command.get(rest..place.start), command.get(place.clone()))
        else {
            continue;
        };
        quoted.push_str(before);
        quoted.push('"');
        quoted.push_str(variable);
        quoted.push('"');
        rest = place.end;
    }
    quoted.push_str(command.get(rest..).unwrap_or_default());
    Cow::Owned(quoted)
}

/// The length of the project-directory variable that `text` begins with, `$` and braces included.
pub(super) fn variable_length(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"$")?;
    let (name, braced) = match name.strip_prefix(b"{") {
        Some(name) => (name, true),
        None => (name, false),
    };
    PROJECT_DIR_VARIABLES.iter().find_map(|variable| {
        let next = name.strip_prefix(variable.as_bytes())?.first().copied();
        match (braced, next) {
            (true, Some(b'}')) => Some(variable.len() + 3),
            (false, next) if !next.is_some_and(is_name_byte) => Some(variable.len() + 1),
            _ => None,
        }
    })
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What a place in the command is nested in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// A subshell, or anything else in parentheses.
    Parentheses,
    /// `$(…)`: code like a subshell, but the word around it goes on behind it.
    Substitution,
    /// Code between backticks.
    Backticks,
    /// From `case` to `esac`, where a `)` ends a pattern.
    Case,
    /// `"…"`.
    DoubleQuotes,
    /// `${…}`; in double quotes its single quotes mean nothing.
    Braces { quoted: bool },
    /// `((…))`, with the number of open parentheses. Nothing is split here, and `<<` is a shift.
    Arithmetic { depth: usize },
}

struct HereDocument {
    delimiter: Vec<u8>,
    strip_tabs: bool,
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// Innermost last; empty in the command's own code.
    frames: Vec<Frame>,
    /// Announced on this line; their bodies begin on the next.
    here_documents: VecDeque<HereDocument>,
    /// Whether a `#` here begins a comment.
    at_word_start: bool,
    /// Whether a reserved word here would be one.
    at_command_start: bool,
    occurrences: Vec<std::ops::Range<usize>>,
}

impl<'a> Scanner<'a> {
    fn new(command: &'a str) -> Self {
        Self {
            text: command.as_bytes(),
            at: 0,
            frames: Vec::new(),
            here_documents: VecDeque::new(),
            at_word_start: true,
            at_command_start: true,
            occurrences: Vec::new(),
        }
    }

    fn unquoted_occurrences(mut self) -> Vec<std::ops::Range<usize>> {
        while let Some(byte) = self.peek(0) {
            match self.frames.last().copied() {
                Some(Frame::DoubleQuotes) => self.step_in_double_quotes(byte),
                Some(Frame::Braces { quoted }) => self.step_in_braces(byte, quoted),
                Some(Frame::Arithmetic { depth }) => self.step_in_arithmetic(byte, depth),
                _ => self.step_in_code(byte),
            }
        }
        self.occurrences
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step_in_double_quotes(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 2,
            b'"' => self.close_word_part(),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    fn step_in_braces(&mut self, byte: u8, quoted: bool) {
        match byte {
            b'\\' => self.at += 2,
            b'}' => self.close_word_part(),
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'\'' if !quoted => self.skip_single_quotes(),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            _ => self.at += 1,
        }
    }

    fn step_in_arithmetic(&mut self, byte: u8, depth: usize) {
        match byte {
            b'\\' => self.at += 2,
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            b'(' | b')' => {
                let depth = if byte == b'(' { depth + 1 } else { depth - 1 };
                self.frames.pop();
                if depth > 0 {
                    self.frames.push(Frame::Arithmetic { depth });
                }
                self.at += 1;
                self.at_word_start = false;
            }
            _ => self.at += 1,
        }
    }

    fn step_in_code(&mut self, byte: u8) {
        match byte {
            b'#' if self.at_word_start => self.skip_comment(),
            b'\n' => {
                self.at += 1;
                self.skip_here_documents();
                self.start_command();
            }
            b' ' | b'\t' => {
                self.at += 1;
                self.at_word_start = true;
            }
            b';' | b'&' | b'|' => {
                self.at += 1;
                self.start_command();
            }
            b'<' if self.rest().starts_with(b"<<<") => self.operator(3),
            b'<' if self.rest().starts_with(b"<<") => self.here_document(),
            b'<' | b'>' => self.operator(1),
            b'(' if self.at_command_start && self.peek(1) == Some(b'(') => {
                self.open(Frame::Arithmetic { depth: 2 }, 2);
            }
            b'(' => {
                self.open(Frame::Parentheses, 1);
                self.start_command();
            }
            b')' => self.close_parenthesis(),
            _ if self.at_command_start && self.reserved_word() => {}
            _ => self.step_in_word(byte),
        }
    }

    fn step_in_word(&mut self, byte: u8) {
        self.at_word_start = false;
        self.at_command_start = false;
        match byte {
            b'\\' => self.at += 2,
            b'\'' => self.skip_single_quotes(),
            b'"' => self.open(Frame::DoubleQuotes, 1),
            b'`' => self.backtick(),
            b'$' => self.dollar(),
            _ => self.at += 1,
        }
    }

    fn open(&mut self, frame: Frame, length: usize) {
        self.frames.push(frame);
        self.at += length;
    }

    fn close_word_part(&mut self) {
        self.frames.pop();
        self.at += 1;
        self.at_word_start = false;
        self.at_command_start = false;
    }

    fn start_command(&mut self) {
        self.at_word_start = true;
        self.at_command_start = true;
    }

    fn operator(&mut self, length: usize) {
        self.at += length;
        self.at_word_start = true;
    }

    fn close_parenthesis(&mut self) {
        match self.frames.last() {
            Some(Frame::Substitution) => self.close_word_part(),
            Some(Frame::Parentheses) => {
                self.frames.pop();
                self.operator(1);
            }
            Some(Frame::Case) => {
                self.at += 1;
                self.start_command();
            }
            _ => self.operator(1),
        }
    }

    /// A backtick ends the innermost code in backticks whatever is open inside of it, for the shell looks
    /// for it before it looks at anything else in there.
    fn backtick(&mut self) {
        if let Some(opened) = self.frames.iter().rposition(|frame| *frame == Frame::Backticks) {
            self.frames.truncate(opened + 1);
            self.close_word_part();
        } else {
            self.open(Frame::Backticks, 1);
            self.start_command();
        }
    }

    fn dollar(&mut self) {
        self.at_word_start = false;
        self.at_command_start = false;
        let quoted = match self.frames.last() {
            Some(Frame::DoubleQuotes | Frame::Arithmetic { .. }) => true,
            Some(Frame::Braces { quoted }) => *quoted,
            _ => false,
        };
        if let Some(length) = variable_length(self.rest()) {
            if !quoted {
                self.occurrences.push(self.at..self.at + length);
            }
            self.at += length;
            return;
        }
        match self.peek(1) {
            Some(b'(') if self.peek(2) == Some(b'(') => self.open(Frame::Arithmetic { depth: 2 }, 3),
            Some(b'(') => {
                self.open(Frame::Substitution, 2);
                self.start_command();
            }
            Some(b'{') => self.open(Frame::Braces { quoted }, 2),
            Some(b'\'') if !quoted => self.skip_ansi_quotes(),
            // The second character belongs to the parameter: `$$X` is the process id and a plain `X`.
            Some(b'$' | b'#' | b'?' | b'!' | b'@' | b'*' | b'-') => self.at += 2,
            _ => self.at += 1,
        }
    }

    fn skip_single_quotes(&mut self) {
        let length = self.rest().iter().skip(1).position(|byte| *byte == b'\'');
        self.at = length.map_or(self.text.len(), |length| self.at + length + 2);
    }

    /// `$'…'`, where a backslash keeps the next quote from closing it.
    fn skip_ansi_quotes(&mut self) {
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'\'' {
                break;
            }
        }
    }

    fn skip_comment(&mut self) {
        let in_backticks = self.frames.contains(&Frame::Backticks);
        while self.peek(0).is_some_and(|byte| byte != b'\n' && !(byte == b'`' && in_backticks)) {
            self.at += 1;
        }
    }

    /// Takes a reserved word, if one stands here. Only `case` and `esac` matter for themselves; the others
    /// are known because a command follows them.
    fn reserved_word(&mut self) -> bool {
        let word = self.rest();
        let length = word
            .iter()
            .position(|byte| !byte.is_ascii_lowercase() && !matches!(byte, b'!' | b'{'))
            .unwrap_or(word.len());
        let (word, next) = word.split_at_checked(length).unwrap_or_default();
        if !next.first().is_none_or(|byte| b" \t\n;&|()<>`".contains(byte)) {
            return false;
        }
        match word {
            b"case" => {
                self.frames.push(Frame::Case);
                self.at_command_start = false;
            }
            b"esac" if self.frames.last() == Some(&Frame::Case) => {
                self.frames.pop();
                self.at_command_start = false;
            }
            b"if" | b"then" | b"else" | b"elif" | b"while" | b"until" | b"do" | b"time" | b"!" | b"{" => {}
            _ => return false,
        }
        self.at += length;
        self.at_word_start = false;
        true
    }

    /// Notes a here-document, whose body follows at the next line.
    fn here_document(&mut self) {
        self.at += 2;
        let strip_tabs = self.peek(0) == Some(b'-');
        if strip_tabs {
            self.at += 1;
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let mut delimiter = Vec::new();
        let mut quote = None;
        while let Some(byte) = self.peek(0) {
            match (quote, byte) {
                (Some(open), byte) if open == byte => quote = None,
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'\\') => {
                    self.at += 1;
                    delimiter.extend(self.peek(0));
                }
                (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
                (_, byte) => delimiter.push(byte),
            }
            self.at += 1;
        }
        self.here_documents.push_back(HereDocument { delimiter, strip_tabs });
    }

    fn skip_here_documents(&mut self) {
        while let Some(document) = self.here_documents.pop_front() {
            while self.at < self.text.len() {
                let line = self.rest().split(|byte| *byte == b'\n').next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                let tabs = line.iter().take_while(|byte| document.strip_tabs && **byte == b'\t').count();
                if line.get(tabs..) == Some(document.delimiter.as_slice()) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
