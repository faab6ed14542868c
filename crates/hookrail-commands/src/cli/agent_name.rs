//! The help of the argument `AGENT`, which several commands take.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use hookrail_bridge::Agent;

/// The words that `AGENT` takes where a command is for all agents. A new agent appears in every help text by itself.
pub(super) fn any_agent() -> String {
    one_of(&Agent::ALL)
}

/// Reads the name of an agent, and lists all of them for completions.
pub(super) fn agent_name() -> impl clap::builder::TypedValueParser<Value = Agent> {
    PossibleValuesParser::new(Agent::ALL.map(Agent::as_str)).try_map(|name| name.parse::<Agent>())
}

/// The name of an agent as the log has it: another agent, or `hookrail` for our own programs.
pub(super) fn agent_or_ours() -> PossibleValuesParser {
    PossibleValuesParser::new(Agent::ALL.map(Agent::as_str).into_iter().chain(["hookrail"]))
}

/// The words of these agents, in the order that is given: `claude, codex or qwen`.
pub(super) fn one_of(agents: &[Agent]) -> String {
    let names: Vec<&str> = agents.iter().map(|agent| agent.as_str()).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
