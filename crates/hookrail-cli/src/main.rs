//! The `hookrail` program: parse, run, exit.

mod agent_ui;
mod cli;
mod commands;
mod context;
mod exit;
mod hook_log;
mod logging;
mod printer;
mod settings_file;
mod survey;
mod interactive;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::exit::{ExitStatus, Hinted};
use crate::printer::{ClosedPipe, Printer, escape_line};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // Exit code 2 means "blocked" here, so that clap's own code for usage errors will not do.
            let _ = usage.print();
            let status = if usage.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success };
            return status.into();
        }
    };
    logging::start();
    let mut printer = Printer::new();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let status = run(cli, &mut printer)?;
        printer.flush()?;
        Ok(status)
    }));
    match outcome {
        Ok(Ok(status)) => status.into(),
        Ok(Err(error)) => report(&error).into(),
        // The panic has told its message on stderr already.
        Err(_) => ExitStatus::Internal.into(),
    }
}

fn run(cli: Cli, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let context = || Context::new(cli.directory.as_deref());
    match cli.command {
        Command::Check(args) => commands::check::run(&args, &context()?, printer),
        Command::Explain(args) => commands::explain::run(&args, &context()?, printer),
        Command::List(args) => commands::list::run(&args, &context()?, printer),
        Command::Enable(args) => commands::toggle::run(&args, true, &context()?, printer),
        Command::Disable(args) => commands::toggle::run(&args, false, &context()?, printer),
        Command::Init(args) => commands::init::run(&args, &context()?, printer),
        Command::Fire(args) => commands::fire::run(&args, &context()?, printer),
        Command::Trust(args) => commands::trust::run(&args, &context()?, printer),
        Command::Log(args) => commands::log::run(&args, &context()?, printer),
        Command::Schema(args) => commands::schema::run(&args, printer),
        Command::Completions(args) => commands::completions::run(&args, printer),
        Command::Man(args) => commands::man::run(&args, printer),
        Command::Agent(args) => commands::agent::run(&args, &context()?, printer),
        Command::Demo => commands::demo::run(printer),
        _ => anyhow::bail!("`{}` cannot work here yet", context()?.project().display()),
    }
}

/// Tells an error with its causes and, where there is one, a hint.
pub(crate) fn report(error: &anyhow::Error) -> ExitStatus {
    if error.is::<ClosedPipe>() {
        return ExitStatus::Success;
    }
    let mut printer = Printer::new();
    printer.talk(format_args!("error: {}", escape_line(&error.to_string())));
    for cause in error.chain().skip(1) {
        printer.talk(format_args!("caused by: {}", escape_line(&cause.to_string())));
    }
    if let Some(hinted) = error.downcast_ref::<Hinted>() {
        printer.talk(format_args!("hint: {}", escape_line(&hinted.hint)));
    }
    ExitStatus::Failure
}
