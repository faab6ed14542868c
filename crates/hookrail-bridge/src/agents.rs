//! One file for each agent. Adding an agent is adding a file here, its name and its dialect below, and a line to the
//! list of [`Agent`].

mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod gemini;
mod grok;
mod kilo;
mod kimi;
mod llxprt;
mod opencode;
mod pi;
mod qwen;
pub(crate) mod shapes;

/// The words that every agent's file is written in.
mod prelude {
    pub(super) use std::time::Duration;

    pub(super) use hookrail::{EventName, JsonObject};
    pub(super) use serde_json::{Value, json};

    pub(super) use super::shapes::*;
    pub(super) use crate::agent::Agent;
    pub(super) use crate::dialect::*;
    pub(super) use crate::effects::NativeEffects;
    pub(super) use crate::event::BridgeEvent;
}

use hookrail::EventName;

use crate::agent::Agent;
use crate::dialect::Dialect;

/// Everything that is particular to an agent, besides its names.
pub(crate) fn dialect_of(agent: Agent) -> &'static Dialect {
    match agent {
        Agent::Claude => &claude::DIALECT,
        Agent::Codex => &codex::DIALECT,
        Agent::Gemini => &gemini::DIALECT,
        Agent::Qwen => &qwen::DIALECT,
        Agent::Copilot => &copilot::DIALECT,
        Agent::Llxprt => &llxprt::DIALECT,
        Agent::Opencode => &opencode::DIALECT,
        Agent::Crush => &crush::DIALECT,
        Agent::Cursor => &cursor::DIALECT,
        Agent::Grok => &grok::DIALECT,
        Agent::Kimi => &kimi::DIALECT,
        Agent::Kilo => &kilo::DIALECT,
        Agent::Pi => &pi::DIALECT,
        Agent::Cline => &cline::DIALECT,
    }
}

/// The name that an event has in the agent's table. Copilot has two names for each, and an event of
/// one name with a payload in the other form is understood too.
pub(crate) fn canonical_event(agent: Agent, name: &str) -> &str {
    let aliases = dialect_of(agent).event_aliases;
    aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, canonical)| canonical)
}

/// The tools of an agent that its table knows, by its own names.
pub fn tool_names(agent: Agent) -> impl Iterator<Item = &'static str> {
    let dialect = dialect_of(agent);
    dialect.tools().map(|tool| tool.name).chain(dialect.plain_tools())
}

/// The agent's name of an event, given that name or ours; `None` if it has no such event.
pub fn event_name(agent: Agent, word: &str) -> Option<&'static str> {
    let dialect = dialect_of(agent);
    let word = canonical_event(agent, word);
    let ours = || dialect.events().find(|event| event.ours.is_some_and(|ours| ours.as_str() == word));
    dialect.event(word).or_else(ours).map(|event| event.name)
}

/// Whether any agent has an event of this name.
pub fn is_event_name(word: &str) -> bool {
    Agent::ALL.into_iter().any(|agent| dialect_of(agent).event(canonical_event(agent, word)).is_some())
}

/// The version of an agent that was observed when its dialect was written down.
pub fn tested_with(agent: Agent) -> &'static str {
    dialect_of(agent).tested_with
}

/// The environment variable in which an agent gives its hooks the project's folder.
pub fn project_variable(agent: Agent) -> Option<&'static str> {
    dialect_of(agent).project_variable
}

/// Whether an agent also runs the hooks in the files of another one.
pub fn also_runs(agent: Agent, other: Agent) -> bool {
    dialect_of(agent).also_runs.contains(&other)
}

/// What an agent cannot enforce, and what happens instead: one sentence each, from its table.
pub fn limits(agent: Agent) -> Vec<String> {
    let dialect = dialect_of(agent);
    let Dialect { can, carries_stop, unseen, .. } = dialect;
    let mut limits: Vec<String> = unseen.iter().map(|text| (*text).to_owned()).collect();
    let mut add = |cannot: bool, text: &str| limits.extend(cannot.then(|| text.to_owned()));
    add(!can.ask, "It cannot ask a person about a call: the call is refused, with the question as reason.");
    add(
        !can.change_arguments,
        "It cannot run a call with changed arguments: the call is refused, and the change is named.",
    );
    let ends = can.stop.iter().any(|event| event.has_tool()) || !carries_stop.is_empty();
    add(!ends, "A stop at a tool does not end its run: that call and every further one are refused.");
    add(!can.go_on, "It cannot be sent back to work at its end: the text goes with the next prompt.");
    let takes = |event: EventName| can.context.contains(&event);
    add(
        takes(EventName::BeforeAgent) && !takes(EventName::AfterTool),
        "A text for the model waits for the next prompt, unless it is for a prompt.",
    );
    add(
        takes(EventName::AfterTool) && !takes(EventName::BeforeAgent),
        "A text for the model at a prompt or at the start waits for the next tool call.",
    );
    let is_missing = |event: &EventName| !dialect.events().any(|native| native.ours == Some(*event));
    let missing: Vec<&str> = EventName::ALL.into_iter().filter(is_missing).map(EventName::as_str).collect();
    add(
        !missing.is_empty(),
        &format!("It has no such events, so these hooks never run: {}.", missing.join(", ")),
    );
    limits
}

/// The variables that agents set for what they start, each with its agent.
pub fn agent_marks() -> impl Iterator<Item = (Agent, &'static str)> {
    Agent::ALL.into_iter().flat_map(|agent| dialect_of(agent).marks.iter().map(move |mark| (agent, *mark)))
}

/// Whether an agent puts a hook's question to the person.
pub fn can_ask(agent: Agent) -> bool {
    dialect_of(agent).can.ask
}

#[cfg(test)]
mod tests;
