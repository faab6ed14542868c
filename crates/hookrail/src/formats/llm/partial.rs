//! A request or a response of which some fields may be missing.

use std::borrow::Cow;

use schemars::JsonSchema;

use super::{HookToolConfig, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmUsage};
use crate::formats::json_object::JsonObject;

/// The parts of a model request that change.
#[derive(Debug, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartialLlmRequest<'a> {
    /// Another model.
    pub(crate) model: Option<Cow<'a, str>>,
    /// The whole conversation as it should be. Unchanged messages keep their tool calls and images.
    pub(crate) messages: Option<Vec<LlmMessage<'a>>>,
    /// Steering fields to change.
    pub(crate) config: Option<LlmConfig<'a>>,
    /// Which tools the model may call.
    pub(crate) tool_config: Option<HookToolConfig>,
    /// What replaces the system instruction, which hooks do not see.
    #[schemars(skip)]
    pub(crate) system_instruction: Option<LlmContent<'a>>,
    /// Fields of a payload that hookrail does not know.
    #[schemars(skip)]
    pub(crate) extra: JsonObject,
}

/// A model's answer, or the parts of it that change.
#[derive(Debug, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartialLlmResponse<'a> {
    /// The whole text, where `candidates` is left out.
    pub(crate) text: Option<Cow<'a, str>>,
    /// The alternatives.
    pub(crate) candidates: Option<Vec<LlmCandidate<'a>>>,
    /// Token counts.
    pub(crate) usage_metadata: Option<LlmUsage>,
    /// Fields of a payload that hookrail does not know.
    #[schemars(skip)]
    pub(crate) extra: JsonObject,
}
