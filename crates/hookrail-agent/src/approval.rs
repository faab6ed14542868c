//! Who must be asked before a tool runs. A hook can never loosen what stands here: approval comes
//! after the hooks and sees the arguments as they changed them.

use hookrail::{AgentEvents, Config, JsonObject, NotificationType, StopReason};
use serde_json::json;

use crate::tools::{Tool, ToolKind};
use crate::ui::{Question, Ui};

/// What may run without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Read-only tools.
    #[default]
    Default,
    /// Also file edits.
    AutoEdit,
    /// Everything.
    Yolo,
}

impl ApprovalMode {
    /// Whether a call of this kind runs without a question.
    pub fn allows(self, kind: ToolKind) -> bool {
        match self {
            Self::Default => kind == ToolKind::ReadOnly,
            Self::AutoEdit => kind != ToolKind::Execute,
            Self::Yolo => true,
        }
    }
}

/// The answer to "may this call run?".
#[must_use = "a call without permission must not run"]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Given,
    Denied,
    /// A `Notification` hook stopped the agent before anybody was asked.
    Stopped(StopReason),
}

/// Decides about one call; `protected` says why it needs a yes in every mode, if it does. `Notification` hooks hear of a question before it is asked, also where
/// nobody is there to answer it: what hooks see does not depend on a terminal.
pub(crate) async fn ask_permission(
    mode: ApprovalMode,
    config: &Config,
    ui: &dyn Ui,
    tool: &dyn Tool,
    args: &JsonObject,
    protected: Option<&'static str>,
) -> Permission {
    // Whoever may edit files without a question may not edit what guards the agent.
    if mode.allows(tool.kind()) && protected.is_none() {
        return Permission::Given;
    }
    let title = tool.title(args);
    if let Some(system) = config.hook_system() {
        system.initialize();
        if let Ok(handler) = system.event_handler() {
            let message = format!("Permission needed: {title}");
            let mut details = JsonObject::new();
            details.insert("type".to_owned(), json!(tool.kind().permission_type()));
            details.insert("title".to_owned(), json!(title));
            details.insert("tool_name".to_owned(), json!(tool.name()));
            details.insert("tool_input".to_owned(), json!(args));
            let notification = NotificationType::ToolPermission;
            let result = handler.fire_notification_event(&notification, &message, &details).await;
            // A notification informs; no answer to it loosens or replaces the question.
            if system.agent_events() == AgentEvents::Apply
                && let Some(reason) = result.stop()
            {
                return Permission::Stopped(reason);
            }
        }
    }
    let question = Question { tool: tool.name().to_owned(), title, why: protected.map(str::to_owned) };
    if ui.ask(&question).await { Permission::Given } else { Permission::Denied }
}
