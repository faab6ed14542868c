//! `hookrail status` and `hookrail statusline`: whether agents are guarded now.

use clap::{Args, ValueEnum};

use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail status\n  hookrail status --format json\n\nExit codes: 0 every connected agent is guarded, 1 one of them is not.\nJSON: {\"agents\":[{\"agent\",\"installed\",\"connected\",\"guarded\",\"why\",\"rules\",\"hooks\"}]}"
)]
pub(crate) struct StatusArgs {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// An agent with a status line that runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatuslineAgent {
    /// Claude Code
    Claude,
}

#[derive(Debug, Args)]
#[command(
    after_help = "In ~/.claude/settings.json:\n  { \"statusLine\": { \"type\": \"command\", \"command\": \"~/.hookrail/bin/hookrail statusline claude\" } }\n\nClaude Code writes its status to standard input as JSON. One line is printed, and the exit code is always 0"
)]
pub(crate) struct StatuslineArgs {
    /// The agent whose status line it is for
    #[arg(value_name = "AGENT", value_enum)]
    pub(crate) agent: StatuslineAgent,
}
