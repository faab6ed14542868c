//! Why an agent that has the entries does not run them: switches in its own files, folders that it does not trust, hooks
//! that nobody reviewed. Agents say nothing of it, so that everything looks guarded.
//!
//! What is looked at was taken from the programs themselves. The caller reads the files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hookrail::rules::order;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toml_edit::DocumentMut;

use super::places::machine_files;
use super::{bridge_entries, calls_bridge, json, toml};
use crate::agent::Agent;

/// One reason why entries do not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The file that says so; none for a variable.
    pub file: Option<PathBuf>,
    /// What it says, as the end of a sentence that begins with the file or the variable.
    pub message: String,
    /// What a person can do.
    pub help: String,
}

/// The file that holds the entries, and what is around it.
pub struct Surroundings<'a> {
    /// The settings file with the entries.
    pub file: &'a Path,
    /// Whether that is a project's.
    pub is_project: bool,
    /// The user's settings file of the agent.
    pub user_file: &'a Path,
    /// The project in which the agent would work.
    pub project: &'a Path,
    /// The text of a file, if there is one.
    pub read: &'a dyn Fn(&Path) -> Option<String>,
    /// A path without links.
    pub real: &'a dyn Fn(&Path) -> PathBuf,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// Everything that keeps an agent from running the entries of a file.
pub fn obstacles(agent: Agent, around: &Surroundings<'_>) -> Vec<Obstacle> {
    match agent {
        Agent::Claude => claude(around),
        Agent::Codex => codex(around),
        Agent::Gemini => gemini(around),
        Agent::Qwen => qwen(around),
        Agent::Copilot => copilot(around),
        Agent::Opencode => unset(around, "OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"),
        Agent::Kilo => unset(around, "KILO_PURE", "KILO_DISABLE_PROJECT_CONFIG"),
        Agent::Pi => pi(around),
        Agent::Cline => cline(around),
        Agent::Llxprt => llxprt(around),
        // Nothing is known that would keep these from running them.
        Agent::Crush | Agent::Cursor => Vec::new(),
        Agent::Grok => grok(around),
        Agent::Kimi => kimi(around),
    }
}

/// Claude Code: `disableAllHooks`, of which the last level that has it counts, and an organization's restriction.
fn claude(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let managed: Vec<PathBuf> = machine_files(Agent::Claude).flat_map(managed_files).collect();
    let folder = around.project.join(".claude");
    let mut levels =
        vec![around.user_file.to_owned(), folder.join("settings.json"), folder.join("settings.local.json")];
    levels.extend(managed.iter().cloned());
    let mut found: Vec<_> = around.switched(&levels, "/disableAllHooks", true).into_iter().collect();
    for file in managed {
        let Some(settings) = around.settings(&file) else { continue };
        let plugins_only = settings.get("strictPluginOnlyCustomization").is_some_and(|value| {
            value == &Value::Bool(true)
                || value.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "hooks"))
        });
        if settings.get("allowManagedHooksOnly") == Some(&Value::Bool(true)) || plugins_only {
            found.push(managed_only(file));
        }
    }
    found
}

/// An organization's settings for Claude Code: the file, then those in the folder beside it in the order of their names.
fn managed_files(file: &Path) -> Vec<PathBuf> {
    let drop_in = |entry: io::Result<fs::DirEntry>| {
        let path = entry.ok()?.path();
        path.extension().is_some_and(|extension| extension == "json").then_some(path)
    };
    let entries = fs::read_dir(file.with_extension("d")).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(drop_in).collect();
    order::sort(&mut files);
    files.insert(0, file.to_owned());
    files
}

/// Qwen Code: a switch, and project hooks only in folders that it trusts.
fn qwen(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let system = around.moved("QWEN_CODE_SYSTEM_SETTINGS_PATH", "/etc/qwen-code/settings.json");
    let levels = [around.user_file.to_owned(), around.project.join(".qwen/settings.json"), system];
    let mut found: Vec<_> = around.switched(&levels, "/disableAllHooks", true).into_iter().collect();
    found.extend(around.switched(&levels, "/hooksConfig/enabled", false));
    found.extend(around.disabled_by_name(Agent::Qwen, &levels));
    let has_trust = around.last(&levels, "/security/folderTrust/enabled").is_some_and(|(_, on)| on);
    if around.is_project && has_trust {
        found.extend(around.untrusted_folder("QWEN_CODE_TRUSTED_FOLDERS_PATH"));
    }
    found
}

/// Gemini CLI: a switch, a list of names, and no hook of any level in a folder that it does not trust.
fn gemini(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let defaults = around.moved("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/etc/gemini-cli/system-defaults.json");
    let system = around.moved("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/etc/gemini-cli/settings.json");
    let user = around.user_file.to_owned();
    let levels = [defaults, user, around.project.join(".gemini/settings.json"), system];
    let mut found: Vec<_> = around.switched(&levels, "/hooksConfig/enabled", false).into_iter().collect();
    found.extend(around.disabled_by_name(Agent::Gemini, &levels));
    if around.last(&levels, "/security/folderTrust/enabled").is_none_or(|(_, on)| on) {
        found.extend(around.untrusted_folder("GEMINI_CLI_TRUSTED_FOLDERS_PATH"));
    }
    found
}

/// `LLxprt` Code: hooks are off unless its settings turn them on. `enableHooks` is hookrail's own switch.
fn llxprt(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let levels = [around.user_file.to_owned(), around.project.join(".llxprt/settings.json")];
    let flags = ["/tools/enableHooks", "/hooksConfig/enabled"];
    let mut found: Vec<_> = flags.iter().filter_map(|flag| around.switched(&levels, flag, false)).collect();
    if found.is_empty() && flags.iter().all(|flag| around.last(&levels, flag).is_none()) {
        found.push(Obstacle {
            file: Some(around.file.to_owned()),
            message: "does not turn LLxprt Code's hooks on, and they are off unless it does".to_owned(),
            help: "set `tools.enableHooks` and `hooksConfig.enabled` to true in that file".to_owned(),
        });
    }
    found.extend(around.disabled_by_name(Agent::Llxprt, &levels));
    found
}

/// Copilot CLI: a switch in its settings or in the hook file.
fn copilot(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let home = around.user_file.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let project = around.project.join(".github/copilot");
    let files = [
        around.file.to_owned(),
        home.join("settings.json"),
        home.join("config.json"),
        project.join("settings.json"),
        project.join("settings.local.json"),
    ];
    files
        .iter()
        .filter_map(|file| around.switched(std::slice::from_ref(file), "/disableAllHooks", true))
        .collect()
}

/// opencode and its forks: a variable that leaves all plugins out, and one that leaves those of projects out.
fn unset(around: &Surroundings<'_>, all: &'static str, projects: &'static str) -> Vec<Obstacle> {
    let is_set =
        |name: &&str| (around.variable)(name).is_some_and(|value| !["", "0", "false"].contains(&&*value));
    let names = [Some(all), around.is_project.then_some(projects)];
    let found = names.into_iter().flatten().filter(is_set).map(|name| Obstacle {
        file: None,
        message: format!("`{name}` is set, so the agent does not load the plugin"),
        help: "unset it".to_owned(),
    });
    found.collect()
}

/// Grok Build: an organization's restriction, and hooks that were disabled in `/hooks`, by the name of the file.
fn grok(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let home = around.user_file.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut found = Vec::new();
    for folder in [home, Path::new("/etc/grok")] {
        for name in ["requirements.toml", "managed_config.toml"] {
            let file = folder.join(name);
            let is_only = |rules: &DocumentMut| {
                ["allow_managed_hooks_only", "allowManagedHooksOnly"]
                    .iter()
                    .any(|key| rules.get(key).is_some_and(|value| value.as_bool() != Some(false)))
            };
            if around.toml(&file).is_some_and(|rules| is_only(&rules)) {
                found.push(managed_only(file));
            }
        }
    }
    let file = home.join("disabled-hooks");
    let disabled = (around.read)(&file).unwrap_or_default();
    let names: Vec<&str> = disabled.lines().filter(|line| line.contains("global/hookrail:")).collect();
    if !names.is_empty() {
        found.push(Obstacle {
            file: Some(file),
            message: format!("disables the hooks that call hookrail: {}", names.join(", ")),
            help: "enable them in `/hooks` of Grok Build".to_owned(),
        });
    }
    found
}

/// An organization allows no hooks but its own.
fn managed_only(file: PathBuf) -> Obstacle {
    Obstacle {
        file: Some(file),
        message: "allows the organization's own hooks only".to_owned(),
        help: "ask whoever administers this machine to add hookrail there".to_owned(),
    }
}

/// Kimi Code: one hook that it does not accept, and it drops all of them.
fn kimi(around: &Surroundings<'_>) -> Vec<Obstacle> {
    const EVENTS: &str = "
        PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionResult
        UserPromptSubmit UserPromptQueued TurnStarted Stop StopFailure Interrupt SessionStart
        SessionEnd SessionHeartbeat SubagentStart SubagentStop TaskStarted PreCompact PostCompact
        Notification
    ";
    let Some(config) = around.toml(around.file) else { return Vec::new() };
    let hooks = config.get("hooks").map(toml::to_json).unwrap_or_default();
    let problem = |hook: &Value| {
        let fields = hook.as_object()?;
        let is_known = |event: &str| EVENTS.split_whitespace().any(|known| known == event);
        let wrong = fields.iter().find(|(key, value)| match key.as_str() {
            "event" => !value.as_str().is_some_and(is_known),
            "command" => value.as_str().is_none_or(str::is_empty),
            "matcher" => !value.is_string(),
            "timeout" => !value.as_u64().is_some_and(|seconds| (1..=600).contains(&seconds)),
            _ => true,
        });
        let missing = ["event", "command"].into_iter().find(|key| !fields.contains_key(*key));
        wrong.map(|(key, _)| key.clone()).or_else(|| missing.map(str::to_owned))
    };
    let mut list = hooks.as_array().into_iter().flatten().enumerate();
    let found = list.find_map(|(at, hook)| Some((at, problem(hook)?)));
    let obstacle = |(at, key): (usize, String)| Obstacle {
        file: Some(around.file.to_owned()),
        message: format!(
            "has a hook that Kimi Code does not accept (`hooks[{at}]`: `{key}`), so it runs none of them"
        ),
        help: "correct or remove that hook".to_owned(),
    };
    found.map(obstacle).into_iter().collect()
}

/// pi: extensions that settings leave out, and those of a project run only in a folder that it trusts. The nearest folder
/// above it that is listed decides.
fn pi(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let folder = around.user_file.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let (file, settings) = (folder.join("trust.json"), folder.join("settings.json"));
    let always = || around.settings(&settings)?.get("defaultProjectTrust").map(|value| value == "always");
    let trusted = around.settings(&file).and_then(|list| {
        let project = (around.real)(around.project);
        project.ancestors().find_map(|folder| list.get(folder.to_str()?)?.as_bool())
    });
    let is_trusted = trusted.or_else(always).unwrap_or(false);
    let obstacle = (around.is_project && !is_trusted).then(|| Obstacle {
        file: Some(file),
        message: "does not trust this folder, so pi does not load its extension".to_owned(),
        help: "start pi there and type `/trust`, if you trust the folder".to_owned(),
    });
    let levels = [settings, around.project.join(".pi/settings.json")];
    let left_out = levels.into_iter().find(|file| {
        let list = around.settings(file).and_then(|settings| settings.get("extensions").cloned());
        let entries: Vec<&str> =
            list.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
        leaves_out(file, &entries, around.file)
    });
    let left_out = left_out.map(|file| Obstacle {
        file: Some(file),
        message: "keeps pi from loading the extension: see `extensions` there".to_owned(),
        help: "remove that entry, or turn the extension on with `pi config`".to_owned(),
    });
    obstacle.into_iter().chain(left_out).collect()
}

/// Whether a list in pi's settings leaves an extension out: `-` before its path, or `!` before a pattern unless its path
/// follows a `+`. Any pattern with signs of its own counts as one that does.
fn leaves_out(settings: &Path, entries: &[&str], extension: &Path) -> bool {
    let is_path = |path: &str| settings.with_file_name(path.trim_start_matches("./")) == extension;
    let is_pattern = |text: &str| {
        let is_name = extension.file_name().is_some_and(|name| name == text);
        is_name || is_path(text) || text.contains(['*', '?', '[', '{'])
    };
    let has = |sign: char, fits: &dyn Fn(&str) -> bool| {
        entries.iter().filter_map(|entry| entry.strip_prefix(sign)).any(fits)
    };
    has('-', &is_path) || has('!', &is_pattern) && !has('+', &is_path)
}

/// Cline: a list of plugins that the user turned off.
fn cline(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let data = around.user_file.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("data");
    let data = around.moved("CLINE_DATA_DIR", &data.to_string_lossy());
    let file = data.join("settings/global-settings.json");
    let is_listed = around.settings(&file).is_some_and(|settings| {
        let list = settings.get("disabledPlugins").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|path| path.as_str().map(Path::new) == Some(around.file)))
    });
    let obstacle = is_listed.then(|| Obstacle {
        file: Some(file),
        message: "turns the plugin off: it is in `disabledPlugins`".to_owned(),
        help: "remove it there, or turn it on in Cline's settings".to_owned(),
    });
    obstacle.into_iter().collect()
}

/// Codex: a feature, an organization's restriction, an untrusted project, and entries that nobody trusted.
fn codex(around: &Surroundings<'_>) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let config_file = around.user_file.with_file_name("config.toml");
    let config = around.toml(&config_file);
    for file in [config_file.clone(), around.project.join(".codex/config.toml")] {
        let features = around.toml(&file).and_then(|config| Some(config.get("features")?.clone()));
        for name in ["hooks", "codex_hooks"] {
            if features.as_ref().and_then(|table| table.get(name)?.as_bool()) == Some(false) {
                found.push(Obstacle {
                    file: Some(file.clone()),
                    message: format!("turns hooks off: `features.{name}` is false"),
                    help: "remove that line".to_owned(),
                });
            }
        }
    }
    let is_only = |rules: &DocumentMut| rules.get("allow_managed_hooks_only")?.as_bool();
    let is_restricted = |file: &&Path| around.toml(file).and_then(|rules| is_only(&rules)) == Some(true);
    found.extend(machine_files(Agent::Codex).filter(is_restricted).map(|file| managed_only(file.into())));
    if around.is_project {
        let project = (around.real)(around.project);
        let level = config.as_ref().and_then(|config| {
            config.get("projects")?.get(project.to_str()?)?.get("trust_level")?.as_str().map(str::to_owned)
        });
        if level.as_deref() != Some("trusted") {
            found.push(Obstacle {
                file: Some(around.file.to_owned()),
                message: "is not read by Codex until the project is trusted".to_owned(),
                help: "start `codex` in this project and answer that you trust the folder".to_owned(),
            });
        }
    }
    found.extend(codex_trust(around, config.as_ref()));
    found
}

/// Which entries of ours Codex was told to trust, compared as it does.
fn codex_trust(around: &Surroundings<'_>, config: Option<&DocumentMut>) -> Option<Obstacle> {
    let state = config.and_then(|config| config.get("hooks")?.get("state"));
    let file = (around.real)(around.file);
    let (mut off, mut untrusted) = (Vec::new(), Vec::new());
    for entry in codex_entries(around)? {
        let key = format!("{}:{}:{}:{}", file.display(), snake_case(&entry.event), entry.group, entry.place);
        let recorded = state.and_then(|state| state.get(&key));
        let hash = recorded.and_then(|recorded| recorded.get("trusted_hash")?.as_str());
        if recorded.and_then(|recorded| recorded.get("enabled")?.as_bool()) == Some(false) {
            off.push(entry.event);
        } else if !hash.is_some_and(|hash| entry.hashes().iter().any(|known| known == hash)) {
            untrusted.push(entry.event);
        }
    }
    let (events, state, help) = if !untrusted.is_empty() {
        let help = "start `codex` in a terminal; where it says that hooks need review, trust them (`/hooks` shows \
                    them, too), then run `hookrail doctor` again";
        (untrusted, "has hooks that Codex does not run, because nobody trusted them there", help)
    } else if !off.is_empty() {
        (off, "has hooks that were disabled in Codex", "start `codex`, open `/hooks` and enable them")
    } else {
        return None;
    };
    Some(Obstacle {
        file: Some(around.file.to_owned()),
        message: format!("{state}: {}", events.join(", ")),
        help: help.to_owned(),
    })
}

/// An entry of ours, as Codex identifies it.
struct CodexEntry {
    event: String,
    group: usize,
    place: usize,
    matcher: Option<String>,
    command: String,
    timeout: u64,
}

impl CodexEntry {
    /// What Codex records when a person trusts it. A matcher counts at some events only.
    fn hashes(&self) -> Vec<String> {
        let text = |text: &str| Value::from(text).to_string();
        let (event, command, timeout) = (text(&snake_case(&self.event)), text(&self.command), self.timeout);
        let hook = format!(r#"{{"async":false,"command":{command},"timeout":{timeout},"type":"command"}}"#);
        let matcher = self.matcher.iter().map(|matcher| format!(r#","matcher":{}"#, text(matcher)));
        let forms = std::iter::once(String::new()).chain(matcher);
        forms
            .map(|matcher| {
                let whole = format!(r#"{{"event_name":{event},"hooks":[{hook}]{matcher}}}"#);
                let digest = Sha256::digest(whole.as_bytes());
                digest.iter().fold("sha256:".to_owned(), |hash, byte| format!("{hash}{byte:02x}"))
            })
            .collect()
    }
}

/// The entries of ours in a file of Codex's; `None` if it cannot be read.
fn codex_entries(around: &Surroundings<'_>) -> Option<Vec<CodexEntry>> {
    let text = (around.read)(around.file)?;
    let is_toml = around.file.extension().is_some_and(|end| end == "toml");
    let settings = if is_toml {
        toml::to_json(toml::parse(&text).ok()?.as_item())
    } else {
        json::to_value(&text).ok()?
    };
    let mut found = Vec::new();
    for (event, groups) in settings.get("hooks")?.as_object()? {
        for (group, value) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (place, hook) in hooks.enumerate() {
                let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
                if calls_bridge(command) {
                    found.push(CodexEntry {
                        event: event.clone(),
                        group,
                        place,
                        matcher: value.get("matcher").and_then(Value::as_str).map(str::to_owned),
                        command: command.to_owned(),
                        timeout: hook.get("timeout").and_then(Value::as_u64).unwrap_or(600),
                    });
                }
            }
        }
    }
    Some(found)
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, sign) in name.char_indices() {
        if sign.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(sign.to_ascii_lowercase());
    }
    snake
}

impl Surroundings<'_> {
    /// A file of JSON settings; one that cannot be read says nothing.
    fn settings(&self, file: &Path) -> Option<Value> {
        json::to_value(&(self.read)(file)?).ok()
    }

    fn toml(&self, file: &Path) -> Option<DocumentMut> {
        toml::parse(&(self.read)(file)?).ok()
    }

    /// A file that a variable may move.
    fn moved(&self, variable: &str, file: &str) -> PathBuf {
        (self.variable)(variable).filter(|path| !path.is_empty()).map_or_else(|| file.into(), PathBuf::from)
    }

    /// A flag, and the last level that has it.
    fn last(&self, levels: &[PathBuf], pointer: &str) -> Option<(PathBuf, bool)> {
        let value = |file: &PathBuf| Some((file.clone(), self.settings(file)?.pointer(pointer)?.as_bool()?));
        levels.iter().rev().find_map(value)
    }

    /// A flag that has the value which turns hooks off.
    fn switched(&self, levels: &[PathBuf], pointer: &str, off: bool) -> Option<Obstacle> {
        let (file, value) = self.last(levels, pointer)?;
        let name = pointer.trim_start_matches('/').replace('/', ".");
        (value == off).then(|| Obstacle {
            file: Some(file),
            message: format!("turns hooks off: `{name}` is {off}"),
            help: format!("remove `{name}` there"),
        })
    }

    /// Entries of ours in a list of disabled hooks. A hook without a name is listed by its command.
    fn disabled_by_name(&self, agent: Agent, levels: &[PathBuf]) -> Option<Obstacle> {
        let text = (self.read)(self.file)?;
        let ours = bridge_entries(agent, &text, super::ConnectOptions::default()).ok()?;
        for file in levels {
            let Some(settings) = self.settings(file) else { continue };
            let lists = ["/hooksConfig/disabled", "/hooks/disabled"];
            let names = lists.iter().filter_map(|list| settings.pointer(list)?.as_array()).flatten();
            let names: Vec<&str> = names.filter_map(Value::as_str).collect();
            let events = ours.iter().filter(|(_, command)| names.contains(&command.as_str()));
            let events: Vec<&str> = events.map(|(event, _)| event.as_str()).collect();
            if !events.is_empty() {
                return Some(Obstacle {
                    file: Some(file.clone()),
                    message: format!("disables the hooks that call hookrail: {}", events.join(", ")),
                    help: "remove them from `hooksConfig.disabled` there".to_owned(),
                });
            }
        }
        None
    }

    /// A folder that the user told the agent not to trust. The longest path that holds the project decides.
    fn untrusted_folder(&self, variable: &str) -> Option<Obstacle> {
        let beside = self.user_file.with_file_name("trustedFolders.json");
        let file = self.moved(variable, &beside.to_string_lossy());
        let rules = self.settings(&file)?;
        let project = (self.real)(self.project);
        let mut best: Option<(usize, bool)> = None;
        for (folder, level) in rules.as_object()? {
            let folder = match level.as_str() {
                Some("TRUST_PARENT") => Path::new(folder).parent().map(Path::to_owned),
                _ => Some(PathBuf::from(folder)),
            };
            let Some(folder) = folder.map(|folder| (self.real)(&folder)) else { continue };
            let length = folder.components().count();
            if project.starts_with(&folder) && best.is_none_or(|(longest, _)| length >= longest) {
                best = Some((length, level == "DO_NOT_TRUST"));
            }
        }
        best.is_some_and(|(_, is_refused)| is_refused).then(|| Obstacle {
            file: Some(file),
            message: "says that this folder is not trusted, so no hook runs in it".to_owned(),
            help: "change that with `/permissions` in the agent, if you trust the folder".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
