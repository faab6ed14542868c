//! The stable model format: what hooks see of a model call, whatever SDK the agent uses.
//!
//! Texts are borrowed from the SDK's types, so that a large conversation is never copied on its way
//! to a hook.
//!
//! The descriptions in the JSON Schemas of hook inputs and outputs are the doc comments of these types.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::formats::schema::{LlmRole, LlmToolMode};

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
    pub extra: Cow<'a, crate::formats::json_object::JsonObject>,
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
    pub extra: Option<Cow<'a, crate::formats::json_object::JsonObject>>,
}

/// Text in several pieces that reads as one. Most messages have a single piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedText<'a>(pub Vec<Cow<'a, str>>);

impl fmt::Display for JoinedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece))
    }
}

impl Serialize for JoinedText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            _ => serializer.collect_str(self),
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
    pub extra: Cow<'a, crate::formats::json_object::JsonObject>,
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

/// A model's answer: texts only.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmResponse<'a> {
    /// The whole text of the first candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub text: Option<JoinedText<'a>>,
    /// The alternatives; usually one.
    pub candidates: Vec<LlmCandidate<'a>>,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<LlmUsage>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Cow<'a, crate::formats::json_object::JsonObject>,
}

/// One alternative of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmCandidate<'a> {
    /// What it says.
    pub content: LlmContent<'a>,
    /// Why it ended, such as `STOP` or `MAX_TOKENS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<Cow<'a, str>>,
    /// Its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Safety verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Vec<LlmSafetyRating<'a>>>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Option<Cow<'a, crate::formats::json_object::JsonObject>>,
}

/// What a candidate says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmContent<'a> {
    /// Always `model`.
    pub role: Cow<'a, str>,
    /// Its texts.
    pub parts: Vec<Cow<'a, str>>,
}

/// A safety verdict.
// Without the SDK's `blocked` flag, which hooks never see.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmSafetyRating<'a> {
    /// What was judged.
    pub category: Cow<'a, str>,
    /// How likely it is.
    pub probability: Cow<'a, str>,
}

/// Token counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmUsage {
    /// Tokens of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<u64>,
    /// Both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<u64>,
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

impl LlmMessage<'_> {
    fn borrowed(&self) -> LlmMessage<'_> {
        LlmMessage {
            role: Cow::Borrowed(&self.role),
            content: self.content.borrowed(),
            extra: self.extra.as_deref().map(Cow::Borrowed),
        }
    }
}

impl JoinedText<'_> {
    fn borrowed(&self) -> JoinedText<'_> {
        JoinedText(borrowed_texts(&self.0))
    }
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

impl LlmResponse<'_> {
    /// The same response, borrowing from this one.
    pub fn borrowed(&self) -> LlmResponse<'_> {
        LlmResponse {
            text: self.text.as_ref().map(JoinedText::borrowed),
            candidates: self.candidates.iter().map(LlmCandidate::borrowed).collect(),
            usage_metadata: self.usage_metadata,
            extra: Cow::Borrowed(&self.extra),
        }
    }
}

impl LlmCandidate<'_> {
    fn borrowed(&self) -> LlmCandidate<'_> {
        let ratings = self.safety_ratings.as_ref().map(|ratings| {
            let borrowed = ratings.iter().map(|rating| LlmSafetyRating {
                category: Cow::Borrowed(&*rating.category),
                probability: Cow::Borrowed(&*rating.probability),
            });
            borrowed.collect()
        });
        LlmCandidate {
            content: LlmContent {
                role: Cow::Borrowed(&self.content.role),
                parts: borrowed_texts(&self.content.parts),
            },
            finish_reason: self.finish_reason.as_deref().map(Cow::Borrowed),
            index: self.index,
            safety_ratings: ratings,
            extra: self.extra.as_deref().map(Cow::Borrowed),
        }
    }
}

fn borrowed_texts<'t>(texts: &'t [Cow<'_, str>]) -> Vec<Cow<'t, str>> {
    texts.iter().map(|text| Cow::Borrowed(&**text)).collect()
}

/// The text of a response as a hook may have changed it: its `text`, or else the texts of all candidates.
pub(crate) fn response_text(response: &Value) -> Cow<'_, str> {
    if let Some(text) = response.get("text").and_then(Value::as_str) {
        return Cow::Borrowed(text);
    }
    let candidates = response.get("candidates").and_then(Value::as_array).into_iter().flatten();
    let parts =
        candidates.filter_map(|candidate| candidate.get("content")?.get("parts")?.as_array()).flatten();
    let texts = parts.filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
    Cow::Owned(texts.collect())
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
