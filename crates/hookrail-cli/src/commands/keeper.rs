//! `keeper`: a process of the user's that keeps workers for bridge calls, which live for one event.
//!
//! It holds workers and nothing else: rules, plan, merge, trust and log are the bridge's. A question names a hook; the
//! command, its environment and its approval are looked up in the settings of the keeper's own home, so that a process that
//! reaches the socket can have nothing run but hooks that run anyway.

pub(crate) mod client;
mod place;
mod projects;
mod server;
mod wire;

use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) use self::wire::Status;
use crate::cli::{KeeperAction, KeeperArgs, Places};
use crate::commands::bridge::surroundings;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// How long keepers are waited for that were asked to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Shows, stops, or is a keeper.
pub(crate) fn run(args: &KeeperArgs, places: &Places, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let places = surroundings::places(places).map_err(anyhow::Error::msg)?;
    let context = Context::without_project(&places, |_| None)?;
    match args.action.unwrap_or(KeeperAction::Status) {
        KeeperAction::Serve => return server::serve(&places, &context),
        KeeperAction::Stop => {
            let count = stop(&context.state_dir())?;
            printer.data(format_args!("{}", if count == 0 { "no keeper is running" } else { "stopped" }))?;
        }
        KeeperAction::Status => {
            let lines = lines(&context.state_dir());
            let none = lines.is_empty().then(|| "no keeper is running".to_owned());
            for line in lines.into_iter().chain(none) {
                printer.data(line)?;
            }
        }
    }
    Ok(ExitStatus::Success)
}

/// The keepers that run, one line each.
pub(crate) fn lines(state_dir: &Path) -> Vec<String> {
    let shown = |status: &Status| {
        let Status { version, pid, since, workers, answered } = status;
        let line = format!(
            "keeper {version}: process {pid} since {since}, {workers} workers, {answered} events answered"
        );
        escape_line(&line)
    };
    place::sockets(state_dir)
        .iter()
        .filter_map(|socket| client::status(socket))
        .map(|status| shown(&status))
        .collect()
}

/// Ends every keeper of a home. Returns how many there were.
pub(crate) fn stop(state_dir: &Path) -> anyhow::Result<usize> {
    let running: Vec<_> =
        place::sockets(state_dir).into_iter().filter(|socket| client::stop(socket)).collect();
    let begin = Instant::now();
    while running.iter().any(|socket| socket.exists()) {
        anyhow::ensure!(begin.elapsed() < STOP_TIMEOUT, "a keeper did not end");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(running.len())
}
