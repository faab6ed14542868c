//! Reads test files. Nothing is taken on trust: an unknown key, a mistyped one or a payload that does not fit its
//! event makes the file no test file, because a test that is passed over looks like one that passes.
//!
//! All problems of a file are collected with their places, so that a file can be fixed in one go.

mod event;
mod expect;

use std::ops::Range;
use std::path::Path;

use hookrail::{Diagnostic, JsonObject};
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged as _;
use serde_json::Value;

use super::case::TestCase;
use super::source::TestSource;
use crate::display::near_words;

/// The keys of a test.
/// The schema of `hookrail schema test` has the same, which a test compares.
pub(crate) const TEST_KEYS: [&str; 10] =
    ["name", "event", "tool", "input", "payload", "agent", "stdin", "files", "home", "expect"];

/// The keys of `expect`.
/// In the order in which differences are reported.
pub(crate) const EXPECT_KEYS: [&str; 8] =
    ["decision", "reason", "ran", "notRan", "input", "output", "errors", "maxMs"];

/// The tests of a file, or everything that is wrong with it.
/// One mistake refuses the whole file: a run of half of its tests would be misleading.
pub(crate) fn parse(file: &Path, content: &str) -> Result<Vec<TestCase>, Vec<Diagnostic>> {
    let mut reader = TestFileReader { source: TestSource::new(file, content) };
    let tests = match reader.source.parse() {
        Some(Ast::Array(array)) => {
            let tests = array.elements.into_iter().enumerate();
            tests.filter_map(|(index, test)| reader.test(index, test)).collect()
        }
        Some(other) => reader.mistyped("a test file", "an array of tests", &other).unwrap_or_default(),
        None => Vec::new(),
    };
    let problems = reader.source.problems;
    if problems.is_empty() { Ok(tests) } else { Err(problems) }
}

/// The file, and the problems so far.
struct TestFileReader<'a> {
    source: TestSource<'a>,
}

/// An object whose keys are taken one by one.
/// The place of each key is kept, so that a problem points at the key and not at the test.
struct Keys<'a> {
    range: Range<usize>,
    props: Vec<(String, Range<usize>, Ast<'a>)>,
}

impl<'a> Keys<'a> {
    /// Takes a key away. What is left at the end was not read, and [`TestFileReader::keys`] has refused what is unknown.
    fn take(&mut self, key: &str) -> Option<Ast<'a>> {
        let at = self.props.iter().position(|(name, ..)| name == key)?;
        Some(self.props.remove(at).2)
    }
}

impl<'a> TestFileReader<'a> {
    /// One test. It is `None` as soon as anything in it is wrong, after as many problems as possible were noted.
    fn test(&mut self, index: usize, test: Ast<'a>) -> Option<TestCase> {
        let before = self.source.problems.len();
        let mut keys = self.keys("a test", test, &TEST_KEYS)?;
        let place = keys.range.start..keys.range.start + 1;
        let name = self.text(&mut keys, "name");
        if name.as_ref().is_none_or(|name| name.trim().is_empty()) && self.source.problems.len() == before {
            self.source.problem::<()>(place.clone(), "this test has no `name`", None);
        }
        let files = keys.take("files").and_then(|files| self.files(files));
        let scratch_home = match keys.take("home") {
            None => false,
            Some(Ast::StringLit(word)) if word.value == "scratch" => true,
            Some(other) => self.mistyped("`home`", "\"scratch\"", &other).unwrap_or_default(),
        };
        let expect = keys.take("expect");
        let input = if keys.props.iter().any(|(key, ..)| key == "agent" || key == "stdin") {
            self.agents_event(&mut keys)
        } else {
            self.event(&mut keys)
        };
        let event = input.as_ref().map(|input| input.event().name());
        let expect = expect.and_then(|expect| self.expect(expect, event));
        let line = self.source.text.line(keys.range.start);
        let case = TestCase { name: name?, line, index, input: input?, files, scratch_home, expect };
        (self.source.problems.len() == before).then_some(case)
    }

    /// An object with known keys only.
    /// A key that is unknown is a problem: a typo in `expect` would otherwise expect nothing, and pass.
    fn keys(&mut self, what: &str, value: Ast<'a>, known: &[&str]) -> Option<Keys<'a>> {
        let Ast::Object(Object { range, properties }) = value else {
            return self.mistyped(what, "an object", &value);
        };
        let mut keys = Keys { range: range.start..range.end, props: Vec::new() };
        for prop in properties {
            let name = prop.name.as_str().to_owned();
            let place = prop.name.range();
            if !known.contains(&name.as_str()) {
                let near = near_words(&name, known.iter().copied())
                    .first()
                    .map(|near| format!("did you mean `{near}`?"));
                let help = near.or_else(|| Some(format!("known keys: {}", known.join(", "))));
                let message = format!("{what} has no key `{name}`");
                self.source.problem::<()>(place.start..place.end, message, help);
                continue;
            }
            keys.props.push((name, place.start..place.end, prop.value));
        }
        Some(keys)
    }

    /// The text of a key; `None` if the key is missing, or after a problem.
    fn text(&mut self, keys: &mut Keys<'a>, key: &str) -> Option<String> {
        match keys.take(key)? {
            Ast::StringLit(text) => Some(text.value.into_owned()),
            other => self.mistyped(&format!("`{key}`"), "a text", &other),
        }
    }

    /// A list of hook names. After a problem it is empty, which does no harm because the file is refused.
    fn names(&mut self, keys: &mut Keys<'a>, key: &str) -> Vec<String> {
        let Some(list) = keys.take(key) else { return Vec::new() };
        let what = format!("`{key}`");
        let Ast::Array(array) = list else {
            return self.mistyped(&what, "an array of hook names", &list).unwrap_or_default();
        };
        let mut names = Vec::new();
        for element in array.elements {
            match element {
                Ast::StringLit(text) => names.push(text.value.into_owned()),
                other => return self.mistyped(&what, "an array of hook names", &other).unwrap_or_default(),
            }
        }
        names
    }

    /// An object as JSON, comments left out.
    fn object(&mut self, what: &str, value: Ast<'a>) -> Option<JsonObject> {
        if !matches!(value, Ast::Object(_)) {
            return self.mistyped(what, "an object", &value);
        }
        match Value::from(value) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Notes a value of a wrong type; there is nothing to go on with.
    fn mistyped<T>(&mut self, what: &str, expected: &str, found: &Ast<'_>) -> Option<T> {
        let found_word = match found {
            Ast::StringLit(text) => format!("\"{}\"", text.value.chars().take(40).collect::<String>()),
            Ast::NumberLit(number) => number.value.chars().take(40).collect(),
            Ast::BooleanLit(flag) => flag.value.to_string(),
            Ast::Object(_) => "an object".to_owned(),
            Ast::Array(_) => "an array".to_owned(),
            Ast::NullKeyword(_) => "null".to_owned(),
        };
        self.source.problem(span(found), format!("{what}: expected {expected}, found {found_word}"), None)
    }
}

/// Where a value is, in bytes.
fn span(value: &Ast<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

#[cfg(test)]
mod tests;
