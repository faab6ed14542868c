//! `hookrail rules`: the rules that are shipped and can be turned on by name.

use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use hookrail::internal::library;

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
        // Only help and completions ask for them, once.
        Some(Box::new(library::names().map(|name| PossibleValue::new(&*name.leak()))))
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail rules\n  hookrail rules no-force-push\n\nIn the settings: \"hooksConfig\": { \"rules\": [\"no-force-push\"] }"
)]
pub(crate) struct RulesArgs {
    /// Show this rule in full, with its examples
    #[arg(value_name = "NAME", value_parser = RuleNameParser, hide_possible_values = true)]
    pub(crate) name: Option<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}
