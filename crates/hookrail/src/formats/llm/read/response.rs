//! Responses. The first field that cannot be read is the error: half a response must not replace a whole one.

use std::borrow::Cow;

use serde_json::Value;

use super::members::Members;
use super::texts::{NonText, part, texts};
use super::{CONTENT, Result, Writer};
use crate::formats::field::FieldPath;
use crate::formats::llm::{LlmCandidate, LlmContent, LlmSafetyRating, LlmUsage, PartialLlmResponse};

/// Reads an `llm_response`.
pub(crate) fn read_response<'v>(
    given: impl Into<Members<'v>>,
    writer: Writer,
) -> Result<PartialLlmResponse<'v>> {
    let at = FieldPath::Root("llm_response");
    let mut members = given.into();
    Ok(PartialLlmResponse {
        text: members.text("text", &at)?,
        candidates: members.list("candidates", &at, |entry, at| candidate(entry, at, writer))?,
        usage_metadata: usage(&mut members, &at)?,
        extra: members.left(),
    })
}

fn usage(members: &mut Members<'_>, at: &FieldPath<'_>) -> Result<Option<LlmUsage>> {
    let Some(mut usage) = members.object("usageMetadata", at)? else { return Ok(None) };
    let at = at.key("usageMetadata");
    Ok(Some(LlmUsage {
        prompt_token_count: usage.count("promptTokenCount", &at)?,
        candidates_token_count: usage.count("candidatesTokenCount", &at)?,
        total_token_count: usage.count("totalTokenCount", &at)?,
    }))
}

/// Everything but the object itself is optional; a candidate without content says nothing.
fn candidate<'v>(value: Cow<'v, Value>, at: &FieldPath<'_>, writer: Writer) -> Result<LlmCandidate<'v>> {
    let mut members = Members::of(value, at)?;
    Ok(LlmCandidate {
        content: content(&mut members, at, writer)?,
        finish_reason: members.text("finishReason", at)?,
        index: members.count("index", at)?,
        safety_ratings: members
            .list("safetyRatings", at, |entry, at| safety_rating(Members::of(entry, at)?, at, writer))?,
        extra: members.left_if_any(),
    })
}

/// The texts stand in `content.parts`. A hook may write them right into the candidate; only the texts of its
/// candidate are used, so that other parts are read as empty.
fn content<'v>(candidate: &mut Members<'v>, at: &FieldPath<'_>, writer: Writer) -> Result<LlmContent<'v>> {
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
fn safety_rating<'v>(
    mut rating: Members<'v>,
    at: &FieldPath<'_>,
    writer: Writer,
) -> Result<LlmSafetyRating<'v>> {
    let mut text = |key| match (rating.text(key, at)?, writer) {
        (Some(text), _) => Ok(text),
        (None, Writer::Hook) => Ok(Cow::Borrowed("")),
        (None, Writer::Program) => Err(at.key(key).mismatch("a text", None)),
    };
    Ok(LlmSafetyRating { category: text("category")?, probability: text("probability")? })
}
