//! `hookrail setup`, `uninstall` and `upgrade`: from nothing to protected agents, and back.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::agent_name;
use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail setup\n  hookrail setup --yes\n  hookrail setup --preset strict --agents claude,codex"
)]
pub(crate) struct SetupArgs {
    /// Take the defaults without a question: @standard, and every agent that is found
    #[arg(long)]
    pub(crate) yes: bool,
    /// The set of rules: standard, strict or none
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// The agents to connect, instead of all that are found
    #[arg(long, value_name = "AGENT", value_delimiter = ',', value_parser = agent_name())]
    pub(crate) agents: Option<Vec<Agent>>,
    /// Write nothing, and print what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail uninstall\n  hookrail uninstall --purge")]
pub(crate) struct UninstallArgs {
    /// Also remove settings, approvals and logs in ~/.hookrail
    #[arg(long)]
    pub(crate) purge: bool,
}
