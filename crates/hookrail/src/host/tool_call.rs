//! One tool call between its hooks: `BeforeTool`, the host's permission, the tool, `AfterTool`.

use std::borrow::Cow;

use crate::event::Event;
use crate::formats::json_object::JsonObject;
use crate::host::effects::{AfterToolHookResult, Notes, ToolGate};
use crate::host::permission::{Decider, Permission, PermissionRequest, PermissionSubject};
use crate::host::session::HookSession;
use crate::host::tool::ToolResult;
use crate::verdict::result::{Block, StopReason};

/// What became of a tool call. Whatever it was, the result is what the model gets.
#[must_use = "it may carry a stop"]
#[derive(Debug, Clone)]
pub enum ToolOutcome {
    /// The tool ran.
    #[non_exhaustive]
    Ran {
        /// The arguments it ran with.
        tool_input: JsonObject,
        /// Its result with what hooks made of it.
        result: ToolResult,
        /// Its own result, where a hook replaced it.
        original: Option<ToolResult>,
        /// The agent must stop.
        stop: Option<StopReason>,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// Hooks blocked the call.
    #[non_exhaustive]
    Blocked {
        /// The arguments it would have run with.
        tool_input: JsonObject,
        /// The reason, worded for the model.
        result: ToolResult,
        /// Why.
        block: Block,
        /// The agent must stop as well.
        stop: Option<StopReason>,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// The host's permission step refused the call.
    #[non_exhaustive]
    Denied {
        /// The arguments it would have run with.
        tool_input: JsonObject,
        /// The reason, worded for the model.
        result: ToolResult,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// The tool did not run, and the agent must stop.
    #[non_exhaustive]
    Stopped {
        /// The arguments it would have run with.
        tool_input: JsonObject,
        /// The reason, worded for the model.
        result: ToolResult,
        /// Why.
        reason: StopReason,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
}

impl ToolOutcome {
    /// What was odd about the hooks of the call or had no effect, whatever became of it.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::Ran { warnings, .. }
            | Self::Blocked { warnings, .. }
            | Self::Denied { warnings, .. }
            | Self::Stopped { warnings, .. } => warnings,
        }
    }
}

impl HookSession {
    /// Runs a tool between its hooks: a block, a stop or a missing permission keeps it from running, changed arguments are
    /// the ones it runs with, and what hooks say of its result is applied to it.
    ///
    /// `permission` is asked about every call that the hooks let through, with the arguments as they left them;
    /// [`permit_unless_asked`](crate::permit_unless_asked) is one for hosts without rules of their own.
    pub async fn execute_tool(
        &self,
        tool_name: &str,
        tool_input: JsonObject,
        permission: impl AsyncFnOnce(PermissionRequest<'_>) -> Permission,
        execute: impl AsyncFnOnce(&JsonObject) -> ToolResult,
    ) -> ToolOutcome {
        let before = self.fire_before_tool(tool_name, &tool_input).await;
        let notes = before.notes;
        let (changed, asked) = match before.gate {
            ToolGate::Run { tool_input } => (tool_input, None),
            ToolGate::Ask { tool_input, reason } => (tool_input, Some(reason)),
            ToolGate::Block { block, stop } => {
                let (result, warnings) = refusal(block.reason.clone(), "hook_blocked", notes);
                return ToolOutcome::Blocked { tool_input, result, block, stop, warnings };
            }
            ToolGate::Stop { reason } => {
                let text = format!("Agent execution stopped by hook: {reason}");
                let (result, warnings) = refusal(text, "hook_stopped", notes);
                return ToolOutcome::Stopped { tool_input, result, reason, warnings };
            }
        };
        // Arguments that no hook changed are not copied.
        let changed = match changed {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        let tool_input = changed.unwrap_or(tool_input);
        let subject = PermissionSubject::Tool { name: tool_name, input: &tool_input };
        let decider = asked.as_deref().map_or(Decider::Host, |reason| Decider::Person { reason });
        match permission(PermissionRequest { subject, decider }).await {
            Permission::Granted => {}
            Permission::Denied { reason } => {
                let (result, warnings) = refusal(reason, "permission_denied", notes);
                return ToolOutcome::Denied { tool_input, result, warnings };
            }
            Permission::Stopped { reason } => {
                let text = format!("Agent execution stopped: {reason}");
                let (result, warnings) = refusal(text, "stopped", notes);
                return ToolOutcome::Stopped { tool_input, result, reason, warnings };
            }
        }
        let result = execute(&tool_input).await;
        self.after_tool(tool_name, tool_input, result, notes).await
    }

    /// Runs the `AfterTool` hooks on the result and applies the outputs of all hooks of the call.
    async fn after_tool(
        &self,
        tool_name: &str,
        tool_input: JsonObject,
        mut result: ToolResult,
        before: Notes,
    ) -> ToolOutcome {
        // What hooks are given is made only where some hook will read it.
        let none = JsonObject::new();
        let event = Event::AfterTool { tool_name, tool_input: &tool_input, tool_response: &none };
        let after = if self.listening_to(&event).is_some() {
            self.fire_after_tool(tool_name, &tool_input, &result.to_hook_response()).await
        } else {
            AfterToolHookResult::default()
        };
        let original = after.tool_response.as_ref().map(|response| {
            let original = result.clone();
            result.replace_with(response);
            original
        });
        result.append_context(after.additional_context.as_deref());
        apply_notes(&mut result, &before);
        apply_notes(&mut result, &after.notes);
        let mut warnings = before.warnings;
        warnings.extend(after.notes.warnings);
        ToolOutcome::Ran { tool_input, result, original, stop: after.stop, warnings }
    }
}

/// What the model gets instead of a result, and the warnings of the hooks.
fn refusal(text: String, kind: &str, notes: Notes) -> (ToolResult, Vec<String>) {
    let mut result = ToolResult::failure(text, kind);
    apply_notes(&mut result, &notes);
    (result, notes.warnings)
}

fn apply_notes(result: &mut ToolResult, notes: &Notes) {
    result.append_system_message(notes.system_message.as_deref());
    if notes.suppress_output {
        result.suppress_display = Some(true);
    }
}
