//! Reads the SDK's form, and names the field that is wrong when that fails.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::formats::field::{FieldPath, TranslationError};
use crate::formats::genai::{Content, GenerateContentParameters, GenerateContentResponse, Part};

/// Reads a request in the SDK's form.
pub(super) fn request(value: &Value) -> Result<GenerateContentParameters, TranslationError> {
    let at = FieldPath::Root("llm_request");
    read(value, &at).map_err(|error| contents_error(value, &at.key("contents")).unwrap_or(error))
}

/// Reads a response in the SDK's form.
pub(super) fn response(value: &Value) -> Result<GenerateContentResponse, TranslationError> {
    read(value, &FieldPath::Root("llm_response"))
}

fn read<T: DeserializeOwned>(value: &Value, at: &FieldPath<'_>) -> Result<T, TranslationError> {
    // The place is looked for only where it is needed.
    T::deserialize(value).or_else(|_| {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let segments: Vec<&Segment> = error.path().iter().collect();
            error_at(&segments, error.inner(), at, value)
        })
    })
}

/// What is wrong with an entry of the conversation. They have several spellings, and the parser's error names none of them.
fn contents_error(request: &Value, at: &FieldPath<'_>) -> Option<TranslationError> {
    let entry_error = |value: &Value, at: &FieldPath<'_>| match value {
        Value::String(_) => None,
        Value::Object(object) if !object.contains_key("parts") && !object.contains_key("role") => {
            read::<Part>(value, at).err()
        }
        _ => read::<Content>(value, at).err(),
    };
    match request.get("contents")? {
        Value::Array(entries) => {
            entries.iter().enumerate().find_map(|(place, value)| entry_error(value, &at.index(place)))
        }
        single => entry_error(single, at),
    }
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
        Some((_, expected)) => expected.to_owned(),
        None => format!("the SDK's form ({message})"),
    };
    at.mismatch(expected, Some(found))
}
