//! What the `hookrail` program does: parse, run, exit.
//!
//! What a command prints and with which exit code it ends is decided here once for all of them: usage errors, errors
//! with causes and hints, a closed pipe, a panic.

mod cli;
mod commands;
mod context;
mod digest;
mod display;
mod effect;
mod event_input;
mod exit;
mod findings;
mod hook_log;
mod interrupt;
mod logging;
mod plain_file;
mod services;
mod settings_file;
mod signals;
mod terminal;
mod texts;

use std::process::ExitCode;

use crate::cli::{Cli, Command, McpAction};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::terminal::error;
use crate::terminal::printer::Printer;

/// A call by another agent takes a way of its own: the agent waits for it, and building the whole command line would take
/// a good part of the time. A call in any other form than `connect` writes is parsed like every command.
pub fn main() -> ExitCode {
    signals::keep_exit_statuses();
    let words: Vec<_> = std::env::args_os().collect();
    if let Some((args, places)) = commands::bridge::bridge_call(words.iter().skip(1).cloned()) {
        return commands::bridge::run(&args, &places).into();
    }
    let cli = match Cli::read(&words) {
        Ok(cli) => cli,
        Err(usage) => {
            // Exit code 2 means "blocked" here, so that clap's own code for usage errors will not do.
            let _ = usage.print();
            let status = if usage.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success };
            return status.into();
        }
    };
    cli.color.apply();
    // An agent puts a project's variables into the environment of what it starts: there, none of them has an effect.
    if !matches!(cli.command, Command::Bridge(_) | Command::Mcp(_) | Command::Keeper(_)) {
        logging::start();
    }
    let mut printer = Printer::new();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let status = run(cli, &mut printer)?;
        printer.flush()?;
        Ok(status)
    }));
    match outcome {
        Ok(Ok(status)) => status.into(),
        Ok(Err(problem)) => error::report(&problem).into(),
        // The panic has printed its message on stderr already.
        Err(_) => ExitStatus::Internal.into(),
    }
}

/// Runs the command. Those that work in a project name it on stderr, unless it is the current folder: an agent's
/// or a person's mistake about it would look like hooks that do nothing.
fn run(cli: Cli, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let context = || Context::new(&cli.places);
    let in_project = |quiet: bool| {
        let context = context()?;
        if !quiet {
            context.print_project(&mut Printer::new());
        }
        anyhow::Ok(context)
    };
    match cli.command {
        Command::Setup(args) => commands::setup::run(&args, &context()?, printer),
        Command::Uninstall(args) => commands::setup::uninstall(&args, &context()?, printer),
        Command::Upgrade => commands::setup::upgrade(&context()?, printer),
        Command::Check(args) => commands::check::run(&args, &in_project(false)?, printer),
        Command::Explain(args) => commands::explain::run(&args, &in_project(false)?, printer),
        Command::List(args) => commands::list::run(&args, &in_project(false)?, printer),
        Command::Enable(args) => commands::toggle::run(&args, true, &in_project(false)?, printer),
        Command::Disable(args) => commands::toggle::run(&args, false, &in_project(false)?, printer),
        Command::Init(args) => commands::init::run(&args, &in_project(false)?, printer),
        Command::Fire(args) => commands::fire::run(&args, &in_project(false)?, printer),
        Command::Test(args) => commands::test::run(&args, &in_project(false)?, printer),
        Command::Replay(args) => commands::replay::run(&args, &in_project(false)?, printer),
        Command::Trust(args) => commands::trust::run(&args, &in_project(false)?, printer),
        Command::Facts(args) => commands::facts::run(&args, &in_project(false)?, printer),
        Command::Rules(args) => commands::rules::run(&args, &in_project(false)?, printer),
        Command::Allow(args) => commands::allow::run(&args, &context()?, printer),
        Command::Log(args) => commands::log::run(&args, &context()?, printer),
        Command::Report(args) => commands::report::run(&args, &context()?, printer),
        Command::Export(args) => commands::export::run(&args, &context()?, printer),
        Command::Policy(args) => commands::policy::run(&args.action, &context()?, printer),
        Command::Status(args) => commands::status::run(&args, &context()?, printer),
        Command::Statusline(args) => Ok(commands::statusline::run(&args, &cli.places, printer)),
        Command::Schema(args) => commands::schema::run(&args, printer),
        Command::Serve(args) => commands::serve::run(&args, &in_project(false)?),
        Command::Completions(args) => commands::completions::run(&args, printer),
        Command::Man(args) => commands::man::run(&args, printer),
        Command::Keeper(args) => commands::keeper::run(&args, &cli.places, printer),
        Command::Bridge(args) => Ok(commands::bridge::run(&args, &cli.places)),
        Command::Mcp(args) => match &args.action {
            Some(McpAction::Wrap(file)) => commands::mcp::wrap::wrap(file, &context()?, printer),
            Some(McpAction::Unwrap(file)) => commands::mcp::wrap::unwrap(file, &context()?, printer),
            None => {
                commands::mcp::run(args.server.as_deref().unwrap_or_default(), &args.command, &cli.places)
            }
        },
        Command::Doctor(args) => commands::doctor::run(&args, &in_project(false)?, printer),
        Command::Connect(args) => commands::connect::run(&args, &context()?, printer),
        Command::Disconnect(args) => commands::connect::disconnect::run(&args, &context()?, printer),
        Command::Import(args) => commands::import::run(&args, &context()?, printer),
        Command::Agent(args) => commands::agent::run(&args, &in_project(args.quiet)?),
        Command::Demo => commands::demo::run(printer),
    }
}
