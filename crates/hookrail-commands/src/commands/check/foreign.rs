//! Hooks of other agents that were not imported: they guard that agent alone, and a reader of our settings does not see
//! them.

use std::path::PathBuf;

use hookrail::settings::ResolvedSettings;
use hookrail::{DiagnosticCode, EventName};
use hookrail_bridge::{Agent, import};
use serde_json::Value;

use super::finding::Finding;
use crate::commands::connect::{agents_home, hook_files};
use crate::commands::import::{ImportedHook, hooks};
use crate::context::Context;
use crate::display::shown;
use crate::plain_file;

/// A note for each file of another agent that holds hooks which are neither ours nor imported.
/// Files that cannot be read are passed over, since they are not ours to judge.
pub(super) fn notes(settings: &ResolvedSettings, context: &Context) -> Vec<Finding> {
    let mut notes = Vec::new();
    for (agent, file, is_project) in files(context) {
        let Ok(text) = plain_file::read_text(&file) else { continue };
        let Ok(imported) = import(agent, &text) else { continue };
        let is_new = |found: &&ImportedHook<'_>| {
            let command = found.hook.get("command").and_then(Value::as_str);
            command.is_some_and(|command| !is_known(settings, found.event, command))
        };
        let count = hooks(&imported).iter().filter(is_new).count();
        if count == 0 {
            continue;
        }
        let (file_name, flag) = (shown(&file, context), if is_project { " --project" } else { "" });
        let hooks = if count == 1 { "a hook".to_owned() } else { format!("{count} hooks") };
        let message = format!("`{file_name}` holds {hooks} that only {} runs", agent.title());
        let help =
            format!("`hookrail import {agent}{flag}` prints them in hookrail's format; `--write` adds them");
        notes.push(Finding::note(DiagnosticCode::HooksNotImported, message, help));
    }
    notes
}

/// Where other agents keep hooks: the project's files and the user's.
fn files(context: &Context) -> Vec<(Agent, PathBuf, bool)> {
    // LLxprt Code's settings are read as ours.
    let is_foreign = |agent: &Agent| *agent != Agent::Llxprt;
    let is_home = agents_home(context).as_deref() == Some(context.project());
    let mut found = Vec::new();
    for is_project in [true, false] {
        if (is_project && is_home) || (!is_project && agents_home(context).is_none()) {
            continue;
        }
        for agent in Agent::ALL.into_iter().filter(is_foreign) {
            let files = hook_files(agent, is_project, context);
            found.extend(files.into_iter().map(|file| (agent, file, is_project)));
        }
    }
    found
}

/// Compared by event and command; a matcher may have been translated.
fn is_known(settings: &ResolvedSettings, event: EventName, command: &str) -> bool {
    settings.hooks.iter().any(|known| known.hook.event == event && known.hook.command_text() == Some(command))
}
