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
#[non_exhaustive]
pub struct ToolOutcome {
    /// Whether the tool ran.
    pub end: ToolEnd,
    /// The arguments it ran with, or would have run with.
    pub tool_input: JsonObject,
    /// Its result with what hooks made of it, or why it did not run, worded for the model.
    pub result: ToolResult,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// What was odd about the hooks or had no effect; for a log.
    pub warnings: Vec<String>,
}

/// How a tool call ended. Exhaustive on purpose: a host has to handle each case.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEnd {
    /// The tool ran.
    Ran {
        /// Its own result, where a hook replaced it.
        original: Option<ToolResult>,
    },
    /// Hooks blocked the call.
    Blocked {
        /// Why.
        block: Block,
    },
    /// The host's permission step refused the call.
    Denied,
    /// The tool did not run, because the agent must stop.
    Stopped,
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
        let refused = |end, tool_input, text: String, kind, stop, notes: Notes| {
            let mut result = ToolResult::failure(text, kind);
            apply_notes(&mut result, &notes);
            ToolOutcome { end, tool_input, result, stop, warnings: notes.warnings }
        };
        let (changed, asked) = match before.gate {
            ToolGate::Run { tool_input } => (tool_input, None),
            ToolGate::Ask { tool_input, reason } => (tool_input, Some(reason)),
            ToolGate::Block { block, stop } => {
                let text = block.reason.clone();
                return refused(ToolEnd::Blocked { block }, tool_input, text, "hook_blocked", stop, notes);
            }
            ToolGate::Stop { reason } => {
                let text = format!("Agent execution stopped by hook: {reason}");
                return refused(ToolEnd::Stopped, tool_input, text, "hook_stopped", Some(reason), notes);
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
                return refused(ToolEnd::Denied, tool_input, reason, "permission_denied", None, notes);
            }
            Permission::Stopped { reason } => {
                let text = format!("Agent execution stopped: {reason}");
                return refused(ToolEnd::Stopped, tool_input, text, "stopped", Some(reason), notes);
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
        ToolOutcome { end: ToolEnd::Ran { original }, tool_input, result, stop: after.stop, warnings }
    }
}

fn apply_notes(result: &mut ToolResult, notes: &Notes) {
    result.append_system_message(notes.system_message.as_deref());
    if notes.suppress_output {
        result.suppress_display = Some(true);
    }
}
