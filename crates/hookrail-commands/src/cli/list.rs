//! `hookrail list`: every configured hook, with its state and its numbers from the log.

use clap::Args;

use super::shared::Format;

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
