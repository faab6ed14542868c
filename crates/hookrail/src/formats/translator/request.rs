//! Model requests: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use serde_json::{Value, json};

use self::config::{apply_config, shown_config};
use self::messages::{apply_messages, shown_messages};
use super::TranslationError;
use super::given::given_messages;
use super::tool_config::{restricted, to_hook_tool_config};
use crate::formats::genai::{GenerateContentParameters, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{Writer, read_request};
use crate::formats::llm::{HookToolConfig, LlmContent, LlmRequest};

mod config;
mod messages;

const TOOL_CONFIG: &str = "toolConfig";
const SYSTEM_INSTRUCTION: &str = "systemInstruction";

/// What hooks see of a model request. Every text is borrowed. Parts that are not text are left out, and so
/// are messages without text; the system instruction and the tool definitions have no place in the
/// stable format.
pub fn to_hook_llm_request(request: &GenerateContentParameters) -> LlmRequest<'_> {
    LlmRequest {
        model: Cow::Borrowed(&request.model),
        messages: shown_messages(&request.contents).map(|(_, message)| message).collect(),
        config: shown_config(request),
        tool_config: shown_tool_config(request),
        extra: Cow::Owned(JsonObject::new()),
    }
}

/// The request that is sent after a hook answered with `given`, which may be partial.
///
/// - Fields that are absent or `null` leave the base as it is; steering fields and tool restrictions are
///   merged one by one. Fields that the stable format does not know never reach the SDK.
/// - Accepted spellings: `messages` or `contents`, `config` or `generationConfig`, `systemInstruction`, and
///   texts as a string, or as parts that are strings or `{text}`.
/// - A message that did not change keeps its original entry. A changed one gets its new text where its first
///   text stood and keeps everything that is not text. A removed one loses its text; its entry goes too
///   unless tool calls, tool results, images or the like are in it. Entries without text keep their place.
/// - An added message comes right before the message that follows it in the answer, or last; but never
///   between a tool call and its result.
pub fn from_hook_llm_request(
    given: &JsonObject,
    base: &GenerateContentParameters,
) -> Result<GenerateContentParameters, TranslationError> {
    let AppliedRequest { request, problems } = apply_hook_llm_request(given, base);
    problems.into_iter().next().map_or(Ok(request), Err)
}

/// A request with everything applied that could be read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AppliedRequest {
    /// The request.
    pub request: GenerateContentParameters,
    /// One entry for each field that could not be read and was left alone.
    pub problems: Vec<TranslationError>,
}

/// Like [`from_hook_llm_request`], but field by field: a mistyped temperature does not undo the redaction
/// that stands beside it.
pub fn apply_hook_llm_request(given: &JsonObject, base: &GenerateContentParameters) -> AppliedRequest {
    let (given, problems) = read_request(given, Writer::Hook);
    let mut request = base.clone();
    if let Some(model) = given.model {
        request.model = model.into_owned();
    }
    if let Some(messages) = given.messages {
        apply_messages(&given_messages(messages), &mut request);
    }
    if let Some(instruction) = given.system_instruction {
        apply_system_instruction(&instruction, &mut request);
    }
    if let Some(tool_config) = given.tool_config {
        apply_tool_config(tool_config, &mut request);
    }
    if let Some(config) = given.config {
        apply_config(config, base, &mut request);
    }
    AppliedRequest { request, problems }
}

/// The system instruction is invisible to hooks but may be replaced.
fn apply_system_instruction(given: &LlmContent<'_>, request: &mut GenerateContentParameters) {
    let parts: Vec<Value> = given.parts.iter().map(|text| json!({ "text": text })).collect();
    let instruction = json!({ "role": given.role, "parts": parts });
    let in_config = request.config.as_ref().is_some_and(|config| config.system_instruction.is_some());
    match request.extra.get_mut(SYSTEM_INSTRUCTION) {
        Some(slot) if !in_config => *slot = instruction,
        _ => request.config.get_or_insert_default().system_instruction = Some(instruction),
    }
}

/// Writes the restriction where the request has it: in `config`, or beside it in REST form. One that changes nothing
/// leaves the request as it is.
fn apply_tool_config(given: HookToolConfig, request: &mut GenerateContentParameters) {
    let base = tool_config(request);
    let changed = restricted(given, base.as_deref());
    if base.as_deref() == Some(&changed) || (base.is_none() && changed == ToolConfig::default()) {
        return;
    }
    let in_config = request.config.as_ref().is_some_and(|config| config.tool_config.is_some());
    match request.extra.get_mut(TOOL_CONFIG) {
        Some(slot) if !in_config => *slot = json!(changed),
        _ => request.config.get_or_insert_default().tool_config = Some(changed),
    }
}

/// The restriction in the SDK's place or in that of REST clients.
fn tool_config(request: &GenerateContentParameters) -> Option<Cow<'_, ToolConfig>> {
    let of_sdk = request.config.as_ref().and_then(|config| config.tool_config.as_ref());
    of_sdk
        .map(Cow::Borrowed)
        .or_else(|| serde::Deserialize::deserialize(request.extra.get(TOOL_CONFIG)?).ok().map(Cow::Owned))
}

fn shown_tool_config(request: &GenerateContentParameters) -> Option<HookToolConfig> {
    to_hook_tool_config(&*tool_config(request)?)
}
