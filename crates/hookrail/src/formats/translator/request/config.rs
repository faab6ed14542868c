//! The steering fields: numbers and stop sequences, in the SDK's `config` or in REST form.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::formats::genai::{GenerateContentConfig, GenerateContentParameters};
use crate::formats::llm::LlmConfig;
use crate::formats::llm::read::read_config;

/// Where REST clients put what the SDK puts into `config`.
const REST_CONFIG: &str = "generationConfig";

/// The steering fields of the SDK's `config`, else those in REST form; `None` if there are none.
pub(super) fn shown_config(request: &GenerateContentParameters) -> Option<LlmConfig<'_>> {
    let rest = request.extra.get(REST_CONFIG).and_then(Value::as_object).map(read_config).unwrap_or_default();
    let Some(sdk) = &request.config else {
        return Some(rest).filter(|config| *config != LlmConfig::default());
    };
    let config = LlmConfig {
        temperature: sdk.temperature.clone().or(rest.temperature),
        max_output_tokens: sdk.max_output_tokens.clone().or(rest.max_output_tokens),
        top_p: sdk.top_p.clone().or(rest.top_p),
        top_k: sdk.top_k.clone().or(rest.top_k),
        stop_sequences: sdk.stop_sequences.as_deref().map(Cow::Borrowed).or(rest.stop_sequences),
        candidate_count: sdk.candidate_count.clone().or(rest.candidate_count),
        presence_penalty: sdk.presence_penalty.clone().or(rest.presence_penalty),
        frequency_penalty: sdk.frequency_penalty.clone().or(rest.frequency_penalty),
        extra: Cow::default(),
    };
    (config != LlmConfig::default()).then_some(config)
}

/// Applies what differs from what the hook was shown of `base`, so that the original digits stay otherwise.
pub(super) fn apply_config(
    given: LlmConfig<'_>,
    base: &GenerateContentParameters,
    request: &mut GenerateContentParameters,
) {
    let shown = shown_config(base).unwrap_or_default();
    let mut number = |key, given: Option<Number>, shown: Option<Number>, slot| {
        let new = given.filter(|given| !shown.is_some_and(|shown| reads_as(&shown, given)));
        set(request, key, new, slot);
    };
    number("temperature", given.temperature, shown.temperature, |config| &mut config.temperature);
    number("maxOutputTokens", given.max_output_tokens, shown.max_output_tokens, |config| {
        &mut config.max_output_tokens
    });
    number("topP", given.top_p, shown.top_p, |config| &mut config.top_p);
    number("topK", given.top_k, shown.top_k, |config| &mut config.top_k);
    number("candidateCount", given.candidate_count, shown.candidate_count, |config| {
        &mut config.candidate_count
    });
    number("presencePenalty", given.presence_penalty, shown.presence_penalty, |config| {
        &mut config.presence_penalty
    });
    number("frequencyPenalty", given.frequency_penalty, shown.frequency_penalty, |config| {
        &mut config.frequency_penalty
    });
    let new = given.stop_sequences.filter(|given| shown.stop_sequences.as_ref() != Some(given));
    set(request, "stopSequences", new.map(Cow::into_owned), |config| &mut config.stop_sequences);
}

/// Whether a number given back is the one that was shown. JavaScript writes `1` for `1.0`, and a reader may
/// be off in a float's last digit.
fn reads_as(base: &Number, given: &Number) -> bool {
    base == given
        || (base.is_f64() || given.is_f64()) && base.as_f64() == given.as_f64()
        || base.to_string().parse().is_ok_and(|read: Number| read == *given)
}

/// Writes a steering field where its value stood: into `config`, or into the `generationConfig` of a
/// request in REST form.
fn set<T: Serialize>(
    request: &mut GenerateContentParameters,
    key: &str,
    value: Option<T>,
    slot: fn(&mut GenerateContentConfig) -> &mut Option<T>,
) {
    let Some(value) = value else { return };
    let in_config = request.config.as_mut().is_some_and(|config| slot(config).is_some());
    match request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut) {
        Some(rest) if !in_config => {
            rest.insert(key.to_owned(), json!(value));
        }
        _ => *slot(request.config.get_or_insert_default()) = Some(value),
    }
}
