//! Model requests: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use serde_json::{Number, Value, json};

use super::align::{Step, align};
use super::field::{FieldPath, member, object, spelled, text_member, texts};
use super::given::{
    CONFIG, GivenMessage, NUMBERS, NonText, STOP_SEQUENCES, hook_role, read_messages, read_number, read_texts,
};
use super::tool_config::{apply_tool_config_at, to_hook_tool_config};
use super::{TranslationError, shown_text};
use crate::formats::genai::{Content, GenerateContentConfig, GenerateContentParameters, Part, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{HookToolConfig, JoinedText, LlmConfig, LlmMessage, LlmRequest};

/// Where REST clients put what the SDK puts into `config`.
const REST_CONFIG: &str = "generationConfig";
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

/// The messages hooks see, each with the place of its entry.
fn shown_messages(contents: &[Content]) -> impl Iterator<Item = (usize, LlmMessage<'_>)> {
    contents.iter().enumerate().filter_map(|(place, content)| {
        let pieces: Vec<_> = content.parts.iter().filter_map(shown_text).map(Cow::Borrowed).collect();
        let role = Cow::Borrowed(hook_role(content.role.as_deref()));
        let message = LlmMessage { role, content: JoinedText(pieces), extra: None };
        (!message.content.0.is_empty()).then_some((place, message))
    })
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

fn apply_messages(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
) -> Result<(), TranslationError> {
    let Some(messages) = read_messages(given, at)? else { return Ok(()) };
    let (places, shown): (Vec<usize>, Vec<LlmMessage<'_>>) = shown_messages(&request.contents).unzip();
    let steps = align(&shown, &messages);
    if steps.len() == shown.len() && steps.iter().all(|step| matches!(step, Step::Keep { .. })) {
        return Ok(());
    }
    drop(shown);
    request.contents = rebuild(std::mem::take(&mut request.contents), &places, &steps, &messages);
    Ok(())
}

/// Puts the conversation together again.
fn rebuild(
    contents: Vec<Content>,
    places: &[usize],
    steps: &[Step],
    messages: &[GivenMessage<'_>],
) -> Vec<Content> {
    let mut rebuilt = Rebuilt { contents: Vec::with_capacity(contents.len()), added: Vec::new() };
    let mut entries = contents.into_iter().enumerate();
    for step in steps {
        let (shown, given) = match *step {
            Step::Keep { shown } | Step::Remove { shown } => (shown, None),
            Step::Change { shown, given } => (shown, messages.get(given)),
            Step::Add { given } => {
                rebuilt.added.extend(messages.get(given).map(|new| Content::text(new.role, &*new.text)));
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
                || replace_text(&mut entry.parts, given.map(|message| &*message.text));
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
    /// Adds an entry that the hook saw, after the new messages that stand before it. If it answers a tool
    /// call they come after it: providers refuse a request in which anything stands in between.
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

fn tool_config(request: &GenerateContentParameters) -> Option<Cow<'_, ToolConfig>> {
    let of_sdk = request.config.as_ref().and_then(|config| config.tool_config.as_ref());
    of_sdk
        .map(Cow::Borrowed)
        .or_else(|| serde::Deserialize::deserialize(request.extra.get(TOOL_CONFIG)?).ok().map(Cow::Owned))
}

fn shown_tool_config(request: &GenerateContentParameters) -> Option<HookToolConfig> {
    to_hook_tool_config(&*tool_config(request)?)
}

fn shown_config(request: &GenerateContentParameters) -> Option<LlmConfig<'_>> {
    let number = |key| current_number(request, key).cloned();
    let config = LlmConfig {
        temperature: number("temperature"),
        max_output_tokens: number("maxOutputTokens"),
        top_p: number("topP"),
        top_k: number("topK"),
        stop_sequences: stop_sequences(request),
        candidate_count: number("candidateCount"),
        presence_penalty: number("presencePenalty"),
        frequency_penalty: number("frequencyPenalty"),
        extra: Cow::Owned(JsonObject::new()),
    };
    (config != LlmConfig::default()).then_some(config)
}

fn apply_config(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
    problems: &mut Vec<TranslationError>,
) {
    let Some((key, value)) = spelled(given, CONFIG) else { return };
    let at = at.key(key);
    let given = match object(value, &at) {
        Ok(given) => given,
        Err(problem) => return problems.push(problem),
    };
    for key in NUMBERS {
        let Some(value) = member(given, key) else { continue };
        match read_number(value, &at.key(key)) {
            Ok(number) if current_number(request, key).is_some_and(|base| reads_as(base, number)) => {}
            Ok(number) => set_number(request, key, number.clone()),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(value) = member(given, STOP_SEQUENCES) {
        match texts(value, &at.key(STOP_SEQUENCES)) {
            Ok(texts) if stop_sequences(request).is_some_and(|base| *base == *texts) => {}
            Ok(texts) => set_stop_sequences(request, texts),
            Err(problem) => problems.push(problem),
        }
    }
}

/// Whether a number given back is the one that was shown. JavaScript writes `1` for `1.0`, and a reader may
/// be off in a float's last digit.
fn reads_as(base: &Number, given: &Number) -> bool {
    base == given
        || (base.is_f64() || given.is_f64()) && base.as_f64() == given.as_f64()
        || base.to_string().parse().is_ok_and(|read: Number| read == *given)
}

fn rest_config(request: &GenerateContentParameters) -> Option<&JsonObject> {
    request.extra.get(REST_CONFIG)?.as_object()
}

fn current_number<'r>(request: &'r GenerateContentParameters, key: &str) -> Option<&'r Number> {
    let of_sdk = request.config.as_ref().and_then(|config| number(config, key));
    of_sdk.or_else(|| rest_config(request)?.get(key)?.as_number())
}

/// Writes a steering field where its value stood: into `config`, or into the `generationConfig` of a
/// request in REST form.
fn set_number(request: &mut GenerateContentParameters, key: &str, value: Number) {
    let in_config = request.config.as_ref().is_some_and(|config| number(config, key).is_some());
    match request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut) {
        Some(rest) if !in_config => {
            rest.insert(key.to_owned(), Value::Number(value));
        }
        _ => {
            if let Some(slot) = number_mut(request.config.get_or_insert_default(), key) {
                *slot = Some(value);
            }
        }
    }
}

fn stop_sequences(request: &GenerateContentParameters) -> Option<Cow<'_, [String]>> {
    let of_sdk = request.config.as_ref().and_then(|config| config.stop_sequences.as_deref());
    of_sdk.map(Cow::Borrowed).or_else(|| {
        texts(rest_config(request)?.get(STOP_SEQUENCES)?, &FieldPath::Root("")).ok().map(Cow::Owned)
    })
}

fn set_stop_sequences(request: &mut GenerateContentParameters, texts: Vec<String>) {
    let in_config = request.config.as_ref().is_some_and(|config| config.stop_sequences.is_some());
    match request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut) {
        Some(rest) if !in_config => {
            rest.insert(STOP_SEQUENCES.to_owned(), json!(texts));
        }
        _ => request.config.get_or_insert_default().stop_sequences = Some(texts),
    }
}

fn number<'c>(config: &'c GenerateContentConfig, key: &str) -> Option<&'c Number> {
    match key {
        "temperature" => config.temperature.as_ref(),
        "maxOutputTokens" => config.max_output_tokens.as_ref(),
        "topP" => config.top_p.as_ref(),
        "topK" => config.top_k.as_ref(),
        "candidateCount" => config.candidate_count.as_ref(),
        "presencePenalty" => config.presence_penalty.as_ref(),
        "frequencyPenalty" => config.frequency_penalty.as_ref(),
        _ => None,
    }
}

fn number_mut<'c>(config: &'c mut GenerateContentConfig, key: &str) -> Option<&'c mut Option<Number>> {
    match key {
        "temperature" => Some(&mut config.temperature),
        "maxOutputTokens" => Some(&mut config.max_output_tokens),
        "topP" => Some(&mut config.top_p),
        "topK" => Some(&mut config.top_k),
        "candidateCount" => Some(&mut config.candidate_count),
        "presencePenalty" => Some(&mut config.presence_penalty),
        "frequencyPenalty" => Some(&mut config.frequency_penalty),
        _ => None,
    }
}
