//! The connected agents: whether they run what they have, and whether what they call works.
//!
//! An entry that looks right may still call a program that was removed, or be switched off elsewhere. So every switch that
//! the agent knows is looked at, and each of the user's entries is started with a payload that must be refused: only a
//! refusal counts. A project's entries are compared and never started: their text is the project's.

use std::path::Path;

use hookrail_bridge::{Agent, Connection, bridge_entries, guarded_event, limits, machine_settings};
use hookrail_shell::quote;

use super::probe::{self, ProbeResult};
use super::{DoctorReport, RowState};
use crate::commands::connect::file::AgentFile;
use crate::commands::connect::status::{AgentStatus, Connected, statuses};
use crate::commands::connect::version::unmeasured;
use crate::commands::connect::{not_running, program};
use crate::commands::mcp::wrap::{WrappedServers, wrapped_files};
use crate::context::Context;
use crate::display::shown;
use crate::terminal::printer::Printer;

/// Looks at every agent that is found or connected.
/// An agent that is neither installed nor connected is not mentioned.
pub(super) fn look(context: &Context, report: &mut DoctorReport, printer: &mut Printer) {
    let statuses = statuses(context, printer);
    for (agent, status) in Agent::ALL.into_iter().zip(&statuses) {
        look_at(agent, status, context, report);
    }
    let no_machine = |agent: Agent| on_machine(agent).is_none();
    if statuses.iter().all(|status| status.connected == Connected::No)
        && Agent::ALL.into_iter().all(no_machine)
    {
        let help = "`hookrail connect AGENT` connects one";
        report.add(RowState::Note, "agents", "no other agent calls hookrail", help);
    }
    look_for_doubles(context, report);
    look_at_mcp(context, report);
}

/// The configurations of MCP clients that `mcp wrap` changed.
fn look_at_mcp(context: &Context, report: &mut DoctorReport) {
    for (file, servers) in wrapped_files(context) {
        let name = shown(&file, context);
        let again = format!("`hookrail mcp wrap {}`", quote(&file.to_string_lossy()));
        match servers {
            None => {
                let message = format!("`{name}` was wrapped, and cannot be read now");
                report.add(RowState::Warning, "mcp", message, "fix the file, or `hookrail mcp unwrap` it");
            }
            Some(found) if !found.wrapped.is_empty() && !program::path(context).exists() => {
                let message = format!("`{name}` calls a program that is not there");
                report.add(RowState::Error, "mcp", message, again);
            }
            Some(WrappedServers { wrapped, others }) => {
                if !wrapped.is_empty() {
                    report.ok(
                        "mcp",
                        format!("`{name}`: these servers go through hookrail: {}", wrapped.join(", ")),
                    );
                }
                if !others.is_empty() {
                    let message = format!(
                        "`{name}`: these servers are not started through hookrail: {}",
                        others.join(", ")
                    );
                    report.add(RowState::Warning, "mcp", message, again);
                }
            }
        }
    }
}

/// The agent's settings for all users of this machine, if they call hookrail.
fn on_machine(agent: Agent) -> Option<&'static Path> {
    machine_settings(agent, |file| std::fs::read_to_string(file).ok())
}

/// The user's and the project's file are looked at by themselves, because either may be the one that works.
fn look_at(agent: Agent, status: &AgentStatus, context: &Context, report: &mut DoctorReport) {
    let name = agent.as_str();
    let machine = on_machine(agent);
    if let Some(file) = machine {
        let (state, what, help) = if status.connected == Connected::No {
            let help = "let the agent run a command that a rule blocks";
            (RowState::Note, "whether it works there is not tested here", help.to_owned())
        } else {
            let help = format!("keep one of them; `hookrail disconnect {name}` removes yours");
            (RowState::Warning, "so does an entry of yours: each call is asked about twice", help)
        };
        let message = format!("`{}` calls hookrail for every user; {what}", file.display());
        report.add(state, name, message, help);
    }
    match status.connected {
        Connected::No => {
            if status.found && machine.is_none() {
                let help = format!("`hookrail connect {name}`");
                report.add(RowState::Note, name, "is installed and does not call hookrail", help);
            }
            return;
        }
        Connected::Yes | Connected::Partly | Connected::Unreadable => {}
    }
    if let Some((message, help)) = status.version.as_deref().and_then(|version| unmeasured(agent, version)) {
        report.add(RowState::Note, name, message, help);
    }
    for is_project in [false, true] {
        let Ok(file) = AgentFile::find(agent, is_project, context) else { continue };
        if status.files.contains(&file.place.path) && !(is_project && is_users(&file, context)) {
            look_at_file(&file, context, report);
        }
    }
    let limits = limits(agent);
    if !limits.is_empty() {
        report.add(RowState::Note, name, limits.join(" "), "");
    }
}

/// Whether a project's file is the user's own, because the project is the home directory.
fn is_users(file: &AgentFile, context: &Context) -> bool {
    AgentFile::find(file.agent, false, context).is_ok_and(|user| user.place.path == file.place.path)
}

/// One file that calls hookrail, or that cannot be read.
fn look_at_file(file: &AgentFile, context: &Context, report: &mut DoctorReport) {
    let name = file.agent.as_str();
    let shown_file = shown(&file.place.path, context);
    let option = if file.is_project { " --project" } else { "" };
    let reconnect = format!("`hookrail connect {name}{option}`");
    let text = file.load().ok().flatten();
    let connection = text.as_deref().and_then(|text| file.connection(text, context).ok());
    let Some((text, connection)) = text.zip(connection) else {
        let message =
            format!("`{shown_file}` cannot be read, so hookrail cannot tell whether it is called there");
        return report.add(RowState::Error, name, message, format!("fix the file, then {reconnect}"));
    };
    for (message, help) in not_running(file, context) {
        report.add(RowState::Error, name, message, help);
    }
    if matches!(connection, Connection::Partly { .. }) {
        let message = format!("`{shown_file}` calls hookrail, though not as this version would write it");
        report.add(RowState::Warning, name, message, reconnect.clone());
    }
    if file.is_project {
        // A plugin of a project has no line that could be compared.
        if !entries(file, &text).is_empty()
            && let Err(why) = guarded_entry(file, &text, context)
        {
            report.add(RowState::Error, name, why, reconnect.clone());
        }
        return look_at_shared(&connection, &shown_file, name, &reconnect, context, report);
    }
    match refuses_as_it_must(file, context) {
        Ok(()) => report.ok(
            name,
            format!("its entry in `{shown_file}` calls hookrail, and a call that must be refused is refused"),
        ),
        Err(why) => report.add(RowState::Error, name, why, reconnect),
    }
}

/// Whether the user's entry of an agent refuses a call that must be refused; the error says why not.
pub(crate) fn refuses_as_it_must(file: &AgentFile, context: &Context) -> Result<(), String> {
    let shown_file = shown(&file.place.path, context);
    let text = file.load().ok().flatten().unwrap_or_default();
    let entry = guarded_entry(file, &text, context)?;
    match probe::probe(&entry, context.project()) {
        ProbeResult::Works => Ok(()),
        ProbeResult::Gone => {
            Err(format!("the program that `{shown_file}` calls is not there or does not start"))
        }
        ProbeResult::Odd(printed) => {
            Err(format!("its entry in `{shown_file}` did not refuse a call that cannot be read: {printed}"))
        }
    }
}

/// The shell line that a file has the agent start before a tool; the error says that there is none.
fn guarded_entry(file: &AgentFile, text: &str, context: &Context) -> Result<String, String> {
    let event = guarded_event(file.agent).unwrap_or_default();
    let entry = entries(file, text).into_iter().find(|(found, _)| found == event);
    entry.map(|(_, line)| line).ok_or_else(|| {
        let file = shown(&file.place.path, context);
        format!("`{file}` does not call hookrail at {event}, where tools are guarded")
    })
}

/// Each event at which a text of this file calls hookrail, with the shell line.
fn entries(file: &AgentFile, text: &str) -> Vec<(String, String)> {
    bridge_entries(file.agent, text, file.options()).unwrap_or_default()
}

/// A project's entry, which calls whichever hookrail is installed. One that is not as `connect` writes it may be anything.
fn look_at_shared(
    connection: &Connection,
    shown_file: &str,
    name: &'static str,
    reconnect: &str,
    context: &Context,
    report: &mut DoctorReport,
) {
    if *connection != Connection::Full {
        return;
    }
    if let Some(program) = program::installed(context) {
        report.ok(name, format!("its entry in `{shown_file}` calls `{}`", shown(&program, context)));
    } else {
        let message = format!("`{shown_file}` finds no hookrail where it looks for one");
        report.add(RowState::Error, name, message, reconnect);
    }
}

/// Events that arrive twice, because an agent reads two files that both call hookrail.
/// A hook that runs twice may ask twice or count twice, which looks like a fault of the hook.
fn look_for_doubles(context: &Context, report: &mut DoctorReport) {
    let calls = |agent: Agent, is_project: bool| {
        let file = AgentFile::find(agent, is_project, context).ok()?;
        let text = file.load().ok()??;
        let connection = file.connection(&text, context).ok()?;
        (connection != Connection::None && !(is_project && is_users(&file, context))).then_some(())
    };
    let mut claude_project = false;
    for agent in Agent::ALL {
        let (user, project) = (calls(agent, false).is_some(), calls(agent, true).is_some());
        claude_project |= agent == Agent::Claude && project;
        if user && project {
            let message = "both the user's and the project's settings call hookrail: a tool call is answered once, \
                           and hooks at prompts and sessions may run twice";
            let help = format!("`hookrail disconnect {agent}` leaves the project's");
            report.add(RowState::Note, agent.as_str(), message, help);
        }
        if agent == Agent::Copilot && (user || project) && claude_project {
            let message =
                "Copilot also runs the project's `.claude/settings.json`: each hook runs twice there";
            let help = "`hookrail disconnect claude --project`, and `hookrail connect claude` instead";
            report.add(RowState::Warning, "copilot", message, help);
        }
        if agent == Agent::Grok && user && calls(Agent::Claude, false).is_some() {
            let message = "Grok Build also runs `~/.claude/settings.json`, which calls hookrail, too: a call is answered \
                           once, and hooks at other events may run twice";
            let help = "`[compat.claude] hooks = false` in `~/.grok/config.toml` turns that off";
            report.add(RowState::Note, "grok", message, help);
        }
    }
    if claude_project {
        let message =
            "Cursor also runs the project's `.claude/settings.json`; its events are answered as Claude's";
        report.add(RowState::Note, "claude", message, "");
    }
}
