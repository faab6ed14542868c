//! Arguments that several commands take.

use clap::{Args, ValueEnum};

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Approval for a single run.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TrustFlag {
    /// Approve the project's hooks for this run only
    #[arg(long)]
    pub(crate) trust_hooks: bool,
}
