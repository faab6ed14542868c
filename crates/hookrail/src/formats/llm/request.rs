//! What hooks see of a request.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, Value};

use super::JoinedText;
use crate::formats::json_object::JsonObject;

/// A model request: texts only. Messages without text are left out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmRequest<'a> {
    /// The model's name.
    pub model: Cow<'a, str>,
    /// The conversation.
    pub messages: Vec<LlmMessage<'a>>,
    /// What steers the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<LlmConfig<'a>>,
    /// Which tools the model may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<HookToolConfig>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Cow<'a, JsonObject>,
}

impl LlmRequest<'_> {
    /// The same request, borrowing from this one.
    pub fn borrowed(&self) -> LlmRequest<'_> {
        LlmRequest {
            model: Cow::Borrowed(&self.model),
            messages: self.messages.iter().map(LlmMessage::borrowed).collect(),
            config: self.config.as_ref().map(LlmConfig::borrowed),
            tool_config: self.tool_config.clone(),
            extra: Cow::Borrowed(&self.extra),
        }
    }
}

// The roles, for the schema. No doc comment: it would become a description in every schema.
#[expect(dead_code, reason = "read by the schema generator only")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LlmRole {
    User,
    Model,
    System,
}

// The modes of the tool configuration, for the schema.
#[expect(dead_code, reason = "read by the schema generator only")]
#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum LlmToolMode {
    Auto,
    Any,
    None,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmMessage<'a> {
    /// Who speaks.
    #[schemars(with = "LlmRole")]
    pub role: Cow<'a, str>,
    /// What is said.
    #[schemars(with = "String")]
    pub content: JoinedText<'a>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Option<Cow<'a, JsonObject>>,
}

impl LlmMessage<'_> {
    fn borrowed(&self) -> LlmMessage<'_> {
        LlmMessage {
            role: Cow::Borrowed(&self.role),
            content: self.content.borrowed(),
            extra: self.extra.as_deref().map(Cow::Borrowed),
        }
    }
}

/// What steers a model call.
// Numbers are kept as written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmConfig<'a> {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub temperature: Option<Number>,
    /// Longest answer, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub max_output_tokens: Option<Number>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub top_p: Option<Number>,
    /// Top-k sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub top_k: Option<Number>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    pub stop_sequences: Option<Cow<'a, [String]>>,
    /// How many answers are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub candidate_count: Option<Number>,
    /// Penalty for tokens that occurred.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub presence_penalty: Option<Number>,
    /// Penalty for tokens that occurred often.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub frequency_penalty: Option<Number>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Cow<'a, JsonObject>,
}

impl LlmConfig<'_> {
    fn borrowed(&self) -> LlmConfig<'_> {
        LlmConfig {
            temperature: self.temperature.clone(),
            max_output_tokens: self.max_output_tokens.clone(),
            top_p: self.top_p.clone(),
            top_k: self.top_k.clone(),
            stop_sequences: self.stop_sequences.as_deref().map(Cow::Borrowed),
            candidate_count: self.candidate_count.clone(),
            presence_penalty: self.presence_penalty.clone(),
            frequency_penalty: self.frequency_penalty.clone(),
            extra: Cow::Borrowed(&self.extra),
        }
    }
}

/// Which tools a model may call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LlmToolConfig")]
pub struct HookToolConfig {
    /// `AUTO`: it may call tools; `ANY`: it must; `NONE`: it must not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LlmToolMode>")]
    pub mode: Option<ToolMode>,
    /// The tools it may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_function_names: Option<Vec<String>>,
}

/// How free the model is to call tools; later variants restrict more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ToolMode {
    /// It may call tools.
    Auto,
    /// It must call a tool.
    Any,
    /// It must not call tools.
    None,
}

impl ToolMode {
    /// Reads a mode word; anything but the three is not a mode.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value.as_str()? {
            "AUTO" => Some(Self::Auto),
            "ANY" => Some(Self::Any),
            "NONE" => Some(Self::None),
            _ => None,
        }
    }
}
