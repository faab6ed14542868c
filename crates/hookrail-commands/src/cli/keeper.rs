//! `hookrail keeper`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct KeeperArgs {
    #[command(subcommand)]
    pub(crate) action: Option<KeeperAction>,
}

/// What is done with the process that keeps workers.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum KeeperAction {
    /// Say whether it runs, since when and with how many workers
    Status,
    /// End it with its workers; the next call that needs one starts another
    Stop,
    /// Keep workers; a bridge call starts this
    #[command(hide = true)]
    Serve,
}
