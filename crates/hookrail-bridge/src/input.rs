//! An agent's stdin, read as an event in our terms.

mod bytes;
mod fields;

use hookrail::{EventName, JsonObject};

use crate::agent::Agent;
use crate::agents::{also_runs, canonical_event, dialect_of};
use crate::dialect::NativeEvent;
use crate::event::BridgeEvent;

pub(crate) use bytes::event_name_in;
pub(crate) use fields::{compress_trigger, end_reason, start_source};

/// What `hookrail doctor` sends in the place of an event, to see whether an agent's entry leads to the bridge.
pub const PROBE: &str = "hookrail doctor asks whether this entry leads to hookrail";

/// Why an agent's stdin cannot be read as an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BridgeInputError {
    /// It is empty.
    #[error("stdin is empty; {agent} was expected to send a JSON object")]
    Empty {
        /// The agent that was expected to send an object.
        agent: Agent,
    },
    /// It is a question of `hookrail doctor`.
    #[error("it is a question of `hookrail doctor`, not a call")]
    Probe,
    /// It is larger than what is read.
    #[error("stdin is too large: {what}")]
    TooLarge {
        /// The bound that is exceeded.
        what: &'static str,
    },
    /// It is not JSON.
    #[error("stdin is not JSON: {message}")]
    Malformed {
        /// The parser's message, with the place.
        message: String,
    },
    /// It is JSON and no object.
    #[error("stdin is not a JSON object")]
    NotAnObject,
    /// Neither the payload nor the command line names the event.
    #[error("the event is named neither by stdin (`hook_event_name`) nor by the argument EVENT")]
    NoEvent,
}

/// Reads an agent's stdin. The event is named by the payload, or else by the argument that its settings give.
///
/// An event that is not in the agent's table is not an error: it has no counterpart.
pub fn read(
    agent: Agent,
    event_argument: Option<&str>,
    stdin: &[u8],
) -> Result<BridgeEvent, BridgeInputError> {
    if stdin == PROBE.as_bytes() {
        return Err(BridgeInputError::Probe);
    }
    let fields = bytes::object(agent, stdin)?;
    let agent = sender(agent, &fields);
    let dialect = dialect_of(agent);
    let named = ["hook_event_name", "hookEventName", "hookName"]
        .into_iter()
        .find_map(|key| fields.get(key)?.as_str())
        .map(|name| canonical_event(agent, name).to_owned());
    let argument = event_argument.map(|name| canonical_event(agent, name).to_owned());
    let is_known = |name: &String| dialect.event(name).is_some();
    let name = match (named, argument) {
        (Some(named), Some(argument)) if !is_known(&named) && is_known(&argument) => argument,
        // A call about to be made under a name that nobody knows: the agent may have renamed its event.
        (Some(named), _) if !is_known(&named) && fields::is_call(&fields) => before_tool(agent).to_owned(),
        (Some(named), _) => named,
        (None, Some(argument)) => argument,
        (None, None) if fields::is_call(&fields) => before_tool(agent).to_owned(),
        (None, None) => return Err(BridgeInputError::NoEvent),
    };
    Ok(fields::translate(agent, name, fields))
}

/// The agent that sent a payload. Grok Build also runs the entries of Claude Code; its payloads have every name twice.
fn sender(entry: Agent, fields: &JsonObject) -> Agent {
    let is_groks =
        ["hookEventName", "hook_event_name", "workspaceRoot"].iter().all(|key| fields.contains_key(*key));
    if is_groks && also_runs(Agent::Grok, entry) { Agent::Grok } else { entry }
}

/// The agent's name of the event before a tool runs.
fn before_tool(agent: Agent) -> &'static str {
    let is_it = |event: &NativeEvent| event.ours == Some(EventName::BeforeTool);
    dialect_of(agent).events().find(is_it).map_or("BeforeTool", |event| event.name)
}
