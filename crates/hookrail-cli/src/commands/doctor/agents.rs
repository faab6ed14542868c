//! The connected agents: what they call is called for real.
//!
//! An entry that looks right may still call a program that was moved, or be switched off by another key. So each entry
//! is started with a payload that must be refused, and only a refusal counts.

use hookrail_bridge::{Agent, ConnectOptions, SettingsFormat, bridge_entries, guarded_event, hooks_are_off};

use super::probe::{self, ProbeResult};
use super::{DoctorReport, RowState};
use crate::commands::connect::file::AgentFile;
use crate::commands::connect::place;
use crate::commands::connect::status::{AgentStatus, Connected, status};
use crate::context::Context;
use crate::display::shown;

/// Looks at every agent that is found or connected.
/// Agents that read our own settings need no entry.
/// An agent that is neither installed nor connected is not mentioned.
pub(super) fn look(context: &Context, report: &mut DoctorReport) -> anyhow::Result<()> {
    let mut is_any_connected = false;
    for agent in Agent::ALL {
        let status = status(agent, context)?;
        if place(agent, false, context).format == SettingsFormat::Ours {
            if status.found {
                report.ok(agent.as_str(), "reads the same settings as hookrail");
            }
            continue;
        }
        is_any_connected |= status.connected != Connected::No;
        look_at(agent, &status, context, report);
    }
    if !is_any_connected {
        let help = "`hookrail connect AGENT` connects one";
        report.add(RowState::Note, "agents", "no other agent calls hookrail", help);
    }
    look_for_doubles(context, report);
    Ok(())
}

/// The user's and the project's file are looked at by themselves, because either may be the one that works.
fn look_at(agent: Agent, status: &AgentStatus, context: &Context, report: &mut DoctorReport) {
    let name = agent.as_str();
    let reconnect = format!("`hookrail connect {name}`");
    match status.connected {
        Connected::No => {
            if status.found {
                report.add(RowState::Note, name, "is installed and does not call hookrail", reconnect);
            }
            return;
        }
        Connected::Unreadable => {
            let message = "its settings cannot be read, so that it is not known whether it calls hookrail";
            report.add(RowState::Error, name, message, format!("fix the file, then {reconnect}"));
        }
        Connected::Partly => {
            let message = "calls hookrail, though not as this version would write it";
            report.add(RowState::Warning, name, message, reconnect.clone());
        }
        Connected::Yes => {}
    }
    if let Some(version) = &status.version
        && !version.contains(status.tested_with)
    {
        let message = format!("is {version}; hookrail was tested with {}", status.tested_with);
        report.add(RowState::Note, name, message, "");
    }
    for is_project in [false, true] {
        let Ok(file) = AgentFile::find(agent, is_project, context) else { continue };
        let Ok(Some(text)) = file.load() else { continue };
        let shown_file = shown(&file.place.path, context);
        let options = ConnectOptions { toml: file.is_toml, ..ConnectOptions::default() };
        let entries = bridge_entries(agent, &text, options).unwrap_or_default();
        if entries.is_empty() {
            continue;
        }
        if let Some(key) = hooks_are_off(&text) {
            let message = format!("`{key}` in `{shown_file}` turns its hooks off");
            report.add(RowState::Error, name, message, "take it out");
        }
        let Some(event) = guarded_event(agent) else { continue };
        let entry = entries.iter().find(|(found, _)| found == event).map(|(_, command)| command.clone());
        let Some(entry) = entry else {
            let message =
                format!("`{shown_file}` does not call hookrail at {event}, where tools are guarded");
            report.add(RowState::Error, name, message, reconnect.clone());
            continue;
        };
        match probe::probe(&entry, context.project()) {
            ProbeResult::Works => {
                report.ok(name, format!("its entry in `{shown_file}` calls hookrail, and a call that must be refused is refused"));
            }
            ProbeResult::Gone => {
                let message = format!("the program that `{shown_file}` names is not there or does not start");
                report.add(RowState::Error, name, message, reconnect.clone());
            }
            ProbeResult::Odd(printed) => {
                let message =
                    format!("its entry in `{shown_file}` did not refuse what cannot be read: {printed}");
                report.add(RowState::Error, name, message, reconnect.clone());
            }
        }
    }
    if agent == Agent::Codex {
        let message = "runs only hooks that you trusted, and says nothing about others";
        report.add(RowState::Note, name, message, "`/hooks` inside of codex shows them");
    }
}

/// Events that arrive twice, because an agent reads two files that both call hookrail.
/// A hook that runs twice may ask twice or count twice, which looks like a fault of the hook.
fn look_for_doubles(context: &Context, report: &mut DoctorReport) {
    let calls = |agent: Agent, is_project: bool| {
        let file = AgentFile::find(agent, is_project, context).ok()?;
        let text = file.load().ok()??;
        let options = ConnectOptions { toml: file.is_toml, ..ConnectOptions::default() };
        let entries = bridge_entries(agent, &text, options).ok()?;
        (!entries.is_empty()).then_some(())
    };
    let mut claude_project = false;
    for agent in Agent::ALL {
        let (user, project) = (calls(agent, false).is_some(), calls(agent, true).is_some());
        claude_project |= agent == Agent::Claude && project;
        if user && project && context.project() != context.paths.home {
            let message = "both the user's and the project's settings call hookrail: each hook runs twice";
            let help = format!("`hookrail disconnect {agent} --project`");
            report.add(RowState::Warning, agent.as_str(), message, help);
        }
        if agent == Agent::Copilot && (user || project) && claude_project {
            let message =
                "Copilot also runs the project's `.claude/settings.json`: each hook runs twice there";
            let help = "`hookrail disconnect claude --project`, and `hookrail connect claude` instead";
            report.add(RowState::Warning, "copilot", message, help);
        }
    }
    if claude_project {
        let message =
            "Cursor also runs the project's `.claude/settings.json`; its events are answered as Claude's";
        report.add(RowState::Note, "claude", message, "");
    }
}
