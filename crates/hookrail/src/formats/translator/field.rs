//! Where a field stands, and what was found there, in words.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::TranslationError;
use crate::formats::json_object::JsonObject;

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
            Self::Key(Self::Root(""), key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Entry(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl<'a> FieldPath<'a> {
    /// The path of a member.
    pub(crate) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// The path of a list's entry.
    pub(crate) const fn entry(&'a self, index: usize) -> Self {
        Self::Entry(self, index)
    }

    /// The error that says what should stand here.
    pub(crate) fn mismatch(
        &self,
        expected: impl Into<Cow<'static, str>>,
        found: Option<&Value>,
    ) -> TranslationError {
        TranslationError { field: self.to_string(), expected: expected.into(), found: describe(found) }
    }
}

/// A value in a few words, for error messages; `None` is a field that is missing.
pub(crate) fn describe(value: Option<&Value>) -> String {
    /// Longer texts are cut: an error message is no place for a conversation.
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

/// A member that was given. `null` counts as not given: scripts that build their answer from variables
/// write it for what they leave alone.
pub(super) fn member<'g>(given: &'g JsonObject, key: &str) -> Option<&'g Value> {
    given.get(key).filter(|value| !value.is_null())
}

/// The first of several spellings of a member that was given, with the spelling used.
pub(super) fn spelled<'g>(
    given: &'g JsonObject,
    spellings: [&'static str; 2],
) -> Option<(&'static str, &'g Value)> {
    spellings.into_iter().find_map(|key| Some((key, member(given, key)?)))
}

/// The value as an object, or the error that says so.
pub(super) fn object<'g>(value: &'g Value, at: &FieldPath<'_>) -> Result<&'g JsonObject, TranslationError> {
    value.as_object().ok_or_else(|| at.mismatch("an object", Some(value)))
}

/// The value as a list, or the error that says so.
pub(super) fn list<'g>(value: &'g Value, at: &FieldPath<'_>) -> Result<&'g [Value], TranslationError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| at.mismatch("a list", Some(value)))
}

/// A text member, if it was given.
pub(super) fn text_member<'g>(
    given: &'g JsonObject,
    key: &str,
    at: &FieldPath<'_>,
) -> Result<Option<&'g str>, TranslationError> {
    let Some(value) = member(given, key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| at.key(key).mismatch("a text", Some(value)))
}

/// A count, if it was given.
pub(super) fn count_member(
    given: &JsonObject,
    key: &str,
    at: &FieldPath<'_>,
) -> Result<Option<u64>, TranslationError> {
    let Some(value) = member(given, key) else { return Ok(None) };
    value.as_u64().map(Some).ok_or_else(|| at.key(key).mismatch("a whole number", Some(value)))
}

/// A list of texts.
pub(super) fn texts(value: &Value, at: &FieldPath<'_>) -> Result<Vec<String>, TranslationError> {
    let entries = list(value, at)?.iter().enumerate();
    entries
        .map(|(index, entry)| match entry {
            Value::String(text) => Ok(text.clone()),
            other => Err(at.entry(index).mismatch("a text", Some(other))),
        })
        .collect()
}
