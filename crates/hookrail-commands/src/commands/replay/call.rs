//! One tool call of a transcript, and what became of it.

use hookrail::JsonObject;
use hookrail::components::CallReading;
use hookrail_bridge::{Agent, to_ours};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A call as it is in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PastCall {
    /// What its result refers to.
    pub(super) id: Option<String>,
    /// The line on which it is, from 1.
    pub(super) line: u64,
    /// Our name of the tool.
    pub(super) tool: String,
    /// Its arguments under our names.
    pub(super) input: JsonObject,
    /// Further names on which a matcher is tried.
    pub(super) also_matches: Vec<String>,
    /// What the agent's table says of the tool. A past call that cannot be read is decided by what can be read of it.
    pub(super) reading: CallReading,
    /// What hooks get to see besides: of another agent its name and its own names of tool and arguments.
    pub(super) extra: JsonObject,
    /// Where the agent was, if the transcript contains it.
    pub(super) cwd: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PastOutcome {
    /// It ran, with whatever result.
    Allow,
    Block,
    /// A person, or a missing permission, stopped it.
    Denied,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TranscriptEntry {
    Call(PastCall),
    /// A call came to its end.
    Result {
        id: String,
        was: PastOutcome,
    },
    /// A call was made and came to its end.
    Finished(PastCall, PastOutcome),
    /// A call that cannot be understood.
    Unreadable,
}

impl PastCall {
    /// A call of another agent, in our terms.
    pub(super) fn native(agent: Agent, name: &str, input: &Value, line: u64) -> Self {
        let ours = to_ours(agent, name, input);
        let native = serde_json::json!({
            "name": agent.as_str(),
            "event": "PreToolUse",
            "tool_name": name,
            "tool_input": input,
        });
        Self {
            id: None,
            line,
            tool: ours.name,
            input: ours.input,
            also_matches: ours.also_matches,
            reading: match ours.reading {
                CallReading::Unreadable(_) => CallReading::Known,
                reading => reading,
            },
            extra: JsonObject::from_iter([("agent".to_owned(), native)]),
            cwd: None,
        }
    }
}

/// The largest arguments that are read. A value takes many times the memory of its text.
const MAX_INPUT: usize = 4 * 1024 * 1024;

/// Arguments as a value; `None` if they are too large or no object.
pub(super) fn arguments(raw: &RawValue) -> Option<JsonObject> {
    let text = Some(raw.get()).filter(|text| text.len() <= MAX_INPUT)?;
    serde_json::from_str(text).ok()
}

/// Reads from the text of a failed result who stopped the call. The texts are those that were seen in the agents.
/// A text that is not known counts as a call that ran, because most failed results are those of tools.
pub(super) fn refusal(text: &str) -> PastOutcome {
    // Results can be megabytes of output; the refusal of a call is at the beginning.
    let head = text.get(..text.floor_char_boundary(4_096)).unwrap_or_default();
    let says = |texts: &str| texts.lines().any(|text| head.contains(text));
    let by_hook = says(include_str!("call/by_hooks.txt"))
        || (head.contains("Hook PreToolUse:") && head.contains("denied this tool"))
        || (head.contains("PreToolUse:") && head.contains("hook error"));
    if by_hook {
        PastOutcome::Block
    } else if says(include_str!("call/by_people.txt")) {
        PastOutcome::Denied
    } else {
        PastOutcome::Allow
    }
}

#[cfg(test)]
mod tests;
