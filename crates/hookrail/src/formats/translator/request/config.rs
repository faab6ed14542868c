//! The steering fields: numbers and stop sequences, in the SDK's `config` or in REST form.

use std::borrow::Cow;

use serde_json::{Number, Value, json};

use super::super::TranslationError;
use super::super::field::{FieldPath, member, object, spelled, texts};
use super::super::given::{CONFIG, NUMBERS, STOP_SEQUENCES, read_number};
use crate::formats::genai::{GenerateContentConfig, GenerateContentParameters};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::LlmConfig;

/// Where REST clients put what the SDK puts into `config`.
const REST_CONFIG: &str = "generationConfig";

/// The steering fields of the SDK's `config`, else those in REST form; `None` if there are none.
pub(super) fn shown_config(request: &GenerateContentParameters) -> Option<LlmConfig<'_>> {
    let number = |key| current_number(request, key).cloned();
    let config = LlmConfig {
        temperature: number("temperature"),
        max_output_tokens: number("maxOutputTokens"),
        top_p: number("topP"),
        top_k: number("topK"),
        stop_sequences: stop_sequences(request),
        candidate_count: number("candidateCount"),
        presence_penalty: number("presencePenalty"),
        frequency_penalty: number("frequencyPenalty"),
        extra: Cow::Owned(JsonObject::new()),
    };
    (config != LlmConfig::default()).then_some(config)
}

/// Applies each field by itself, so that one that cannot be read is reported and does not undo the others. A value
/// that reads as the one shown leaves the original digits.
pub(super) fn apply_config(
    given: &JsonObject,
    at: &FieldPath<'_>,
    request: &mut GenerateContentParameters,
    problems: &mut Vec<TranslationError>,
) {
    let Some((key, value)) = spelled(given, CONFIG) else { return };
    let at = at.key(key);
    let given = match object(value, &at) {
        Ok(given) => given,
        Err(problem) => return problems.push(problem),
    };
    for key in NUMBERS {
        let Some(value) = member(given, key) else { continue };
        match read_number(value, &at.key(key)) {
            Ok(number) if current_number(request, key).is_some_and(|base| reads_as(base, number)) => {}
            Ok(number) => set_number(request, key, number.clone()),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(value) = member(given, STOP_SEQUENCES) {
        match texts(value, &at.key(STOP_SEQUENCES)) {
            Ok(texts) if stop_sequences(request).is_some_and(|base| *base == *texts) => {}
            Ok(texts) => set_stop_sequences(request, texts),
            Err(problem) => problems.push(problem),
        }
    }
}

/// Whether a number given back is the one that was shown. JavaScript writes `1` for `1.0`, and a reader may
/// be off in a float's last digit.
fn reads_as(base: &Number, given: &Number) -> bool {
    base == given
        || (base.is_f64() || given.is_f64()) && base.as_f64() == given.as_f64()
        || base.to_string().parse().is_ok_and(|read: Number| read == *given)
}

/// The steering fields of a request in REST form.
fn rest_config(request: &GenerateContentParameters) -> Option<&JsonObject> {
    request.extra.get(REST_CONFIG)?.as_object()
}

fn current_number<'r>(request: &'r GenerateContentParameters, key: &str) -> Option<&'r Number> {
    let of_sdk = request.config.as_ref().and_then(|config| number(config, key));
    of_sdk.or_else(|| rest_config(request)?.get(key)?.as_number())
}

/// Writes a steering field where its value stood: into `config`, or into the `generationConfig` of a
/// request in REST form.
fn set_number(request: &mut GenerateContentParameters, key: &str, value: Number) {
    let in_config = request.config.as_ref().is_some_and(|config| number(config, key).is_some());
    match request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut) {
        Some(rest) if !in_config => {
            rest.insert(key.to_owned(), Value::Number(value));
        }
        _ => {
            if let Some(slot) = number_mut(request.config.get_or_insert_default(), key) {
                *slot = Some(value);
            }
        }
    }
}

fn stop_sequences(request: &GenerateContentParameters) -> Option<Cow<'_, [String]>> {
    let of_sdk = request.config.as_ref().and_then(|config| config.stop_sequences.as_deref());
    of_sdk.map(Cow::Borrowed).or_else(|| {
        texts(rest_config(request)?.get(STOP_SEQUENCES)?, &FieldPath::Root("")).ok().map(Cow::Owned)
    })
}

/// As `set_number`, for the list of texts.
fn set_stop_sequences(request: &mut GenerateContentParameters, texts: Vec<String>) {
    let in_config = request.config.as_ref().is_some_and(|config| config.stop_sequences.is_some());
    match request.extra.get_mut(REST_CONFIG).and_then(Value::as_object_mut) {
        Some(rest) if !in_config => {
            rest.insert(STOP_SEQUENCES.to_owned(), json!(texts));
        }
        _ => request.config.get_or_insert_default().stop_sequences = Some(texts),
    }
}

/// The field of a name; `None` also for a name that is no steering field.
fn number<'c>(config: &'c GenerateContentConfig, key: &str) -> Option<&'c Number> {
    match key {
        "temperature" => config.temperature.as_ref(),
        "maxOutputTokens" => config.max_output_tokens.as_ref(),
        "topP" => config.top_p.as_ref(),
        "topK" => config.top_k.as_ref(),
        "candidateCount" => config.candidate_count.as_ref(),
        "presencePenalty" => config.presence_penalty.as_ref(),
        "frequencyPenalty" => config.frequency_penalty.as_ref(),
        _ => None,
    }
}

fn number_mut<'c>(config: &'c mut GenerateContentConfig, key: &str) -> Option<&'c mut Option<Number>> {
    match key {
        "temperature" => Some(&mut config.temperature),
        "maxOutputTokens" => Some(&mut config.max_output_tokens),
        "topP" => Some(&mut config.top_p),
        "topK" => Some(&mut config.top_k),
        "candidateCount" => Some(&mut config.candidate_count),
        "presencePenalty" => Some(&mut config.presence_penalty),
        "frequencyPenalty" => Some(&mut config.frequency_penalty),
        _ => None,
    }
}
