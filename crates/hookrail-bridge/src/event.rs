//! An event of another agent, in our terms.

use hookrail::components::CallReading;
use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agent::Agent;

/// An event that an agent sent to its hook, in our terms.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeEvent {
    /// The agent that sent it.
    pub agent: Agent,
    /// Our event; `None` if it has no counterpart here.
    pub event: Option<EventName>,
    /// The agent's name of the event.
    pub native_event: String,
    /// What our hooks receive: our field, tool and argument names, and the native ones under `agent`. Unknown
    /// fields are kept.
    pub payload: JsonObject,
    /// The agent's id of its session.
    pub session_id: Option<String>,
    /// The agent's working directory.
    pub cwd: Option<String>,
    /// The agent's name of the tool.
    pub native_tool: Option<String>,
    /// The tool's arguments as the agent gave them.
    pub native_input: Value,
    /// The tool's result as the agent gave it.
    pub native_response: Option<Value>,
    /// Names besides `tool_name` on which a matcher is tried.
    pub also_matches: Vec<String>,
    /// The processes above the bridge, for later events to know the agent by; the caller may add them.
    pub above: Vec<String>,
    /// Whether the agent's table knows the tool, and whether the call can be read; `None` for an event without a tool.
    pub reading: Option<CallReading>,
}

impl BridgeEvent {
    /// Our name of the tool.
    pub fn tool_name(&self) -> Option<&str> {
        self.payload.get("tool_name")?.as_str()
    }

    /// Whether a matcher or a list may use this name for the tool.
    pub fn answers_to(&self, name: &str) -> bool {
        self.tool_name() == Some(name)
            || self.native_tool.as_deref() == Some(name)
            || self.also_matches.iter().any(|also| also == name)
            || (self.tool_name() == Some("apply_patch") && matches!(name, "write_file" | "replace"))
    }

    /// The prompt that a person has just given.
    pub(crate) fn new_prompt(&self) -> Option<&str> {
        if self.event == Some(EventName::BeforeAgent) { self.payload.get("prompt")?.as_str() } else { None }
    }
}
