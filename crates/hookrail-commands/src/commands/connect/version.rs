//! Versions of agents: the one that is installed, and the one that hookrail was measured with.
//!
//! `connect` and `doctor` ask the program. The bridge has no time for that: it compares the program with what they wrote
//! down, once a session.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hookrail_bridge::{Agent, limits};
use serde::{Deserialize, Serialize};

use super::status::version_of;
use crate::commands::other_programs::find_in_path;
use crate::context::Context;
use crate::terminal::printer::{Printer, escape_line};

/// What was seen of a program.
#[derive(Debug, Serialize, Deserialize)]
struct SeenProgram {
    version: String,
    /// When its file was last put there.
    changed: i64,
}

/// The version that hookrail was measured with; for an agent that was never run, what its table follows.
pub(crate) fn measured_version(agent: Agent) -> String {
    let tested_with = || hookrail_bridge::tested_with(agent).to_owned();
    hookrail_live::measured(agent.as_str()).map_or_else(tested_with, |measured| measured.version)
}

/// What a person is told of a version that was not measured, and what to do.
pub(crate) fn unmeasured(agent: Agent, version: &str) -> Option<(String, String)> {
    let measured = measured_version(agent);
    let version = hookrail_live::version_in(version).unwrap_or(version);
    if version == measured {
        return None;
    }
    let help = match hookrail_live::measured(agent.as_str()) {
        Some(_) => format!("`hookrail doctor --live {agent}` shows what this version obeys"),
        None => "try what matters to you before you rely on it".to_owned(),
    };
    Some((format!("is {version}; hookrail was measured with {measured}"), help))
}

/// What a person who has just connected an agent should know: a version that was not measured, and what the agent
/// cannot enforce.
pub(super) fn tell(agent: Agent, context: &Context, printer: &mut Printer) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = find_in_path(agent.as_str(), &path);
    if let Some(version) = program.as_deref().and_then(version_of) {
        remember(agent, program.as_deref(), &version, context);
        if let Some((message, help)) = unmeasured(agent, &version) {
            let title = agent.title();
            printer.message(format_args!("note: {title} {}\n  {help}", escape_line(&message)));
        }
    }
    let limits = limits(agent);
    if !limits.is_empty() {
        printer.message(format_args!("What {} does not do:", agent.title()));
        for limit in limits {
            printer.message(format_args!("  {limit}"));
        }
    }
}

/// Writes down what was seen. Whether that succeeds changes nothing but what the log can say later.
pub(crate) fn remember(agent: Agent, program: Option<&Path>, version: &str, context: &Context) {
    let Some(changed) = program.and_then(changed) else { return };
    let mut all = load(context);
    all.insert(agent.to_string(), SeenProgram { version: version.to_owned(), changed });
    if let Ok(text) = serde_json::to_string_pretty(&all) {
        let _ = fs::write(place(context), text + "\n");
    }
}

/// What the log says of an agent whose version was not measured, or that changed since anybody looked.
pub(crate) fn drift(agent: Agent, path: &OsStr, context: &Context) -> Option<String> {
    let seen = load(context).remove(agent.as_str())?;
    let title = agent.title();
    if changed(&find_in_path(agent.as_str(), path)?)? != seen.changed {
        return Some(format!(
            "{title} changed since hookrail last saw it ({}): `hookrail doctor --live {agent}` shows what it obeys",
            seen.version
        ));
    }
    let (message, help) = unmeasured(agent, &seen.version)?;
    Some(format!("{title} {message}: {help}"))
}

/// When a program was put in its place. The time of its content is of no use: packages carry an old one.
fn changed(program: &Path) -> Option<i64> {
    program.metadata().ok().map(|metadata| metadata.ctime())
}

fn place(context: &Context) -> PathBuf {
    context.state_dir().join("agent-versions.json")
}

fn load(context: &Context) -> BTreeMap<String, SeenProgram> {
    let text = fs::read_to_string(place(context)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The versions are data in one place; a dialect repeats the one that it was written for.
    #[test]
    fn a_dialect_follows_the_version_that_was_measured() {
        for program in hookrail_live::PROGRAMS.iter() {
            let agent: Agent = program.name.parse().unwrap();
            assert_eq!(measured_version(agent), hookrail_bridge::tested_with(agent), "{agent}");
        }
    }

    #[test]
    fn another_version_is_told_from_the_measured_one() {
        let measured = measured_version(Agent::Claude);
        assert_eq!(unmeasured(Agent::Claude, &format!("{measured} (Claude Code)")), None);
        assert_eq!(unmeasured(Agent::Claude, &format!("v{measured}")), None);
        let copilot = format!("GitHub Copilot CLI {}.", measured_version(Agent::Copilot));
        assert_eq!(unmeasured(Agent::Copilot, &copilot), None, "as it prints it");
        for other in [format!("{measured}0"), "9.9.9".to_owned(), String::new()] {
            let (message, help) = unmeasured(Agent::Claude, &other).unwrap();
            assert!(message.contains(&measured) && help.contains("doctor --live claude"), "{message} {help}");
        }
        assert!(!unmeasured(Agent::Cursor, "3.0").unwrap().1.contains("--live"), "it cannot be run");
    }
}
