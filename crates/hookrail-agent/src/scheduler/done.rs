//! The result of one tool call, before it is published.

use hookrail::{JsonObject, StopReason, ToolEnd, ToolOutcome, ToolResult};

use crate::log::ToolStatus;

/// A call whose result is final.
/// Each call gets exactly one, whether it ran, was blocked, denied or never started: models refuse a conversation in
/// which a call has no answer.
pub(super) struct FinishedCall {
    /// What the model gets.
    pub(super) result: ToolResult,
    /// The tool's own result, where a hook replaced it.
    pub(super) original: Option<ToolResult>,
    pub(super) status: ToolStatus,
    /// The arguments as hooks changed them, as far as the call came.
    pub(super) args: JsonObject,
    /// How long hooks, question and tool took together.
    pub(super) duration_ms: u64,
    /// Why the agent must stop, if a hook asked for it.
    pub(super) stop: Option<StopReason>,
}

/// A failure that the tool calls `cancelled` is the user's doing and is not logged as an error.
pub(super) fn status_of(result: &ToolResult) -> ToolStatus {
    match &result.error {
        None => ToolStatus::Success,
        Some(error) if error.kind.as_deref() == Some("cancelled") => ToolStatus::Cancelled,
        Some(_) => ToolStatus::Error,
    }
}

impl FinishedCall {
    /// A call with this result, which no hook replaced and no hook stopped the agent for.
    pub(super) fn new(status: ToolStatus, args: JsonObject, result: ToolResult) -> Self {
        Self { result, original: None, status, args, duration_ms: 0, stop: None }
    }
}

impl From<ToolOutcome> for FinishedCall {
    fn from(outcome: ToolOutcome) -> Self {
        let ToolOutcome { end, tool_input, result, stop, .. } = outcome;
        let (status, original) = match end {
            ToolEnd::Ran { original } => (status_of(&result), original),
            ToolEnd::Blocked { .. } => (ToolStatus::Blocked, None),
            ToolEnd::Denied => (ToolStatus::Denied, None),
            ToolEnd::Stopped => (ToolStatus::Cancelled, None),
        };
        Self { original, stop, ..Self::new(status, tool_input, result) }
    }
}

/// A call that was given up, or never started because the run was over.
pub(super) fn cancelled(args: JsonObject) -> FinishedCall {
    FinishedCall::new(
        ToolStatus::Cancelled,
        args,
        ToolResult::failure("The call was cancelled.", "cancelled"),
    )
}
