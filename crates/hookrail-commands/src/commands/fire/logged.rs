//! `fire --from-log`: a call that was decided, found by its id.

use std::path::Path;

use crate::cli::EventFields;
use crate::context::Context;
use crate::exit::fail;
use crate::hook_log::{find_decision, path_in};

/// The call, as if it were given on the command line, and the project that it came from.
pub(super) struct LoggedEvent {
    pub(super) context: Context,
    pub(super) fields: EventFields,
}

impl LoggedEvent {
    /// Finds a decision whose call the log has whole.
    pub(super) fn find(id: &str, context: &Context) -> anyhow::Result<Self> {
        let decision = find_decision(&path_in(&context.state_dir()), id)?;
        let Some((tool, input)) = decision.whole_call() else {
            let message = format!("the log has only a part of the call of `{id}`");
            let hint =
                "`hookrail replay --save-tests FILE` reads whole calls from an agent's own transcripts";
            return fail(message, hint);
        };
        let input = serde_json::to_string(&input)?;
        let context = context.clone().in_project_of(decision.project.as_deref().map(Path::new))?;
        let fields = EventFields { tool: Some(tool.to_owned()), input: Some(input), payload: None };
        Ok(Self { context, fields })
    }
}
