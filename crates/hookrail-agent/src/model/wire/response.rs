//! Reading what Gemini sends back.
//!
//! Servers that imitate Gemini write `null` where it leaves a field out. That is accepted; a field of a wrong type is
//! not, because the agent would act on a guess.

use hookrail::genai::GenerateContentResponse;
use serde_json::Value;

/// Reads one response or chunk. Lists that are `null` read as missing; the error names the field.
pub fn response_from_value(mut value: Value) -> Result<GenerateContentResponse, String> {
    if !value.is_object() {
        return Err(format!("expected an object, found {}", kind(&value)));
    }
    drop_null(&mut value, "candidates");
    if let Some(candidates) = value.get_mut("candidates").and_then(Value::as_array_mut) {
        for content in candidates.iter_mut().filter_map(|candidate| candidate.get_mut("content")) {
            drop_null(content, "parts");
        }
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        format!("`{path}`: {}", error.into_inner())
    })
}

fn drop_null(value: &mut Value, field: &str) {
    if let Some(object) = value.as_object_mut()
        && object.get(field).is_some_and(Value::is_null)
    {
        object.shift_remove(field);
    }
}

/// A JSON value's kind, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
