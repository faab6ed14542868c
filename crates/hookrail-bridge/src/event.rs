//! An agent's stdin, in our terms.

mod bytes;
mod fields;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agent::Agent;
use crate::memory::SessionMemory;

pub(crate) use bytes::event_name_in;
pub(crate) use fields::{compress_trigger, end_reason, start_source};

/// What an agent told its hook, in our terms.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeEvent {
    /// Who told it.
    pub agent: Agent,
    /// Our event; `None` if it has no counterpart here.
    pub event: Option<EventName>,
    /// The agent's name of the event.
    pub native_event: String,
    /// What our hooks receive: our field, tool and argument names, and the native ones under `agent`. Fields that
    /// nobody knows are kept.
    pub payload: JsonObject,
    /// The agent's session.
    pub session_id: Option<String>,
    /// Where the agent is.
    pub cwd: Option<String>,
    /// The agent's name of the tool.
    pub native_tool: Option<String>,
    /// The tool's arguments as the agent gave them.
    pub native_input: Value,
    /// The tool's result as the agent gave it.
    pub native_response: Option<Value>,
    /// Names besides `tool_name` on which a matcher is tried.
    pub also_matches: Vec<String>,
}

impl BridgeEvent {
    /// Our name of the tool.
    pub fn tool_name(&self) -> Option<&str> {
        self.payload.get("tool_name")?.as_str()
    }

    /// Whether a matcher or a list may call this tool so.
    pub fn answers_to(&self, name: &str) -> bool {
        self.tool_name() == Some(name)
            || self.native_tool.as_deref() == Some(name)
            || self.also_matches.iter().any(|also| also == name)
    }

    /// Adds what only the session knows: the prompt at the end of the work, and whether the agent was sent back.
    pub fn recall(&mut self, memory: &SessionMemory) {
        if self.event != Some(EventName::AfterAgent) {
            return;
        }
        if let Some(prompt) = &memory.prompt {
            self.payload.insert("prompt".to_owned(), prompt.as_str().into());
        }
        let told = self.payload.get("stop_hook_active") == Some(&Value::Bool(true));
        let is_sent_back = memory.sent_back || (told && self.agent.dialect().can.tells_sent_back);
        self.payload.insert("stop_hook_active".to_owned(), is_sent_back.into());
    }

    /// The prompt that a person has just given.
    pub(crate) fn new_prompt(&self) -> Option<&str> {
        if self.event == Some(EventName::BeforeAgent) { self.payload.get("prompt")?.as_str() } else { None }
    }
}

/// Why an agent's stdin says nothing to us.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BridgeInputError {
    /// Nothing came.
    #[error("stdin is empty; {agent} was expected to send a JSON object")]
    Empty {
        /// Who was expected to send something.
        agent: Agent,
    },
    /// More came than is read.
    #[error("stdin is too large: {what}")]
    TooLarge {
        /// What is beyond its bound.
        what: &'static str,
    },
    /// What came is not JSON.
    #[error("stdin is not JSON: {message}")]
    Malformed {
        /// What the parser says, with its place.
        message: String,
    },
    /// What came is JSON and no object.
    #[error("stdin is not a JSON object")]
    NotAnObject,
    /// Neither the payload nor the command line names the event.
    #[error("the event is named neither by stdin (`hook_event_name`) nor by the argument EVENT")]
    NoEvent,
    /// A field is missing without which the event means nothing.
    #[error("`{field}` is missing in the payload of {event}")]
    Missing {
        /// The field, as we call it.
        field: &'static str,
        /// The agent's name of the event.
        event: String,
    },
}

/// Reads an agent's stdin. The event is told by the payload, or else by the argument that its settings give.
///
/// An event that nobody knows is no error: it has no counterpart. Whatever else is odd about the bytes is one.
pub fn read(
    agent: Agent,
    event_argument: Option<&str>,
    stdin: &[u8],
) -> Result<BridgeEvent, BridgeInputError> {
    let fields = bytes::object(agent, stdin)?;
    let dialect = agent.dialect();
    let named = ["hook_event_name", "hookEventName", "hookName"]
        .into_iter()
        .find_map(|key| fields.get(key)?.as_str())
        .map(|name| canonical_event(agent, name).to_owned());
    let argument = event_argument.map(|name| canonical_event(agent, name).to_owned());
    let is_known = |name: &String| dialect.event(name).is_some();
    let name = match (named, argument) {
        (Some(named), Some(argument)) if !is_known(&named) && is_known(&argument) => argument,
        (Some(named), _) => named,
        (None, Some(argument)) => argument,
        (None, None) => return Err(BridgeInputError::NoEvent),
    };
    fields::translate(agent, name, fields)
}

/// The name under which an event stands in the agent's table. Copilot has two names for each, and an event of
/// one name with a payload in the other form is understood too.
pub(crate) fn canonical_event(agent: Agent, name: &str) -> &str {
    let aliases = agent.dialect().event_aliases;
    aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, canonical)| canonical)
}
