//! Which agents are there, and which of them call hookrail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookrail_bridge::{Agent, ConnectOptions, Connection, SettingsFormat, connection};
use serde::Serialize;

use super::file::AgentFile;
use super::program;
use crate::cli::Format;
use crate::context::Context;
use crate::display::shown;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

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
    pub(crate) tested_with: &'static str,
    pub(crate) connected: Connected,
    /// The files that call hookrail, or that cannot be read. None for an agent that reads our own settings while there
    /// are none.
    pub(crate) files: Vec<PathBuf>,
}

/// Whether an agent calls hookrail. The words are part of the list's JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Connected {
    /// None of its files does.
    No,
    /// Not as this version would write it.
    Partly,
    /// As this version writes it, or by reading the same settings.
    Yes,
    /// Not known: its settings cannot be read.
    Unreadable,
}

/// Prints the list.
/// Every agent has a row, found or not.
pub(super) fn list(format: Format, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let all: Vec<AgentStatus> =
        Agent::ALL.into_iter().map(|agent| status(agent, context)).collect::<anyhow::Result<_>>()?;
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
            Connected::Yes if files.is_empty() => "connected: reads the same settings as hookrail".to_owned(),
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

/// Looks at one agent: its program and both of its settings files.
pub(crate) fn status(agent: Agent, context: &Context) -> anyhow::Result<AgentStatus> {
    let program = program()?;
    let mut status = AgentStatus {
        agent: agent.as_str(),
        found: false,
        version: None,
        tested_with: hookrail_bridge::tested_with(agent),
        connected: Connected::No,
        files: Vec::new(),
    };
    if let Some(found) = find_program(agent) {
        status.found = true;
        status.version = version_of(&found);
    }
    for project in [false, true] {
        let Ok(file) = AgentFile::find(agent, project, context) else { continue };
        if file.place.format == SettingsFormat::Ours {
            status.connected = Connected::Yes;
            if file.place.path.exists() {
                status.files.push(file.place.path);
                break;
            }
            continue;
        }
        let options = ConnectOptions { toml: file.is_toml, ..ConnectOptions::default() };
        let connected = match file.load() {
            Ok(None) => continue,
            Ok(Some(text)) => match connection(agent, &text, &program, options) {
                Ok(Connection::None) => continue,
                Ok(Connection::Full) => Connected::Yes,
                Ok(Connection::Partly { .. }) => Connected::Partly,
                Err(_) => Connected::Unreadable,
            },
            Err(_) => Connected::Unreadable,
        };
        status.connected = connected;
        status.files.push(file.place.path);
    }
    Ok(status)
}

/// The agent's program on the `PATH`.
/// The first one wins, as in a shell.
fn find_program(agent: Agent) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(agent.as_str())).find(|file| is_executable(file))
}

/// A folder of the same name is none.
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The first line that a program prints about its version, if it does so soon.
/// A program that hangs is ended; its version is then not known.
fn version_of(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while child.try_wait().ok()?.is_none() {
        if std::time::Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.chars().take(40).collect())
}
