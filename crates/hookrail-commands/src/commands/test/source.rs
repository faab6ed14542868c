//! The text of a test file: strict parsing, and what is wrong with it at places that a person can find.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use hookrail::settings::SourceText;
use hookrail::settings::jsonc::PARSE_OPTIONS;
use hookrail::{Diagnostic, DiagnosticCode, Severity};
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};

/// A test file's text and what is wrong with it so far.
pub(super) struct TestSource<'a> {
    pub(super) text: SourceText<'a>,
    /// Problems of the whole file, each with its place.
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> TestSource<'a> {
    /// The text of a file; a byte order mark is passed over.
    pub(super) fn new(file: &'a Path, content: &'a str) -> Self {
        Self { text: SourceText::of_file(file, content), problems: Vec::new() }
    }

    /// Parses the text. Repeated keys and control characters inside strings are problems: a person would read
    /// one thing, the program another.
    pub(super) fn parse(&mut self) -> Option<Ast<'a>> {
        match parse_to_ast(self.text.text(), &CollectOptions::default(), &PARSE_OPTIONS) {
            Ok(parsed) => {
                let Some(value) = parsed.value else {
                    let end = self.text.text().len();
                    return self.problem(end..end, "expected an array of tests, found nothing", None);
                };
                self.look_for_ambiguity(&value);
                Some(value)
            }
            Err(error) => {
                let range = error.range();
                self.problem(range.start..range.end, format!("not valid JSON: {}", error.kind()), None)
            }
        }
    }

    /// The parser bounds nesting, so that this recursion is bounded too.
    /// What a reader sees and what a parser takes can differ in two ways, and both are refused.
    fn look_for_ambiguity(&mut self, value: &Ast<'a>) {
        match value {
            Ast::Object(object) => {
                let mut seen = HashSet::new();
                for prop in &object.properties {
                    let name = prop.name.as_str();
                    let range = prop.name.range();
                    if !seen.insert(name) {
                        let message = format!("the key `{name}` occurs twice");
                        self.problem::<()>(range.start..range.end, message, None);
                    }
                    self.look_at_text(range.start..range.end);
                    self.look_for_ambiguity(&prop.value);
                }
            }
            Ast::Array(array) => array.elements.iter().for_each(|element| self.look_for_ambiguity(element)),
            Ast::StringLit(literal) => self.look_at_text(literal.range.start..literal.range.end),
            Ast::NumberLit(_) | Ast::BooleanLit(_) | Ast::NullKeyword(_) => {}
        }
    }

    /// The parser accepts raw control characters in strings, which JSON does not.
    fn look_at_text(&mut self, range: Range<usize>) {
        let raw = self.text.text().get(range.clone()).unwrap_or_default();
        if let Some((at, found)) = raw.char_indices().find(|(_, c)| *c < ' ') {
            let message =
                format!("not valid JSON: the character U+{:04X} inside of a string", u32::from(found));
            let help = Some(format!("write it as `\\u{:04x}`", u32::from(found)));
            self.problem::<()>(range.start + at..range.start + at + 1, message, help);
        }
    }

    /// Notes something that is wrong with a range of the text; there is nothing to go on with.
    pub(super) fn problem<T>(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Option<T> {
        let mut problem = Diagnostic::new(DiagnosticCode::NoTestFile, Severity::Error, message);
        problem.place = self.text.place(range);
        problem.help = help;
        self.problems.push(problem);
        None
    }
}
