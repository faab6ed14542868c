//! The SDK's types: what agents send to and get from a Gemini-like model.
//!
//! They mirror the `@google/genai` shapes. Fields that hookrail has no use for are kept in `extra`, so
//! that a request or response which passes through comes out as it went in.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use self::config::{FunctionCallingConfig, FunctionCallingMode, GenerateContentConfig, ToolConfig};
pub use self::response::{Candidate, GenerateContentResponse, SafetyRating, UsageMetadata};
use crate::formats::json_object::JsonObject;

mod config;
mod response;

/// A model call: `{ model, contents, config }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerateContentParameters {
    /// The model's name.
    #[serde(default)]
    pub model: String,
    /// The conversation. A bare string, a single content or a list of parts is read as a list of contents.
    #[serde(default, deserialize_with = "contents_from_any_spelling")]
    pub contents: Vec<Content>,
    /// Everything that steers the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<GenerateContentConfig>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// One entry of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    /// `user` or `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What it is made of.
    #[serde(default, deserialize_with = "null_as_default")]
    pub parts: Vec<Part>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Content {
    /// A content with a single text part.
    pub fn text(role: &str, text: impl Into<String>) -> Self {
        Self { role: Some(role.to_owned()), parts: vec![Part::text(text)], extra: JsonObject::new() }
    }
}

/// One part of a content. Images, files and whatever the SDK adds next are kept in `extra`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the text is the model's thinking and not part of its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<bool>,
    /// A tool call the model asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_call: Option<FunctionCall>,
    /// The result of a tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_response: Option<FunctionResponse>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// The text, if this part is text that belongs to the answer (not the model's thinking).
    pub fn answer_text(&self) -> Option<&str> {
        if self.thought == Some(true) { None } else { self.text.as_deref() }
    }
}

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCall {
    /// The call's id, where the provider gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    #[serde(default)]
    pub name: String,
    /// The tool's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<JsonObject>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The answer to a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionResponse {
    /// The id of the call this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    #[serde(default)]
    pub name: String,
    /// The tool's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<JsonObject>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Reads `null`, which some clients write for what is absent, as nothing.
fn null_as_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn contents_from_any_spelling<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Content>, D::Error> {
    contents_from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// Reads the SDK's `ContentListUnion`: a text, a content, a part, or a list of any of them.
pub(crate) fn contents_from_value(value: Value) -> Result<Vec<Content>, serde_json::Error> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(entries) => entries.into_iter().map(content_from_value).collect(),
        single => Ok(vec![content_from_value(single)?]),
    }
}

/// Reads one entry of a conversation. A bare text or part has the role of the user.
pub(crate) fn content_from_value(value: Value) -> Result<Content, serde_json::Error> {
    match value {
        Value::String(text) => Ok(Content::text("user", text)),
        Value::Object(object)
            if !object.contains_key("parts") && !object.contains_key("role") && !object.is_empty() =>
        {
            let part = serde_json::from_value(Value::Object(object))?;
            Ok(Content { role: Some("user".to_owned()), parts: vec![part], extra: JsonObject::new() })
        }
        other => serde_json::from_value(other),
    }
}
