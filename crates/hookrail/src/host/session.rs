//! One session of a host: what it was made with and, once it is started, its engine.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::diagnostic::Diagnostic;
use crate::event::EventName;
use crate::host::bus::answer::answer_requests;
use crate::host::bus::publish::Subscription;
use crate::host::config::SessionConfig;
use crate::host::engine::Engine;
use crate::host::panics::catch_panic;
use crate::plan::planner::Explanation;
use crate::plan::registry::{HookRegistry, HookStatus};
use crate::run::{Escalations, WorkerStatus};
use crate::settings::ResolvedSettings;
use crate::trust::{Review, TrustPolicy};

/// One session of a host. Hooks are off unless its settings turn them on.
///
/// The settings files are read when a `HookSession` is made, approvals and scripts by [`HookSession::initialize`], once;
/// the first event calls it, and so does a question about settings or hooks. Each of the eleven events is a method.
pub struct HookSession {
    state: Arc<SessionState>,
    may_be_on: bool,
    /// To the requests on the host's bus.
    subscription: Mutex<Option<Subscription>>,
}

/// The specification's name for a session whose hooks may be on: see [`HookSession::hook_system`].
pub type HookSystem = HookSession;

/// What a session is, but for its subscription: it lives on while requests are answered that came before its host dropped it.
struct SessionState {
    config: SessionConfig,
    engine: OnceLock<Engine>,
}

/// A component was asked for before the hook system was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hook system is not initialized; call `HookSystem::initialize` first")]
pub struct HookSystemNotInitializedError;

/// How far the hook system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSystemStatus {
    /// Whether it was started.
    pub initialized: bool,
    /// How many hooks are registered, enabled or not; 0 before the start.
    pub total_hooks: usize,
}

impl HookSession {
    /// A session that is not started yet. It answers requests on the host's bus if hooks may be on.
    pub(super) fn new(config: SessionConfig, may_be_on: bool) -> Self {
        let state = Arc::new(SessionState { config, engine: OnceLock::new() });
        let weak = Arc::downgrade(&state);
        let session =
            move || Some(Self { state: weak.upgrade()?, may_be_on: true, subscription: Mutex::default() });
        let bus = state.config.bus.as_ref().filter(|_| may_be_on);
        let subscription = bus.map(|bus| answer_requests(bus, session));
        Self { subscription: Mutex::new(subscription), state, may_be_on }
    }

    /// The hook system; `None` where [`HookSession::enable_hooks`] is false.
    #[inline]
    pub fn hook_system(&self) -> Option<&HookSystem> {
        self.may_be_on.then_some(self)
    }

    /// Whether hooks may be on. `false` means that they are off. Where nothing but a project's own flag turns them on,
    /// approvals decide at the first event: see [`HookSession::hooks_are_on`].
    #[inline]
    pub fn enable_hooks(&self) -> bool {
        self.may_be_on
    }

    /// What the host configured.
    pub(crate) fn config(&self) -> &SessionConfig {
        &self.state.config
    }

    /// The engine, if it was started.
    pub(crate) fn started_engine(&self) -> Option<&Engine> {
        self.state.engine.get()
    }

    /// The engine. This is where it is started, whoever asks first.
    pub(crate) fn engine(&self) -> &Engine {
        self.state.engine.get_or_init(|| Engine::start(&self.state.config))
    }

    /// The engine; `None` where starting it panics. That reads files and runs code of the host, and must not end the agent.
    #[inline]
    pub(crate) fn try_engine(&self) -> Option<&Engine> {
        let report = |message| {
            // The log may be what failed.
            let _ = catch_panic(|| {
                tracing::warn!(target: "llxprt:core:hooks:system", "hook system failed to start: {message}");
            });
        };
        catch_panic(|| self.engine()).map_err(report).ok()
    }

    /// Reads approvals and scripts and makes the components. Later calls return at once. Should that panic, nothing is
    /// initialized, the log says so, and the next call tries again.
    pub fn initialize(&self) {
        let _ = self.try_engine();
    }

    /// The registry.
    pub fn registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        self.started_engine().map(|engine| &*engine.registry).ok_or(HookSystemNotInitializedError)
    }

    /// How far it is.
    pub fn status(&self) -> HookSystemStatus {
        let engine = self.started_engine();
        HookSystemStatus {
            initialized: engine.is_some(),
            total_hooks: engine.map_or(0, |engine| engine.registry.total_hooks()),
        }
    }

    /// Turns every hook of this name (or command) on or off until the session ends; says how many changed.
    pub fn set_hook_enabled(&self, name: &str, enabled: bool) -> usize {
        self.engine().registry.set_hook_enabled(name, enabled)
    }

    /// Every hook, enabled and approved or not.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.engine().registry.all_hooks()
    }

    /// Which hooks would run for an event, and why the others would not. `also` are other names of the target, such as
    /// those of another agent's tool.
    pub fn explain(&self, event: EventName, target: Option<&str>, also: &[String]) -> Explanation {
        self.engine().planner.explain(event, target, also)
    }

    /// Settings and approvals as this session uses them, also while hooks are off.
    pub fn settings(&self) -> &ResolvedSettings {
        &self.engine().settings
    }

    /// Whether hooks are on, with approvals taken into account: a project's own flag counts once one of its hooks is
    /// approved.
    pub fn hooks_are_on(&self) -> bool {
        self.settings().activation.is_on()
    }

    /// What was found about settings and approvals: what cannot be used, what has no effect, what waits for approval.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.settings().findings
    }

    /// What waits for approval in this session's project, read now. `None` unless the session was made with
    /// [`TrustPolicy::RequireApproval`].
    ///
    /// The session goes on with the approvals that it has read. What is approved after its first event, or after this
    /// call, counts in the next session.
    pub fn review_approvals(&self) -> Option<Review> {
        let TrustPolicy::RequireApproval(store) = &self.config().trust else { return None };
        let settings = self.settings();
        let hooks = settings.hooks.iter().map(|resolved| &*resolved.hook);
        Some(store.pending(&settings.project_dir, hooks, &settings.project_settings))
    }

    /// What the session's workers did.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        self.started_engine().map(|engine| engine.runner.workers().status()).unwrap_or_default()
    }

    /// Ends workers, and waits until they and hooks that ran out of time have ended. A program calls it before it
    /// exits.
    pub async fn drain(&self) {
        if let Some(engine) = self.started_engine() {
            engine.runner.drain().await;
        }
    }

    /// A handle on hooks that ran out of time, for a program that cannot wait for [`HookSession::drain`].
    pub fn escalations(&self) -> Escalations {
        self.engine().runner.escalations()
    }

    /// Whether [`HookSession::drain`] would return at once.
    pub fn is_drained(&self) -> bool {
        self.started_engine().is_none_or(|engine| engine.runner.is_drained())
    }

    /// Kills hooks that ran out of time at once, instead of letting them clean up for some seconds. For a program
    /// that has to end now; it still calls [`HookSession::drain`].
    pub fn end_grace(&self) {
        if let Some(engine) = self.started_engine() {
            engine.runner.end_grace();
        }
    }

    /// Stops answering on the bus. Events can still be fired directly.
    pub fn dispose(&self) {
        self.subscription.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.config().session_id
    }

    /// The directory the session works in.
    pub fn working_dir(&self) -> &Path {
        &self.config().working_dir
    }
}

#[cfg(test)]
mod tests {
    use hookrail_testkit::TestProject;
    use serde_json::json;

    use crate::event::EventName;
    use crate::host::session::HookSession;
    use crate::plan::planner::SkipReason;
    use crate::settings::SettingsPaths;
    use crate::trust::{ApprovalStore, TrustPolicy};

    #[test]
    fn hooks_that_wait_for_approval_are_listed_although_only_their_project_turns_hooks_on() {
        let project = TestProject::new();
        let hooks = |command: &str| json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": command }] }] });
        project.settings(&json!({ "enableHooks": true, "hooks": hooks("theirs") }));
        project.user_settings(&json!({ "hooks": hooks("mine") }));
        let paths = SettingsPaths::at(project.dir(), project.home(), project.system_settings_path());
        let store = ApprovalStore::new(project.home().join("state"));
        let session = HookSession::builder(project.dir(), TrustPolicy::RequireApproval(store))
            .settings_paths(paths)
            .build();
        let explanation = session.explain(EventName::BeforeTool, Some("write_file"), &[]);
        assert!(explanation.plan.is_none(), "nothing runs");
        let listed: Vec<_> =
            explanation.skipped.iter().map(|skipped| (skipped.hook.command(), &skipped.why)).collect();
        assert!(matches!(listed.as_slice(), [("theirs", SkipReason::NotApproved { .. })]), "{listed:?}");
        assert!(!session.hooks_are_on());
    }
}
