//! What hooks may write, event by event.

use schemars::JsonSchema;

use crate::formats::json_object::JsonObject;
use crate::formats::llm::{HookToolConfig, PartialLlmRequest, PartialLlmResponse};

/// What a hook asks for. Silence means: go on.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
pub(super) struct Output<Specific> {
    /// `block` and `deny` block the operation where the event can be blocked; `ask` (`BeforeTool`) puts the call to a
    /// person; the others let it run.
    decision: Option<OutputDecision>,
    /// Why; shown to the model and to the user.
    reason: Option<String>,
    /// `false` stops the agent.
    r#continue: Option<bool>,
    /// Why the agent should stop.
    stop_reason: Option<String>,
    /// `true` hides the result from the user.
    suppress_output: Option<bool>,
    /// A message for the model.
    system_message: Option<String>,
    /// What only hooks of this event may ask for.
    hook_specific_output: Option<Specific>,
}

// The decisions that an output may name. No doc comment: it would become a description in every schema.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OutputDecision {
    Ask,
    Block,
    Deny,
    Approve,
    Allow,
}

/// What a `BeforeTool` hook may ask for.
#[derive(JsonSchema)]
pub(super) struct BeforeToolSpecific {
    #[serde(rename = "hookEventName")]
    event: Option<String>,
    /// Another place for `decision`.
    #[serde(rename = "permissionDecision")]
    permission_decision: Option<OutputDecision>,
    /// Another place for `reason`.
    #[serde(rename = "permissionDecisionReason")]
    permission_decision_reason: Option<String>,
    /// Arguments to change; the others stay.
    tool_input: Option<JsonObject>,
}

/// What an `AfterTool` hook may ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AfterToolSpecific {
    hook_event_name: Option<String>,
    /// Text that is added to what the model reads of the result.
    additional_context: Option<String>,
    /// What the model and the person get instead of the tool's result: a text, or an object like the `tool_response`
    /// that the hook was given.
    #[serde(rename = "tool_response")]
    tool_response: Option<serde_json::Value>,
}

/// What a `BeforeAgent` hook may ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BeforeAgentSpecific {
    hook_event_name: Option<String>,
    /// Text that is added to the prompt.
    additional_context: Option<String>,
}

/// What an `AfterAgent` hook may ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AfterAgentSpecific {
    hook_event_name: Option<String>,
    /// `true` makes the agent forget the conversation.
    clear_context: Option<bool>,
}

/// What a `SessionStart` hook may ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionStartSpecific {
    hook_event_name: Option<String>,
    /// Text that the session begins with.
    additional_context: Option<String>,
}

/// Hooks of this event have nothing of their own to ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NothingSpecific {
    hook_event_name: Option<String>,
}

/// What a `BeforeModel` hook may ask for.
#[derive(JsonSchema)]
pub(super) struct BeforeModelSpecific {
    #[serde(rename = "hookEventName")]
    event: Option<String>,
    /// What to change in the request; the rest stays.
    llm_request: Option<PartialLlmRequest<'static>>,
    /// With a block: the answer that is used as if the model had given it.
    llm_response: Option<PartialLlmResponse<'static>>,
}

/// What an `AfterModel` hook may ask for.
#[derive(JsonSchema)]
pub(super) struct AfterModelSpecific {
    #[serde(rename = "hookEventName")]
    event: Option<String>,
    /// The answer that is used instead, built from its texts only: tool calls do not survive.
    llm_response: Option<PartialLlmResponse<'static>>,
}

/// What a `BeforeToolSelection` hook may ask for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BeforeToolSelectionSpecific {
    hook_event_name: Option<String>,
    /// Which tools the model may call.
    tool_config: Option<HookToolConfig>,
}
