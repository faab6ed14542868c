//! Model responses: what a hook sees of one, and what a hook's answer makes of it.

use std::borrow::Cow;

use serde_json::Value;

use super::field::{FieldPath, count_member, list, member, object, spelled, text_member};
use super::given::{NonText, read_texts};
use super::{TranslationError, shown_text};
use crate::formats::genai::{Candidate, Content, GenerateContentResponse, Part, SafetyRating, UsageMetadata};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{JoinedText, LlmCandidate, LlmContent, LlmResponse, LlmSafetyRating, LlmUsage};

/// What hooks see of a model's answer: its texts without thinking, and safety ratings without the SDK's
/// `blocked` flag. `text` is the whole text of the first candidate. Every text is borrowed.
pub fn to_hook_llm_response(response: &GenerateContentResponse) -> LlmResponse<'_> {
    let candidates: Vec<_> = response.candidates.iter().map(shown_candidate).collect();
    let text = candidates.first().map(|first| first.content.parts.clone()).filter(|parts| !parts.is_empty());
    LlmResponse {
        text: text.map(JoinedText),
        candidates,
        usage_metadata: response.usage_metadata.as_ref().map(|usage| LlmUsage {
            prompt_token_count: usage.prompt_token_count,
            candidates_token_count: usage.candidates_token_count,
            total_token_count: usage.total_token_count,
        }),
        extra: Cow::Owned(JsonObject::new()),
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

/// Builds a response from what a hook gave, text parts only. With `text` alone it has one candidate that
/// says it. A candidate without a finish reason finished with `STOP`.
pub fn from_hook_llm_response(given: &JsonObject) -> Result<GenerateContentResponse, TranslationError> {
    let given = GivenResponse::read(given)?;
    let mut response = match (given.candidates, given.text) {
        (Some(candidates), _) => GenerateContentResponse {
            candidates: candidates
                .into_iter()
                .enumerate()
                .map(|(place, candidate)| candidate.build(place, None))
                .collect(),
            ..GenerateContentResponse::default()
        },
        (None, text) => GenerateContentResponse::from_text(text.unwrap_or_default()),
    };
    response.usage_metadata = given.usage_metadata;
    Ok(response)
}

/// The response that is used after an `AfterModel` hook answered with `given`, which may be partial; `None`
/// when it changes nothing, and then the original stays, tool calls included.
///
/// Where the hook changed what is said, the candidates are rebuilt from text parts only. If both
/// `candidates` and `text` are given, the one that differs from what the hook was shown counts, and
/// `candidates` if both do: scripts tend to edit one and to pass the other on.
pub fn apply_hook_llm_response(
    given: &JsonObject,
    original: &GenerateContentResponse,
) -> Result<Option<GenerateContentResponse>, TranslationError> {
    let given = GivenResponse::read(given)?;
    let change = given.change(original);
    if change == Change::default() {
        return Ok(None);
    }
    let mut response = GenerateContentResponse {
        candidates: Vec::new(),
        usage_metadata: original.usage_metadata.clone(),
        extra: JsonObject::new(),
    };
    response.candidates = match (change, given.candidates, given.text) {
        (Change { candidates: true, .. }, Some(candidates), _) => candidates
            .into_iter()
            .enumerate()
            .map(|(place, candidate)| candidate.build(place, original.candidates.get(place)))
            .collect(),
        (Change { text: true, .. }, _, Some(text)) => {
            let first = GivenCandidate { texts: vec![text], ..GivenCandidate::default() };
            let rest = original.candidates.iter().skip(1).cloned();
            std::iter::once(first.build(0, original.candidates.first())).chain(rest).collect()
        }
        // Only the token counts changed.
        _ => {
            response.extra.clone_from(&original.extra);
            original.candidates.clone()
        }
    };
    if change.usage
        && let Some(usage) = given.usage_metadata
    {
        let kept = response.usage_metadata.unwrap_or_default();
        response.usage_metadata = Some(UsageMetadata {
            prompt_token_count: usage.prompt_token_count.or(kept.prompt_token_count),
            candidates_token_count: usage.candidates_token_count.or(kept.candidates_token_count),
            total_token_count: usage.total_token_count.or(kept.total_token_count),
            extra: kept.extra,
        });
    }
    Ok(Some(response))
}

/// Whether a hook gave back the response it was shown, wholly or in part. What cannot be read is not equal.
pub fn response_equals(given: &JsonObject, original: &GenerateContentResponse) -> bool {
    GivenResponse::read(given).is_ok_and(|given| given.change(original) == Change::default())
}

/// Which parts of a response differ from the original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Change {
    candidates: bool,
    text: bool,
    usage: bool,
}

/// A response as a hook gave it.
struct GivenResponse<'g> {
    text: Option<&'g str>,
    candidates: Option<Vec<GivenCandidate<'g>>>,
    usage_metadata: Option<UsageMetadata>,
}

/// A candidate as a hook gave it; what it left out comes from the original.
#[derive(Default)]
struct GivenCandidate<'g> {
    texts: Vec<&'g str>,
    finish_reason: Option<&'g str>,
    index: Option<u64>,
    /// Category and probability.
    safety_ratings: Option<Vec<(&'g str, &'g str)>>,
}

impl<'g> GivenResponse<'g> {
    /// Reads all fields; the first that cannot be read is the error, because half a response must not replace the model's.
    fn read(given: &'g JsonObject) -> Result<Self, TranslationError> {
        let root = FieldPath::Root("llm_response");
        let candidates = match member(given, "candidates") {
            None => None,
            Some(value) => {
                let at = root.key("candidates");
                let entries = list(value, &at)?.iter().enumerate();
                let candidates = entries.map(|(place, value)| GivenCandidate::read(value, &at.entry(place)));
                Some(candidates.collect::<Result<Vec<_>, _>>()?)
            }
        };
        let usage_metadata = match member(given, "usageMetadata") {
            None => None,
            Some(value) => {
                let at = root.key("usageMetadata");
                let usage = object(value, &at)?;
                Some(UsageMetadata {
                    prompt_token_count: count_member(usage, "promptTokenCount", &at)?,
                    candidates_token_count: count_member(usage, "candidatesTokenCount", &at)?,
                    total_token_count: count_member(usage, "totalTokenCount", &at)?,
                    extra: JsonObject::new(),
                })
            }
        };
        Ok(Self { text: text_member(given, "text", &root)?, candidates, usage_metadata })
    }

    /// What a hook changed, compared with what it was shown. A field that it left out is no change.
    fn change(&self, original: &GenerateContentResponse) -> Change {
        let shown = to_hook_llm_response(original);
        let candidates = self.candidates.as_ref().is_some_and(|candidates| {
            candidates.len() != shown.candidates.len()
                || !candidates.iter().zip(&shown.candidates).all(|(given, shown)| given.equals(shown))
        });
        let text = self.text.is_some_and(|text| {
            shown.text.as_ref().map_or(!text.is_empty(), |shown| shown.0.concat() != text)
        });
        let usage = self.usage_metadata.as_ref().is_some_and(|given| {
            let shown = shown.usage_metadata.unwrap_or_default();
            differs(given.prompt_token_count, shown.prompt_token_count)
                || differs(given.candidates_token_count, shown.candidates_token_count)
                || differs(given.total_token_count, shown.total_token_count)
        });
        Change { candidates, text, usage }
    }
}

/// Whether something was given and is not what was shown.
fn differs<T: Copy + PartialEq>(given: Option<T>, shown: Option<T>) -> bool {
    given.is_some() && given != shown
}

impl<'g> GivenCandidate<'g> {
    /// The texts may stand in `content.parts`, or bare in `content` or `parts`. Parts that are not text are dropped.
    fn read(value: &'g Value, at: &FieldPath<'_>) -> Result<Self, TranslationError> {
        let candidate = object(value, at)?;
        let texts = match spelled(candidate, ["content", "parts"]) {
            None => Vec::new(),
            Some((key, Value::Object(content))) => {
                let at = at.key(key);
                // The role of an answer is always `model`; it is read only to refuse a wrong type.
                text_member(content, "role", &at)?;
                match member(content, "parts") {
                    None => Vec::new(),
                    Some(parts) => read_texts(parts, &at.key("parts"), NonText::Dropped)?,
                }
            }
            Some((key, content)) => read_texts(content, &at.key(key), NonText::Dropped)?,
        };
        let safety_ratings = match member(candidate, "safetyRatings") {
            None => None,
            Some(value) => {
                let at = at.key("safetyRatings");
                let entries = list(value, &at)?.iter().enumerate();
                let ratings = entries.map(|(place, value)| {
                    let at = at.entry(place);
                    let rating = object(value, &at)?;
                    let category = text_member(rating, "category", &at)?.unwrap_or_default();
                    Ok((category, text_member(rating, "probability", &at)?.unwrap_or_default()))
                });
                Some(ratings.collect::<Result<Vec<_>, TranslationError>>()?)
            }
        };
        Ok(Self {
            texts: texts.into_iter().filter(|text| !text.is_empty()).collect(),
            finish_reason: text_member(candidate, "finishReason", at)?,
            index: count_member(candidate, "index", at)?,
            safety_ratings,
        })
    }

    /// Whether nothing that was given differs from what was shown.
    fn equals(&self, shown: &LlmCandidate<'_>) -> bool {
        let ratings = shown.safety_ratings.as_ref().map(|ratings| {
            ratings.iter().map(|rating| (&*rating.category, &*rating.probability)).collect::<Vec<_>>()
        });
        self.texts == shown.content.parts
            && !differs(self.finish_reason, shown.finish_reason.as_deref())
            && !differs(self.index, shown.index)
            && !differs(self.safety_ratings.as_ref(), ratings.as_ref())
    }

    /// The SDK's candidate. What was not given comes from the original at the same place.
    fn build(self, place: usize, original: Option<&Candidate>) -> Candidate {
        let finish_reason = self.finish_reason.map(str::to_owned);
        let ratings = self.safety_ratings.map(|ratings| {
            ratings
                .into_iter()
                .map(|(category, probability)| SafetyRating {
                    category: Some(category.to_owned()),
                    probability: Some(probability.to_owned()),
                    extra: JsonObject::new(),
                })
                .collect()
        });
        Candidate {
            content: Some(Content {
                role: Some("model".to_owned()),
                parts: self.texts.into_iter().map(Part::text).collect(),
                extra: JsonObject::new(),
            }),
            finish_reason: finish_reason
                .or_else(|| original?.finish_reason.clone())
                .or_else(|| original.is_none().then(|| "STOP".to_owned())),
            index: self.index.or_else(|| original?.index).or_else(|| u64::try_from(place).ok()),
            safety_ratings: ratings.or_else(|| original?.safety_ratings.clone()),
            extra: JsonObject::new(),
        }
    }
}
