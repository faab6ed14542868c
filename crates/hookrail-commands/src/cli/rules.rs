//! `hookrail rules`: the rules that are shipped and can be turned on by name.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};
use hookrail::rules::library;

use super::log::decision_id;
use super::shared::Format;

/// Takes any name, so that the command can suggest a near one; completions list the shipped rules.
#[derive(Debug, Clone)]
pub(super) struct RuleNameParser;

impl TypedValueParser for RuleNameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(library::names().map(PossibleValue::new)))
    }
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  hookrail rules\n  hookrail rules no-force-push\n  hookrail rules enable @standard\n  hookrail rules disable ask-before-discard\n\nIn the settings: \"hooksConfig\": { \"rules\": [\"@standard\"] }"
)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) action: Option<RulesAction>,
    /// Show this rule in full, with its examples
    #[arg(value_name = "NAME", value_parser = RuleNameParser, hide_possible_values = true)]
    pub(crate) name: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// What is done with shipped rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// Turn rules or presets on, and hooks with them
    Enable(RulesNames),
    /// Turn rules off
    Disable(RulesNames),
    /// Except one logged call from the rule that stopped it
    Except(RulesExcept),
}

#[derive(Debug, Args)]
#[command(
    after_help = "The exception is for exactly this command, in every project that the settings file is for, and is written where the rule was turned on. `hookrail allow` lets one call pass instead."
)]
pub(crate) struct RulesExcept {
    /// The id of a decision; `hookrail report` has them
    #[arg(value_name = "ID", value_parser = decision_id)]
    pub(crate) id: String,
    /// The last day on which it counts
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Why, for whoever reads the settings
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// Only print what would be written
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RulesNames {
    /// Names of shipped rules, or presets: @standard, @strict
    #[arg(required = true, value_name = "NAME", value_parser = RuleNameParser, hide_possible_values = true)]
    pub(crate) names: Vec<String>,
    /// Write the project's settings instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
}
