//! An event on the command line: its name, and the fields that its hooks receive.
//!
//! A wrong name is a usage error like any other of `clap`, with all names and a suggestion. Completions have the names too.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use hookrail::EventName;

/// The fields of an event.
#[derive(Debug, Default, Args)]
pub(crate) struct EventFields {
    /// The tool's name, for tool events
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's arguments as a JSON object, for tool events
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// The event's fields as a JSON object: a file, or `-` for stdin
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    pub(crate) payload: Option<PathBuf>,
}

/// Reads an event name; an unknown one is a usage error that suggests the nearest, or ours for another agent's.
#[derive(Debug, Clone)]
pub(super) struct EventNameParser;

impl TypedValueParser for EventNameParser {
    type Value = EventName;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<EventName, clap::Error> {
        let known = PossibleValuesParser::new(EventName::ALL.map(EventName::as_str));
        let known = known.try_map(|word| word.parse::<EventName>());
        known.parse_ref(command, arg, value).map_err(|mut error| {
            if let Some(meant) = value.to_str().and_then(EventName::nearest) {
                let meant = ContextValue::Strings(vec![meant.to_string()]);
                error.insert(ContextKind::SuggestedValue, meant);
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(EventName::ALL.into_iter().map(|event| PossibleValue::new(event.as_str()))))
    }
}

/// The name of an event: ours, or another agent's.
#[derive(Debug, Clone)]
pub(crate) enum EventWord {
    /// One of ours.
    Ours(EventName),
    /// One that some agent has.
    Native(String),
}

/// Reads the name of an event of ours or of any agent's.
#[derive(Debug, Clone)]
pub(super) struct EventWordParser;

impl TypedValueParser for EventWordParser {
    type Value = EventWord;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<EventWord, clap::Error> {
        EventNameParser.parse_ref(command, arg, value).map(EventWord::Ours).or_else(|error| {
            match value.to_str() {
                Some(word) if hookrail_bridge::is_event_name(word) => Ok(EventWord::Native(word.to_owned())),
                _ => Err(error),
            }
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        EventNameParser.possible_values()
    }
}
