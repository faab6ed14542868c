//! Takes the fields of a payload one by one, each as the type that its event needs.

use std::borrow::Cow;

use serde_json::Value;

use super::{InputError, ModelRequest, ValidationError};
use crate::formats::field::describe;
use crate::formats::json_object::{JsonObject, take_member};

/// The fields of a payload that were not read yet.
pub(super) struct PayloadFields(pub(super) JsonObject);

impl PayloadFields {
    /// Takes a text that may be missing.
    pub(super) fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, ValidationError> {
        match take_member(&mut self.0, key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(mismatch(key, "a text", Some(&other))),
        }
    }

    /// Takes a text that must be there.
    pub(super) fn text(&mut self, key: &'static str) -> Result<String, ValidationError> {
        self.optional_text(key)?.ok_or_else(|| mismatch(key, "a text", None))
    }

    /// A name that is not empty, because matchers decide by it.
    pub(super) fn tool_name(&mut self) -> Result<String, ValidationError> {
        const EXPECTED: &str = "the name of a tool";
        match take_member(&mut self.0, "tool_name") {
            Some(Value::String(name)) if !name.is_empty() => Ok(name),
            other => Err(mismatch("tool_name", EXPECTED, other.as_ref())),
        }
    }

    /// Takes a boolean that must be there.
    pub(super) fn flag(&mut self, key: &'static str) -> Result<bool, ValidationError> {
        let value = take_member(&mut self.0, key);
        value.as_ref().and_then(Value::as_bool).ok_or_else(|| mismatch(key, "true or false", value.as_ref()))
    }

    /// Takes an object that must be there.
    pub(super) fn object(&mut self, key: &'static str) -> Result<JsonObject, ValidationError> {
        match take_member(&mut self.0, key) {
            Some(Value::Object(object)) => Ok(object),
            other => Err(mismatch(key, "an object", other.as_ref())),
        }
    }

    /// Takes a model request in the stable form or in the SDK's.
    pub(super) fn llm_request(&mut self) -> Result<ModelRequest, InputError> {
        ModelRequest::parse(self.object("llm_request")?)
    }

    /// One of a closed set of words.
    pub(super) fn word<T: Copy, const N: usize>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        words: [T; N],
        as_str: fn(T) -> &'static str,
    ) -> Result<T, ValidationError> {
        let value = take_member(&mut self.0, key);
        let word = value.as_ref().and_then(Value::as_str);
        words
            .into_iter()
            .find(|known| Some(as_str(*known)) == word)
            .ok_or_else(|| mismatch(key, expected, value.as_ref()))
    }
}

/// The error that says what should stand in a field.
pub(super) fn mismatch(
    field: &str,
    expected: impl Into<Cow<'static, str>>,
    found: Option<&Value>,
) -> ValidationError {
    ValidationError { field: field.to_owned(), expected: expected.into(), found: describe(found) }
}
