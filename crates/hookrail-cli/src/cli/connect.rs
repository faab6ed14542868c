//! `hookrail connect`: the entries in another agent's settings that call `hookrail bridge`.
//!
//! Without an agent it lists them, so every flag but `--format` needs one.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::{agent_name, any_agent};
use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail connect\n  hookrail connect claude --dry-run\n  hookrail connect codex"
)]
pub(crate) struct ConnectArgs {
    #[arg(value_name = "AGENT", help = any_agent(), value_parser = agent_name(), hide_possible_values = true)]
    pub(crate) agent: Option<Agent>,
    /// Write the project's settings of that agent instead of the user's
    #[arg(long, requires = "agent")]
    pub(crate) project: bool,
    /// Show the difference and write nothing
    #[arg(long, requires = "agent")]
    pub(crate) dry_run: bool,
    /// Also events that fire for every piece of a model's answer
    #[arg(long, requires = "agent")]
    pub(crate) model_events: bool,
    /// How to print the list of agents
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
