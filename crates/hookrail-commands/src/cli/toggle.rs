//! `hookrail enable` and `hookrail disable`, which take the same arguments.
//!
//! Both write a list of names beside the hooks and leave the hooks' own entries as they are.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail disable slow-linter\n  hookrail enable slow-linter --project")]
pub(crate) struct ToggleArgs {
    /// The hook's name, or its command if it has none
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Write the list in the project's own file, for all users of the project
    #[arg(long)]
    pub(crate) project: bool,
}
