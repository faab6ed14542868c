//! `hookrail mcp`: called by MCP clients, and what puts it into their configuration.
//!
//! The words of the call stand in the configuration of clients, written by `hookrail mcp wrap`. They cannot be renamed
//! without breaking what is wrapped.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "It runs between the client and the server: tool calls are checked as `mcp__NAME__TOOL`, everything else passes unchanged.\n\nExamples:\n  hookrail mcp wrap ~/.cursor/mcp.json\n  hookrail mcp --server files -- npx -y @modelcontextprotocol/server-filesystem ."
)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) action: Option<McpAction>,
    /// The name of the server, as matchers use it
    #[arg(long, value_name = "NAME", required = true, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) server: Option<String>,
    /// The command that starts the server
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What is done with a client's configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum McpAction {
    /// Let the servers of a client be started by hookrail
    Wrap(McpFile),
    /// Let the client start its servers itself again
    Unwrap(McpFile),
}

#[derive(Debug, Args)]
pub(crate) struct McpFile {
    /// The file that lists the servers: `claude_desktop_config.json`, `.cursor/mcp.json`, `.vscode/mcp.json`, Zed's `settings.json`
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write nothing, and print what would be written
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the difference that it makes in the file
    #[arg(long)]
    pub(crate) diff: bool,
}
