//! Settings: where they are, what they may say, and what counts of them.
//!
//! `files.rs` is the only reader of settings files; `read.rs` and `hooks.rs` turn one parsed text into settings
//! and hooks; `source.rs` knows the text and its places; `diagnose.rs` words the findings; `resolve.rs` decides
//! what counts. Nothing here fails: what cannot be used becomes a finding, and everything around it still counts.

mod bridge_entry;
mod diagnose;
pub mod edit;
mod extension_command;
mod extensions;
mod files;
mod hooks;
mod library;
mod load;
mod ownership;
mod project;
mod read;
mod resolve;
mod source;
mod wire;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::formats::json_object::JsonObject;
use crate::hook::{AskReading, Hook, Level};
use crate::plan::registry::{DisabledEntry, DisabledList};

pub use bridge_entry::calls_bridge;
pub use files::SettingsFiles;
pub use load::load_settings;
pub use project::find_project;
pub use resolve::{Activation, RegistryScope, ResolvedHook, ResolvedSettings};
pub use source::Source as SourceText;
pub use wire::settings_schema;

/// Reads a text as if it were the user's settings file.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn parse_user_text(text: &str) -> Settings {
    let mut settings = Settings::default();
    let source = source::Source::of_file(Path::new("settings.json"), text);
    load::parse_level(&crate::hook::Level::User, &source, &mut settings);
    settings
}

/// How many hooks run at once when the settings do not say.
pub const DEFAULT_MAX_CONCURRENT_HOOKS: usize = 64;

/// Where settings are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPaths {
    /// The project; see [`find_project`].
    pub project_dir: PathBuf,
    /// The directory that holds the user's `.llxprt`. Empty means that there is no user level: a relative
    /// path would make the project's own file the user's, and so a trusted one.
    pub home: PathBuf,
    /// The system's settings file.
    pub system: PathBuf,
}

impl SettingsPaths {
    /// The usual places, as the environment changes them.
    pub fn new(project_dir: PathBuf, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let given = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            project_dir,
            home: given("HOOKRAIL_HOME").or_else(|| given("HOME")).unwrap_or_default(),
            system: given("HOOKRAIL_SYSTEM_SETTINGS")
                .unwrap_or_else(|| PathBuf::from("/etc/llxprt-code/settings.json")),
        }
    }

    /// The project's settings file.
    pub fn project_file(&self) -> PathBuf {
        settings_file(&self.project_dir)
    }

    /// The user's settings file, if there is a home directory.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.has_home().then(|| settings_file(&self.home))
    }

    /// The folder of the user's extensions, if there is a home directory.
    pub fn extensions_dir(&self) -> Option<PathBuf> {
        self.has_home().then(|| self.home.join(".llxprt/extensions"))
    }

    fn has_home(&self) -> bool {
        !self.home.as_os_str().is_empty()
    }
}

fn settings_file(dir: &Path) -> PathBuf {
    dir.join(".llxprt").join("settings.json")
}

/// Everything that the settings say about hooks.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The project that the settings were loaded for.
    pub project_dir: PathBuf,
    /// What each level says about hooks being on, its aliases resolved; `None` where it says nothing.
    pub enable: PerLevel<Option<bool>>,
    /// All hooks: project, user, system, then extensions by name; in each file in the order of the text.
    pub hooks: Vec<ConfiguredHook>,
    /// The disabled lists of all levels, united.
    pub disabled: Vec<DisabledEntry>,
    /// The other scalar settings, level by level.
    pub levels: PerLevel<LevelSettings>,
    /// The files that exist and cannot be used. Nothing of them is in the other fields.
    pub unusable: Vec<UnusableFile>,
    /// All findings, in the order of the files.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the examples of rules were tried. That costs more than reading the rules.
    try_examples: bool,
}

/// A hook as a settings file describes it.
#[derive(Debug, Clone)]
pub struct ConfiguredHook {
    /// The hook.
    pub hook: Hook,
    /// Where its parts stand in its file.
    pub spans: HookSpans,
    /// Its fields that hookrail does not know.
    pub extra_fields: JsonObject,
}

impl std::ops::Deref for ConfiguredHook {
    type Target = Hook;

    fn deref(&self) -> &Hook {
        &self.hook
    }
}

/// A settings file that exists and cannot be used: unreadable, malformed, no regular file, too large, or with an
/// enable flag that is no boolean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableFile {
    /// Whose settings they are.
    pub level: Level,
    /// The file; empty for a value that a host gave.
    pub file: PathBuf,
    /// Why it cannot be used.
    pub finding: Diagnostic,
}

impl UnusableFile {
    /// Why guarded events are blocked while this file cannot be used.
    pub fn why_blocked(&self) -> String {
        let place = match &self.finding.place {
            Some(place) => place.to_string(),
            None => self.file.display().to_string(),
        };
        format!(
            "the {} settings cannot be used, and the guards in them are not known ({place}: {}); mend the file, \
             `hookrail check` shows what is wrong",
            self.level, self.finding.message
        )
    }
}

/// Where the parts of a hook stand in its file, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSpans {
    /// The command; the opening brace of a hook without one.
    pub command: std::ops::Range<usize>,
    /// The matcher of the hook's group.
    pub matcher: Option<std::ops::Range<usize>>,
}

impl Settings {
    /// Settings that a host gives as a value instead of files: they count as the user's.
    pub fn from_value(project_dir: impl Into<PathBuf>, value: &Value) -> Self {
        SettingsFiles::from_value(project_dir, value).settings()
    }

    /// The hooks alone.
    pub fn plain_hooks(&self) -> impl Iterator<Item = &Hook> {
        self.hooks.iter().map(|configured| &configured.hook)
    }

    /// What counts: user over system, and for the project's own hooks the project over both, while it is approved.
    pub fn effective(&self, project_counts: bool) -> EffectiveSettings {
        let levels: Vec<&LevelSettings> = self.levels.ranked(project_counts).collect();
        let list = |pick: fn(&RedactionSettings) -> &Vec<String>| {
            let mut names: Vec<String> = Vec::new();
            for name in levels.iter().flat_map(|level| pick(&level.redaction)) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            names
        };
        EffectiveSettings {
            limits: Limits {
                max_concurrent: levels
                    .iter()
                    .find_map(|level| level.max_concurrent_hooks)
                    .unwrap_or(DEFAULT_MAX_CONCURRENT_HOOKS),
                max_output_bytes: levels.iter().find_map(|level| level.max_output_bytes),
            },
            redaction: Redaction {
                enabled: levels.iter().find_map(|level| level.redaction.enabled).unwrap_or(false),
                allowed: list(|redaction| &redaction.allowed),
                blocked: list(|redaction| &redaction.blocked),
            },
            agent_events: levels.iter().find_map(|level| level.agent_events),
            ask: levels.iter().find_map(|level| level.ask).unwrap_or_default(),
        }
    }

    /// What the project's own file says besides its hooks, as a value that approvals are bound to. Empty
    /// when it says nothing.
    pub fn project_settings(&self) -> Value {
        let own = &self.levels.project;
        let mut said = JsonObject::new();
        let mut say = |key: &str, value: Option<Value>| {
            said.extend(value.map(|value| (key.to_owned(), value)));
        };
        let listed = |names: &[String]| (!names.is_empty()).then(|| names.into());
        say("enableHooks", self.enable.project.map(Value::from));
        say("maxConcurrentHooks", own.max_concurrent_hooks.map(Value::from));
        say("maxOutputBytes", own.max_output_bytes.map(Value::from));
        say("agentEvents", own.agent_events.and_then(|events| serde_json::to_value(events).ok()));
        say("ask", own.ask.and_then(|ask| serde_json::to_value(ask).ok()));
        say("redaction.enabled", own.redaction.enabled.map(Value::from));
        say("redaction.allowed", listed(&own.redaction.allowed));
        say("redaction.blocked", listed(&own.redaction.blocked));
        let own_list = DisabledList::Settings(Level::Project);
        let disabled = self.disabled.iter().filter(|entry| entry.list == own_list);
        let disabled: Vec<String> = disabled.map(|entry| entry.name_or_command.clone()).collect();
        say("disabled", listed(&disabled));
        Value::Object(said)
    }
}

/// One value for each settings level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PerLevel<T> {
    pub project: T,
    pub user: T,
    pub system: T,
}

impl<T> PerLevel<T> {
    /// Sets the value of a level; an extension has none.
    pub(crate) fn set(&mut self, level: &Level, value: T) {
        match level {
            Level::Project => self.project = value,
            Level::User => self.user = value,
            Level::System => self.system = value,
            Level::Extension(_) => {}
        }
    }

    /// The levels that count, the strongest first.
    pub fn ranked(&self, project_counts: bool) -> impl Iterator<Item = &T> {
        project_counts.then_some(&self.project).into_iter().chain([&self.user, &self.system])
    }
}

/// The scalar settings of one level; `None` where it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelSettings {
    /// `hooksConfig.maxConcurrentHooks`.
    pub max_concurrent_hooks: Option<usize>,
    /// `hooksConfig.maxOutputBytes`.
    pub max_output_bytes: Option<u64>,
    /// `hooksConfig.agentEvents`.
    pub agent_events: Option<AgentEvents>,
    /// `hooksConfig.ask`.
    pub ask: Option<AskReading>,
    /// `security.environmentVariableRedaction`.
    pub redaction: RedactionSettings,
    /// `extensions.disabled`.
    pub disabled_extensions: Vec<String>,
}

/// What one level says about secrets in the environment of hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedactionSettings {
    /// Whether variables are removed at all.
    pub enabled: Option<bool>,
    /// Names that stay although they look like credentials.
    pub allowed: Vec<String>,
    /// Names that go although they do not.
    pub blocked: Vec<String>,
}

/// The scalar settings that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSettings {
    /// Bounds on running hooks.
    pub limits: Limits,
    /// Secrets in the environment of hooks.
    pub redaction: Redaction,
    /// What the agent does with the outputs of the six events outside the five; `None` where nothing is said.
    pub agent_events: Option<AgentEvents>,
    /// What a hook's `ask` means.
    pub ask: AskReading,
}

/// Bounds on running hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many hooks run at once; the rest queue.
    pub max_concurrent: usize,
    /// How much of each output stream is kept; `None` means 16 MiB or twice the payload, whichever is more.
    pub max_output_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_concurrent: DEFAULT_MAX_CONCURRENT_HOOKS, max_output_bytes: None }
    }
}

/// Which variables hooks do not inherit. The lists of all levels that count are united.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Whether variables are removed at all.
    pub enabled: bool,
    /// Names that stay although they look like credentials.
    pub allowed: Vec<String>,
    /// Names that go although they do not.
    pub blocked: Vec<String>,
}

/// What the agent does with the outputs of the six events outside the five.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentEvents {
    /// Their hooks run and are logged; their outputs change nothing.
    #[default]
    Observe,
    /// Their outputs are applied.
    Apply,
}

#[cfg(test)]
mod tests;
