//! Settings: where they are, what they may contain, and which of them apply.
//!
//! `settings_files.rs` is the only reader of settings files. One `Reader` turns a parsed text into
//! settings, hooks and findings: `reader.rs` has what all parts of it use, `read.rs` reads what is not a hook, `hooks.rs`
//! the hooks, `library.rs` the shipped rules, and `diagnose.rs` words the findings. `source.rs` has the text and its places;
//! `levels.rs` has the scalar settings of each level and those that count; `resolve.rs` decides what counts. Nothing here
//! fails: what cannot be used becomes a finding, and everything around it still counts.

mod bridge_entry;
mod diagnose;
mod extension_command;
mod extensions;
mod hooks;
mod levels;
mod library;
mod load;
mod ownership;
mod paths;
mod policy;
mod read;
mod reader;
mod resolve;
mod schema;
mod settings_files;
mod source;
mod unread;

#[cfg(any(test, feature = "fuzzing"))]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, Level};
use crate::plan::registry::{DisabledEntry, DisabledList};

pub use crate::diagnostic::Place;
pub use crate::formats::jsonc;
pub use crate::hook::{PROJECT_DIR_VARIABLES, SETTINGS_FOLDERS};
pub use crate::trust::atomic_file::{LockedFile, make_state_dir};
pub use bridge_entry::calls_bridge;
pub use levels::{
    AgentEvents, DEFAULT_MAX_CONCURRENT_HOOKS, EffectiveSettings, LevelSettings, Limits, LogDetail, PerLevel,
    Redaction,
};
pub use paths::SettingsPaths;
use paths::settings_file;
pub use policy::NamedPolicy;
pub use resolve::{Activation, RegistryScope, ResolvedHook, ResolvedSettings};
pub use schema::settings_schema;
pub use settings_files::SettingsFiles;
pub use source::Source as SourceText;

/// What becomes of guarded events while a settings file of the user or the system cannot be used. Its guards are
/// then unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnusableSettings {
    /// `BeforeTool`, `BeforeModel` and `BeforeAgent` are blocked, with a reason that names the file.
    #[default]
    Block,
    /// They go on; the findings and the log say what is wrong.
    Warn,
}

/// Reads a text as if it were the user's settings file.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn parse_user_text(text: &str) -> Settings {
    let mut settings = Settings::default();
    let source = source::Source::of_file(Path::new("settings.json"), text);
    load::parse_level(&crate::hook::Level::User, &source, &mut settings);
    settings
}

/// Everything that the settings say about hooks.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The project that the settings were loaded for.
    pub project_dir: PathBuf,
    /// What each level says about hooks being on, its aliases resolved; `None` where it says nothing.
    pub enable: PerLevel<Option<bool>>,
    /// The file whose flag counts, for each level that has one.
    pub flag_files: Vec<(Level, PathBuf)>,
    /// All hooks: a policy's, project, user, system, then extensions by name; in each file in the order of the text.
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
    /// The hook. In its place in memory from the beginning: there may be thousands, and lists of them are made anew.
    pub hook: Arc<Hook>,
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
/// enable flag that is not a boolean.
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
        if self.level == Level::Managed {
            return format!("{}; `hookrail policy status` shows more", self.finding.message);
        }
        format!(
            "the {} settings cannot be used, and the guards in them are not known ({place}: {}); fix the file, \
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

    /// What counts: user over system, and for the project's own hooks the project over both, while it is approved.
    pub fn effective(&self, project_counts: bool) -> EffectiveSettings {
        let levels = self.levels.ranked(project_counts);
        let merged = levels.fold(LevelSettings::default(), LevelSettings::or);
        EffectiveSettings {
            limits: Limits {
                max_concurrent: merged.max_concurrent_hooks.unwrap_or(DEFAULT_MAX_CONCURRENT_HOOKS),
                max_output_bytes: merged.max_output_bytes,
            },
            redaction: Redaction {
                enabled: Some(merged.redaction.enabled == Some(true)),
                ..merged.redaction
            },
            agent_events: merged.agent_events,
            ask: merged.ask.unwrap_or_default(),
            log: self.levels.ranked(false).find_map(|level| level.log).unwrap_or_default(),
        }
    }

    /// What the project's own file says besides its hooks, as a value that approvals are bound to. Empty
    /// when it says nothing.
    pub fn project_settings(&self) -> Value {
        let own = &self.levels.project;
        let own_list = DisabledList::Settings(Level::Project);
        let disabled = self.disabled.iter().filter(|entry| entry.list == own_list);
        let mut disabled: Vec<String> = disabled.map(|entry| entry.name_or_command.clone()).collect();
        let mut seen = std::collections::BTreeSet::new();
        disabled.retain(|name| seen.insert(name.clone()));
        let listed = |names: &[String]| (!names.is_empty()).then(|| names.into());
        let fields = [
            ("enableHooks", self.enable.project.map(Value::from)),
            ("maxConcurrentHooks", own.max_concurrent_hooks.map(Value::from)),
            ("maxOutputBytes", own.max_output_bytes.map(Value::from)),
            ("agentEvents", own.agent_events.and_then(|events| serde_json::to_value(events).ok())),
            ("ask", own.ask.and_then(|ask| serde_json::to_value(ask).ok())),
            ("redaction.enabled", own.redaction.enabled.map(Value::from)),
            ("redaction.allowed", listed(&own.redaction.allowed)),
            ("redaction.blocked", listed(&own.redaction.blocked)),
            ("disabled", listed(&disabled)),
        ];
        fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

#[cfg(test)]
mod tests;
