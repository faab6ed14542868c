//! One answer to a call that arrives twice, because both the user's settings and the project's call
//! hookrail, or because the agent also runs another one's entries.
//!
//! Whichever entry comes first answers, also if the same call asks again; the other one has nothing to add. Each call has
//! a mark in the state folder, made in one step: a link whose target names the entry that took it. Where no mark can be
//! made, or a call cannot be told from others, both answer. So they do if the project's entry is not exactly what `connect`
//! writes: with a short time limit, or in the background, its refusal would be lost.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use hookrail::EventName;
use hookrail_bridge::{Agent, BridgeEvent, ConnectOptions, EntryScope, also_runs, connect};
use serde_json::Value;

use super::memory::forget_old;
use crate::cli::BridgeArgs;
use crate::commands::connect::user_place;
use crate::context::Context;
use crate::digest;

/// How long a call may ask again.
const KEPT: Duration = Duration::from_hours(24);

/// Whether the other entry answers this call.
pub(super) fn is_answered_by_other(
    args: &BridgeArgs,
    event: &BridgeEvent,
    stdin: &[u8],
    folder: Option<&Path>,
    context: &Context,
) -> bool {
    let project = context.project();
    let folders = [folder.filter(|folder| *folder != project), Some(project)].into_iter().flatten();
    let runs = |agent: &Agent| *agent == event.agent || also_runs(event.agent, *agent);
    let agents: Vec<Agent> = Agent::ALL.into_iter().filter(runs).collect();
    let entries: Vec<bool> = folders
        .flat_map(|folder| agents.iter().filter_map(move |agent| entry_as_written(*agent, folder)))
        .collect();
    let is_alone =
        args.agent == event.agent && entries.is_empty() && !is_run_for_others(event.agent, context);
    if !args.project && (is_alone || entries.contains(&false)) {
        return false; // The usual case costs a look at a file that is not there.
    }
    let marks = context.state_dir().join("bridge/calls");
    let Some(key) = key(event, stdin) else { return false };
    let kind = format!("{}{}", if args.project { "project" } else { "user" }, args.agent);
    let mark = marks.join(key);
    let made = symlink(&kind, &mark).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&marks)?;
            symlink(&kind, &mark)
        }
        _ => Err(error),
    });
    if event.event == Some(EventName::SessionStart) {
        forget_old(&marks, KEPT, |_| true);
    }
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::read_link(&mark).is_ok_and(|owner| owner != Path::new(&kind))
        }
        _ => false,
    }
}

/// Whether the entry that is meant to be shared is as `connect` writes it; `None` if a project's settings of an agent have
/// none.
fn entry_as_written(agent: Agent, project: &Path) -> Option<bool> {
    let place = hookrail_bridge::project_settings(agent, project)?;
    let texts = [Some(place.path), place.toml].into_iter().flatten().filter_map(|file| {
        fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
        fs::read_to_string(file).ok().filter(|text| text.contains(SHARED))
    });
    let is_as_written = |text: String| {
        let variants = [(false, false), (true, false), (false, true), (true, true)];
        variants.into_iter().any(|(require, model_events)| {
            let options = ConnectOptions { model_events, ..ConnectOptions::default() };
            let fresh = connect(agent, None, EntryScope::Project { require }, options);
            let fresh = fresh.ok().and_then(|edit| edit.new_text).unwrap_or_default();
            let groups = shared_groups(&text);
            text == fresh || (groups.is_some() && groups == shared_groups(&fresh))
        })
    };
    texts.map(is_as_written).reduce(|one, other| one && other)
}

/// What an entry that is meant to be shared says.
const SHARED: &str = "bridge --project";

/// The groups of settings that have such an entry, by their events.
fn shared_groups(text: &str) -> Option<BTreeMap<String, Vec<Value>>> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let events = settings.get("hooks")?.as_object()?.iter();
    let shared = events.filter_map(|(event, groups)| {
        let is_shared = |group: &&Value| group.to_string().contains(SHARED);
        let groups: Vec<Value> = groups.as_array()?.iter().filter(is_shared).cloned().collect();
        (!groups.is_empty()).then(|| (event.clone(), groups))
    });
    Some(shared.collect())
}

/// Whether the agent also runs the user's entries of another one, and that one is connected.
fn is_run_for_others(agent: Agent, context: &Context) -> bool {
    let mut others = Agent::ALL.into_iter().filter(|other| also_runs(agent, *other));
    others.any(|other| {
        let file = user_place(other, context).path;
        fs::read_to_string(file).is_ok_and(|text| text.contains("bridge --home"))
    })
}

/// What tells a call from all others: its id, for a prompt that of the prompt, or the whole payload if that has the time in
/// it.
fn key(event: &BridgeEvent, stdin: &[u8]) -> Option<String> {
    let payload: Value = serde_json::from_slice(stdin).ok()?;
    let names: &[&str] = match event.event {
        Some(EventName::BeforeAgent) => &["prompt_id", "promptId", "turn_id"],
        _ => &["tool_use_id", "tool_call_id", "call_id"],
    };
    let id = names.iter().find_map(|name| payload.get(name)?.as_str());
    let is_timed = payload.get("timestamp").is_some();
    let distinct: &[u8] = match id.filter(|id| !id.is_empty()) {
        Some(id) => id.as_bytes(),
        None if is_timed => stdin,
        None => return None,
    };
    let session = event.session_id.as_deref().unwrap_or_default();
    let parts =
        [event.agent.as_str().as_bytes(), session.as_bytes(), event.native_event.as_bytes(), distinct];
    Some(digest::of_parts(parts, 32))
}
