//! `hookrail schema`: the JSON Schemas of what people and hooks write and read.

use clap::{Args, Subcommand};
use hookrail::EventName;

use super::event::EventNameParser;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hookrail schema settings > settings.schema.json\n  hookrail schema input BeforeTool"
)]
pub(crate) struct SchemaArgs {
    #[command(subcommand)]
    pub(crate) kind: SchemaKind,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum SchemaKind {
    /// settings.json
    Settings,
    /// What a hook receives on stdin
    Input(EventArg),
    /// What a hook may answer on stdout
    Output(EventArg),
    /// A line of a session log
    SessionLog,
    /// A test file
    Test,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct EventArg {
    /// The event
    #[arg(value_name = "EVENT", value_parser = EventNameParser)]
    pub(crate) event: EventName,
}
