//! Where every command works and finds its settings, as far as the command line says so.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Places {
    /// Work in this directory instead of the current one
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// The home directory that holds your settings, approvals and logs
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<PathBuf>,

    /// The system's settings file
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) system: Option<PathBuf>,
}
