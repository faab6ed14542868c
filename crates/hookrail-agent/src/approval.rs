//! Who must be asked before a tool runs. A hook can never loosen what stands here: approval comes
//! after the hooks and sees the arguments as they changed them.

use hookrail::{AgentGate, Decider, HookSession, JsonObject, NotificationType, Permission};
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

/// Decides about one call; `protected` says why it needs a yes in every mode, if it does. `Notification` hooks hear of a
/// question before it is asked, also where
/// nobody is there to answer it: what hooks see does not depend on a terminal.
pub(crate) async fn ask_permission(
    mode: ApprovalMode,
    hooks: &HookSession,
    ui: &dyn Ui,
    tool: &dyn Tool,
    args: &JsonObject,
    decider: Decider<'_>,
    protected: Option<&'static str>,
) -> Permission {
    // What a hook wants a person for is asked in every mode, and about every kind of tool.
    let hook_reason = match decider {
        // Whoever may edit files without a question may not edit what guards the agent.
        Decider::Host if mode.allows(tool.kind()) && protected.is_none() => return Permission::Granted,
        Decider::Host => None,
        Decider::Person { reason } => Some(reason),
    };
    let title = tool.title(args);
    let message = format!("Permission needed: {title}");
    let mut details = JsonObject::new();
    details.insert("type".to_owned(), json!(tool.kind().permission_type()));
    details.insert("title".to_owned(), json!(title));
    details.insert("tool_name".to_owned(), json!(tool.name()));
    details.insert("tool_input".to_owned(), json!(args));
    if let Some(reason) = hook_reason {
        details.insert("reason".to_owned(), json!(reason));
    }
    let told = hooks.fire_notification(&NotificationType::ToolPermission, &message, &details).await;
    if let AgentGate::Stop { reason } | AgentGate::Block { stop: Some(reason), .. } = told.gate {
        return Permission::Stopped { reason };
    }
    let question = Question {
        tool: tool.name().to_owned(),
        title,
        hook_reason: hook_reason.map(str::to_owned),
        why: protected.map(str::to_owned),
    };
    if ui.ask(&question).await {
        return Permission::Granted;
    }
    let name = tool.name();
    Permission::Denied {
        reason: match hook_reason {
            None => {
                let why = protected.map(|why| format!(" It is asked for in every mode: {why}."));
                format!("Permission to run `{name}` was not given.{}", why.unwrap_or_default())
            }
            Some(reason) => {
                format!(
                    "A hook wanted a person to decide about `{name}`, and permission was not given: {reason}"
                )
            }
        },
    }
}
