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
use crate::hook_log::local_time;
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};

/// How long keepers are waited for that were asked to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Shows, stops, or is a keeper.
pub(crate) fn run(args: &KeeperArgs, places: &Places, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    match args.action.unwrap_or(KeeperAction::Status) {
        KeeperAction::Serve => {
            let places = surroundings::places(places).map_err(anyhow::Error::msg)?;
            return server::serve(&places, &Context::without_project(&places, |_| None)?);
        }
        KeeperAction::Stop => {
            let count = stop(&Context::new(places)?.state_dir())?;
            printer.data(format_args!("{}", if count == 0 { "no keeper is running" } else { "stopped" }))?;
        }
        KeeperAction::Status => {
            let lines = lines(&Context::new(places)?.state_dir());
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
    let shown = |Status { version, pid, since, workers, answered }: &Status| {
        let (since, workers, events) =
            (local_time(since), counted(*workers as u64, "worker"), counted(*answered, "event"));
        escape_line(&format!("keeper {version}: process {pid} since {since}, {workers}, {events} answered"))
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
