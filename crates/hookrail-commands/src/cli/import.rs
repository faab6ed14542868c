//! `hookrail import`: another agent's hooks in the form of our settings.
//!
//! It prints what it would write unless `--write` is given, because what is lost has to be read first.

use std::path::PathBuf;

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::{agent_name, one_of};

/// The agents whose hooks can be ours. `LLxprt` reads our settings as they are, and opencode has plugins instead of hooks.
const WITH_COMMAND_HOOKS: [Agent; 9] = [
    Agent::Claude,
    Agent::Codex,
    Agent::Gemini,
    Agent::Qwen,
    Agent::Copilot,
    Agent::Crush,
    Agent::Cursor,
    Agent::Grok,
    Agent::Kimi,
];

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail import claude\n  hookrail import claude --move\n  hookrail import codex ~/.codex/hooks.json --write"
)]
pub(crate) struct ImportArgs {
    #[arg(value_name = "AGENT", help = one_of(&WITH_COMMAND_HOOKS), value_parser = agent_name(), hide_possible_values = true)]
    pub(crate) agent: Agent,
    /// The agent's settings; by default the user's
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Add the hooks to the settings instead of printing them
    #[arg(long)]
    pub(crate) write: bool,
    /// Add the hooks to the settings and take them out of the agent's own
    #[arg(long = "move")]
    pub(crate) moves: bool,
    /// The project's settings instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
}
