//! Texts, bare or in parts.

use std::borrow::Cow;

use serde_json::Value;

use super::Result;
use super::members::{Members, list, text};
use crate::formats::field::FieldPath;
use crate::formats::llm::LlmContent;

/// What becomes of parts that are not text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NonText {
    /// They are an error, because they would have no effect, unnoticed.
    Refused,
    /// They say nothing and are read as empty texts.
    Empty,
}

/// What is expected where a text belongs.
const TEXT_OR_PARTS: &str = "a text or a list of parts";

/// A text in any spelling: bare, or as parts that are texts or `{text}`.
pub(super) fn texts<'v>(
    value: Cow<'v, Value>,
    at: &FieldPath<'_>,
    non_text: NonText,
) -> Result<Vec<Cow<'v, str>>> {
    match &*value {
        Value::String(_) => Ok(vec![text(value, at)?]),
        Value::Array(_) => list(value, at, |entry, at| part(entry, at, non_text)),
        other => Err(at.mismatch(TEXT_OR_PARTS, Some(other))),
    }
}

/// One of several parts: a text, or an object that has one.
pub(super) fn part<'v>(value: Cow<'v, Value>, at: &FieldPath<'_>, non_text: NonText) -> Result<Cow<'v, str>> {
    match &*value {
        Value::String(_) => text(value, at),
        Value::Object(part) if part.get("text").is_some_and(|text| !text.is_null()) => {
            Ok(Members::of(value, at)?.text("text", at)?.unwrap_or_default())
        }
        Value::Object(_) if non_text == NonText::Empty => Ok(Cow::Borrowed("")),
        other => Err(at.mismatch("a text or an object with a `text`", Some(other))),
    }
}

/// A role and its texts; both have to be given. `role` is the one of an object that names none.
pub(super) fn role_and_texts<'v>(
    members: &mut Members<'v>,
    role: Option<&'static str>,
    spellings: &[&'static str],
    at: &FieldPath<'_>,
) -> Result<LlmContent<'v>> {
    let role = members.text("role", at)?.or(role.map(Cow::Borrowed));
    let role = role.ok_or_else(|| at.key("role").mismatch("a text", None))?;
    let Some((key, value)) = members.take_spelled(spellings) else {
        let missing = spellings.first().copied().unwrap_or_default();
        return Err(at.key(missing).mismatch(TEXT_OR_PARTS, None));
    };
    Ok(LlmContent { role, parts: texts(value, &at.key(key), NonText::Refused)? })
}
