//! Model responses: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use super::{DEFAULT_HOOK_TRANSLATOR, HookTranslatorGenAiV1, TranslationError, shown_text};
use crate::formats::genai::{Candidate, Content, GenerateContentResponse, Part, SafetyRating, UsageMetadata};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::read::{Writer, read_response};
use crate::formats::llm::{
    LlmCandidate, LlmContent, LlmResponse, LlmSafetyRating, LlmUsage, PartialLlmResponse, joined,
};

impl HookTranslatorGenAiV1 {
    /// What hooks see of a model's answer: its texts without thinking, and safety ratings without the SDK's
    /// `blocked` flag. `text` is the whole text of the first candidate. Every text is borrowed.
    pub fn to_hook_llm_response(self, response: &GenerateContentResponse) -> LlmResponse<'_> {
        let candidates: Vec<_> = response.candidates.iter().map(shown_candidate).collect();
        let text =
            candidates.first().map(|first| first.content.parts.clone()).filter(|parts| !parts.is_empty());
        LlmResponse {
            text: text.map(joined),
            candidates,
            usage_metadata: response.usage_metadata.as_ref().map(|usage| LlmUsage {
                prompt_token_count: usage.prompt_token_count,
                candidates_token_count: usage.candidates_token_count,
                total_token_count: usage.total_token_count,
            }),
            extra: Cow::default(),
        }
    }

    /// Builds a response from what a hook gave, text parts only. With `text` alone it has one candidate that
    /// says it. A candidate without a finish reason finished with `STOP`.
    pub fn from_hook_llm_response(
        self,
        given: &JsonObject,
    ) -> Result<GenerateContentResponse, TranslationError> {
        let given = read(given)?;
        let mut response = match given.candidates {
            Some(candidates) => GenerateContentResponse {
                candidates: build_all(candidates, &[]),
                ..GenerateContentResponse::default()
            },
            None => GenerateContentResponse::from_text(&given.text.unwrap_or_default()),
        };
        response.usage_metadata =
            given.usage_metadata.map(|usage| usage_over(UsageMetadata::default(), usage));
        Ok(response)
    }
}

/// Role and texts of one candidate. Safety ratings without category or probability are shown with empty texts.
fn shown_candidate(candidate: &Candidate) -> LlmCandidate<'_> {
    LlmCandidate {
        content: LlmContent {
            role: Cow::Borrowed("model"),
            parts: parts(candidate).iter().filter_map(shown_text).map(Cow::Borrowed).collect(),
        },
        finish_reason: candidate.finish_reason.as_deref().map(Cow::Borrowed),
        index: candidate.index,
        safety_ratings: candidate.safety_ratings.as_ref().map(|ratings| {
            ratings
                .iter()
                .map(|rating| LlmSafetyRating {
                    category: Cow::Borrowed(rating.category.as_deref().unwrap_or_default()),
                    probability: Cow::Borrowed(rating.probability.as_deref().unwrap_or_default()),
                })
                .collect()
        }),
        extra: None,
    }
}

fn parts(candidate: &Candidate) -> &[Part] {
    candidate.content.as_ref().map_or(&[], |content| &content.parts)
}

/// The response that is used after an `AfterModel` hook answered with `given`, which may be partial; `None`
/// when it changes nothing, and then the original stays, tool calls included.
///
/// Where the hook changed what is said, the candidates are rebuilt from text parts only. If both
/// `candidates` and `text` are given, the one that differs from what the hook was shown counts, and
/// `candidates` if both do: scripts tend to edit one and to pass the other on.
pub(crate) fn apply_hook_llm_response(
    given: &JsonObject,
    original: &GenerateContentResponse,
) -> Result<Option<GenerateContentResponse>, TranslationError> {
    let PartialLlmResponse { text, candidates, usage_metadata, .. } = read(given)?;
    let shown = DEFAULT_HOOK_TRANSLATOR.to_hook_llm_response(original);
    let candidates = candidates.filter(|given| {
        given.len() != shown.candidates.len()
            || !given.iter().zip(&shown.candidates).all(|(given, shown)| says_the_same(given, shown))
    });
    let text = text.filter(|text| shown.text.as_deref().unwrap_or_default() != text);
    let known = original.usage_metadata.clone().unwrap_or_default();
    let usage = usage_metadata.map(|given| usage_over(known.clone(), given)).filter(|given| *given != known);
    if candidates.is_none() && text.is_none() && usage.is_none() {
        return Ok(None);
    }
    let (candidates, extra) = match (candidates, text) {
        (Some(candidates), _) => (build_all(candidates, &original.candidates), JsonObject::new()),
        (None, Some(text)) => {
            let first = build(LlmCandidate::with_text(text), 0, original.candidates.first());
            let rest = original.candidates.iter().skip(1).cloned();
            (std::iter::once(first).chain(rest).collect(), JsonObject::new())
        }
        (None, None) => (original.candidates.clone(), original.extra.clone()),
    };
    let usage_metadata = usage.or_else(|| original.usage_metadata.clone());
    Ok(Some(GenerateContentResponse { candidates, usage_metadata, extra }))
}

/// Reads a hook's response. Empty texts say nothing and are left out, as they are on the way to a hook.
fn read(given: &JsonObject) -> Result<PartialLlmResponse, TranslationError> {
    let mut given = read_response(given.clone(), Writer::Hook)?;
    for candidate in given.candidates.iter_mut().flatten() {
        candidate.content.parts.retain(|text| !text.is_empty());
    }
    Ok(given)
}

/// Whether nothing that was given differs from what was shown. The role of an answer is always `model`.
fn says_the_same(given: &LlmCandidate<'_>, shown: &LlmCandidate<'_>) -> bool {
    given.content.parts == shown.content.parts
        && !differs(given.finish_reason.as_ref(), shown.finish_reason.as_ref())
        && !differs(given.index, shown.index)
        && !differs(given.safety_ratings.as_ref(), shown.safety_ratings.as_ref())
}

/// Whether something was given and is not what was shown.
fn differs<T: Copy + PartialEq>(given: Option<T>, shown: Option<T>) -> bool {
    given.is_some() && given != shown
}

fn build_all(given: Vec<LlmCandidate<'_>>, original: &[Candidate]) -> Vec<Candidate> {
    let given = given.into_iter().enumerate();
    given.map(|(place, candidate)| build(candidate, place, original.get(place))).collect()
}

/// The SDK's candidate. What was not given comes from the original at the same place.
fn build(given: LlmCandidate<'_>, place: usize, original: Option<&Candidate>) -> Candidate {
    let ratings = given.safety_ratings.map(|ratings| {
        let ratings = ratings.into_iter().map(|rating| SafetyRating {
            category: Some(rating.category.into_owned()),
            probability: Some(rating.probability.into_owned()),
            extra: JsonObject::new(),
        });
        ratings.collect()
    });
    Candidate {
        content: Some(Content {
            role: Some("model".to_owned()),
            parts: given.content.parts.into_iter().map(Part::text).collect(),
            extra: JsonObject::new(),
        }),
        finish_reason: given
            .finish_reason
            .map(Cow::into_owned)
            .or_else(|| original?.finish_reason.clone())
            .or_else(|| original.is_none().then(|| "STOP".to_owned())),
        index: given.index.or_else(|| original?.index).or_else(|| u64::try_from(place).ok()),
        safety_ratings: ratings.or_else(|| original?.safety_ratings.clone()),
        extra: JsonObject::new(),
    }
}

/// The counts that were given, and for the others those that are known.
fn usage_over(known: UsageMetadata, given: LlmUsage) -> UsageMetadata {
    UsageMetadata {
        prompt_token_count: given.prompt_token_count.or(known.prompt_token_count),
        candidates_token_count: given.candidates_token_count.or(known.candidates_token_count),
        total_token_count: given.total_token_count.or(known.total_token_count),
        extra: known.extra,
    }
}
