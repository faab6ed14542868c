//! The help of the argument `AGENT`, which several commands take.

use hookrail_bridge::Agent;

/// The words that `AGENT` takes where a command is for all agents. A new agent appears in every help text by itself.
pub(super) fn any_agent() -> String {
    one_of(&Agent::ALL)
}

/// The words of these agents, in the order that is given: `claude, codex or qwen`.
pub(super) fn one_of(agents: &[Agent]) -> String {
    let names: Vec<&str> = agents.iter().map(|agent| agent.as_str()).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
