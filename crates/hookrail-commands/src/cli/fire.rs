//! `hookrail fire`: one event, as an agent would fire it.
//!
//! The exit codes are those of the hook protocol, so that a script can use the command as a guard of its own.

use clap::Args;
use hookrail_bridge::Agent;

use super::agent_name::any_agent;
use super::event::{EventFields, EventWord, EventWordParser};
use super::log::decision_id;
use super::shared::{Format, TrustFlag};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail fire AfterModel\n  hookrail fire BeforeTool --tool write_file --input '{\"file_path\":\"a.txt\",\"content\":\"x\"}'\n  hookrail fire BeforeModel --payload request.json --format json\n  hookrail fire BeforeTool --only guard --repeat 50\n  hookrail fire PreToolUse --agent claude --tool Bash --input '{\"command\":\"ls\"}' --native\n\nWithout --input or --payload a sample is used. With --repeat the most severe result is shown.\n\nExit codes: 0 allowed, 2 blocked, 3 stop requested, 64 wrong arguments or a payload that does not fit, 1 otherwise.\nBy default a hook that failed changes nothing, as in the agent; see --fail-on-error"
)]
pub(crate) struct FireArgs {
    /// The event; with --agent that agent's name of it, or ours
    #[arg(value_name = "EVENT", value_parser = EventWordParser, required_unless_present = "from_log")]
    pub(crate) event: Option<EventWord>,
    /// Fire the call of this decision again, in its project; `hookrail report` has the ids
    #[arg(long, value_name = "ID", value_parser = decision_id, conflicts_with_all = ["event", "tool", "input", "payload", "agent"])]
    pub(crate) from_log: Option<String>,
    #[command(flatten)]
    pub(crate) fields: EventFields,
    /// Read event, tool and arguments as this agent sends them
    #[arg(long, value_name = "AGENT", long_help = format!("Read event, tool and arguments as this agent sends them, as the bridge does: {}", any_agent()))]
    pub(crate) agent: Option<Agent>,
    /// Also print the answer that the agent would get
    #[arg(long, requires = "agent")]
    pub(crate) native: bool,
    /// Run only the hook with this name or command
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// Fire the event this many times and summarise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: Option<u32>,
    /// Keep this call and what came of it as a test of the project
    #[arg(long, value_name = "NAME", conflicts_with_all = ["only", "repeat"])]
    pub(crate) save_test: Option<String>,
    /// Exit with 1 if a hook failed and no other one decided
    #[arg(long)]
    pub(crate) fail_on_error: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) trust: TrustFlag,
}
