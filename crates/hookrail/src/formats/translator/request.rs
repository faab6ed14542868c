//! Model requests: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use serde_json::{Value, json};

use self::config::{apply_config, shown_config};
use self::messages::{apply_messages, shown_messages};
use super::TranslationError;
use super::field::{FieldPath, member, object, spelled, text_member};
use super::given::{NonText, read_texts};
use super::tool_config::{apply_tool_config_at, to_hook_tool_config};
use crate::formats::genai::{GenerateContentParameters, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{HookToolConfig, LlmRequest};

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
    let root = FieldPath::Root("llm_request");
    let mut request = base.clone();
    let results = [
        apply_model(given, &root, &mut request),
        apply_messages(given, &root, &mut request),
        apply_system_instruction(given, &root, &mut request),
        apply_tool_config(given, &root, &mut request),
    ];
    let mut problems: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    apply_config(given, &root, &mut request, &mut problems);
    AppliedRequest { request, problems }
}

fn apply_model(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
) -> Result<(), TranslationError> {
    if let Some(model) = text_member(given, "model", at)? {
        model.clone_into(&mut request.model);
    }
    Ok(())
}

/// The system instruction is invisible to hooks but may be replaced.
fn apply_system_instruction(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
) -> Result<(), TranslationError> {
    let Some(value) = member(given, SYSTEM_INSTRUCTION) else { return Ok(()) };
    let at = at.key(SYSTEM_INSTRUCTION);
    let (role, texts) = match value {
        Value::Object(content) => {
            let role = text_member(content, "role", &at)?.unwrap_or("system");
            let Some((key, parts)) = spelled(content, ["parts", "content"]) else {
                return Err(at.key("parts").mismatch("a text or a list of parts", content.get("parts")));
            };
            (role, read_texts(parts, &at.key(key), NonText::Refused)?)
        }
        other => ("system", read_texts(other, &at, NonText::Refused)?),
    };
    let parts: Vec<Value> = texts.into_iter().map(|text| json!({ "text": text })).collect();
    let instruction = json!({ "role": role, "parts": parts });
    let in_config = request.config.as_ref().is_some_and(|config| config.system_instruction.is_some());
    match request.extra.get_mut(SYSTEM_INSTRUCTION) {
        Some(slot) if !in_config => *slot = instruction,
        _ => request.config.get_or_insert_default().system_instruction = Some(instruction),
    }
    Ok(())
}

/// Writes the restriction where the request has it: in `config`, or beside it in REST form. One that changes nothing
/// leaves the request as it is.
fn apply_tool_config(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
) -> Result<(), TranslationError> {
    let Some(value) = member(given, TOOL_CONFIG) else { return Ok(()) };
    let at = at.key(TOOL_CONFIG);
    let given = object(value, &at)?;
    let base = tool_config(request);
    let changed = apply_tool_config_at(given, base.as_deref(), &at)?;
    if base.as_deref() == Some(&changed) || (base.is_none() && changed == ToolConfig::default()) {
        return Ok(());
    }
    let in_config = request.config.as_ref().is_some_and(|config| config.tool_config.is_some());
    match request.extra.get_mut(TOOL_CONFIG) {
        Some(slot) if !in_config => *slot = json!(changed),
        _ => request.config.get_or_insert_default().tool_config = Some(changed),
    }
    Ok(())
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
