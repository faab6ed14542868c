//! The path of a field, and what was found there, in words.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

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
