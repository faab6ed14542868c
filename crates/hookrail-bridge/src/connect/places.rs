//! Where agents keep their settings.

use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::dialect::SettingsShape;

/// A settings file of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPlace {
    /// The file, which need not exist.
    pub path: PathBuf,
    /// What is in it.
    pub format: Format,
}

/// What a settings file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, comments allowed.
    Json,
    /// A JavaScript module that is ours alone.
    Plugin,
    /// Our own settings, which `connect` does not touch.
    Ours,
}

/// The user's settings of an agent. Agents read variables that move them; `variable` looks one up.
pub fn user_settings(agent: Agent, home: &Path, variable: impl Fn(&str) -> Option<String>) -> SettingsPlace {
    let settings = &agent.dialect().settings;
    let moved = settings.variables.iter().find_map(|(name, file)| {
        let folder = variable(name).filter(|folder| !folder.is_empty())?;
        Some(Path::new(&folder).join(file))
    });
    let path = moved.unwrap_or_else(|| home.join(settings.user));
    SettingsPlace { path, format: format_of(settings.shape) }
}

/// A project's settings of an agent.
pub fn project_settings(agent: Agent, project: &Path) -> SettingsPlace {
    let settings = &agent.dialect().settings;
    SettingsPlace { path: project.join(settings.project), format: format_of(settings.shape) }
}

/// Whether Codex's hooks belong into `config.toml`, which lies beside `hooks.json`: hooks in both make Codex complain,
/// so the bridge goes where hooks are already. Without any it is `hooks.json`.
pub fn codex_uses_toml(config_toml: Option<&str>, hooks_json: Option<&str>) -> bool {
    let has_events = |text: &str| super::toml::has_events(text);
    hooks_json.is_none_or(|text| text.trim().is_empty()) && config_toml.is_some_and(has_events)
}

fn format_of(shape: SettingsShape) -> Format {
    match shape {
        SettingsShape::Groups | SettingsShape::Flat => Format::Json,
        SettingsShape::Plugin => Format::Plugin,
        SettingsShape::Ours => Format::Ours,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(project_settings(agent, Path::new("/p")).path, Path::new(project));
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
            assert_eq!(codex_uses_toml(toml, json), expected, "{toml:?} {json:?}");
        }
    }
}
