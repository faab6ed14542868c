//! Reads the SDK's form, and names the field that is wrong when that fails.

use serde_json::Value;

use crate::formats::field::{FieldPath, TranslationError, read};
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
