//! Model payloads: in the SDK's form, as agents have them, or in the stable form that hooks receive.

use std::borrow::Cow;

use serde_json::Value;

use super::InputError;
use crate::formats::field::{FieldPath, read};
use crate::formats::genai::{Content, GenerateContentParameters, GenerateContentResponse, Part};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{Writer, read_request, read_response};
use crate::formats::llm::{LlmRequest, LlmResponse, PartialLlmRequest, PartialLlmResponse, joined};
use crate::formats::translator::{DEFAULT_HOOK_TRANSLATOR, TranslationError};

/// A model request that came from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelRequest {
    /// With `contents`.
    Sdk(Box<GenerateContentParameters>),
    /// With `messages`.
    Stable(Box<LlmRequest<'static>>),
}

impl ModelRequest {
    /// The conversation shows the form: `messages` is stable, `contents` the SDK's.
    pub(super) fn parse(request: JsonObject) -> Result<Self, InputError> {
        if request.contains_key("messages") {
            return Ok(Self::Stable(Box::new(stable_request(request)?)));
        }
        let at = FieldPath::Root("llm_request");
        if request.contains_key("contents") {
            let request = Value::Object(request);
            let translated = read(&request, &at)
                .map_err(|error| contents_error(&request, &at.key("contents")).unwrap_or(error))?;
            return Ok(Self::Sdk(Box::new(translated)));
        }
        let expected = "a list of messages (or `contents` in the SDK's form)";
        Err(InputError::Validation(at.key("messages").mismatch(expected, None)))
    }

    /// The request as hooks see it.
    pub fn as_llm_request(&self) -> LlmRequest<'_> {
        match self {
            Self::Sdk(request) => DEFAULT_HOOK_TRANSLATOR.to_hook_llm_request(request),
            Self::Stable(request) => (**request).clone(),
        }
    }
}

/// A model response that came from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelResponse {
    /// With parts that are objects.
    Sdk(Box<GenerateContentResponse>),
    /// With parts that are texts, or with a `text` of its own.
    Stable(Box<LlmResponse<'static>>),
}

impl ModelResponse {
    /// The texts show the form: bare ones, or a `text` beside the candidates, are stable.
    pub(super) fn parse(response: JsonObject) -> Result<Self, InputError> {
        if response.contains_key("text") || has_bare_texts(&response) {
            return Ok(Self::Stable(Box::new(
                stable_response(response, Writer::Program).map_err(InputError::Validation)?,
            )));
        }
        Ok(Self::Sdk(Box::new(read(&Value::Object(response), &FieldPath::Root("llm_response"))?)))
    }

    /// The response as hooks see it.
    pub fn as_llm_response(&self) -> LlmResponse<'_> {
        match self {
            Self::Sdk(response) => DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(response),
            Self::Stable(response) => (**response).clone(),
        }
    }
}

/// What is wrong with an entry of the conversation. They have several spellings, and the parser's error names none of them.
fn contents_error(request: &Value, at: &FieldPath<'_>) -> Option<TranslationError> {
    let entry_error = |value: &Value, at: &FieldPath<'_>| match value {
        Value::String(_) => None,
        Value::Object(object) if !object.contains_key("parts") && !object.contains_key("role") => {
            read::<Part>(value, at).err()
        }
        _ => read::<Content>(value, at).err(),
    };
    match request.get("contents")? {
        Value::Array(entries) => {
            entries.iter().enumerate().find_map(|(place, value)| entry_error(value, &at.index(place)))
        }
        single => entry_error(single, at),
    }
}

/// Whether a part of any candidate is a bare text, which the SDK never writes.
fn has_bare_texts(response: &JsonObject) -> bool {
    let candidates = response.get("candidates").and_then(Value::as_array);
    let mut parts = candidates.into_iter().flatten().filter_map(|candidate| {
        let content = candidate.get("content")?;
        content.get("parts")?.as_array()
    });
    parts.any(|parts| parts.iter().any(Value::is_string))
}

/// Reads an `llm_request` that has `messages`. One field that cannot be read makes it an error.
fn stable_request(given: JsonObject) -> Result<LlmRequest<'static>, InputError> {
    let (request, problems) = read_request(given, Writer::Program);
    if let Some(problem) = problems.into_iter().next() {
        return Err(InputError::Validation(problem));
    }
    let PartialLlmRequest { model, messages, config, tool_config, extra, .. } = request;
    Ok(LlmRequest {
        model: model.unwrap_or_default(),
        messages: messages.unwrap_or_default(),
        config,
        tool_config,
        extra: Cow::Owned(extra),
    })
}

/// Reads an `llm_response` whose parts are texts. Where only `text` is given, a candidate says it too, and the other
/// way round, so that scripts find it in either place.
pub(crate) fn stable_response(
    given: JsonObject,
    writer: Writer,
) -> Result<LlmResponse<'static>, TranslationError> {
    let PartialLlmResponse { text, candidates, usage_metadata, extra } = read_response(given, writer)?;
    let extra = Cow::Owned(extra);
    if let (None, Some(text)) = (&candidates, &text) {
        return Ok(LlmResponse { usage_metadata, extra, ..LlmResponse::said(text.clone()) });
    }
    let candidates = candidates.unwrap_or_default();
    let text = text.or_else(|| {
        let parts = &candidates.first()?.content.parts;
        (!parts.is_empty()).then(|| joined(parts.clone()))
    });
    Ok(LlmResponse { text, candidates, usage_metadata, extra })
}
