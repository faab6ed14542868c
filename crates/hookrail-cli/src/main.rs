//! The `hookrail` program: parse, run, exit.

mod cli;
mod commands;
mod context;
mod exit;
mod logging;
mod printer;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::printer::{ClosedPipe, Printer};

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
        Command::Completions(args) => commands::completions::run(&args, printer),
        _ => anyhow::bail!("`{}` cannot work here yet", context()?.project().display()),
    }
}

/// Tells an error with its causes and, where there is one, a hint.
fn report(error: &anyhow::Error) -> ExitStatus {
    if error.is::<ClosedPipe>() {
        return ExitStatus::Success;
    }
    let mut printer = Printer::new();
    printer.talk(format_args!("error: {error}"));
    for cause in error.chain().skip(1) {
        printer.talk(format_args!("caused by: {cause}"));
    }
    ExitStatus::Failure
}
