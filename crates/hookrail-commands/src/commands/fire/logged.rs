//! `fire --from-log`: a call that was decided, found by its id.

use std::path::Path;

use hookrail::EventName;

use crate::cli::EventArgs;
use crate::context::Context;
use crate::exit::Hinted;
use crate::hook_log::{find_decision, path_in};

/// The call, and the project that it came from.
pub(super) struct LoggedEvent {
    pub(super) context: Context,
    tool: String,
    input: String,
}

impl LoggedEvent {
    /// Finds a decision whose call the log has whole.
    pub(super) fn find(id: &str, context: &Context) -> anyhow::Result<Self> {
        let decision = find_decision(&path_in(&context.state_dir()), id)?;
        let Some((tool, input)) = decision.whole_call() else {
            let message = format!("the log has only a part of the call of `{id}`");
            let hint =
                "`hookrail replay --save-tests FILE` reads whole calls from an agent's own transcripts";
            return Err(Hinted::new(message, hint).into());
        };
        let input = serde_json::to_string(&input)?;
        let context = context.clone().in_project_of(decision.project.as_deref().map(Path::new))?;
        Ok(Self { context, tool: tool.to_owned(), input })
    }

    /// The same as if it were given on the command line.
    pub(super) fn as_args(&self) -> EventArgs {
        EventArgs {
            event: EventName::BeforeTool,
            tool: Some(self.tool.clone()),
            input: Some(self.input.clone()),
            payload: None,
        }
    }
}
