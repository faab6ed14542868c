//! The conversation that a hook gave back, as it is compared with the one that the hook was shown.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::TranslationError;
use crate::formats::field::FieldPath;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmMessage, read};

/// One message of a hook's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenMessage<'g> {
    /// `user`, `model` or `system`.
    pub(crate) role: &'static str,
    /// Its text; never empty.
    pub(crate) text: Cow<'g, str>,
}

/// The role that hooks see: one of three. Whatever else an SDK has (`function`, `tool`, none) is input for the model,
/// as a user's messages are; `assistant` is what other SDKs call the model.
pub(super) fn hook_role(role: Option<&str>) -> &'static str {
    match role {
        Some("model" | "assistant") => "model",
        Some("system") => "system",
        _ => "user",
    }
}

/// Reads the conversation of a request, if it gives one.
pub(crate) fn read_messages<'g>(
    given: &'g JsonObject,
    at: &FieldPath<'_>,
) -> Result<Option<Vec<GivenMessage<'g>>>, TranslationError> {
    Ok(read::read_messages(given, at)?.map(given_messages))
}

/// Messages without text say nothing and are left out, as they are on the way to a hook.
pub(super) fn given_messages(messages: Vec<LlmMessage<'_>>) -> Vec<GivenMessage<'_>> {
    let messages = messages.into_iter().map(|LlmMessage { role, content, .. }| GivenMessage {
        role: hook_role(Some(&role)),
        text: content.into_text(),
    });
    messages.filter(|message| !message.text.is_empty()).collect()
}

/// A message in the stable format.
pub(crate) fn message_as_json(message: &GivenMessage<'_>) -> Value {
    json!({ "role": message.role, "content": message.text })
}
