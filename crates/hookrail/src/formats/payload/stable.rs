//! Reads the stable form. Values are moved, not copied, and unknown fields go on to the hooks.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::ValidationError;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{
    HookToolConfig, JoinedText, LlmCandidate, LlmConfig, LlmContent, LlmMessage, LlmRequest, LlmResponse,
    LlmSafetyRating, LlmUsage, ToolMode,
};
use crate::formats::translator::FieldPath;

/// An error names the field by its path from `llm_request` or `llm_response`.
type Result<T> = std::result::Result<T, ValidationError>;

/// Reads an `llm_request` that has `messages`.
pub(super) fn request(mut fields: JsonObject) -> Result<LlmRequest<'static>> {
    let at = FieldPath::Root("llm_request");
    let model = text(&mut fields, "model", &at)?.unwrap_or_default();
    let messages = list(&mut fields, "messages", &at)?.unwrap_or_default();
    let messages_at = at.key("messages");
    let messages = messages.into_iter().enumerate();
    let messages = messages.map(|(place, value)| message(value, &messages_at.entry(place)));
    let messages = messages.collect::<Result<Vec<_>>>()?;
    // The older spelling is read only where the newer one is absent, so that no key is written twice.
    let config_key = if fields.contains_key("config") { "config" } else { "generationConfig" };
    let config = object(&mut fields, config_key, &at)?;
    let config = config.map(|fields| config_fields(fields, &at.key(config_key))).transpose()?;
    let tool_config = object(&mut fields, "toolConfig", &at)?;
    let tool_config =
        tool_config.map(|fields| tool_config_fields(fields, &at.key("toolConfig"))).transpose()?;
    Ok(LlmRequest { model: Cow::Owned(model), messages, config, tool_config, extra: Cow::Owned(fields) })
}

/// Role and content are required, because no hook could make sense of a message without them. The role stays as
/// written.
fn message(value: Value, at: &FieldPath<'_>) -> Result<LlmMessage<'static>> {
    let mut fields = into_object(value, at)?;
    let role = required_text(&mut fields, "role", at)?;
    let content_at = at.key("content");
    let content = match fields.shift_remove("content") {
        Some(Value::String(text)) => JoinedText(vec![Cow::Owned(text)]),
        Some(Value::Array(parts)) => JoinedText(texts(parts, &content_at)?),
        other => {
            return Err(content_at.mismatch("a text or a list of parts", other.as_ref()).into());
        }
    };
    Ok(LlmMessage { role: Cow::Owned(role), content, extra: left(fields) })
}

/// The steering fields. `null` reads as absent, and numbers stay as written.
fn config_fields(mut fields: JsonObject, at: &FieldPath<'_>) -> Result<LlmConfig<'static>> {
    let stop_sequences = match list(&mut fields, "stopSequences", at)? {
        None => None,
        Some(entries) => Some(Cow::Owned(names(entries, &at.key("stopSequences"))?)),
    };
    Ok(LlmConfig {
        temperature: number(&mut fields, "temperature", at)?,
        max_output_tokens: number(&mut fields, "maxOutputTokens", at)?,
        top_p: number(&mut fields, "topP", at)?,
        top_k: number(&mut fields, "topK", at)?,
        stop_sequences,
        candidate_count: number(&mut fields, "candidateCount", at)?,
        presence_penalty: number(&mut fields, "presencePenalty", at)?,
        frequency_penalty: number(&mut fields, "frequencyPenalty", at)?,
        extra: Cow::Owned(fields),
    })
}

/// Unlike elsewhere, unknown fields are dropped: the type that hooks see has no place for them.
fn tool_config_fields(mut fields: JsonObject, at: &FieldPath<'_>) -> Result<HookToolConfig> {
    let mode = match present(&mut fields, "mode") {
        None => None,
        Some(word) => Some(
            ToolMode::from_value(&word)
                .ok_or_else(|| at.key("mode").mismatch("`AUTO`, `ANY` or `NONE`", Some(&word)))?,
        ),
    };
    let allowed_function_names = match list(&mut fields, "allowedFunctionNames", at)? {
        None => None,
        Some(entries) => Some(names(entries, &at.key("allowedFunctionNames"))?),
    };
    Ok(HookToolConfig { mode, allowed_function_names })
}

/// Reads an `llm_response` whose parts are texts. Where only `text` is given, a candidate says it too, so
/// that scripts find it in either place.
pub(super) fn response(mut fields: JsonObject) -> Result<LlmResponse<'static>> {
    let at = FieldPath::Root("llm_response");
    let given_text = text(&mut fields, "text", &at)?;
    let candidates_at = at.key("candidates");
    let candidates = match list(&mut fields, "candidates", &at)? {
        Some(entries) => {
            let entries = entries.into_iter().enumerate();
            let candidates = entries.map(|(place, value)| candidate(value, &candidates_at.entry(place)));
            candidates.collect::<Result<Vec<_>>>()?
        }
        None => given_text.iter().map(|text| candidate_of(text.clone())).collect(),
    };
    let text = match given_text {
        Some(text) => Some(JoinedText(vec![Cow::Owned(text)])),
        None => candidates.first().map(|first| JoinedText(first.content.parts.clone())),
    };
    let usage_metadata = match object(&mut fields, "usageMetadata", &at)? {
        None => None,
        Some(mut usage) => {
            let at = at.key("usageMetadata");
            Some(LlmUsage {
                prompt_token_count: count(&mut usage, "promptTokenCount", &at)?,
                candidates_token_count: count(&mut usage, "candidatesTokenCount", &at)?,
                total_token_count: count(&mut usage, "totalTokenCount", &at)?,
            })
        }
    };
    let text = text.filter(|text| !text.0.is_empty());
    Ok(LlmResponse { text, candidates, usage_metadata, extra: Cow::Owned(fields) })
}

/// The candidate of a response that gives a `text` alone.
fn candidate_of(text: String) -> LlmCandidate<'static> {
    LlmCandidate {
        content: LlmContent { role: Cow::Borrowed("model"), parts: vec![Cow::Owned(text)] },
        finish_reason: Some(Cow::Borrowed("STOP")),
        index: Some(0),
        safety_ratings: None,
        extra: None,
    }
}

/// Everything but the object itself is optional; a candidate without content says nothing.
fn candidate(value: Value, at: &FieldPath<'_>) -> Result<LlmCandidate<'static>> {
    let mut fields = into_object(value, at)?;
    let content_at = at.key("content");
    let content = match object(&mut fields, "content", at)? {
        None => LlmContent { role: Cow::Borrowed("model"), parts: Vec::new() },
        Some(mut content) => LlmContent {
            role: text(&mut content, "role", &content_at)?.map_or(Cow::Borrowed("model"), Cow::Owned),
            parts: texts(
                list(&mut content, "parts", &content_at)?.unwrap_or_default(),
                &content_at.key("parts"),
            )?,
        },
    };
    let ratings_at = at.key("safetyRatings");
    let safety_ratings = match list(&mut fields, "safetyRatings", at)? {
        None => None,
        Some(entries) => {
            let ratings = entries.into_iter().enumerate().map(|(place, value)| {
                let at = ratings_at.entry(place);
                let mut rating = into_object(value, &at)?;
                Ok(LlmSafetyRating {
                    category: Cow::Owned(required_text(&mut rating, "category", &at)?),
                    probability: Cow::Owned(required_text(&mut rating, "probability", &at)?),
                })
            });
            Some(ratings.collect::<Result<Vec<_>>>()?)
        }
    };
    Ok(LlmCandidate {
        content,
        finish_reason: text(&mut fields, "finishReason", at)?.map(Cow::Owned),
        index: count(&mut fields, "index", at)?,
        safety_ratings,
        extra: left(fields),
    })
}

/// Texts given bare or as `{text}`; parts of other kinds have no place in the stable format.
fn texts(parts: Vec<Value>, at: &FieldPath<'_>) -> Result<Vec<Cow<'static, str>>> {
    let parts = parts.into_iter().enumerate();
    parts
        .map(|(place, part)| match part {
            Value::String(text) => Ok(Cow::Owned(text)),
            Value::Object(mut part) if part.get("text").is_some_and(Value::is_string) => {
                match part.shift_remove("text") {
                    Some(Value::String(text)) => Ok(Cow::Owned(text)),
                    other => Err(at.entry(place).key("text").mismatch("a text", other.as_ref()).into()),
                }
            }
            other => Err(at.entry(place).mismatch("a text or an object with a `text`", Some(&other)).into()),
        })
        .collect()
}

/// A list of texts and nothing else.
fn names(entries: Vec<Value>, at: &FieldPath<'_>) -> Result<Vec<String>> {
    let entries = entries.into_iter().enumerate();
    entries
        .map(|(place, entry)| match entry {
            Value::String(text) => Ok(text),
            other => Err(at.entry(place).mismatch("a text", Some(&other)).into()),
        })
        .collect()
}

/// Takes a field that is not `null`.
fn present(fields: &mut JsonObject, key: &str) -> Option<Value> {
    fields.shift_remove(key).filter(|value| !value.is_null())
}

fn into_object(value: Value, at: &FieldPath<'_>) -> Result<JsonObject> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(at.mismatch("an object", Some(&other)).into()),
    }
}

fn object(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<Option<JsonObject>> {
    present(fields, key).map(|value| into_object(value, &at.key(key))).transpose()
}

fn list(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<Option<Vec<Value>>> {
    match present(fields, key) {
        None => Ok(None),
        Some(Value::Array(entries)) => Ok(Some(entries)),
        Some(other) => Err(at.key(key).mismatch("a list", Some(&other)).into()),
    }
}

fn text(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<Option<String>> {
    match present(fields, key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(at.key(key).mismatch("a text", Some(&other)).into()),
    }
}

fn required_text(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<String> {
    text(fields, key, at)?.ok_or_else(|| at.key(key).mismatch("a text", None).into())
}

fn number(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<Option<Number>> {
    match present(fields, key) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(other) => Err(at.key(key).mismatch("a number", Some(&other)).into()),
    }
}

fn count(fields: &mut JsonObject, key: &str, at: &FieldPath<'_>) -> Result<Option<u64>> {
    match present(fields, key) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None => Err(at.key(key).mismatch("a whole number", Some(&value)).into()),
        },
    }
}

/// What was not taken, for the hooks.
fn left(fields: JsonObject) -> Option<Cow<'static, JsonObject>> {
    (!fields.is_empty()).then_some(Cow::Owned(fields))
}
