//! `hookrail schema`: JSON Schemas.
//!
//! The same text is committed below `schemas/`; a test fails when the two differ.

use hookrail::schemas::{input_schema, output_schema, settings_schema};
use hookrail_agent::session_log_schema;

use crate::cli::{SchemaArgs, SchemaKind};
use crate::commands::test;
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;

/// Prints the schema of the named format, of one event where it has one for each.
pub(crate) fn run(args: &SchemaArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let schema = match &args.kind {
        SchemaKind::Test => {
            printer.data(test::schema::TEXT.trim_end())?;
            return Ok(ExitStatus::Success);
        }
        SchemaKind::Settings => settings_schema(),
        SchemaKind::Input(event) => input_schema(event.event),
        SchemaKind::Output(event) => output_schema(event.event),
        SchemaKind::SessionLog => session_log_schema().to_value(),
    };
    printer.json_pretty(&schema)?;
    Ok(ExitStatus::Success)
}
