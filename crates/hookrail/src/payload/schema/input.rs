//! What hooks read, event by event.

use schemars::JsonSchema;

use crate::event::{NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmRequest, LlmResponse};

/// What every hook reads.
#[derive(JsonSchema)]
pub(super) struct Base {
    /// The session's identifier.
    session_id: String,
    /// The session's transcript; empty when the host names none.
    transcript_path: String,
    /// The project's directory, which is also the hook's working directory.
    cwd: String,
    /// When the event happened: ISO 8601 in UTC with milliseconds.
    timestamp: String,
    /// The event.
    hook_event_name: String,
}

/// A tool is about to run.
#[derive(JsonSchema)]
pub(super) struct BeforeToolInput {
    #[serde(flatten)]
    base: Base,
    /// The tool's name; matchers are compared with it.
    tool_name: String,
    /// The tool's arguments.
    tool_input: JsonObject,
}

/// A tool has run; its result is not yet with the model.
#[derive(JsonSchema)]
pub(super) struct AfterToolInput {
    #[serde(flatten)]
    base: Base,
    /// The tool's name; matchers are compared with it.
    tool_name: String,
    /// The arguments the tool received.
    tool_input: JsonObject,
    /// The tool's result: `llmContent`, `returnDisplay`, `metadata` and, if it failed, `error`.
    tool_response: JsonObject,
}

/// A prompt is about to be worked on.
#[derive(JsonSchema)]
pub(super) struct BeforeAgentInput {
    #[serde(flatten)]
    base: Base,
    /// What the user asks.
    prompt: String,
}

/// The work on a prompt has ended.
#[derive(JsonSchema)]
pub(super) struct AfterAgentInput {
    #[serde(flatten)]
    base: Base,
    /// What the user asked.
    prompt: String,
    /// What the agent answered.
    prompt_response: String,
    /// Whether this round was itself caused by a hook's block; a script that blocks again may loop.
    stop_hook_active: bool,
}

/// A model call is about to be made.
#[derive(JsonSchema)]
pub(super) struct BeforeModelInput {
    #[serde(flatten)]
    base: Base,
    /// The request.
    llm_request: LlmRequest<'static>,
}

/// A model call has been answered completely.
#[derive(JsonSchema)]
pub(super) struct AfterModelInput {
    #[serde(flatten)]
    base: Base,
    /// The request.
    llm_request: LlmRequest<'static>,
    /// The answer.
    llm_response: LlmResponse<'static>,
}

/// A model call that carries tool definitions is about to be made.
#[derive(JsonSchema)]
pub(super) struct BeforeToolSelectionInput {
    #[serde(flatten)]
    base: Base,
    /// The request.
    llm_request: LlmRequest<'static>,
}

/// A session begins.
#[derive(JsonSchema)]
pub(super) struct SessionStartInput {
    #[serde(flatten)]
    base: Base,
    /// How it came to start; matchers are compared with it.
    source: SessionStartSource,
}

/// A session ends.
#[derive(JsonSchema)]
pub(super) struct SessionEndInput {
    #[serde(flatten)]
    base: Base,
    /// Why it ended; matchers are compared with it.
    reason: SessionEndReason,
}

/// The history is about to be summarised.
#[derive(JsonSchema)]
pub(super) struct PreCompressInput {
    #[serde(flatten)]
    base: Base,
    /// Who asked for it; matchers are compared with it.
    trigger: PreCompressTrigger,
}

/// The agent is about to tell or ask the user something.
#[derive(JsonSchema)]
pub(super) struct NotificationInput {
    #[serde(flatten)]
    base: Base,
    /// What it is about, such as `ToolPermission`; matchers are compared with it.
    notification_type: NotificationType,
    /// What the user reads.
    message: String,
    /// More about it.
    details: JsonObject,
}
