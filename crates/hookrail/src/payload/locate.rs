//! Reads the SDK's form, and finds the field that is wrong when that fails.
//!
//! The SDK's types keep unknown fields, so that the parser's error names no place. All their fields are optional,
//! though, so the field that is wrong is found by trying the members of an object one by one.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::formats::field::{FieldPath, TranslationError};
use crate::formats::genai::{
    Candidate, Content, FunctionCall, FunctionResponse, GenerateContentConfig, GenerateContentParameters,
    GenerateContentResponse, Part, SafetyRating, ToolConfig, UsageMetadata, content_from_value,
};
use crate::formats::json_object::JsonObject;

/// Reads a request in the SDK's form.
pub(super) fn request(value: &Value) -> Result<GenerateContentParameters, TranslationError> {
    read(value, "llm_request", |value, at| {
        within::<GenerateContentParameters>(value, at, |key, value, at| match key {
            "contents" => match value {
                Value::Array(entries) => entry(entries, at, content),
                single => content(single, at),
            },
            "config" => within::<GenerateContentConfig>(value, at, |key, value, at| match key {
                "toolConfig" => within::<ToolConfig>(value, at, |_, _, _| None),
                _ => None,
            }),
            _ => None,
        })
    })
}

/// Reads a response in the SDK's form.
pub(super) fn response(value: &Value) -> Result<GenerateContentResponse, TranslationError> {
    read(value, "llm_response", |value, at| {
        within::<GenerateContentResponse>(value, at, |key, value, at| match key {
            "candidates" => entry(value.as_array()?, at, |value, at| {
                within::<Candidate>(value, at, |key, value, at| match key {
                    "content" => content(value, at),
                    "safetyRatings" => entry(value.as_array()?, at, |value, at| {
                        within::<SafetyRating>(value, at, |_, _, _| None)
                    }),
                    _ => None,
                })
            }),
            "usageMetadata" => within::<UsageMetadata>(value, at, |_, _, _| None),
            _ => None,
        })
    })
}

/// Parses, and looks for the place only when that fails.
fn read<T: DeserializeOwned>(
    value: &Value,
    root: &str,
    find: impl Fn(&Value, &FieldPath<'_>) -> Option<TranslationError>,
) -> Result<T, TranslationError> {
    T::deserialize(value).map_err(|error| {
        let at = FieldPath::Root(root);
        find(value, &at).unwrap_or_else(|| in_words(&error, &at, value))
    })
}

/// What is wrong with an entry of a conversation, which may also be a bare part.
fn content(value: &Value, at: &FieldPath<'_>) -> Option<TranslationError> {
    let error = content_from_value(value.clone()).err()?;
    let found = within::<Content>(value, at, |key, value, at| match key {
        "parts" => entry(value.as_array()?, at, part),
        _ => None,
    });
    Some(found.or_else(|| part(value, at)).unwrap_or_else(|| in_words(&error, at, value)))
}

fn part(value: &Value, at: &FieldPath<'_>) -> Option<TranslationError> {
    let found = within::<Part>(value, at, |key, value, at| match key {
        "functionCall" => within::<FunctionCall>(value, at, |_, _, _| None),
        "functionResponse" => within::<FunctionResponse>(value, at, |_, _, _| None),
        _ => None,
    });
    found.or_else(|| failure::<Part>(value).map(|error| in_words(&error, at, value)))
}

/// The first entry of a list in which something is wrong.
fn entry(
    entries: &[Value],
    at: &FieldPath<'_>,
    find: impl Fn(&Value, &FieldPath<'_>) -> Option<TranslationError>,
) -> Option<TranslationError> {
    entries.iter().enumerate().find_map(|(place, value)| find(value, &at.entry(place)))
}

/// The first member of an object that a `T` refuses; `deeper` finds the place inside of it.
fn within<T: DeserializeOwned>(
    value: &Value,
    at: &FieldPath<'_>,
    deeper: impl Fn(&str, &Value, &FieldPath<'_>) -> Option<TranslationError>,
) -> Option<TranslationError> {
    value.as_object()?.iter().find_map(|(key, value)| {
        let alone = JsonObject::from_iter([(key.clone(), value.clone())]);
        let error = failure::<T>(&Value::Object(alone))?;
        let at = at.key(key);
        Some(deeper(key, value, &at).unwrap_or_else(|| in_words(&error, &at, value)))
    })
}

/// Why a value is not a `T`.
fn failure<T: DeserializeOwned>(value: &Value) -> Option<serde_json::Error> {
    T::deserialize(value).err()
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
