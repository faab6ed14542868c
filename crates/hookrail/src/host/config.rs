//! What a session was made with. Uses the observer and the bus, which the host supplies, and no other component.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::bus::publish::MessageBus;
use crate::host::grants::Grants;
use crate::host::observer::HookObserver;
use crate::run::{EnvironmentSource, RunnerOptions};
use crate::settings::{ResolvedSettings, SettingsFiles, UnusableFile, UnusableSettings};
use crate::trust::{TrustPolicy, VanishedGuard};

/// What the host configured when it made the session.
pub(crate) struct SessionConfig {
    pub(crate) session_id: String,
    pub(crate) working_dir: PathBuf,
    pub(crate) transcript_path: Option<PathBuf>,
    /// The settings as they were when the session was made. Later edits of a file have no effect on this session.
    pub(crate) files: SettingsFiles,
    pub(crate) unusable_settings: UnusableSettings,
    pub(crate) trust: TrustPolicy,
    pub(crate) bus: Option<Arc<MessageBus>>,
    pub(crate) observer: Option<Arc<dyn HookObserver>>,
    /// What hooks inherit; the process's own environment where the host names none.
    pub(crate) environment: Option<EnvironmentSource>,
    /// The home directory that holds the user's settings, where they come from files.
    pub(crate) home: Option<PathBuf>,
    /// How hooks are run, as far as the host says so. Settings and environment are added at the start.
    pub(crate) runner: RunnerOptions,
    /// Whether tools under our names have our arguments, so that a call without them cannot be read.
    pub(crate) has_our_tools: bool,
    /// Whether guarded events are blocked where the hook system itself fails.
    pub(crate) blocks_on_own_failure: bool,
    /// What a person lets pass although rules stop it.
    pub(crate) grants: Option<Arc<dyn Grants>>,
}

impl SessionConfig {
    /// Why guarded events must not go on, whatever the hooks say; `None` when nothing blocks them.
    pub(crate) fn standing_block(&self, settings: &ResolvedSettings) -> Option<String> {
        let refusals = settings.refusals().filter(|_| self.unusable_settings == UnusableSettings::Block);
        let reasons = refusals.map(UnusableFile::why_blocked);
        let reasons: Vec<String> =
            reasons.chain(settings.vanished.iter().map(VanishedGuard::why_blocked)).collect();
        (!reasons.is_empty()).then(|| reasons.join("\n"))
    }
}
