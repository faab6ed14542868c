//! `hookrail trust`: a person's approval of the hooks of a project.
//!
//! `--revoke` takes an optional name; an empty one means all hooks of the project.

use clap::Args;

use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail trust\n  hookrail trust --yes\n  hookrail trust --list\n  hookrail trust --revoke\n\nAn approval holds for exactly what was shown: event, matcher, command, timeout, env, onFailure, order, and the content of the project files that the command names. Any change asks again. Commands that an agent starts (HOOKRAIL_AGENT is set) cannot change approvals.\n\nExit codes: 0 fine, 1 something waits and could not be asked about, or cannot be approved"
)]
pub(crate) struct TrustArgs {
    /// Approve everything without asking
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) yes: bool,
    /// List what is approved
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Take the approvals of this project back, or those of the hook NAME
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) revoke: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
