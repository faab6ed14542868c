//! What hooks see of a model's answer.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::read::{Writer, read_response};
use super::{JoinedText, PartialLlmResponse, borrowed_texts};
use crate::formats::json_object::JsonObject;

/// A model's answer: texts only.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmResponse<'a> {
    /// The whole text of the first candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub text: Option<JoinedText<'a>>,
    /// The alternatives; usually one.
    pub candidates: Vec<LlmCandidate<'a>>,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<LlmUsage>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Cow<'a, JsonObject>,
}

impl LlmResponse<'_> {
    /// The same response, borrowing from this one.
    pub fn borrowed(&self) -> LlmResponse<'_> {
        LlmResponse {
            text: self.text.as_ref().map(JoinedText::borrowed),
            candidates: self.candidates.iter().map(LlmCandidate::borrowed).collect(),
            usage_metadata: self.usage_metadata,
            extra: Cow::Borrowed(&self.extra),
        }
    }
}

/// One alternative of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmCandidate<'a> {
    /// What it says.
    pub content: LlmContent<'a>,
    /// Why it ended, such as `STOP` or `MAX_TOKENS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<Cow<'a, str>>,
    /// Its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Safety verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Vec<LlmSafetyRating<'a>>>,
    /// Fields a bus client sent in stable form and that hookrail does not know.
    #[serde(flatten)]
    #[schemars(skip)]
    pub extra: Option<Cow<'a, JsonObject>>,
}

impl<'a> LlmCandidate<'a> {
    /// A candidate of which nothing is known but its text.
    pub(crate) fn with_text(text: Cow<'a, str>) -> Self {
        Self {
            content: LlmContent { role: Cow::Borrowed("model"), parts: vec![text] },
            finish_reason: None,
            index: None,
            safety_ratings: None,
            extra: None,
        }
    }

    fn borrowed(&self) -> LlmCandidate<'_> {
        let ratings = self.safety_ratings.as_ref().map(|ratings| {
            let borrowed = ratings.iter().map(|rating| LlmSafetyRating {
                category: Cow::Borrowed(&*rating.category),
                probability: Cow::Borrowed(&*rating.probability),
            });
            borrowed.collect()
        });
        LlmCandidate {
            content: LlmContent {
                role: Cow::Borrowed(&self.content.role),
                parts: borrowed_texts(&self.content.parts),
            },
            finish_reason: self.finish_reason.as_deref().map(Cow::Borrowed),
            index: self.index,
            safety_ratings: ratings,
            extra: self.extra.as_deref().map(Cow::Borrowed),
        }
    }
}

/// What a candidate says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmContent<'a> {
    /// Always `model`.
    pub role: Cow<'a, str>,
    /// Its texts.
    pub parts: Vec<Cow<'a, str>>,
}

/// A safety verdict.
// Without the SDK's `blocked` flag, which hooks never see.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmSafetyRating<'a> {
    /// What was judged.
    pub category: Cow<'a, str>,
    /// How likely it is.
    pub probability: Cow<'a, str>,
}

/// Token counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmUsage {
    /// Tokens of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<u64>,
    /// Both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<u64>,
}

/// The text of a response that hooks are shown: its `text`, or else the texts of all candidates.
pub(crate) fn response_text(response: &Value) -> Cow<'_, str> {
    let read = response.as_object().map(|response| read_response(response, Writer::Hook));
    let Some(Ok(PartialLlmResponse { text, candidates, .. })) = read else { return Cow::Borrowed("") };
    text.unwrap_or_else(|| {
        let candidates = candidates.into_iter().flatten();
        Cow::Owned(candidates.flat_map(|candidate| candidate.content.parts).collect())
    })
}
