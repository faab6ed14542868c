//! `hookrail rules`: the rules that are shipped and can be turned on by name.

use clap::Args;

use super::shared::Format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail rules\n  hookrail rules no-force-push\n\nIn the settings: \"hooksConfig\": { \"rules\": [\"no-force-push\"] }"
)]
pub(crate) struct RulesArgs {
    /// Show this rule in full, with its examples
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
