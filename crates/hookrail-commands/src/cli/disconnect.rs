//! `hookrail disconnect`: removes exactly the entries that `hookrail connect` wrote.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::{agent_name, any_agent};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one flag each")]
pub(crate) struct DisconnectArgs {
    #[arg(value_name = "AGENT", help = any_agent(), value_parser = agent_name(), hide_possible_values = true, required_unless_present = "all")]
    pub(crate) agent: Option<Agent>,
    /// All agents
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all: bool,
    /// Change the project's settings instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
    /// Write nothing, and print what would be written
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the difference that it makes in the file
    #[arg(long)]
    pub(crate) diff: bool,
}
