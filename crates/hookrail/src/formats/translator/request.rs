//! Model requests: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Number, Value, json};

use super::align::{Step, align};
use super::tool_config::{restricted, shown};
use super::{FieldPath, HookTranslatorGenAiV1, TranslationError, shown_text};
use crate::formats::genai::{Content, GenerateContentParameters, Part, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{self, Writer, read_config, read_request};
use crate::formats::llm::{HookToolConfig, LlmConfig, LlmContent, LlmMessage, LlmRequest, joined};

const TOOL_CONFIG: &str = "toolConfig";
const SYSTEM_INSTRUCTION: &str = "systemInstruction";

impl HookTranslatorGenAiV1 {
    /// What hooks see of a model request. Every text is borrowed. Parts that are not text are left out, and so
    /// are messages without text; the system instruction and the tool definitions have no place in the
    /// stable format.
    pub fn to_hook_llm_request(self, request: &GenerateContentParameters) -> LlmRequest<'_> {
        LlmRequest {
            model: Cow::Borrowed(&request.model),
            messages: shown_messages(&request.contents).map(|(_, message)| message).collect(),
            config: shown_config(request),
            tool_config: tool_config(request).and_then(|config| shown(&config)),
            extra: Cow::default(),
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
        self,
        given: &JsonObject,
        base: &GenerateContentParameters,
    ) -> Result<GenerateContentParameters, TranslationError> {
        let (request, problems) = apply_hook_llm_request(given, base);
        problems.into_iter().next().map_or(Ok(request), Err)
    }
}

/// Like [`HookTranslatorGenAiV1::from_hook_llm_request`], but field by field: a mistyped temperature does not undo the
/// redaction beside it. The list has an entry for each field that could not be read and was left alone.
pub(crate) fn apply_hook_llm_request(
    given: &JsonObject,
    base: &GenerateContentParameters,
) -> (GenerateContentParameters, Vec<TranslationError>) {
    let (given, problems) = read_request(given.clone(), Writer::Hook);
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
        apply_tool_config(&tool_config, &mut request);
    }
    if let Some(config) = given.config {
        apply_config(config, base, &mut request);
    }
    (request, problems)
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
fn apply_tool_config(given: &HookToolConfig, request: &mut GenerateContentParameters) {
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

/// The role that hooks see: one of three. Whatever else an SDK has (`function`, `tool`, none) is input for the model,
/// as a user's messages are; `assistant` is what other SDKs call the model.
fn hook_role(role: Option<&str>) -> &'static str {
    match role {
        Some("model" | "assistant") => "model",
        Some("system") => "system",
        _ => "user",
    }
}

/// Reads the conversation of a request, if it gives one.
pub(crate) fn read_messages(
    given: &JsonObject,
    at: &FieldPath<'_>,
) -> Result<Option<Vec<LlmMessage<'static>>>, TranslationError> {
    Ok(read::read_messages(given.clone(), at)?.map(given_messages))
}

/// The messages as hooks see them: with one of the three roles, and without those that say nothing.
fn given_messages(messages: Vec<LlmMessage<'_>>) -> Vec<LlmMessage<'_>> {
    let messages =
        messages.into_iter().map(|given| LlmMessage::new(hook_role(Some(&given.role)), given.content));
    messages.filter(|message| !message.content.is_empty()).collect()
}

/// The messages hooks see, each with the place of its entry.
fn shown_messages(contents: &[Content]) -> impl Iterator<Item = (usize, LlmMessage<'_>)> {
    contents.iter().enumerate().filter_map(|(place, content)| {
        let pieces: Vec<_> = content.parts.iter().filter_map(shown_text).map(Cow::Borrowed).collect();
        let role = Cow::Borrowed(hook_role(content.role.as_deref()));
        let message = LlmMessage::new(role, joined(pieces));
        (!message.content.is_empty()).then_some((place, message))
    })
}

/// Leaves the conversation untouched, with all its parts, if the hook gave back every message as it was.
fn apply_messages(given: &[LlmMessage<'_>], request: &mut GenerateContentParameters) {
    let (places, shown): (Vec<usize>, Vec<LlmMessage<'_>>) = shown_messages(&request.contents).unzip();
    let steps = align(&shown, given);
    if steps.len() == shown.len() && steps.iter().all(|step| matches!(step, Step::Keep { .. })) {
        return;
    }
    drop(shown);
    request.contents = rebuild(std::mem::take(&mut request.contents), &places, &steps, given);
}

/// Puts the conversation together again.
fn rebuild(
    contents: Vec<Content>,
    places: &[usize],
    steps: &[Step],
    messages: &[LlmMessage<'_>],
) -> Vec<Content> {
    let mut rebuilt = Rebuilt { contents: Vec::with_capacity(contents.len()), added: Vec::new() };
    let mut entries = contents.into_iter().enumerate();
    for step in steps {
        let (shown, given) = match *step {
            Step::Keep { shown } | Step::Remove { shown } => (shown, None),
            Step::Change { shown, given } => (shown, messages.get(given)),
            Step::Add { given } => {
                rebuilt.added.extend(messages.get(given).map(|new| Content::text(&new.role, &*new.content)));
                continue;
            }
        };
        // Entries without text are passed by and stay where they stood.
        let place = places.get(shown).copied();
        for (index, mut entry) in entries.by_ref() {
            if Some(index) != place {
                rebuilt.contents.push(entry);
                continue;
            }
            let left = matches!(step, Step::Keep { .. })
                || replace_text(&mut entry.parts, given.map(|message| &*message.content));
            if left {
                rebuilt.push_seen(entry);
            }
            break;
        }
    }
    rebuilt.contents.extend(entries.map(|(_, entry)| entry));
    rebuilt.contents.append(&mut rebuilt.added);
    rebuilt.contents
}

/// A conversation in the making.
struct Rebuilt {
    contents: Vec<Content>,
    /// New messages that wait for the entry they come before.
    added: Vec<Content>,
}

impl Rebuilt {
    /// Adds an entry that the hook saw, after the new messages that come before it. If it answers a tool
    /// call they come after it: providers refuse a request with anything in between.
    fn push_seen(&mut self, entry: Content) {
        let calls = |content: &Content| content.parts.iter().any(|part| part.function_call.is_some());
        let answers = entry.parts.iter().any(|part| part.function_response.is_some());
        if answers && self.contents.last().is_some_and(calls) {
            self.contents.push(entry);
            self.contents.append(&mut self.added);
        } else {
            self.contents.append(&mut self.added);
            self.contents.push(entry);
        }
    }
}

/// Replaces what hooks see of an entry, or takes it away. Says whether anything worth sending is left.
fn replace_text(parts: &mut Vec<Part>, text: Option<&str>) -> bool {
    let mut new = text;
    parts.retain_mut(|part| {
        if shown_text(part).is_none() {
            return true;
        }
        part.text = new.take().map(str::to_owned);
        part.text.is_some() || carries_more_than_text(part)
    });
    text.is_some() || parts.iter().any(carries_more_than_text)
}

/// Whether a part holds something that a hook never saw. Thinking and its signatures belong to the text
/// beside them and do not count.
fn carries_more_than_text(part: &Part) -> bool {
    part.function_call.is_some()
        || part.function_response.is_some()
        || part.extra.keys().any(|key| key != "thoughtSignature")
}

/// Where REST clients put what the SDK puts into `config`.
const REST_CONFIG: &str = "generationConfig";

/// The steering fields of the SDK's `config`, else those in REST form; `None` if there are none.
fn shown_config(request: &GenerateContentParameters) -> Option<LlmConfig<'static>> {
    let rest = request.extra.get(REST_CONFIG).and_then(Value::as_object).cloned();
    let mut given = rest.unwrap_or_default();
    given.extend(fields(&request.config));
    let mut config = read_config(given);
    if request.config.is_some() {
        config.extra = Cow::default(); // Tools and instructions are not for hooks.
    }
    (config != LlmConfig::default()).then_some(config)
}

/// Applies what differs from what the hook was shown of `base`, so that the original digits stay otherwise. A field is
/// written where its value stood: into `config`, or into the `generationConfig` of a request in REST form.
fn apply_config(
    given: LlmConfig<'_>,
    base: &GenerateContentParameters,
    request: &mut GenerateContentParameters,
) {
    let shown = fields(&shown_config(base));
    let mut changed = fields(&LlmConfig { extra: Cow::default(), ..given });
    changed.retain(|key, given| !shown.get(key).is_some_and(|shown| reads_as(shown, given)));
    let mut config = fields(&request.config);
    let mut rest = request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut);
    let mut in_config = false;
    for (key, value) in changed {
        match &mut rest {
            Some(rest) if !config.contains_key(&key) => rest.insert(key, value),
            _ => {
                in_config = true;
                config.insert(key, value)
            }
        };
    }
    if in_config {
        request.config = serde_json::from_value(config.into()).unwrap_or_default();
    }
}

/// The fields of a value as they are on the wire; none of `None`.
pub(crate) fn fields(value: &impl Serialize) -> JsonObject {
    match json!(value) {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

/// Whether a value given back is the one that was shown. JavaScript writes `1` for `1.0`, and a reader may
/// be off in a float's last digit.
fn reads_as(base: &Value, given: &Value) -> bool {
    let same_number = |base: &Number, given: &Number| {
        (base.is_f64() || given.is_f64()) && base.as_f64() == given.as_f64()
            || base.to_string().parse().is_ok_and(|read: Number| read == *given)
    };
    base == given
        || base.as_number().zip(given.as_number()).is_some_and(|(base, given)| same_number(base, given))
}
