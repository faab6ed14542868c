//! Model payloads in the stable form: complete, and as hooks receive them.

use std::borrow::Cow;

use super::ValidationError;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{Writer, read_request, read_response};
use crate::formats::llm::{
    JoinedText, LlmCandidate, LlmRequest, LlmResponse, PartialLlmRequest, PartialLlmResponse,
};

/// Reads an `llm_request` that has `messages`. One field that cannot be read spoils it.
pub(super) fn request(given: JsonObject) -> Result<LlmRequest<'static>, ValidationError> {
    let (request, problems) = read_request(given, Writer::Program);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem.into());
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
pub(super) fn response(given: JsonObject) -> Result<LlmResponse<'static>, ValidationError> {
    let PartialLlmResponse { text, candidates, usage_metadata, extra } =
        read_response(given, Writer::Program)?;
    let candidates = candidates.unwrap_or_else(|| text.iter().cloned().map(candidate_of).collect());
    let pieces = match text {
        Some(text) => vec![text],
        None => candidates.first().map(|first| first.content.parts.clone()).unwrap_or_default(),
    };
    let text = Some(JoinedText(pieces)).filter(|text| !text.0.is_empty());
    Ok(LlmResponse { text, candidates, usage_metadata, extra: Cow::Owned(extra) })
}

/// The candidate of a response that gives a `text` alone.
fn candidate_of(text: Cow<'static, str>) -> LlmCandidate<'static> {
    let finish_reason = Some(Cow::Borrowed("STOP"));
    LlmCandidate { finish_reason, index: Some(0), ..LlmCandidate::saying(text) }
}
