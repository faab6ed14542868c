//! Requests. Each field is read by itself, so that one that cannot be read does not undo the others.

use std::borrow::Cow;

use serde_json::Value;

use super::members::{Members, list, text};
use super::texts::{NonText, role_and_texts, texts};
use super::{CONFIG, CONTENT, MESSAGES, PARTS, Result, Writer};
use crate::formats::field::{FieldPath, TranslationError};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{
    HookToolConfig, JoinedText, LlmConfig, LlmContent, LlmMessage, PartialLlmRequest, ToolMode,
};

/// Reads an `llm_request`. The list has an entry for each field that cannot be read and counts as not given.
pub(crate) fn read_request<'v>(
    given: impl Into<Members<'v>>,
    writer: Writer,
) -> (PartialLlmRequest<'v>, Vec<TranslationError>) {
    let at = FieldPath::Root("llm_request");
    let mut members = given.into();
    let mut problems = Problems(Vec::new());
    let request = PartialLlmRequest {
        model: problems.keep(members.text("model", &at)),
        messages: problems.keep(messages(&mut members, &at, writer)),
        config: config(&mut members, &at, &mut problems),
        tool_config: problems.keep(tool_config(&mut members, &at)),
        system_instruction: problems.keep(system_instruction(&mut members, &at, writer)),
        extra: members.left(),
    };
    (request, problems.0)
}

/// A member of a request that a hook gives.
pub(crate) struct GivenMember<'v> {
    /// Its name in the stable format.
    pub(crate) name: &'v str,
    /// The name that the hook wrote.
    pub(crate) written: &'v str,
    /// What it is set to.
    pub(crate) value: &'v Value,
}

/// The members that a hook gives, as they are read: without those that are `null`, and without a spelling that another
/// one of the same member comes before.
pub(crate) fn given_members(given: &JsonObject) -> impl Iterator<Item = GivenMember<'_>> {
    given.iter().filter(|(_, value)| !value.is_null()).filter_map(move |(written, value)| {
        let spellings =
            [&MESSAGES, &CONFIG].into_iter().find(|spellings| spellings.contains(&written.as_str()));
        let name = match spellings {
            None => written.as_str(),
            Some(spellings) => {
                let (read, _) = Members::from(given).take_spelled(spellings)?;
                if read != written.as_str() {
                    return None;
                }
                spellings[0]
            }
        };
        Some(GivenMember { name, written, value })
    })
}

/// Reads the conversation that a hook gives, if it gives one.
pub(crate) fn read_messages<'v>(
    given: impl Into<Members<'v>>,
    at: &FieldPath<'_>,
) -> Result<Option<Vec<LlmMessage<'v>>>> {
    messages(&mut given.into(), at, Writer::Hook)
}

/// Reads steering fields, and leaves out those that cannot be read.
pub(crate) fn read_config<'v>(given: impl Into<Members<'v>>) -> LlmConfig<'v> {
    config_fields(given.into(), &FieldPath::Root("config"), &mut Problems(Vec::new()))
}

/// Reads which tools a model may call. Unknown fields are dropped: the type that hooks see has no place for them.
pub(crate) fn read_tool_config<'v>(
    given: impl Into<Members<'v>>,
    at: &FieldPath<'_>,
) -> Result<HookToolConfig> {
    let mut members = given.into();
    let mode = members.take("mode").map(|word| {
        ToolMode::from_value(&word)
            .ok_or_else(|| at.key("mode").mismatch("`AUTO`, `ANY` or `NONE`", Some(&word)))
    });
    Ok(HookToolConfig {
        mode: mode.transpose()?,
        allowed_function_names: members.names("allowedFunctionNames", at)?,
    })
}

/// What could not be read.
struct Problems(Vec<TranslationError>);

impl Problems {
    fn keep<T>(&mut self, read: Result<Option<T>>) -> Option<T> {
        read.unwrap_or_else(|problem| {
            self.0.push(problem);
            None
        })
    }
}

fn messages<'v>(
    members: &mut Members<'v>,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<Option<Vec<LlmMessage<'v>>>> {
    let given = members.take_spelled(writer.spellings(&MESSAGES));
    given.map(|(key, value)| list(value, &at.key(key), |entry, at| message(entry, at, writer))).transpose()
}

/// The role stays as written. A hook may leave it out, which means the user's, or write only the text.
fn message<'v>(value: Cow<'v, Value>, at: &FieldPath<'_>, writer: Writer) -> Result<LlmMessage<'v>> {
    let role = match writer {
        Writer::Program => None,
        Writer::Hook => Some("user"),
    };
    if let (Some(role), Value::String(_)) = (role, &*value) {
        let content = JoinedText(vec![text(value, at)?]);
        return Ok(LlmMessage { role: Cow::Borrowed(role), content, extra: None });
    }
    let mut members = Members::of(value, at)?;
    let LlmContent { role, parts } = role_and_texts(&mut members, role, writer.spellings(&CONTENT), at)?;
    Ok(LlmMessage { role, content: JoinedText(parts), extra: members.left_if_any() })
}

fn config<'v>(
    members: &mut Members<'v>,
    at: &FieldPath<'_>,
    problems: &mut Problems,
) -> Option<LlmConfig<'v>> {
    let (key, value) = members.take_spelled(&CONFIG)?;
    let at = at.key(key);
    let members = problems.keep(Members::of(value, &at).map(Some))?;
    Some(config_fields(members, &at, problems))
}

fn config_fields<'v>(mut members: Members<'v>, at: &FieldPath<'_>, problems: &mut Problems) -> LlmConfig<'v> {
    let mut number = |key| problems.keep(members.number(key, at));
    LlmConfig {
        temperature: number("temperature"),
        max_output_tokens: number("maxOutputTokens"),
        top_p: number("topP"),
        top_k: number("topK"),
        candidate_count: number("candidateCount"),
        presence_penalty: number("presencePenalty"),
        frequency_penalty: number("frequencyPenalty"),
        stop_sequences: problems.keep(members.names("stopSequences", at)).map(Cow::Owned),
        extra: Cow::Owned(members.left()),
    }
}

fn tool_config(members: &mut Members<'_>, at: &FieldPath<'_>) -> Result<Option<HookToolConfig>> {
    let given = members.object("toolConfig", at)?;
    given.map(|given| read_tool_config(given, &at.key("toolConfig"))).transpose()
}

/// Only hooks give one: it has no place in what they are shown, so that in a payload it is a field like any other.
fn system_instruction<'v>(
    members: &mut Members<'v>,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<Option<LlmContent<'v>>> {
    const ROLE: &str = "system";
    if writer == Writer::Program {
        return Ok(None);
    }
    let Some(value) = members.take("systemInstruction") else { return Ok(None) };
    let at = at.key("systemInstruction");
    if value.is_object() {
        return role_and_texts(&mut Members::of(value, &at)?, Some(ROLE), &PARTS, &at).map(Some);
    }
    Ok(Some(LlmContent { role: Cow::Borrowed(ROLE), parts: texts(value, &at, NonText::Refused)? }))
}
