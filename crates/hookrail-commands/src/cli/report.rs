//! `hookrail report`: what agents did and what the guards decided, as one page.

use std::path::PathBuf;

use clap::Args;

use crate::hook_log::Since;

#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Examples:\n  hookrail report --open\n  hookrail report --since 30d -o decisions.html\n  hookrail report --live\n\nWith --live an address on 127.0.0.1 is printed. Its code works once, in one browser; the page changes nothing, and Ctrl-C ends it."
)]
pub(crate) struct ReportArgs {
    /// Only events since then: `30m`, `2h`, `7d`, `4w`, a date, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = Since::parse, default_value = "7d")]
    pub(crate) since: Since,
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Where to write it
    #[arg(short, long, value_name = "FILE", default_value = "hookrail-report.html", conflicts_with = "live")]
    pub(crate) output: PathBuf,
    /// Serve the page on 127.0.0.1 and update it while agents work
    #[arg(long)]
    pub(crate) live: bool,
    /// Open it in the browser
    #[arg(long)]
    pub(crate) open: bool,
}
