//! Which tool calls need a person's permission. No hook can weaken these rules: approval comes after the hooks, with the
//! arguments as they changed them.

use std::path::Path;

use hookrail::effects::AgentGate;
use hookrail::{Decider, HookSession, JsonObject, NotificationType, Permission};
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

/// A call that needs a decision.
#[derive(Clone, Copy)]
pub(crate) struct AskedCall<'a> {
    /// The tool that is to run.
    pub(crate) tool: &'a Tool,
    /// The arguments as hooks changed them.
    pub(crate) args: &'a JsonObject,
    /// The arguments as the model gave them.
    pub(crate) original: &'a JsonObject,
    /// Who decides, with the hook's reason where a hook requires a person.
    pub(crate) decider: Decider<'a>,
    /// Why it needs a person's permission in every mode, if it does.
    pub(crate) protected: Option<&'static str>,
    /// Where files are looked at for a preview.
    pub(crate) project: &'a Path,
}

/// Decides about one call. `Notification` hooks run for a question before it is asked, also where there is no
/// person to answer it: what hooks receive does not depend on a terminal. Their messages for the model are added to
/// `messages`.
pub(crate) async fn ask_permission(
    mode: ApprovalMode,
    hooks: &HookSession,
    ui: &dyn Ui,
    call: &AskedCall<'_>,
    messages: &mut Vec<String>,
) -> Permission {
    let AskedCall { tool, args, original, decider, protected, project } = *call;
    // Where a hook requires a person's decision, the question is asked in every mode and about every kind of tool.
    let hook_reason = match decider {
        // A mode that may edit files without a question may not edit what guards the agent.
        Decider::Host if mode.allows(tool.kind) && protected.is_none() => return Permission::Granted,
        Decider::Host => None,
        Decider::Person { reason } => Some(reason),
    };
    let title = tool.title(args);
    let change = preview::of(tool, args, project);
    let message = format!("Permission needed: {title}");
    let mut details = JsonObject::new();
    details.insert("type".to_owned(), json!(tool.kind.permission_type()));
    details.insert("title".to_owned(), json!(title));
    details.insert("tool_name".to_owned(), json!(tool.name));
    details.insert("tool_input".to_owned(), json!(args));
    if let Some(reason) = hook_reason {
        details.insert("reason".to_owned(), json!(reason));
    }
    details.extend(preview::details(tool, args, change.as_ref()));
    let notified = hooks.fire_notification(&NotificationType::ToolPermission, &message, &details).await;
    if let AgentGate::Stop { reason } | AgentGate::Block { stop: Some(reason), .. } = notified.gate {
        return Permission::Stopped { reason };
    }
    messages.extend(notified.notes.system_message);
    // Where files that guard the agent are written, or a hook requires a person, every call is asked about.
    let always = match tool.kind {
        _ if protected.is_some() || hook_reason.is_some() => None,
        ToolKind::ReadOnly => None,
        ToolKind::Edit => Some(Always::Edits),
        ToolKind::Execute => serde_json::to_string(args).ok().map(Always::Command),
    };
    let question = Question {
        tool: tool.name.to_owned(),
        title,
        preview: change.map(|change| change.shown),
        asked_for: (original != args).then(|| tool.title(original)),
        always,
        hook_reason: hook_reason.map(str::to_owned),
        why: protected.map(str::to_owned),
    };
    if ui.ask(&question).await {
        return Permission::Granted;
    }
    let name = tool.name;
    Permission::Denied {
        reason: match hook_reason {
            None => {
                let why = protected.map(|why| format!(" It is asked for in every mode: {why}."));
                format!(
                    "Permission to run `{name}` was not given, so the call was cancelled.{}",
                    why.unwrap_or_default()
                )
            }
            Some(reason) => {
                format!(
                    "A hook asked for a person's decision about `{name}`; permission was not given, so the call was cancelled: {reason}"
                )
            }
        },
    }
}
