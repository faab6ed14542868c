//! What the host tells the engine: who it is, where it works, whom it trusts, who listens.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use serde_json::Value;

use crate::host::bus::MessageBus;
use crate::host::observer::HookObserver;
use crate::host::system::HookSystem;
use crate::settings::{ResolvedSettings, SettingsFiles, SettingsPaths, UnusableFile};
use crate::trust::TrustPolicy;

/// One session of a host. Hooks are off unless its settings turn them on.
///
/// The settings files are read when a `Config` is made, approvals and scripts at the first event.
pub struct Config {
    host: Arc<Host>,
    enabled: bool,
    system: OnceLock<HookSystem>,
}

/// What all components share about the host.
pub(crate) struct Host {
    pub(crate) session_id: String,
    pub(crate) working_dir: PathBuf,
    pub(crate) transcript_path: Option<PathBuf>,
    /// The settings as they were when the session was made. Whoever edits a file afterwards turns nothing off.
    files: SettingsFiles,
    resolved: OnceLock<ResolvedSettings>,
    unusable_settings: UnusableSettings,
    pub(crate) trust: TrustPolicy,
    pub(crate) bus: Option<Arc<MessageBus>>,
    pub(crate) observer: Option<Arc<dyn HookObserver>>,
    /// What hooks inherit; the process's own environment where the host names none.
    pub(crate) environment: Option<Vec<(OsString, OsString)>>,
    pub(crate) direct_execution: bool,
    /// No hook may run past this moment.
    pub(crate) answer_by: Option<Instant>,
}

/// Where settings come from.
enum SettingsSource {
    /// These files.
    Files(SettingsPaths),
    /// The host itself.
    Given(Value),
}

/// What becomes of guarded events while a settings file of the user or the system cannot be used. Nobody knows then
/// which guards it held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnusableSettings {
    /// `BeforeTool`, `BeforeModel` and `BeforeAgent` are blocked, with a reason that names the file.
    #[default]
    Block,
    /// They go on; the findings and the log say what is wrong.
    Warn,
}

impl Host {
    /// Settings and approvals, resolved at the first question.
    pub(crate) fn settings(&self) -> &ResolvedSettings {
        self.resolved.get_or_init(|| ResolvedSettings::resolve(&self.files, &self.trust))
    }

    /// Why guarded events must not go on, whatever the hooks say; `None` when nothing is in their way.
    pub(crate) fn standing_block(&self) -> Option<String> {
        if self.unusable_settings == UnusableSettings::Warn {
            return None;
        }
        let reasons: Vec<String> = self.settings().refusals().map(UnusableFile::why_blocked).collect();
        (!reasons.is_empty()).then(|| reasons.join("\n"))
    }
}

impl Config {
    /// Starts describing a session that works in `working_dir`.
    pub fn builder(working_dir: impl Into<PathBuf>) -> ConfigBuilder {
        ConfigBuilder {
            session_id: None,
            working_dir: working_dir.into(),
            transcript_path: None,
            source: None,
            unusable_settings: UnusableSettings::default(),
            trust: TrustPolicy::AllowAll,
            bus: None,
            observer: None,
            environment: None,
            direct_execution: true,
            answer_by: None,
            try_examples: true,
        }
    }

    /// The hook system; `None` when hooks are off. It is made at the first call and starts at the first event.
    #[inline]
    pub fn hook_system(&self) -> Option<&HookSystem> {
        if !self.enabled {
            return None;
        }
        Some(self.system.get_or_init(|| HookSystem::new(Arc::clone(&self.host))))
    }

    /// Whether the settings turn hooks on.
    #[inline]
    pub fn enable_hooks(&self) -> bool {
        self.enabled
    }

    /// Settings and approvals as this session uses them, also while hooks are off.
    pub fn settings(&self) -> &ResolvedSettings {
        self.host.settings()
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.host.session_id
    }

    /// The directory the session works in.
    pub fn working_dir(&self) -> &Path {
        &self.host.working_dir
    }

    /// The session's transcript, where the host names one.
    pub fn transcript_path(&self) -> Option<&Path> {
        self.host.transcript_path.as_deref()
    }
}

/// Collects what a [`Config`] needs.
#[must_use = "a builder makes nothing until `build` is called"]
pub struct ConfigBuilder {
    session_id: Option<String>,
    working_dir: PathBuf,
    transcript_path: Option<PathBuf>,
    source: Option<SettingsSource>,
    unusable_settings: UnusableSettings,
    trust: TrustPolicy,
    bus: Option<Arc<MessageBus>>,
    observer: Option<Arc<dyn HookObserver>>,
    environment: Option<Vec<(OsString, OsString)>>,
    direct_execution: bool,
    answer_by: Option<Instant>,
    try_examples: bool,
}

impl ConfigBuilder {
    /// Names the session; otherwise it gets a random id.
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// Names the session's transcript.
    pub fn transcript_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.transcript_path = Some(path.into());
        self
    }

    /// Reads settings from these files instead of the usual places.
    pub fn settings_paths(mut self, paths: SettingsPaths) -> Self {
        self.source = Some(SettingsSource::Files(paths));
        self
    }

    /// Takes settings from the host instead of files; they count as the user's.
    pub fn settings(mut self, settings: Value) -> Self {
        self.source = Some(SettingsSource::Given(settings));
        self
    }

    /// Decides about guarded events while a settings file cannot be used; without it they are blocked.
    pub fn unusable_settings(mut self, choice: UnusableSettings) -> Self {
        self.unusable_settings = choice;
        self
    }

    /// Decides about project hooks; without it all of them run.
    pub fn trust(mut self, policy: TrustPolicy) -> Self {
        self.trust = policy;
        self
    }

    /// Answers execution requests on this bus.
    pub fn bus(mut self, bus: Arc<MessageBus>) -> Self {
        self.bus = Some(bus);
        self
    }

    /// Sends records of what hooks did.
    pub fn observer(mut self, observer: Arc<dyn HookObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Gives hooks this environment instead of the process's own.
    pub fn environment(mut self, environment: Vec<(OsString, OsString)>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Whether commands without shell syntax may run without a shell. On by default; nothing a hook
    /// can observe depends on it.
    pub fn direct_execution(mut self, on: bool) -> Self {
        self.direct_execution = on;
        self
    }

    /// Lets no hook run past this moment, whatever its settings say: chained hooks and those that wait for a place
    /// share the time. For a host that answers one event and has to do so by then.
    pub fn answer_by(mut self, moment: Instant) -> Self {
        self.answer_by = Some(moment);
        self
    }

    /// Leaves the examples of rules untried, which saves time. What is wrong with them is then not among the findings.
    pub fn without_examples(mut self) -> Self {
        self.try_examples = false;
        self
    }

    /// Reads the settings files and makes the session.
    pub fn build(self) -> Config {
        let working_dir = std::path::absolute(&self.working_dir).unwrap_or(self.working_dir);
        let source = self.source.unwrap_or_else(|| {
            SettingsSource::Files(SettingsPaths::new(working_dir.clone(), |name| std::env::var_os(name)))
        });
        let files = match &source {
            SettingsSource::Files(paths) => SettingsFiles::load(paths),
            SettingsSource::Given(value) => SettingsFiles::from_value(&working_dir, value),
        };
        let files = if self.try_examples { files } else { files.without_examples() };
        let (flag, unusable) = files.enable_flag();
        // Whether a project's flag counts is known once approvals are read, at the first event.
        let enabled = [flag.project, flag.user, flag.system].contains(&Some(true))
            || (unusable && self.unusable_settings == UnusableSettings::Block);
        let host = Host {
            session_id: self.session_id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
            working_dir,
            transcript_path: self.transcript_path,
            files,
            resolved: OnceLock::new(),
            unusable_settings: self.unusable_settings,
            trust: self.trust,
            bus: self.bus,
            observer: self.observer,
            environment: self.environment,
            direct_execution: self.direct_execution,
            answer_by: self.answer_by,
        };
        let has_bus = host.bus.is_some();
        let config = Config { host: Arc::new(host), enabled, system: OnceLock::new() };
        if has_bus {
            // A client of the bus cannot call `hook_system`, so that the subscription is made here.
            let _ = config.hook_system();
        }
        config
    }
}
