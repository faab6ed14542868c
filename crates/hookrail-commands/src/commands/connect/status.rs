//! Which agents are there, and which of them call hookrail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookrail_bridge::{Agent, Connection};
use serde::Serialize;

use super::file::AgentFile;
use super::not_running;
use super::version::{self, measured_version};
use crate::cli::Format;
use crate::commands::other_programs::{find_in_path, run_within};
use crate::context::Context;
use crate::display::shown;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// How long a program may take to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);
/// After this time a person is told what is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

/// One agent as the list shows it.
/// Its fields are a contract.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentStatus {
    /// The word on the command line.
    pub(crate) agent: &'static str,
    /// Whether its program is on the `PATH`.
    pub(crate) found: bool,
    /// The version that the program prints.
    pub(crate) version: Option<String>,
    /// The version that hookrail was tested with.
    pub(crate) tested_with: String,
    pub(crate) connected: Connected,
    /// The files that call hookrail, or that cannot be read.
    pub(crate) files: Vec<PathBuf>,
    /// Why the agent does not run the entries that it has.
    pub(crate) not_running: Vec<String>,
}

/// Whether an agent calls hookrail; of two files the worse counts. The words are part of the list's JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Connected {
    /// None of its files does.
    No,
    /// As this version writes it.
    Yes,
    /// Not as this version would write it.
    Partly,
    /// Not known: its settings cannot be read.
    Unreadable,
}

/// Prints the list.
/// Every agent has a row, found or not.
pub(super) fn list(format: Format, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let all = statuses(context, printer);
    if format == Format::Json {
        printer.json_pretty(&serde_json::json!({ "agents": all }))?;
        return Ok(ExitStatus::Success);
    }
    for agent in &all {
        let found = match (&agent.version, agent.found) {
            (Some(version), _) => escape_line(version),
            (None, true) => "found".to_owned(),
            (None, false) => "not found".to_owned(),
        };
        let files: Vec<String> = agent.files.iter().map(|file| shown(file, context)).collect();
        let connected = match agent.connected {
            Connected::No => "not connected".to_owned(),
            Connected::Yes if !agent.not_running.is_empty() => {
                format!("connected by {}, and not running: see `hookrail doctor`", files.join(", "))
            }
            Connected::Yes => format!("connected by {}", files.join(", ")),
            Connected::Partly => {
                format!("partly connected by {}; run `hookrail connect {}`", files.join(", "), agent.agent)
            }
            Connected::Unreadable => format!("not known: {} cannot be read", files.join(", ")),
        };
        printer.data(format_args!("{:9} {found:24} {connected}", agent.agent))?;
    }
    printer.message("`hookrail connect AGENT` connects one; `--dry-run` shows what would be written.");
    Ok(ExitStatus::Success)
}

/// Looks at every agent: its program and both of its settings files.
pub(crate) fn statuses(context: &Context, printer: &mut Printer) -> Vec<AgentStatus> {
    let programs: Vec<(Agent, Option<PathBuf>)> =
        Agent::ALL.into_iter().map(|agent| (agent, find_program(agent))).collect();
    let versions = versions(&programs, printer);
    for ((agent, program), version) in programs.iter().zip(&versions) {
        if let Some(version) = version {
            version::remember(*agent, program.as_deref(), version, context);
        }
    }
    let found = programs.into_iter().zip(versions);
    found.map(|((agent, program), version)| status(agent, program.is_some(), version, context)).collect()
}

/// One agent without the version of its program, which has to be started for that.
pub(crate) fn status_of(agent: Agent, context: &Context) -> AgentStatus {
    status(agent, find_program(agent).is_some(), None, context)
}

/// What each program prints about its version. They are asked side by side, because some take seconds to start; a person
/// is told what is waited for.
fn versions(programs: &[(Agent, Option<PathBuf>)], printer: &mut Printer) -> Vec<Option<String>> {
    let started = Instant::now();
    let ask = |program: PathBuf| std::thread::spawn(move || version_of(&program));
    let asked: Vec<_> = programs.iter().map(|(_, program)| program.clone().map(ask)).collect();
    let mut is_told = false;
    loop {
        let asked = programs.iter().zip(&asked);
        let waiting = asked.filter(|(_, asked)| asked.as_ref().is_some_and(|asked| !asked.is_finished()));
        let waiting: Vec<&str> = waiting.map(|((agent, _), _)| agent.as_str()).collect();
        if waiting.is_empty() {
            break;
        }
        if !is_told && started.elapsed() > PATIENCE {
            printer.message(format_args!("asking {} for the version …", waiting.join(", ")));
            is_told = true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    asked.into_iter().map(|asked| asked?.join().ok()?).collect()
}

/// One agent, with both of its settings files.
fn status(agent: Agent, found: bool, version: Option<String>, context: &Context) -> AgentStatus {
    let mut status = AgentStatus {
        agent: agent.as_str(),
        found,
        version,
        tested_with: measured_version(agent),
        connected: Connected::No,
        files: Vec::new(),
        not_running: Vec::new(),
    };
    for project in [false, true] {
        let Ok(file) = AgentFile::find(agent, project, context) else { continue };
        let connected = match file.load() {
            Ok(None) => continue,
            Ok(Some(text)) => match file.connection(&text, context) {
                Ok(Connection::None) => continue,
                Ok(Connection::Full) => Connected::Yes,
                Ok(Connection::Partly { .. }) => Connected::Partly,
                Err(_) => Connected::Unreadable,
            },
            Err(_) => Connected::Unreadable,
        };
        if status.files.contains(&file.place.path) {
            continue; // The project is the home directory.
        }
        status.connected = status.connected.max(connected);
        status.not_running.extend(not_running(&file, context).into_iter().map(|(message, _)| message));
        status.files.push(file.place.path);
    }
    status
}

/// The agent's program on the `PATH`.
fn find_program(agent: Agent) -> Option<PathBuf> {
    find_in_path(agent.as_str(), &std::env::var_os("PATH")?)
}

/// The first line that a program prints about its version, if it does so soon.
pub(super) fn version_of(program: &Path) -> Option<String> {
    let (output, writer) = std::io::pipe().ok()?;
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
    let (_, printed) = run_within(VERSION_TIMEOUT, command, output).ok()??;
    printed.lines().next().map(|line| line.chars().take(40).collect())
}
