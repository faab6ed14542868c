//! What hookrail itself decided about past calls, from its own log: in the transcripts of most agents a call that a hook
//! blocked looks like one that failed.

use std::collections::HashSet;
use std::path::Path;

use super::call::PastCall;
use crate::hook_log::{LoggedDecision, OpenLogs, READ_AT_MOST, summary_of};

#[derive(Debug, Default)]
pub(super) struct BlockedCalls {
    /// By the agent's own id of the call.
    ids: HashSet<String>,
    /// By session, tool and summary, for agents that give hooks no id.
    calls: HashSet<(String, String, String)>,
}

impl BlockedCalls {
    /// Reads the log. One that cannot be read says nothing: transcripts alone decide then.
    pub(super) fn load(log: &Path) -> Self {
        let mut blocked = Self::default();
        OpenLogs::end_of(log, READ_AT_MOST)
            .lines()
            .map_while(Result::ok)
            .for_each(|decision| blocked.add(decision));
        blocked
    }

    fn add(&mut self, decision: LoggedDecision) {
        if decision.event != "BeforeTool" || !matches!(decision.decision.as_str(), "block" | "stop") {
            return;
        }
        self.ids.extend(decision.call_id);
        if let (Some(tool), Some(summary)) = (decision.tool, decision.summary)
            && !decision.session_id.is_empty()
        {
            self.calls.insert((decision.session_id, tool, summary));
        }
    }

    /// Whether a call of this session was blocked.
    pub(super) fn contains(&self, session: Option<&str>, call: &PastCall) -> bool {
        let by_id = call.id.as_ref().is_some_and(|id| self.ids.contains(id));
        by_id
            || (!self.calls.is_empty()
                && session.is_some_and(|session| {
                    let key = (session.to_owned(), call.tool.clone(), summary_of(&call.input));
                    self.calls.contains(&key)
                }))
    }
}
