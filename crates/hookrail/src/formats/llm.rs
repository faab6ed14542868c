//! The stable model format: what hooks see of a model call, whatever SDK the agent uses.
//!
//! Texts are borrowed from the SDK's types, so that a large conversation is not copied on its way
//! to a hook, except for texts in several parts.
//!
//! The descriptions in the JSON Schemas of hook inputs and outputs are the doc comments of these types.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use self::read::{Writer, read_response};
use crate::formats::json_object::JsonObject;

pub(crate) mod read;

/// A model request: texts only. Messages without text are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub extra: Cow<'a, JsonObject>,
}

impl<'a> LlmRequest<'a> {
    /// A request of which nothing is known but the model and the conversation.
    pub fn new(model: impl Into<Cow<'a, str>>, messages: Vec<LlmMessage<'a>>) -> Self {
        Self { model: model.into(), messages, config: None, tool_config: None, extra: Cow::default() }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmMessage<'a> {
    /// Who speaks.
    pub role: Cow<'a, str>,
    /// What is said.
    pub content: Cow<'a, str>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    pub extra: Option<Cow<'a, JsonObject>>,
}

impl<'a> LlmMessage<'a> {
    /// What `role` (`user`, `model` or `system`) says.
    pub fn new(role: impl Into<Cow<'a, str>>, content: impl Into<Cow<'a, str>>) -> Self {
        Self { role: role.into(), content: content.into(), extra: None }
    }
}

/// What steers a model call.
// Numbers are kept as written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LlmConfig<'a> {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Longest answer, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<Number>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Number>,
    /// Top-k sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<Number>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Cow<'a, [String]>>,
    /// How many answers are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate_count: Option<Number>,
    /// Penalty for tokens that occurred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<Number>,
    /// Penalty for tokens that occurred often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<Number>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    pub extra: Cow<'a, JsonObject>,
}

/// Which tools a model may call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookToolConfig {
    /// `AUTO`: it may call tools; `ANY`: it must; `NONE`: it must not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolMode>,
    /// The tools it may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_function_names: Option<Vec<String>>,
}

impl HookToolConfig {
    /// What becomes of it where another one is given, which may be partial. Mode and names never contradict each other: with
    /// mode `NONE` no names are left, and `ANY` of no names is `NONE`. What changes nothing leaves it as it was.
    pub(crate) fn restricted(mut self, given: &Self) -> Self {
        let Self { mode, allowed_function_names: names } = given;
        let changes =
            mode.is_some() && self.mode != *mode || names.is_some() && self.allowed_function_names != *names;
        if !changes {
            return self;
        }
        let is_empty = |names: &Option<Vec<String>>| names.as_ref().is_some_and(Vec::is_empty);
        if mode.is_some() {
            // The empty list that belongs to `NONE` would forbid every tool in the other modes too.
            if self.mode == Some(ToolMode::None) && is_empty(&self.allowed_function_names) {
                self.allowed_function_names = None;
            }
            self.mode = *mode;
        }
        if names.is_some() {
            self.allowed_function_names.clone_from(names);
        }
        // A provider would refuse a request to call one of no tools: nothing is allowed, and that is `NONE`.
        if self.mode == Some(ToolMode::Any) && is_empty(&self.allowed_function_names) {
            self.mode = Some(ToolMode::None);
        }
        if self.mode == Some(ToolMode::None) {
            self.allowed_function_names = Some(Vec::new());
        }
        self
    }
}

// How free the model is to call tools; later variants restrict more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "doc comments would become descriptions in every schema")]
pub enum ToolMode {
    Auto,
    Any,
    None,
}

impl ToolMode {
    /// Reads a mode word; anything but the three is not a mode.
    pub fn from_value(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }
}

/// A model's answer: texts only.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LlmResponse<'a> {
    /// The whole text of the first candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// The alternatives; usually one.
    pub candidates: Vec<LlmCandidate<'a>>,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<LlmUsage>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    pub extra: Cow<'a, JsonObject>,
}

/// One alternative of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub extra: Option<Cow<'a, JsonObject>>,
}

impl<'a> LlmResponse<'a> {
    /// A complete response that says this.
    pub fn said(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let candidate = LlmCandidate {
            finish_reason: Some(Cow::Borrowed("STOP")),
            index: Some(0),
            ..LlmCandidate::with_text(text.clone())
        };
        Self { text: Some(text), candidates: vec![candidate], usage_metadata: None, extra: Cow::default() }
    }
}

impl<'a> LlmCandidate<'a> {
    /// A candidate of which nothing is known but its text.
    pub(crate) fn with_text(text: Cow<'a, str>) -> Self {
        Self {
            content: LlmContent { role: Cow::Borrowed("model"), parts: vec![text] },
            finish_reason: None,
            index: None,
            safety_ratings: None,
            extra: None,
        }
    }
}

/// What a candidate says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmContent<'a> {
    /// Always `model`.
    pub role: Cow<'a, str>,
    /// Its texts.
    pub parts: Vec<Cow<'a, str>>,
}

/// A safety verdict.
// Without the SDK's `blocked` flag, which hooks never see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmSafetyRating<'a> {
    /// What was judged.
    pub category: Cow<'a, str>,
    /// How likely it is.
    pub probability: Cow<'a, str>,
}

/// Token counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// The text of a response that hooks are shown: its `text`, or else the texts of all candidates.
pub(crate) fn response_text(response: &Value) -> Cow<'static, str> {
    let read = response.as_object().map(|response| read_response(response.clone(), Writer::Hook));
    let Some(Ok(PartialLlmResponse { text, candidates, .. })) = read else { return Cow::Borrowed("") };
    text.unwrap_or_else(|| {
        let candidates = candidates.into_iter().flatten();
        Cow::Owned(candidates.flat_map(|candidate| candidate.content.parts).collect())
    })
}

/// The parts of a model request that change.
#[derive(Debug, PartialEq)]
pub(crate) struct PartialLlmRequest {
    /// Another model.
    pub(crate) model: Option<Cow<'static, str>>,
    /// The whole conversation as it should be. Unchanged messages keep their tool calls and images.
    pub(crate) messages: Option<Vec<LlmMessage<'static>>>,
    /// Steering fields to change.
    pub(crate) config: Option<LlmConfig<'static>>,
    /// Which tools the model may call.
    pub(crate) tool_config: Option<HookToolConfig>,
    /// What replaces the system instruction, which hooks do not see.
    pub(crate) system_instruction: Option<LlmContent<'static>>,
    /// Fields of a payload that hookrail does not know.
    pub(crate) extra: JsonObject,
}

/// A model's answer, or the parts of it that change.
#[derive(Debug, PartialEq)]
pub(crate) struct PartialLlmResponse {
    /// The whole text, where `candidates` is left out.
    pub(crate) text: Option<Cow<'static, str>>,
    /// The alternatives.
    pub(crate) candidates: Option<Vec<LlmCandidate<'static>>>,
    /// Token counts.
    pub(crate) usage_metadata: Option<LlmUsage>,
    /// Fields of a payload that hookrail does not know.
    pub(crate) extra: JsonObject,
}

/// Texts that read as one. Only several of them are copied.
pub(crate) fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.concat()),
    }
}
