//! One settings text: strict parsing and the way from byte offsets to places.
//!
//! Settings are JSON with comments and trailing commas. The parser's options rule out most of what is
//! looser; control characters inside strings and exotic white space it accepts always, so these are looked
//! for here.

use std::cell::Cell;
use std::ops::Range;
use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::diagnose;
use super::unread::{CutRule, CutText, MARK};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place};
use crate::formats::jsonc::PARSE_OPTIONS;

/// A text and where it comes from.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    pub(super) file: Option<&'a Path>,
    /// What is parsed. Rules may be taken out of it.
    text: &'a str,
    /// The text as it is in the file.
    whole: &'a str,
    /// The rules that were taken out.
    cut: &'a [CutRule<'a>],
    /// Bytes of the file before the text: its byte order mark.
    shift: usize,
    /// Where each line starts, found once: places are asked for thousands of hooks.
    line_starts: Vec<usize>,
    /// The place last asked for. Counting on from it keeps many findings on one long line linear.
    last: Cell<(usize, usize, usize)>,
}

impl<'a> Source<'a> {
    /// The text of a file.
    pub fn of_file(file: &'a Path, content: &'a str) -> Self {
        Self::new(Some(file), content)
    }

    /// The text of a file, or of a value that a host gave: that has no places.
    pub(super) fn new(file: Option<&'a Path>, content: &'a str) -> Self {
        let text = content.strip_prefix('\u{feff}').unwrap_or(content);
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self {
            file,
            text,
            whole: text,
            cut: &[],
            shift: content.len() - text.len(),
            line_starts: file.map(|_| std::iter::once(0).chain(newlines).collect()).unwrap_or_default(),
            last: Cell::new((0, 0, 0)),
        }
    }

    /// The same without rules that are not read. Places are still those of the file.
    pub(super) fn without<'c>(&self, cut: &'c CutText<'c>) -> Source<'c>
    where
        'a: 'c,
    {
        Source { text: &cut.text, cut: &cut.rules, ..self.clone() }
    }

    /// The rule whose mark is here.
    pub(super) fn cut_rule(&self, mark: usize) -> Option<&'a CutRule<'a>> {
        self.cut.binary_search_by_key(&mark, |cut| cut.mark).ok().and_then(|place| self.cut.get(place))
    }

    /// Where an offset in what is parsed is in the text of the file.
    fn in_whole(&self, offset: usize) -> usize {
        match self.cut.partition_point(|cut| cut.mark < offset).checked_sub(1).and_then(|at| self.cut.get(at))
        {
            Some(before) => before.end + (offset - before.mark).saturating_sub(MARK.len()),
            None => offset,
        }
    }

    /// The text, without a byte order mark. Offsets are offsets in it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The whole content of the file, with its byte order mark.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn whole(&self) -> String {
        if self.shift > 0 { format!("\u{feff}{}", self.whole) } else { self.whole.to_owned() }
    }

    /// The line of an offset, from 1; 0 where there is no file.
    pub fn line(&self, offset: usize) -> usize {
        let offset = self.in_whole(offset);
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// A range of the text as a range of the file.
    pub(super) fn in_file(&self, range: Range<usize>) -> Range<usize> {
        self.in_whole(range.start) + self.shift..self.in_whole(range.end) + self.shift
    }

    /// The place of a range of the text.
    pub fn place(&self, range: Range<usize>) -> Option<Place> {
        let file = self.file?;
        let (line, span) = (self.line(range.start), self.in_file(range.clone()));
        let range = self.in_whole(range.start)..self.in_whole(range.end);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let (last_start, last_offset, last_column) = self.last.get();
        let (known_offset, known_column) =
            if last_start == start { (last_offset, last_column) } else { (start, 0) };
        let column = if known_offset <= range.start {
            known_column + self.characters(known_offset..range.start)
        } else {
            known_column.saturating_sub(self.characters(range.start..known_offset))
        };
        self.last.set((start, range.start, column));
        Some(Place { file: file.to_path_buf(), line, column: column + 1, span })
    }

    /// Columns count characters, as editors do.
    fn characters(&self, range: Range<usize>) -> usize {
        self.whole.get(range).map_or(0, |text| text.chars().count())
    }

    /// Parses the text strictly. The parser bounds nesting by itself (512 open brackets and keys), so no
    /// text can exhaust the stack.
    pub fn parse(&self) -> Result<Object<'a>, Box<Diagnostic>> {
        let parsed = parse_to_ast(self.text, &CollectOptions::default(), &PARSE_OPTIONS);
        let problem = match (parsed, first_looseness(self.text)) {
            // What is too loose for JSON is usually the cause of what the parser reports later: a
            // forgotten quote makes a string run on to the next line.
            (Err(error), Some(loose)) if loose.range.start < error.range().end => loose,
            (Err(error), _) => SyntaxProblem::from_parser(self.text, &error),
            (Ok(_), Some(loose)) => loose,
            (Ok(parsed), None) => match parsed.value {
                Some(Value::Object(object)) => return Ok(object),
                Some(other) => {
                    let found = format!("found {}", diagnose::kind_of(&other));
                    SyntaxProblem::new(other.start()..other.end(), "an object `{ … }`", found)
                }
                None => SyntaxProblem::new(self.text.len()..self.text.len(), "an object `{ … }`", END),
            },
        };
        let SyntaxProblem { range, expected, found } = problem;
        let message = format!("malformed settings: expected {expected}, {found}");
        Err(Box::new(Diagnostic::error(DiagnosticCode::MalformedSettings, message).at(self.place(range))))
    }
}

const END: &str = "found the end of the text";

/// Why a text is not JSON with comments and trailing commas.
#[derive(Debug, PartialEq, Eq)]
struct SyntaxProblem {
    range: Range<usize>,
    /// What should be there.
    expected: String,
    /// What is there, as half a sentence.
    found: String,
}

impl SyntaxProblem {
    fn new(range: Range<usize>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { range, expected: expected.into(), found: found.into() }
    }

    fn from_parser(text: &str, error: &jsonc_parser::errors::ParseError) -> Self {
        use jsonc_parser::ParseStringErrorKind as InString;
        let expected = match error.kind() {
            ParseErrorKind::UnterminatedArray => return Self::unterminated(text, error.range().start, "]"),
            ParseErrorKind::UnterminatedObject => return Self::unterminated(text, error.range().start, "}"),
            ParseErrorKind::UnterminatedCommentBlock => "`*/` at the end of the comment",
            ParseErrorKind::BareDecimalPointNumbersNotAllowed => "digits on both sides of the decimal point",
            ParseErrorKind::ExpectedColonAfterObjectKey => "`:` after the key",
            ParseErrorKind::ExpectedObjectValue => "a value after `:`",
            ParseErrorKind::ExpectedDigit
            | ParseErrorKind::ExpectedDigitFollowingNegativeSign
            | ParseErrorKind::ExpectedPlusMinusOrDigitInNumberLiteral => "a digit",
            ParseErrorKind::ExpectedStringObjectProperty => "a key in double quotes",
            ParseErrorKind::HexadecimalNumbersNotAllowed => "a decimal number",
            ParseErrorKind::ExpectedComma => "`,`",
            ParseErrorKind::MultipleRootJsonValues => "the end of the text after the first value",
            ParseErrorKind::NonFiniteNumbersNotAllowed => "a finite number",
            ParseErrorKind::SingleQuotedStringsNotAllowed => "double quotes around a string",
            ParseErrorKind::UnaryPlusNumbersNotAllowed => "a number without `+`",
            ParseErrorKind::UnexpectedTokenInObject => "a key in double quotes or `}`",
            ParseErrorKind::NestingDepthExceeded => "less deeply nested values",
            ParseErrorKind::String(InString::UnterminatedStringLiteral) => "`\"` at the end of the string",
            ParseErrorKind::String(InString::ExpectedFourHexDigits) => "four hexadecimal digits after `\\u`",
            ParseErrorKind::String(InString::InvalidUnicodeEscapeSequence(_)) => {
                "a `\\u` escape that stands for a character"
            }
            ParseErrorKind::String(_) => "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u",
            _ => "a value: an object, an array, a string in double quotes, a number, true, false or null",
        };
        let range = error.range();
        let rest = text.get(range.start..).unwrap_or_default().trim_start();
        let found = match rest.chars().next() {
            None => END.to_owned(),
            Some(first) if first.is_alphanumeric() => {
                let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).take(20).collect();
                format!("found `{word}`")
            }
            Some(first) => format!("found `{first}`"),
        };
        Self::new(range.start..range.end, expected, found)
    }

    /// What is never closed is reported at the end, together with where it was opened.
    fn unterminated(text: &str, opened: usize, close: &str) -> Self {
        let end = text.trim_end().len();
        let before = text.get(..opened).unwrap_or_default();
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let open = if close == "]" { '[' } else { '{' };
        Self::new(end..end, format!("`{close}` for the `{open}` of line {line}"), END)
    }
}

/// The first thing that the parser would let pass although JSON does not allow it.
fn first_looseness(text: &str) -> Option<SyntaxProblem> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => match end_of_string(bytes, at) {
                Ok(end) => at = end,
                Err(problem) => return Some(problem),
            },
            b'/' => match bytes.get(at + 1) {
                Some(b'/') => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                Some(b'*') => at += 4 + text.get(at + 2..)?.find("*/")?,
                _ => at += 1,
            },
            0x0b | 0x0c | 0x80.. => {
                let found = text.get(at..)?.chars().next()?;
                // Letters outside of strings are the parser's to refuse.
                if found.is_whitespace() {
                    let found_text = format!("found the character U+{:04X}", u32::from(found));
                    let range = at..at + found.len_utf8();
                    return Some(SyntaxProblem::new(range, "a space, a tab or a line break", found_text));
                }
                at += found.len_utf8();
            }
            _ => at += 1,
        }
    }
    None
}

/// Where the string that starts at `start` ends, or what in it JSON does not allow.
fn end_of_string(bytes: &[u8], start: usize) -> Result<usize, SyntaxProblem> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return Ok(at),
            Some(b'"') => return Ok(at + 1),
            // A line break after a backslash is refused by the parser, but it is a forgotten quote as well.
            Some(b'\\') if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            Some(b'\n' | b'\r') => {
                return Err(SyntaxProblem::new(
                    start..at,
                    "`\"` at the end of the string",
                    "found the end of the line",
                ));
            }
            Some(&control) if control < 0x20 => {
                let found = format!("found the control character U+{control:04X}");
                return Err(SyntaxProblem::new(at..at + 1, format!("the escape \\u{control:04x}"), found));
            }
            Some(_) => {
                let rest = bytes.get(at..).unwrap_or_default();
                let ends = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
                at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
    }
}

#[cfg(test)]
mod tests;
