//! `hookrail facts`: what rules are decided by, for the author of a rule.

use clap::Args;
use hookrail::EventName;

use super::event::{EventFields, EventNameParser};
use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail facts BeforeTool --tool run_shell_command --input '{\"command\":\"sudo rm -rf /tmp/x\"}'\n\nJSON: { \"commands\": [{ argv, via }], \"programs\": [], \"dynamic\": false, \"writes\": [], \"reads\": [] }, and \"dynamicCauses\": [] where dynamic is true;\na word of argv that cannot be determined is null, a path of which only the beginning is known ends in `?`."
)]
pub(crate) struct FactsArgs {
    /// The event
    #[arg(value_name = "EVENT", value_parser = EventNameParser)]
    pub(crate) event: EventName,
    #[command(flatten)]
    pub(crate) fields: EventFields,
    /// How to print the facts
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
