//! The stable model format.

use schemars::JsonSchema;

/// A model request: texts only. Messages without text are left out.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LlmRequest {
    /// The model's name.
    model: String,
    /// The conversation.
    messages: Vec<LlmMessage>,
    /// What steers the call.
    config: Option<LlmConfig>,
    /// Which tools the model may call.
    tool_config: Option<LlmToolConfig>,
}

/// One message of a conversation.
#[derive(JsonSchema)]
pub(super) struct LlmMessage {
    /// Who speaks.
    role: LlmRole,
    /// What is said.
    content: String,
}

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum LlmRole {
    User,
    Model,
    System,
}

/// What steers a model call.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LlmConfig {
    /// Sampling temperature.
    temperature: Option<f64>,
    /// Longest answer, in tokens.
    max_output_tokens: Option<f64>,
    /// Nucleus sampling.
    top_p: Option<f64>,
    /// Top-k sampling.
    top_k: Option<f64>,
    /// Texts that end the answer.
    stop_sequences: Option<Vec<String>>,
    /// How many answers are wanted.
    candidate_count: Option<f64>,
    /// Penalty for tokens that occurred.
    presence_penalty: Option<f64>,
    /// Penalty for tokens that occurred often.
    frequency_penalty: Option<f64>,
}

/// Which tools a model may call.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LlmToolConfig {
    /// `AUTO`: it may call tools; `ANY`: it must; `NONE`: it must not.
    mode: Option<LlmToolMode>,
    /// The tools it may call.
    allowed_function_names: Option<Vec<String>>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum LlmToolMode {
    Auto,
    Any,
    None,
}

/// A model's answer: texts only.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LlmResponse {
    /// The whole text of the first candidate.
    text: Option<String>,
    /// The alternatives; usually one.
    candidates: Vec<LlmCandidate>,
    /// Token counts.
    usage_metadata: Option<LlmUsage>,
}

/// One alternative of an answer.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LlmCandidate {
    /// What it says.
    content: LlmContent,
    /// Why it ended, such as `STOP` or `MAX_TOKENS`.
    finish_reason: Option<String>,
    /// Its place.
    index: Option<u64>,
    /// Safety verdicts.
    safety_ratings: Option<Vec<LlmSafetyRating>>,
}

/// What a candidate says.
#[derive(JsonSchema)]
pub(super) struct LlmContent {
    /// Always `model`.
    role: String,
    /// Its texts.
    parts: Vec<String>,
}

/// A safety verdict.
#[derive(JsonSchema)]
pub(super) struct LlmSafetyRating {
    /// What was judged.
    category: String,
    /// How likely it is.
    probability: String,
}

/// Token counts.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
pub(super) struct LlmUsage {
    /// Tokens of the request.
    prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    candidates_token_count: Option<u64>,
    /// Both.
    total_token_count: Option<u64>,
}
