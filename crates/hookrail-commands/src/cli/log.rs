//! `hookrail log`: what hooks did, from the engine's log or from session logs.
//!
//! All filters are conditions that must hold together. `--save-test` names one call by its id, so it takes no filter.

use std::path::PathBuf;

use clap::Args;
use hookrail::EventName;

use super::agent_name::agent_or_ours;
use super::event::EventNameParser;
use super::shared::Format;
use crate::hook_log::{CallOutcome, LoggedVerdict, Since};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one flag each")]
#[command(
    after_help = "Examples:\n  hookrail log --decision block --agent claude\n  hookrail log --follow\n  hookrail log -n 20 --project\n  hookrail log --since 2h --tool run_shell_command\n  hookrail log --stats\n  hookrail log session.jsonl\n  hookrail log --calls\n  hookrail log --save-test 3f9a1c02\n\nEach line is an event: time, agent, tool, what the call does, the decision and the hook that made it. `--calls` shows each hook that ran, with the id of its call in the second column. What hooks were given is kept in session logs alone: calls of `hookrail agent` can be kept as tests, those of other agents with `hookrail replay --save-tests`."
)]
pub(crate) struct LogArgs {
    /// Session logs to read instead of the engine's own log
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show the last ten lines (or those of -n), then wait for new ones
    #[arg(short, long, conflicts_with = "stats")]
    pub(crate) follow: bool,
    /// Each hook that ran instead of each event; session logs have nothing else
    #[arg(long)]
    pub(crate) calls: bool,
    /// The id of each decision in front of it, which `fire --from-log` and `rules except` take
    #[arg(long, conflicts_with_all = ["calls", "outcome", "stats"])]
    pub(crate) ids: bool,
    /// Print at once, without a pager
    #[arg(long)]
    pub(crate) no_pager: bool,
    /// Only events of this agent; those of our own programs are of `hookrail`
    #[arg(long, value_name = "AGENT", value_parser = agent_or_ours(), hide_possible_values = true, conflicts_with_all = ["calls", "outcome", "stats"])]
    pub(crate) agent: Option<String>,
    /// Only events that were decided like this
    #[arg(long, value_enum, value_name = "DECISION", conflicts_with_all = ["calls", "outcome", "stats"])]
    pub(crate) decision: Option<LoggedVerdict>,
    /// Only this event
    #[arg(long, value_name = "EVENT", value_parser = EventNameParser)]
    pub(crate) event: Option<EventName>,
    /// Only the hook with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Only calls about this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only calls in this project; without DIR the present one
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub(crate) project: Option<PathBuf>,
    /// Only calls of the session whose id begins like this
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only calls since then: `30m`, `2h`, `7d`, `4w`, a date, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    pub(crate) since: Option<Since>,
    /// Only the last N of them
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "stats")]
    pub(crate) last: Option<usize>,
    /// Only hooks that ended like this; shows `--calls`
    #[arg(long, value_enum)]
    pub(crate) outcome: Option<CallOutcome>,
    /// Runs, blocks, asks, failures and durations of each hook
    #[arg(long)]
    pub(crate) stats: bool,
    /// Keep the call with this id as a test of the project, in `.hookrail/tests/logged.json`
    #[arg(
        long,
        value_name = "ID",
        value_parser = call_id,
        conflicts_with_all = ["follow", "event", "hook", "tool", "project", "session", "since", "last", "outcome", "stats", "format", "calls", "agent", "decision"]
    )]
    pub(crate) save_test: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// The id of a decision, as `report` has it.
pub(super) fn decision_id(given: &str) -> Result<String, String> {
    let is_id = (8..=64).contains(&given.len()) && given.chars().all(|c| c.is_ascii_hexdigit());
    is_id
        .then(|| given.to_ascii_lowercase())
        .ok_or_else(|| "`hookrail report` and `hookrail log --ids` show the ids of decisions".to_owned())
}

/// The beginning of an id that `log` prints.
fn call_id(given: &str) -> Result<String, String> {
    let is_id = given.len() >= 4 && given.chars().all(|c| c.is_ascii_hexdigit());
    is_id
        .then(|| given.to_ascii_lowercase())
        .ok_or_else(|| "`hookrail log` prints the ids of calls".to_owned())
}
