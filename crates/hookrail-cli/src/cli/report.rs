//! `hookrail report`: what agents did and what the guards decided, as one page.

use std::path::PathBuf;

use clap::Args;

use crate::hook_log::Since;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hookrail report\n  hookrail report --since 30d -o decisions.html")]
pub(crate) struct ReportArgs {
    /// Only events since then: `30m`, `2h`, `7d`, `4w`, a date, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = Since::parse, default_value = "7d")]
    pub(crate) since: Since,
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Where to write it
    #[arg(short, long, value_name = "FILE", default_value = "hookrail-report.html")]
    pub(crate) output: PathBuf,
}
