//! The hook system under the specification's name: a session's configuration and its engine.

use std::sync::{Arc, OnceLock, PoisonError};

use crate::diagnostic::Diagnostic;
use crate::event::EventName;
use crate::hook::Hook;
use crate::host::bus::answer::answer_requests;
use crate::host::bus::publish::{SubscriptionSlot, end_subscription};
use crate::host::config::SessionConfig;
use crate::host::event_handler::HookEventHandler;
use crate::host::panics::catch_panic;
use crate::plan::planner::Explanation;
use crate::plan::registry::{HookRegistry, HookStatus};
use crate::run::{Escalations, WorkerStatus};

/// The hook system of one session: what it was made with and, from the first event on, its engine.
///
/// Making one reads nothing. [`HookSystem::initialize`] reads approvals and scripts, once; the first event calls it, and
/// so does a question about settings or hooks.
pub struct HookSystem {
    pub(crate) config: Arc<SessionConfig>,
    engine: OnceLock<HookEventHandler>,
    subscription: SubscriptionSlot,
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

impl HookSystem {
    /// A system that is not started yet.
    pub(crate) fn new(config: SessionConfig) -> Self {
        let subscription = SubscriptionSlot::default();
        Self { config: Arc::new(config), engine: OnceLock::new(), subscription }
    }

    /// The engine. This is where it is started, whoever asks first.
    pub(crate) fn engine(&self) -> &HookEventHandler {
        let start = || HookEventHandler::start(Arc::clone(&self.config), Arc::clone(&self.subscription));
        self.engine.get_or_init(start)
    }

    /// Answers requests on the host's bus until the session ends.
    pub(crate) fn subscribe(self: &Arc<Self>) {
        if let Some(bus) = &self.config.bus {
            let subscription = answer_requests(bus, self);
            *self.subscription.lock().unwrap_or_else(PoisonError::into_inner) = Some(subscription);
        }
    }

    /// Reads settings and approvals and makes the components. Later calls return at once. Should that panic, nothing is
    /// initialized, the log says so, and the next call tries again.
    pub fn initialize(&self) {
        let _ = self.try_engine();
    }

    /// The engine; `None` where starting it panics. That reads files and runs code of the host, and must not end the agent.
    #[inline]
    pub(crate) fn try_engine(&self) -> Option<&HookEventHandler> {
        let report = |message| {
            // The log may be what failed.
            let _ = catch_panic(|| {
                tracing::warn!(target: "llxprt:core:hooks:system", "hook system failed to start: {message}");
            });
        };
        catch_panic(|| self.engine()).map_err(report).ok()
    }

    /// The registry.
    pub fn registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        Ok(&self.event_handler()?.registry)
    }

    /// The event handler.
    pub fn event_handler(&self) -> Result<&HookEventHandler, HookSystemNotInitializedError> {
        self.engine.get().ok_or(HookSystemNotInitializedError)
    }

    /// How far it is.
    pub fn status(&self) -> HookSystemStatus {
        let engine = self.engine.get();
        HookSystemStatus {
            initialized: engine.is_some(),
            total_hooks: engine.map_or(0, |engine| engine.registry.total_hooks()),
        }
    }

    /// Turns every hook of this name (or command) on or off until the session ends; says how many changed.
    pub fn set_hook_enabled(&self, name: &str, enabled: bool) -> usize {
        self.engine().registry.set_hook_enabled(name, enabled)
    }

    /// Turns every hook but those of this name (or command) off until the session ends; says how many are of it.
    pub fn disable_other_hooks(&self, name: &str) -> usize {
        self.engine().registry.disable_others(name)
    }

    /// Turns every hook for which `unwanted` holds off until the session ends; says how many others there are.
    pub fn disable_hooks_where(&self, unwanted: impl Fn(&Hook) -> bool) -> usize {
        self.engine().registry.disable_where(unwanted)
    }

    /// Whether hooks are on, with approvals taken into account: a project's own flag counts once one of its hooks is
    /// approved.
    pub fn hooks_are_on(&self) -> bool {
        self.engine().settings.activation.is_on()
    }

    /// Every hook, enabled and approved or not.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.engine().registry.all_hooks()
    }

    /// What was found about settings and approvals.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.engine().settings.findings
    }

    /// Whether some hook listens to this event, whatever it is about.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.try_engine().is_some_and(|engine| engine.registry.listens_to(event))
    }

    /// Which hooks would run for an event, and why the others would not. `also` are other names of the target, such as
    /// those of another agent's tool.
    pub fn explain(&self, event: EventName, target: Option<&str>, also: &[String]) -> Explanation {
        self.engine().planner.explain(event, target, also)
    }

    /// What the session's workers did.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        self.engine.get().map(|engine| engine.runner.workers().status()).unwrap_or_default()
    }

    /// Ends workers, and waits until they and hooks that ran out of time have ended. A program calls it before it
    /// exits.
    pub async fn drain(&self) {
        if let Some(engine) = self.engine.get() {
            engine.runner.drain().await;
        }
    }

    /// A handle on hooks that ran out of time, for a program that cannot wait for [`HookSystem::drain`].
    pub fn escalations(&self) -> Escalations {
        self.engine().runner.escalations()
    }

    /// Whether [`HookSystem::drain`] would return at once.
    pub fn is_drained(&self) -> bool {
        self.engine.get().is_none_or(|engine| engine.runner.is_drained())
    }

    /// Kills hooks that ran out of time at once, instead of letting them clean up for some seconds. For a program
    /// that has to end now; it still calls [`HookSystem::drain`].
    pub fn end_grace(&self) {
        if let Some(engine) = self.engine.get() {
            engine.runner.end_grace();
        }
    }

    /// Stops answering on the bus. Events can still be fired directly.
    pub fn dispose(&self) {
        end_subscription(&self.subscription);
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
        let system = session.hook_system().unwrap();
        let explanation = system.explain(EventName::BeforeTool, Some("write_file"), &[]);
        assert!(explanation.plan.is_none(), "nothing runs");
        let listed: Vec<_> =
            explanation.skipped.iter().map(|skipped| (skipped.hook.command(), &skipped.why)).collect();
        assert!(matches!(listed.as_slice(), [("theirs", SkipReason::NotApproved { .. })]), "{listed:?}");
        assert!(!system.hooks_are_on());
    }
}
