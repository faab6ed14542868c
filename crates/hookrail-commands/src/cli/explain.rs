//! `hookrail explain`: which hooks an event would start. It starts none.

use clap::Args;
use hookrail::EventName;

use super::event::EventNameParser;
use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail explain BeforeTool --tool write_file\n  hookrail explain SessionStart --format json\n  hookrail explain BeforeTool --tool run_shell_command --input '{\"command\":\"git push -f\"}'"
)]
pub(crate) struct ExplainArgs {
    /// The event
    #[arg(value_name = "EVENT", value_parser = EventNameParser)]
    pub(crate) event: EventName,
    /// The tool's name; for session events the source, reason, trigger or type
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's arguments as a JSON object: shows which conditions of rules hold
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) input: Option<String>,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
