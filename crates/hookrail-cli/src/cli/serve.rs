//! `hookrail serve`: the hook system for hosts in other languages.
//!
//! Both limits protect the server from its clients: requests beyond the first wait, lines beyond the second are refused.

use std::path::PathBuf;

use clap::Args;

use super::shared::TrustFlag;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail serve\n  hookrail serve --socket /run/user/1000/hookrail.sock")]
pub(crate) struct ServeArgs {
    /// Listen on this Unix socket instead of stdin and stdout
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Requests worked on at once; further ones wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) max_in_flight: u32,
    /// Longest line accepted, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 64 * 1024 * 1024, value_parser = clap::value_parser!(u64).range(1024..))]
    pub(crate) max_line_bytes: u64,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}
