//! `hookrail completions`: completion scripts, made from the command line's own types.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::ExitStatus;
use crate::terminal::printer::Printer;

pub(crate) fn run(args: &CompletionsArgs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hookrail", &mut script);
    printer.data(String::from_utf8(script)?.trim_end())?;
    Ok(ExitStatus::Success)
}
