//! The plugin file of an agent without command hooks. It is ours alone: written, replaced and removed as a whole.

use hookrail_shell::quote;
use serde_json::Value;

use super::entry::{NOT_RUN, for_each_place, required, shared_way_out, way_out};
use super::{BridgeEntry, Connection, EditError, EntryScope};
use crate::agent::Agent;
use crate::agents::dialect_of;

/// What calls the bridge. Events at which nothing can be refused go on when the bridge does not work; the others throw.
/// It is JavaScript without dependencies, and every answer is decided by the program that it starts.
const CALL: &str = include_str!("plugin/call.js");

/// What an agent's functions do with the answers. Kilo is a fork of opencode and loads the same module.
fn hooks(agent: Agent) -> &'static str {
    match agent {
        Agent::Pi => include_str!("plugin/pi.js"),
        Agent::Cline => include_str!("plugin/cline.js"),
        _ => include_str!("plugin/opencode.js"),
    }
}

/// The first line of the files that hookrail writes. A file of the same name without it is left alone.
fn mark(agent: Agent) -> String {
    format!("// Written by `hookrail connect {agent}`; `hookrail disconnect {agent}` removes it.")
}

/// The lines at the head of a module that differ from file to file: what is called, and what is said if that fails.
fn head(agent: Agent, scope: EntryScope<'_>) -> String {
    let (program, words, way_out, absent) = match scope {
        EntryScope::User { program, home, file } => {
            let words = vec!["bridge".into(), "--home".into(), home.to_string_lossy(), agent.as_str().into()];
            (program.to_string_lossy(), words, way_out(agent, &file.to_string_lossy()), Value::Null)
        }
        EntryScope::Project { require } => {
            let script = for_each_place(&format!("exec \"$p\" bridge --project {agent} \"$1\""), "exit 69");
            let file = dialect_of(agent).settings.project;
            let message = if require {
                required(agent)
            } else {
                format!(
                    "{file} of this project calls hookrail, which is not installed here: its rules are not applied."
                )
            };
            let absent = serde_json::json!({ "required": require, "message": message });
            (
                "/bin/sh".into(),
                vec!["-c".into(), script.into(), "hookrail".into()],
                shared_way_out(agent),
                absent,
            )
        }
    };
    // JSON is JavaScript, and `serde_json` escapes what would end the text.
    let text = |text: &str| Value::from(text).to_string();
    let words: Vec<String> = words.iter().map(|word| text(word)).collect();
    let broken = text(&format!("{NOT_RUN}, so this was refused. {way_out}"));
    let program = text(&program);
    format!(
        "const program = {program}\nconst words = [{}]\nconst broken = {broken}\nconst absent = {absent}\n",
        words.join(", ")
    )
}

/// The whole file.
fn module(agent: Agent, scope: EntryScope<'_>) -> String {
    format!("{}\n{}{CALL}{}", mark(agent), head(agent, scope), hooks(agent))
}

/// The shell line, up to the agent's name, for what a file of ours starts. `None` for a project's, which nothing but the
/// agent runs.
pub(super) fn call(agent: Agent, existing: &str) -> Option<String> {
    let head = existing.strip_prefix(&mark(agent))?;
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(&format!("const {name} = ")));
    let program: String = serde_json::from_str(value("program")?).ok()?;
    let words: Vec<String> =
        value("words").and_then(|words| serde_json::from_str(words).ok()).unwrap_or_default();
    match words.as_slice() {
        [bridge, option, home, _] if bridge == "bridge" && option == "--home" => {
            Some(format!("{} bridge --home {}", quote(&program), quote(home)))
        }
        [] => Some(format!("{} bridge", quote(&program))),
        _ => None,
    }
}

/// The file, unless one that hookrail did not write is in its place.
pub(super) fn connect(
    agent: Agent,
    existing: Option<&str>,
    scope: EntryScope<'_>,
) -> Result<String, EditError> {
    match existing {
        Some(text) if !text.trim().is_empty() && !text.starts_with(&mark(agent)) => Err(EditError::NotOurs),
        _ => Ok(module(agent, scope)),
    }
}

/// Nothing, if the file is ours.
pub(super) fn disconnect(agent: Agent, existing: &str) -> Result<Option<String>, EditError> {
    if existing.starts_with(&mark(agent)) { Ok(None) } else { Err(EditError::NotOurs) }
}

/// Whether the file is the one that would be written today.
pub(super) fn connection(
    agent: Agent,
    existing: &str,
    scope: EntryScope<'_>,
    wanted: &[BridgeEntry],
) -> Connection {
    if existing == module(agent, scope) {
        Connection::Full
    } else if existing.starts_with(&mark(agent)) {
        Connection::Partly { missing: wanted.iter().map(|entry| entry.event).collect() }
    } else {
        Connection::None
    }
}

/// Every event of the table is handled by the module, and the module calls no other.
#[cfg(test)]
#[test]
fn the_module_calls_the_bridge_at_every_event() {
    for agent in [Agent::Opencode, Agent::Kilo, Agent::Pi, Agent::Cline] {
        for event in dialect_of(agent).events() {
            assert!(hooks(agent).contains(&format!("\"{}\"", event.name)), "{agent} {}", event.name);
        }
    }
}
