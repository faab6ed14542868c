//! What a model answers.

use serde::{Deserialize, Serialize};

use super::{Content, FunctionCall, Part, null_as_default};
use crate::formats::json_object::JsonObject;

/// A model's answer, or one chunk of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerateContentResponse {
    /// The alternatives; usually one.
    #[serde(default, deserialize_with = "null_as_default")]
    pub candidates: Vec<Candidate>,
    /// Token counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<UsageMetadata>,
    /// Fields this type does not name, such as `promptFeedback`.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl GenerateContentResponse {
    /// One candidate that says `text` and finished with `STOP`.
    pub fn from_text(text: &str) -> Self {
        let parts = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
        let content = Content { role: Some("model".to_owned()), parts, extra: JsonObject::new() };
        let candidate = Candidate {
            content: Some(content),
            finish_reason: Some("STOP".to_owned()),
            index: Some(0),
            ..Candidate::default()
        };
        Self { candidates: vec![candidate], ..Self::default() }
    }

    /// The answer's text: text parts of the first candidate, without thinking.
    pub fn text(&self) -> String {
        self.first_parts().iter().filter_map(Part::answer_text).collect()
    }

    /// The tool calls of the first candidate, in order.
    pub fn function_calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.first_parts().iter().filter_map(|part| part.function_call.as_ref())
    }

    fn first_parts(&self) -> &[Part] {
        self.candidates
            .first()
            .and_then(|candidate| candidate.content.as_ref())
            .map_or(&[], |content| &content.parts)
    }
}

/// One alternative of a [`GenerateContentResponse`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// What the model said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Its place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Safety verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Vec<SafetyRating>>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// One safety verdict.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SafetyRating {
    /// What was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How likely it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<String>,
    /// Fields this type does not name, such as `blocked`.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Token counts of a model call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageMetadata {
    /// Tokens of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<u64>,
    /// Both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<u64>,
    /// Fields this type does not name.
    #[serde(flatten)]
    pub extra: JsonObject,
}
