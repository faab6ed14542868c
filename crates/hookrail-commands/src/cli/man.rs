//! `hookrail man`: the manual pages, for packagers; hidden from the help.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
