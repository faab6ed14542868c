//! `hookrail bridge`: called by other agents and not by people.
//!
//! The words of this command stand in the settings of other agents, written by `hookrail connect`. They cannot be renamed
//! without breaking what is connected.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::{agent_name, any_agent};

#[derive(Debug, Args)]
#[command(
    after_help = "It reads the agent's hook JSON from stdin and answers in exactly that agent's dialect. `hookrail connect AGENT` writes the entries that call it."
)]
pub(crate) struct BridgeArgs {
    #[arg(value_name = "AGENT", help = any_agent(), value_parser = agent_name(), hide_possible_values = true)]
    pub(crate) agent: Agent,
    /// The agent's own name of the event, if its payload does not contain it
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// The entry is in a project's settings: a call that the user's own entry answers is left to it
    #[arg(long)]
    pub(crate) project: bool,
}
