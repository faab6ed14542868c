//! `hookrail schema`: JSON Schemas.
//!
//! The same text is committed below `schemas/`; a test fails when the two differ.

use hookrail::schemas::{input_schema, output_schema, settings_schema};

use crate::cli::{SchemaArgs, SchemaKind};
use crate::commands::test;
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;
use crate::texts::TEXTS;

/// Prints the schema of the named format, of one event where it has one for each.
pub(crate) fn run(args: &SchemaArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let schema = match &args.kind {
        SchemaKind::Test => return text(test::schema::text(), printer),
        SchemaKind::SessionLog => return text(TEXTS.get("session-log.schema.json"), printer),
        SchemaKind::Settings => settings_schema(),
        SchemaKind::Input(event) => input_schema(event.event),
        SchemaKind::Output(event) => output_schema(event.event),
    };
    printer.json_pretty(&schema)?;
    Ok(ExitStatus::Success)
}

fn text(schema: &str, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    printer.data(schema.trim_end())?;
    Ok(ExitStatus::Success)
}
