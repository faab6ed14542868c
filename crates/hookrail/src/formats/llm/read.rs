//! The reader of the stable model format.
//!
//! Payloads that other programs send and answers of hooks are read by the same code, into the same types. What depends on
//! who wrote it is decided by [`Writer`].
//!
//! What a request or a response is missing, and what becomes of it in the SDK's form, is not decided here.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::formats::field::{self, FieldPath, TranslationError};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{
    HookToolConfig, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmSafetyRating, PartialLlmRequest,
    PartialLlmResponse, joined,
};

/// An error names the field by its path from where the reading began.
type Result<T> = std::result::Result<T, TranslationError>;

/// The spellings of a member, its own in the stable format first. Other guides for the same protocol use the others.
type Spellings = [&'static str; 2];

const MESSAGES: Spellings = ["messages", "contents"];
/// Both are accepted from programs and hooks.
const CONFIG: Spellings = ["config", "generationConfig"];
/// What a message or a candidate says.
const CONTENT: Spellings = ["content", "parts"];
/// What a system instruction says; it is the SDK's form that hooks write here.
const PARTS: Spellings = ["parts", "content"];

/// Who wrote what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A program that sends a payload. It has read the protocol: messages have a role, safety ratings are complete,
    /// and everything is in its own place.
    Program,
    /// A hook that answers. It may leave out what follows from the rest, write what is shortest, and use the
    /// spellings of other guides.
    Hook,
}

impl Writer {
    /// The spellings that are accepted.
    fn spellings(self, spellings: &'static Spellings) -> &'static [&'static str] {
        match self {
            Self::Program => &spellings[..1],
            Self::Hook => spellings,
        }
    }
}

/// Reads an `llm_request`. The list has an entry for each field that cannot be read and counts as not given.
pub(crate) fn read_request(given: JsonObject, writer: Writer) -> (PartialLlmRequest, Vec<TranslationError>) {
    let at = FieldPath::Root("llm_request");
    let mut members = Members(given);
    let mut problems = Problems(Vec::new());
    let request = PartialLlmRequest {
        model: problems.keep(members.text("model", &at)),
        messages: problems.keep(messages(&mut members, &at, writer)),
        config: config(&mut members, &at, &mut problems),
        tool_config: problems.keep(members.read("toolConfig", &at)),
        system_instruction: problems.keep(system_instruction(&mut members, &at, writer)),
        extra: members.0,
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
    let is_given = |key: &str| given.get(key).is_some_and(|value| !value.is_null());
    given.iter().filter(move |(key, _)| is_given(key)).filter_map(move |(written, value)| {
        let spellings =
            [MESSAGES, CONFIG].into_iter().find(|spellings| spellings.contains(&written.as_str()));
        let name = match spellings {
            Some([name, other]) if written == other && is_given(name) => return None,
            Some([name, _]) => name,
            None => written,
        };
        Some(GivenMember { name, written, value })
    })
}

/// Reads the conversation that a hook gives, if it gives one.
pub(crate) fn read_messages(
    given: JsonObject,
    at: &FieldPath<'_>,
) -> Result<Option<Vec<LlmMessage<'static>>>> {
    messages(&mut Members(given), at, Writer::Hook)
}

/// Reads steering fields, and leaves out those that cannot be read.
pub(crate) fn read_config(given: JsonObject) -> LlmConfig<'static> {
    config_fields(Members(given), &FieldPath::Root("config"), &mut Problems(Vec::new()))
}

/// Reads which tools a model may call. Unknown fields are dropped: the type that hooks see has no place for them.
pub(crate) fn read_tool_config(given: JsonObject, at: &FieldPath<'_>) -> Result<HookToolConfig> {
    field::read(&given.into(), at)
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

fn messages(
    members: &mut Members,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<Option<Vec<LlmMessage<'static>>>> {
    let given = members.take_spelled(writer.spellings(&MESSAGES));
    given.map(|(key, value)| list(value, &at.key(key), |entry, at| message(entry, at, writer))).transpose()
}

/// The role stays as written. A hook may leave it out, which means the user's, or write only the text.
fn message(value: Value, at: &FieldPath<'_>, writer: Writer) -> Result<LlmMessage<'static>> {
    let role = match writer {
        Writer::Program => None,
        Writer::Hook => Some("user"),
    };
    let mut members = match (role, value) {
        (Some(role), Value::String(text)) => return Ok(LlmMessage::new(role, text)),
        (_, value) => Members::of(value, at)?,
    };
    let LlmContent { role, parts } = role_and_texts(&mut members, role, writer.spellings(&CONTENT), at)?;
    Ok(LlmMessage { role, content: joined(parts), extra: members.left_if_any() })
}

fn config(members: &mut Members, at: &FieldPath<'_>, problems: &mut Problems) -> Option<LlmConfig<'static>> {
    let (key, value) = members.take_spelled(&CONFIG)?;
    let at = at.key(key);
    let members = problems.keep(Members::of(value, &at).map(Some))?;
    Some(config_fields(members, &at, problems))
}

fn config_fields(mut members: Members, at: &FieldPath<'_>, problems: &mut Problems) -> LlmConfig<'static> {
    let mut number = |key| problems.keep(members.read(key, at));
    LlmConfig {
        temperature: number("temperature"),
        max_output_tokens: number("maxOutputTokens"),
        top_p: number("topP"),
        top_k: number("topK"),
        candidate_count: number("candidateCount"),
        presence_penalty: number("presencePenalty"),
        frequency_penalty: number("frequencyPenalty"),
        stop_sequences: problems.keep(members.read("stopSequences", at)).map(Cow::Owned),
        extra: Cow::Owned(members.0),
    }
}

/// Only hooks give one: it has no place in what they are shown, so that in a payload it is a field like any other.
fn system_instruction(
    members: &mut Members,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<Option<LlmContent<'static>>> {
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

/// Reads an `llm_response`.
pub(crate) fn read_response(given: JsonObject, writer: Writer) -> Result<PartialLlmResponse> {
    let at = FieldPath::Root("llm_response");
    let mut members = Members(given);
    Ok(PartialLlmResponse {
        text: members.text("text", &at)?,
        candidates: members.list("candidates", &at, |entry, at| candidate(entry, at, writer))?,
        usage_metadata: members.read("usageMetadata", &at)?,
        extra: members.0,
    })
}

/// Everything but the object itself is optional; a candidate without content says nothing.
fn candidate(value: Value, at: &FieldPath<'_>, writer: Writer) -> Result<LlmCandidate<'static>> {
    let mut members = Members::of(value, at)?;
    Ok(LlmCandidate {
        content: content(&mut members, at, writer)?,
        finish_reason: members.text("finishReason", at)?,
        index: members.read("index", at)?,
        safety_ratings: members
            .list("safetyRatings", at, |entry, at| safety_rating(Members::of(entry, at)?, at, writer))?,
        extra: members.left_if_any(),
    })
}

/// The texts are in `content.parts`. A hook may write them right into the candidate; only the texts of its
/// candidate are used, so that other parts are read as empty.
fn content(candidate: &mut Members, at: &FieldPath<'_>, writer: Writer) -> Result<LlmContent<'static>> {
    let mut content = LlmContent { role: Cow::Borrowed("model"), parts: Vec::new() };
    let Some((key, value)) = candidate.take_spelled(writer.spellings(&CONTENT)) else { return Ok(content) };
    let at = at.key(key);
    if writer == Writer::Hook && !value.is_object() {
        content.parts = texts(value, &at, NonText::Empty)?;
        return Ok(content);
    }
    let mut members = Members::of(value, &at)?;
    if let Some(role) = members.text("role", &at)? {
        content.role = role;
    }
    let parts = match writer {
        Writer::Program => members.list("parts", &at, |entry, at| part(entry, at, NonText::Refused))?,
        Writer::Hook => {
            let parts = members.take("parts");
            parts.map(|parts| texts(parts, &at.key("parts"), NonText::Empty)).transpose()?
        }
    };
    content.parts = parts.unwrap_or_default();
    Ok(content)
}

/// A hook may leave out what it does not know of a rating.
fn safety_rating(
    mut rating: Members,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<LlmSafetyRating<'static>> {
    let mut text = |key| match (rating.text(key, at)?, writer) {
        (Some(text), _) => Ok(text),
        (None, Writer::Hook) => Ok(Cow::Borrowed("")),
        (None, Writer::Program) => Err(at.key(key).mismatch("a text", None)),
    };
    Ok(LlmSafetyRating { category: text("category")?, probability: text("probability")? })
}

/// What becomes of parts that are not text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NonText {
    /// They are an error, because they would have no effect, unnoticed.
    Refused,
    /// They say nothing and are read as empty texts.
    Empty,
}

/// What is expected where a text belongs.
const TEXT_OR_PARTS: &str = "a text or a list of parts";

/// A text in any spelling: bare, or as parts that are texts or `{text}`.
fn texts(value: Value, at: &FieldPath<'_>, non_text: NonText) -> Result<Vec<Cow<'static, str>>> {
    match value {
        Value::String(text) => Ok(vec![text.into()]),
        Value::Array(_) => list(value, at, |entry, at| part(entry, at, non_text)),
        other => Err(at.mismatch(TEXT_OR_PARTS, Some(&other))),
    }
}

/// One of several parts: a text, or an object that has one.
fn part(value: Value, at: &FieldPath<'_>, non_text: NonText) -> Result<Cow<'static, str>> {
    match value {
        Value::String(text) => Ok(text.into()),
        Value::Object(part) if part.get("text").is_some_and(|text| !text.is_null()) => {
            Ok(Members(part).text("text", at)?.unwrap_or_default())
        }
        Value::Object(_) if non_text == NonText::Empty => Ok(Cow::Borrowed("")),
        other => Err(at.mismatch("a text or an object with a `text`", Some(&other))),
    }
}

/// A role and its texts; both have to be given. `role` is the one of an object that names none.
fn role_and_texts(
    members: &mut Members,
    role: Option<&'static str>,
    spellings: &[&'static str],
    at: &FieldPath<'_>,
) -> Result<LlmContent<'static>> {
    let role = members.text("role", at)?.or(role.map(Cow::Borrowed));
    let role = role.ok_or_else(|| at.key("role").mismatch("a text", None))?;
    let Some((key, value)) = members.take_spelled(spellings) else {
        let missing = spellings.first().copied().unwrap_or_default();
        return Err(at.key(missing).mismatch(TEXT_OR_PARTS, None));
    };
    Ok(LlmContent { role, parts: texts(value, &at.key(key), NonText::Refused)? })
}

/// An object whose members are moved out of it one by one. What is left in the end was not known.
struct Members(JsonObject);

impl Members {
    /// The members of a value that has to be an object.
    fn of(value: Value, at: &FieldPath<'_>) -> Result<Self> {
        match value {
            Value::Object(object) => Ok(Self(object)),
            other => Err(at.mismatch("an object", Some(&other))),
        }
    }

    /// Takes a member that was given. `null` counts as not given: scripts that build their answer from variables
    /// write it for what they leave alone.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key).filter(|value| !value.is_null())
    }

    /// Takes the first of several spellings of a member that was given, and says which one it is.
    fn take_spelled(&mut self, spellings: &[&'static str]) -> Option<(&'static str, Value)> {
        spellings.iter().find_map(|key| Some((*key, self.take(key)?)))
    }

    /// Takes a value of any type; `None` where there is none.
    fn read<T: DeserializeOwned>(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<T>> {
        self.take(key).map(|value| field::read(&value, &at.key(key))).transpose()
    }

    /// Takes a text; `None` where there is none.
    fn text(&mut self, key: &str, at: &FieldPath<'_>) -> Result<Option<Cow<'static, str>>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.into())),
            Some(other) => Err(at.key(key).mismatch("a text", Some(&other))),
        }
    }

    /// A list, each entry of which is read by `read`.
    fn list<T>(
        &mut self,
        key: &str,
        at: &FieldPath<'_>,
        read: impl Fn(Value, &FieldPath<'_>) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        self.take(key).map(|value| list(value, &at.key(key), read)).transpose()
    }

    /// The members that were not taken; `None` if all were.
    fn left_if_any(self) -> Option<Cow<'static, JsonObject>> {
        (!self.0.is_empty()).then_some(Cow::Owned(self.0))
    }
}

/// Reads a value as a list, item by item.
fn list<T>(
    value: Value,
    at: &FieldPath<'_>,
    read: impl Fn(Value, &FieldPath<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let Value::Array(entries) = value else { return Err(at.mismatch("a list", Some(&value))) };
    entries.into_iter().enumerate().map(|(place, entry)| read(entry, &at.index(place))).collect()
}

#[cfg(test)]
mod tests;
