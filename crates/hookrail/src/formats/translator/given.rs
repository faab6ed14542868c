//! Reads what a hook gave back, in any spelling that is accepted.

use std::borrow::Cow;

use serde_json::{Number, Value, json};

use super::TranslationError;
use super::field::{FieldPath, list, object, spelled, text_member};
use crate::formats::json_object::JsonObject;

/// The spellings of a request's conversation.
pub(super) const MESSAGES: [&str; 2] = ["messages", "contents"];
/// The spellings of a request's steering fields.
pub(super) const CONFIG: [&str; 2] = ["config", "generationConfig"];
/// The steering fields that are numbers.
pub(super) const NUMBERS: [&str; 7] = [
    "temperature",
    "maxOutputTokens",
    "topP",
    "topK",
    "candidateCount",
    "presencePenalty",
    "frequencyPenalty",
];
/// The one that is a list of texts.
pub(super) const STOP_SEQUENCES: &str = "stopSequences";

/// One message of a hook's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenMessage<'g> {
    /// `user`, `model` or `system`.
    pub(crate) role: &'static str,
    /// Its text; never empty.
    pub(crate) text: Cow<'g, str>,
}

/// The three roles hooks know. Whatever else an SDK has (`function`, `tool`, none) speaks to the model, as
/// a user does; `assistant` is what other SDKs call the model.
pub(super) fn hook_role(role: Option<&str>) -> &'static str {
    match role {
        Some("model" | "assistant") => "model",
        Some("system") => "system",
        _ => "user",
    }
}

/// Reads the conversation of a request, if it gives one. Messages without text say nothing and are left
/// out, as they are on the way to a hook.
pub(crate) fn read_messages<'g>(
    given: &'g JsonObject,
    at: &FieldPath<'_>,
) -> Result<Option<Vec<GivenMessage<'g>>>, TranslationError> {
    let Some((key, value)) = spelled(given, MESSAGES) else { return Ok(None) };
    let at = at.key(key);
    let mut messages = Vec::new();
    for (index, entry) in list(value, &at)?.iter().enumerate() {
        let message = read_message(entry, &at.entry(index))?;
        if !message.text.is_empty() {
            messages.push(message);
        }
    }
    Ok(Some(messages))
}

/// A bare text is a message of the user. Parts that are not text are refused: a hook was never shown any.
fn read_message<'g>(value: &'g Value, at: &FieldPath<'_>) -> Result<GivenMessage<'g>, TranslationError> {
    if let Value::String(text) = value {
        return Ok(GivenMessage { role: "user", text: Cow::Borrowed(text) });
    }
    let message = object(value, at)?;
    let role = hook_role(text_member(message, "role", at)?);
    let Some((key, content)) = spelled(message, ["content", "parts"]) else {
        return Err(at.key("content").mismatch("a text or a list of parts", message.get("content")));
    };
    let text = match read_texts(content, &at.key(key), NonText::Refused)?.as_slice() {
        [one] => Cow::Borrowed(*one),
        pieces => Cow::Owned(pieces.concat()),
    };
    Ok(GivenMessage { role, text })
}

/// What becomes of parts that are not text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NonText {
    /// They are an error: the script would believe that they had an effect.
    Refused,
    /// They are left out: a response is rebuilt from its text parts only.
    Dropped,
}

/// Reads a text in any spelling: bare, or as parts that are texts or `{text}`.
pub(super) fn read_texts<'g>(
    value: &'g Value,
    at: &FieldPath<'_>,
    non_text: NonText,
) -> Result<Vec<&'g str>, TranslationError> {
    const EXPECTED: &str = "a text or an object with a `text`";
    let parts = match value {
        Value::String(text) => return Ok(vec![text]),
        Value::Array(parts) => parts,
        other => return Err(at.mismatch("a text or a list of parts", Some(other))),
    };
    let mut texts = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let at = at.entry(index);
        match part {
            Value::String(text) => texts.push(text.as_str()),
            Value::Object(part) => match text_member(part, "text", &at)? {
                Some(text) => texts.push(text),
                None if non_text == NonText::Dropped => {}
                None => return Err(at.mismatch(EXPECTED, Some(&Value::Object(part.clone())))),
            },
            other => return Err(at.mismatch(EXPECTED, Some(other))),
        }
    }
    Ok(texts)
}

/// Reads a number.
pub(super) fn read_number<'g>(value: &'g Value, at: &FieldPath<'_>) -> Result<&'g Number, TranslationError> {
    match value {
        Value::Number(number) => Ok(number),
        other => Err(at.mismatch("a number", Some(other))),
    }
}

/// A message in the stable format.
pub(crate) fn message_as_json(message: &GivenMessage<'_>) -> Value {
    json!({ "role": message.role, "content": message.text })
}
