//! Collects what a session is made with, and reads the settings files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::host::bus::publish::MessageBus;
use crate::host::config::SessionConfig;
use crate::host::grants::Grants;
use crate::host::observer::HookObserver;
use crate::host::session::HookSession;
use crate::run::{RunnerOptions, ServiceClient, WorkerKeeper, WorkerPool};
use crate::settings::{SettingsFiles, SettingsPaths, UnusableSettings};
use crate::trust::TrustPolicy;

/// Where settings come from.
enum SettingsSource {
    /// These files.
    Files(SettingsPaths),
    /// The host itself.
    Given(Value),
}

impl HookSession {
    /// Starts describing a session that works in `working_dir`. `trust` decides which of the project's own hooks run:
    /// there is no default, because a cloned repository may bring hooks along.
    pub fn builder(working_dir: impl Into<PathBuf>, trust: TrustPolicy) -> HookSessionBuilder {
        let config = SessionConfig {
            session_id: String::new(),
            working_dir: working_dir.into(),
            transcript_path: None,
            files: SettingsFiles::from_value("", &Value::Null),
            unusable_settings: UnusableSettings::default(),
            trust,
            bus: None,
            observer: None,
            environment: None,
            home: None,
            runner: RunnerOptions::new(Vec::new()),
            has_our_tools: false,
            blocks_on_own_failure: false,
            grants: None,
        };
        HookSessionBuilder { config, source: None, try_examples: true }
    }
}

/// Collects what a [`HookSession`] needs.
#[must_use = "a builder makes nothing until `build` is called"]
pub struct HookSessionBuilder {
    config: SessionConfig,
    source: Option<SettingsSource>,
    try_examples: bool,
}

impl HookSessionBuilder {
    /// Names the session; otherwise it gets a random id.
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.config.session_id = id.into();
        self
    }

    /// Names the session's transcript.
    pub fn transcript_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.config.transcript_path = Some(path.into());
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
        self.config.unusable_settings = choice;
        self
    }

    /// Answers execution requests on this bus.
    pub fn bus(mut self, bus: Arc<MessageBus>) -> Self {
        self.config.bus = Some(bus);
        self
    }

    /// Sends records of what hooks did to this observer.
    pub fn observer(mut self, observer: Arc<dyn HookObserver>) -> Self {
        self.config.observer = Some(observer);
        self
    }

    /// Gives hooks this environment instead of the process's own.
    pub fn environment(self, environment: Vec<(OsString, OsString)>) -> Self {
        self.environment_from(move || environment.clone())
    }

    /// The same, made when the first process is started; for a host that lives for one event, which seldom starts one.
    pub fn environment_from(
        mut self,
        environment: impl Fn() -> Vec<(OsString, OsString)> + Send + Sync + 'static,
    ) -> Self {
        self.config.environment = Some(Arc::new(environment));
        self
    }

    /// Gives hooks that are not the project's this `PATH`, made when the first process is started. For a host whose
    /// environment others may have changed.
    pub fn trusted_path(mut self, path: impl Fn() -> OsString + Send + Sync + 'static) -> Self {
        self.config.runner.trusted_path = Some(Arc::new(path));
        self
    }

    /// Whether commands without shell syntax may run without a shell. On by default; nothing a hook
    /// can observe depends on it.
    pub fn direct_execution(mut self, on: bool) -> Self {
        self.config.runner.direct_execution = on;
        self
    }

    /// Lets no hook run past this moment, whatever its settings say: chained hooks and those that wait for a place
    /// share the time. For a host that answers one event and has to do so by then.
    pub fn answer_by(mut self, moment: Instant) -> Self {
        self.config.runner.answer_by = Some(moment);
        self
    }

    /// Leaves the examples of rules untried, which saves time. What is wrong with them is then not among the findings.
    pub fn without_examples(mut self) -> Self {
        self.try_examples = false;
        self
    }

    /// Goes on with the workers of an earlier session, for a host that reads its settings again. Without it the session
    /// has workers of its own.
    pub fn workers(mut self, workers: WorkerPool) -> Self {
        self.config.runner.workers = Some(workers);
        self
    }

    /// Asks another process that keeps workers first, for a host that lives for one event.
    pub fn keeper(mut self, keeper: Arc<dyn WorkerKeeper>) -> Self {
        self.config.runner.keeper = Some(keeper);
        self
    }

    /// Says that the host's tools under our names have our arguments (`command` of `run_shell_command`, `file_path` of
    /// `write_file`, …). A call without them is then refused before a guard that depends on them, instead of being
    /// decided without them.
    pub fn our_tools(mut self) -> Self {
        self.config.has_our_tools = true;
        self
    }

    /// Blocks `BeforeTool`, `BeforeModel` and `BeforeAgent` where the hook system itself fails: a panic, or a shortage of
    /// processes, descriptors or memory that keeps a hook from being started. Otherwise only hooks with
    /// `onFailure: "block"` do.
    pub fn block_on_own_failure(mut self) -> Self {
        self.config.blocks_on_own_failure = true;
        self
    }

    /// Lets single calls pass that rules would stop, as a person decided. Without it nothing does.
    pub fn grants(mut self, grants: Arc<dyn Grants>) -> Self {
        self.config.grants = Some(grants);
        self
    }

    /// Asks the services of `http` and `remote` hooks. Without it such hooks fail, and block guarded events.
    pub fn services(mut self, services: Arc<dyn ServiceClient>) -> Self {
        self.config.runner.services = Some(services);
        self
    }

    /// Reads the settings files and makes the session.
    pub fn build(self) -> HookSession {
        let Self { mut config, source, try_examples } = self;
        if config.session_id.is_empty() {
            config.session_id = uuid::Uuid::new_v4().to_string();
        }
        if let Ok(absolute) = std::path::absolute(&config.working_dir) {
            config.working_dir = absolute;
        }
        let source = source.unwrap_or_else(|| {
            let paths = SettingsPaths::new(config.working_dir.clone(), |name| std::env::var_os(name));
            SettingsSource::Files(paths)
        });
        let files = match source {
            SettingsSource::Files(paths) => {
                let files = SettingsFiles::load(&paths);
                config.home = Some(paths.home).filter(|home| !home.as_os_str().is_empty());
                files
            }
            SettingsSource::Given(value) => SettingsFiles::from_value(&config.working_dir, &value),
        };
        config.files = if try_examples { files } else { files.without_examples() };
        let may_be_on = config.files.may_be_on(config.unusable_settings, &config.trust);
        HookSession::new(config, may_be_on)
    }
}
