//! `hookrail completions`: completion scripts, made from the command line's own types.
//! It is printed and not installed: shells look for such files in different places.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;

/// The words come from the same types as the parser, so they cannot differ from it.
pub(crate) fn run(args: &CompletionsArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hookrail", &mut script);
    printer.data(String::from_utf8(script)?.trim_end())?;
    Ok(ExitStatus::Success)
}
