//! The path of a field, and what was found there, in words.

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::spelling::shortened;

/// A payload that cannot be read: which field, what was expected there, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected {expected}, found {found}", if .field.is_empty() { "input".to_owned() } else { format!("`{field}`") })]
#[non_exhaustive]
pub struct TranslationError {
    /// The field's path, such as `llm_request.messages[2].content`; empty for the payload as a whole.
    pub field: String,
    /// What belongs there.
    pub expected: Cow<'static, str>,
    /// What was found there.
    pub found: String,
}

/// The path of a field. It is a list on the stack and becomes text only when something is wrong.
#[derive(Clone, Copy)]
pub(crate) enum FieldPath<'a> {
    /// Where the path begins; empty for the payload itself.
    Root(&'a str),
    /// A member of an object.
    Key(&'a FieldPath<'a>, &'a str),
    /// An entry of a list, from 0.
    Entry(&'a FieldPath<'a>, usize),
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Key(Self::Root(""), key) => f.write_str(&shortened(key)),
            Self::Key(parent, key) => write!(f, "{parent}.{}", shortened(key)),
            Self::Entry(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl<'a> FieldPath<'a> {
    /// The whole; written as nothing.
    pub(crate) const TOP: Self = Self::Root("");

    /// The path of a member.
    pub(crate) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// The path of a list's entry.
    pub(crate) const fn index(&'a self, index: usize) -> Self {
        Self::Entry(self, index)
    }

    /// The error that says what belongs here.
    pub(crate) fn mismatch(
        &self,
        expected: impl Into<Cow<'static, str>>,
        found: Option<&Value>,
    ) -> TranslationError {
        TranslationError { field: self.to_string(), expected: expected.into(), found: describe(found) }
    }
}

/// Reads a value; the error names the field that is wrong, and what belongs there.
pub(crate) fn read<T: DeserializeOwned>(value: &Value, at: &FieldPath<'_>) -> Result<T, TranslationError> {
    // The place is looked for only where it is needed.
    T::deserialize(value).or_else(|_| {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let segments: Vec<&Segment> = error.path().iter().collect();
            error_at(&segments, error.inner(), at, value)
        })
    })
}

/// The error at the place that a path leads to.
fn error_at(
    path: &[&Segment],
    error: &serde_json::Error,
    at: &FieldPath<'_>,
    value: &Value,
) -> TranslationError {
    match path {
        [Segment::Map { key }, rest @ ..] if let Some(inner) = value.get(key) => {
            error_at(rest, error, &at.key(key), inner)
        }
        [Segment::Seq { index }, rest @ ..] if let Some(inner) = value.get(index) => {
            error_at(rest, error, &at.index(*index), inner)
        }
        _ => in_words(error, at, value),
    }
}

/// The parser's error as a [`TranslationError`]: its message has what was expected, and the value shows what was found.
fn in_words(error: &serde_json::Error, at: &FieldPath<'_>, found: &Value) -> TranslationError {
    let message = error.to_string();
    let expected = match message.rsplit_once("expected ") {
        Some((_, expected)) if expected.starts_with("struct ") => "an object".to_owned(),
        Some((_, "a map")) => "an object".to_owned(),
        Some((_, "a sequence")) => "a list".to_owned(),
        Some((_, "a string")) => "a text".to_owned(),
        Some((_, "u64")) => "a whole number".to_owned(),
        Some((_, "a JSON number")) => "a number".to_owned(),
        Some((_, "a boolean")) => "true or false".to_owned(),
        Some((_, expected)) => {
            let words = expected.strip_prefix("one of ").and_then(|words| words.rsplit_once(", "));
            words.map_or_else(|| expected.to_owned(), |(words, last)| format!("{words} or {last}"))
        }
        None => format!("the SDK's form ({message})"),
    };
    at.mismatch(expected, Some(found))
}

/// A value in a few words, for error messages; `None` is a field that is missing.
pub(crate) fn describe(value: Option<&Value>) -> String {
    /// Longer texts are cut: an error message must not show a whole conversation.
    const SHOWN: usize = 40;
    match value {
        None => "nothing".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(yes)) => format!("`{yes}`"),
        Some(Value::Number(number)) => format!("the number {number}"),
        Some(Value::String(text)) => match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("the text {:?}…", text.get(..end).unwrap_or_default()),
            None => format!("the text {text:?}"),
        },
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
    }
}
