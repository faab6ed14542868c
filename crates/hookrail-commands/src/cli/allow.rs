//! `hookrail allow`: a person lets one call pass that rules stopped.

use clap::Args;
use jiff::SignedDuration;

use super::shared::Format;
use crate::hook_log::span;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail allow\n  hookrail allow --for 30m\n  hookrail allow --list\n  hookrail allow --revoke 3f9a1c02\n  hookrail allow --revoke --all\n\nIt shows the calls that rules stopped in the last 24 hours and asks which one may pass: once, within ten minutes, or as often as it comes with --for. Only that call passes: the same rule, project, tool and arguments. Rules of the system's settings, hooks and guards that do not work cannot be lifted. The answer is read from the terminal, and commands that an agent started cannot give it.\n\nJSON: {\"calls\":[{\"id\",\"time\",\"agent\",\"project\",\"tool\",\"summary\",\"rule\",\"allowed\",\"obstacle\"}],\"grants\":[{\"id\",\"until\",\"once\",\"rule\",\"project\",\"tool\",\"summary\"}]}\n\nExit codes: 0 fine, 1 nobody may answer here, or a file cannot be used"
)]
pub(crate) struct AllowArgs {
    /// Let the call pass as often as it comes, for this long: `90s`, `30m`, `8h`; at most 24 hours
    #[arg(long = "for", value_name = "TIME", value_parser = short_span, conflicts_with_all = ["list", "revoke"])]
    pub(crate) span: Option<SignedDuration>,
    /// List the calls that were stopped, and what is allowed
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Take back what is allowed under this id, or with --all everything
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "format")]
    pub(crate) revoke: Option<String>,
    /// With --revoke: everything
    #[arg(long, requires = "revoke")]
    pub(crate) all: bool,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// A span of time of at most a day.
fn short_span(given: &str) -> Result<SignedDuration, String> {
    let span = span(given).filter(|span| span.is_positive() && *span <= SignedDuration::from_hours(24));
    let span = span.filter(|_| !given.ends_with(['d', 'w']));
    span.ok_or_else(|| "write `90s`, `30m` or `8h`, at most `24h`".to_owned())
}
