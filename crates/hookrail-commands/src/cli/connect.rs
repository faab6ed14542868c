//! `hookrail connect`: the entries in another agent's settings that call `hookrail bridge`.
//!
//! Without an agent it lists them, so every flag but `--format` needs one.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::{agent_name, any_agent};
use super::shared::Format;

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples:\n  hookrail connect\n  hookrail connect claude --dry-run --diff\n  hookrail connect codex"
)]
#[expect(clippy::struct_excessive_bools, reason = "one flag each")]
pub(crate) struct ConnectArgs {
    #[arg(value_name = "AGENT", help = any_agent(), value_parser = agent_name(), hide_possible_values = true)]
    pub(crate) agent: Option<Agent>,
    /// Write the project's settings of that agent instead of the user's, for everyone who works on the project
    #[arg(long, requires = "agent")]
    pub(crate) project: bool,
    /// Refuse to work in the project where hookrail is not installed, instead of warning
    #[arg(long, requires = "project")]
    pub(crate) require: bool,
    /// Write nothing, and print what would be written
    #[arg(long, requires = "agent")]
    pub(crate) dry_run: bool,
    /// Show the difference that it makes in the file
    #[arg(long, requires = "agent")]
    pub(crate) diff: bool,
    /// Also events that fire for every piece of a model's answer
    #[arg(long, requires = "agent")]
    pub(crate) model_events: bool,
    /// Replace a newer version of hookrail in ~/.hookrail/bin
    #[arg(long, requires = "agent")]
    pub(crate) force: bool,
    /// How to print the list of agents
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
