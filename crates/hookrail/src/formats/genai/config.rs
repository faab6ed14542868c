//! What steers a model call.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::formats::json_object::JsonObject;

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
