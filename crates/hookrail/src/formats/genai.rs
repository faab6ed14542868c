//! The SDK's types: what agents send to and get from a Gemini-like model.
//!
//! They mirror the `@google/genai` shapes. Fields that hookrail has no use for are kept in `extra`, so
//! that a request or response which passes through comes out as it went in.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use crate::formats::json_object::JsonObject;

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

/// What steers a model call. Numbers are kept as written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerateContentConfig {
    /// The system prompt, in any of the SDK's spellings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_instruction: Option<Value>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Longest answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<Number>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Number>,
    /// Top-k sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<Number>,
    /// Texts that end the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// How many answers are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_count: Option<Number>,
    /// Penalty for tokens that occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<Number>,
    /// Penalty for tokens that occurred often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<Number>,
    /// Tool definitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Value>>,
    /// Which tools the model may or must call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Which tools the model may or must call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolConfig {
    /// Mode and names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_calling_config: Option<FunctionCallingConfig>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Mode and names of a [`ToolConfig`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionCallingConfig {
    /// How free the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FunctionCallingMode>,
    /// The tools it may call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_function_names: Option<Vec<String>>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// How free the model is to call tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum FunctionCallingMode {
    /// It may call tools.
    Auto,
    /// It must call a tool.
    Any,
    /// It must not call tools.
    None,
    /// A mode of the SDK that hooks do not know.
    Other(String),
}

impl From<String> for FunctionCallingMode {
    fn from(word: String) -> Self {
        match word.as_str() {
            "AUTO" => Self::Auto,
            "ANY" => Self::Any,
            "NONE" => Self::None,
            _ => Self::Other(word),
        }
    }
}

impl From<FunctionCallingMode> for String {
    fn from(mode: FunctionCallingMode) -> Self {
        match mode {
            FunctionCallingMode::Auto => "AUTO".to_owned(),
            FunctionCallingMode::Any => "ANY".to_owned(),
            FunctionCallingMode::None => "NONE".to_owned(),
            FunctionCallingMode::Other(word) => word,
        }
    }
}

/// A model's answer, or one chunk of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerateContentResponse {
    /// The alternatives; usually one.
    #[serde(default, deserialize_with = "null_as_default")]
    pub candidates: Vec<Candidate>,
    /// Token counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<UsageMetadata>,
    /// Fields this type does not name, such as `promptFeedback`.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl GenerateContentResponse {
    /// One candidate that says `text` and finished with `STOP`.
    pub fn from_text(text: &str) -> Self {
        let parts = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
        let content = Content { role: Some("model".to_owned()), parts, extra: JsonObject::new() };
        let candidate = Candidate {
            content: Some(content),
            finish_reason: Some("STOP".to_owned()),
            index: Some(0),
            ..Candidate::default()
        };
        Self { candidates: vec![candidate], ..Self::default() }
    }

    /// The answer's text: text parts of the first candidate, without thinking.
    pub fn text(&self) -> String {
        self.first_parts().iter().filter_map(Part::answer_text).collect()
    }

    /// The tool calls of the first candidate, in order.
    pub fn function_calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.first_parts().iter().filter_map(|part| part.function_call.as_ref())
    }

    fn first_parts(&self) -> &[Part] {
        self.candidates
            .first()
            .and_then(|candidate| candidate.content.as_ref())
            .map_or(&[], |content| &content.parts)
    }
}

/// One alternative of a [`GenerateContentResponse`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// What the model said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Its place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Safety verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Vec<SafetyRating>>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// One safety verdict.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SafetyRating {
    /// What was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How likely it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<String>,
    /// Fields this type does not name, such as `blocked`.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Token counts of a model call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageMetadata {
    /// Tokens of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<u64>,
    /// Both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<u64>,
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
fn content_from_value(value: Value) -> Result<Content, serde_json::Error> {
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
