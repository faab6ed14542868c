//! Who must be asked before a tool runs. A hook can never loosen what stands here: approval comes
//! after the hooks and sees the arguments as they changed them.

use std::path::Path;

use hookrail::{AgentEvents, Config, JsonObject, NotificationType, StopReason};
use serde_json::json;

use crate::tools::{Tool, ToolKind, preview};
use crate::ui::{Always, Question, Ui};

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

/// A call that somebody must be asked about.
#[derive(Clone, Copy)]
pub(crate) struct AskedCall<'a> {
    pub(crate) tool: &'a dyn Tool,
    /// The arguments as hooks changed them.
    pub(crate) args: &'a JsonObject,
    /// The arguments as the model gave them.
    pub(crate) original: &'a JsonObject,
    /// Where files are looked at for a preview.
    pub(crate) project: &'a Path,
}

/// Decides about one call. `Notification` hooks hear of a question before it is asked, also where
/// nobody is there to answer it: what hooks see does not depend on a terminal.
pub(crate) async fn ask_permission(
    mode: ApprovalMode,
    config: &Config,
    ui: &dyn Ui,
    call: &AskedCall<'_>,
) -> Permission {
    let AskedCall { tool, args, original, project } = *call;
    if mode.allows(tool.kind()) {
        return Permission::Given;
    }
    let title = tool.title(args);
    let change = preview::of(tool, args, project);
    if let Some(system) = config.hook_system() {
        system.initialize();
        if let Ok(handler) = system.event_handler() {
            let message = format!("Permission needed: {title}");
            let mut details = JsonObject::new();
            details.insert("type".to_owned(), json!(tool.kind().permission_type()));
            details.insert("title".to_owned(), json!(title));
            details.insert("tool_name".to_owned(), json!(tool.name()));
            details.insert("tool_input".to_owned(), json!(args));
            details.extend(preview::details(tool, args, change.as_ref()));
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
    let always = match tool.kind() {
        ToolKind::ReadOnly => None,
        ToolKind::Edit => Some(Always::Edits),
        ToolKind::Execute => serde_json::to_string(args).ok().map(Always::Command),
    };
    let asked_for = (original != args).then(|| tool.title(original));
    let preview = change.map(|change| change.shown);
    let question = Question { tool: tool.name().to_owned(), title, preview, asked_for, always };
    if ui.ask(&question).await { Permission::Given } else { Permission::Denied }
}
