//! Where agents keep their settings.

use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::{SettingsFile, SettingsShape};

/// A settings file of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPlace {
    /// The file, which need not exist.
    pub path: PathBuf,
    /// What it is written in.
    pub format: SettingsFormat,
    /// The agent's TOML file, which may hold the hooks instead.
    pub toml: Option<PathBuf>,
    /// The files from which the agent reads hooks, of which `*.json` means every one in its folder.
    pub hook_files: Vec<PathBuf>,
}

/// What a settings file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsFormat {
    /// JSON, comments allowed.
    Json,
    /// TOML.
    Toml,
    /// A JavaScript module that is ours alone.
    Plugin,
}

/// The user's settings of an agent. Agents read variables that move them; `variable` looks one up.
pub fn user_settings(agent: Agent, home: &Path, variable: impl Fn(&str) -> Option<String>) -> SettingsPlace {
    let settings = &dialect_of(agent).settings;
    let moved = settings.variables.iter().find_map(|(name, file)| {
        let folder = variable(name).filter(|folder| !folder.is_empty())?;
        Some(Path::new(&folder).join(file))
    });
    let path = moved.unwrap_or_else(|| home.join(settings.user));
    place_at(settings, path)
}

/// A project's settings of an agent; `None` if it has none that hookrail can use.
pub fn project_settings(agent: Agent, project: &Path) -> Option<SettingsPlace> {
    let settings = &dialect_of(agent).settings;
    (!settings.project.is_empty()).then(|| place_at(settings, project.join(settings.project)))
}

/// An agent's settings for all users of the machine that name its bridge, which an administrator writes by hand.
/// `read` gives the text of a file.
pub fn machine_settings(agent: Agent, read: impl Fn(&Path) -> Option<String>) -> Option<&'static Path> {
    let bridge = format!("hookrail bridge {agent} ");
    machine_files(agent).find(|file| read(file).is_some_and(|text| text.contains(&bridge)))
}

/// An agent's settings for all users of the machine, there or not.
pub(super) fn machine_files(agent: Agent) -> impl Iterator<Item = &'static Path> {
    dialect_of(agent).settings.machine.iter().map(Path::new)
}

fn place_at(settings: &SettingsFile, path: PathBuf) -> SettingsPlace {
    let beside = |name: &&str| path.with_file_name(name);
    SettingsPlace {
        format: format_of(settings.shape),
        toml: settings.toml.as_ref().map(beside),
        hook_files: settings.hook_files.iter().map(beside).collect(),
        path,
    }
}

/// Whether the bridge belongs into the agent's TOML file, which lies beside the JSON one: Codex warns about hooks in both,
/// so it goes where hooks are already. Without any it is the JSON file.
pub fn uses_toml(toml: Option<&str>, json: Option<&str>) -> bool {
    let has_events = |text: &str| super::toml::has_events(text);
    json.is_none_or(|text| text.trim().is_empty()) && toml.is_some_and(has_events)
}

pub(super) fn format_of(shape: SettingsShape) -> SettingsFormat {
    match shape {
        SettingsShape::Groups
        | SettingsShape::Flat
        | SettingsShape::Commands
        | SettingsShape::VersionedCommands => SettingsFormat::Json,
        SettingsShape::TomlList => SettingsFormat::Toml,
        SettingsShape::Plugin => SettingsFormat::Plugin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_machine_count_if_they_name_the_bridge_of_that_agent() {
        let entry =
            |agent: Agent| move |_: &Path| Some(format!("/usr/local/bin/hookrail bridge {agent} Event"));
        for (agent, file) in [
            (Agent::Claude, "/etc/claude-code/managed-settings.json"),
            (Agent::Codex, "/etc/codex/requirements.toml"),
            (Agent::Gemini, "/etc/gemini-cli/settings.json"),
            (Agent::Qwen, "/etc/qwen-code/settings.json"),
        ] {
            assert_eq!(machine_settings(agent, entry(agent)), Some(Path::new(file)));
            assert_eq!(machine_settings(agent, entry(Agent::Pi)), None);
            assert_eq!(machine_settings(agent, |_| None), None);
        }
        assert_eq!(machine_settings(Agent::Pi, entry(Agent::Pi)), None);
    }

    #[test]
    fn variables_move_settings() {
        let none = |_: &str| None;
        let all = |_: &str| Some("/moved".to_owned());
        let empty = |_: &str| Some(String::new());
        for (agent, plain, moved, project) in [
            (Agent::Claude, "/h/.claude/settings.json", "/moved/settings.json", "/p/.claude/settings.json"),
            (Agent::Codex, "/h/.codex/hooks.json", "/moved/hooks.json", "/p/.codex/hooks.json"),
            (
                Agent::Gemini,
                "/h/.gemini/settings.json",
                "/moved/.gemini/settings.json",
                "/p/.gemini/settings.json",
            ),
            (Agent::Qwen, "/h/.qwen/settings.json", "/moved/settings.json", "/p/.qwen/settings.json"),
            (
                Agent::Copilot,
                "/h/.copilot/hooks/hookrail.json",
                "/moved/hooks/hookrail.json",
                "/p/.github/hooks/hookrail.json",
            ),
            (
                Agent::Opencode,
                "/h/.config/opencode/plugin/hookrail.js",
                "/moved/plugin/hookrail.js",
                "/p/.opencode/plugin/hookrail.js",
            ),
            (Agent::Crush, "/h/.config/crush/crush.json", "/moved/crush.json", "/p/.crush.json"),
            (Agent::Cursor, "/h/.cursor/hooks.json", "/h/.cursor/hooks.json", "/p/.cursor/hooks.json"),
            (Agent::Grok, "/h/.grok/hooks/hookrail.json", "/moved/hooks/hookrail.json", ""),
            (Agent::Kimi, "/h/.kimi-code/config.toml", "/moved/config.toml", ""),
            (
                Agent::Kilo,
                "/h/.config/kilo/plugin/hookrail.js",
                "/moved/plugin/hookrail.js",
                "/p/.kilo/plugin/hookrail.js",
            ),
            (
                Agent::Pi,
                "/h/.pi/agent/extensions/hookrail.js",
                "/moved/extensions/hookrail.js",
                "/p/.pi/extensions/hookrail.js",
            ),
            (
                Agent::Cline,
                "/h/.cline/plugins/hookrail.js",
                "/moved/plugins/hookrail.js",
                "/p/.cline/plugins/hookrail.js",
            ),
            (
                Agent::Llxprt,
                "/h/.llxprt/settings.json",
                "/h/.llxprt/settings.json",
                "/p/.llxprt/settings.json",
            ),
        ] {
            let home = Path::new("/h");
            assert_eq!(user_settings(agent, home, none).path, Path::new(plain));
            assert_eq!(user_settings(agent, home, empty).path, Path::new(plain));
            assert_eq!(user_settings(agent, home, all).path, Path::new(moved));
            let found = project_settings(agent, Path::new("/p")).map(|place| place.path);
            assert_eq!(found.as_deref(), Some(project).filter(|path| !path.is_empty()).map(Path::new));
        }
    }

    #[test]
    fn codex_hooks_stay_where_they_are() {
        let with = Some("[[hooks.PreToolUse]]\n");
        for (toml, json, expected) in [
            (None, None, false),
            (Some("model = \"x\"\n"), None, false),
            (Some("[hooks.state]\n"), None, false),
            (with, None, true),
            (with, Some("{}"), false),
            (Some("broken ["), None, false),
        ] {
            assert_eq!(uses_toml(toml, json), expected, "{toml:?} {json:?}");
        }
    }
}
