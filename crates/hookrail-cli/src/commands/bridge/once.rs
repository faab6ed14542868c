//! One answer to a call that arrives twice, because both the user's settings and the project's call
//! hookrail, or because the agent also runs another one's entries.
//!
//! Whichever entry comes first answers, also if the same call asks again; the other one has nothing to add. Each call has
//! a mark in the state folder, made in one step: a link whose target names the entry that took it. Where no mark can be
//! made, or a call cannot be told from others, both answer.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookrail::EventName;
use hookrail_bridge::{Agent, BridgeEvent, also_runs};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::cli::BridgeArgs;
use crate::commands::connect::user_place;
use crate::context::Context;

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
    let mut folders = [folder, Some(context.project())].into_iter().flatten();
    let is_others_entry = args.agent != event.agent;
    if !args.project
        && !is_others_entry
        && !folders.any(|folder| has_entry(event.agent, folder))
        && !is_run_for_others(event.agent, context)
    {
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
        forget_old(&marks);
    }
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::read_link(&mark).is_ok_and(|owner| owner != Path::new(&kind))
        }
        _ => false,
    }
}

/// Whether a project's settings of an agent have an entry that is meant to be shared.
fn has_entry(agent: Agent, project: &Path) -> bool {
    let Some(place) = hookrail_bridge::project_settings(agent, project) else { return false };
    let files: Vec<PathBuf> = [Some(place.path), place.toml].into_iter().flatten().collect();
    files.iter().any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("bridge --project")))
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
    let mut digest = Sha256::new();
    let session = event.session_id.as_deref().unwrap_or_default();
    for part in [event.agent.as_str().as_bytes(), session.as_bytes(), event.native_event.as_bytes(), distinct]
    {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    Some(digest.finalize().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")))
}

/// Removes the marks of calls that are over.
fn forget_old(marks: &Path) {
    let oldest = SystemTime::now().checked_sub(KEPT);
    for entry in fs::read_dir(marks).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        if oldest.zip(changed).is_some_and(|(oldest, changed)| changed < oldest) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
