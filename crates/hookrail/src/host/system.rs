//! Owns the components of one session; starts them at the first event.

use std::sync::{Arc, PoisonError};

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::event::EventName;
use crate::hook::Hook;
use crate::host::bus::answer;
use crate::host::bus::check::CheckedRequest;
use crate::host::bus::message::HookExecutionResponse;
use crate::host::bus::publish::end_subscription;
use crate::host::components::Components;
use crate::host::event_handler::HookEventHandler;
use crate::host::panics::catch_panic;
use crate::host::shared::Host;
use crate::plan::planner::Explanation;
use crate::plan::registry::{HookRegistry, HookStatus};
use crate::run::{Escalations, WorkerStatus};
use crate::settings::AgentEvents;

/// The hook system of one session.
///
/// Making one reads nothing. [`HookSystem::initialize`] reads settings and approvals, once; the
/// triggers call it at the first event.
pub struct HookSystem {
    components: Arc<Components>,
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
    pub(crate) fn new(host: Arc<Host>) -> Self {
        let components = Arc::new(Components::new(host));
        if let Some(bus) = &components.host.bus {
            let subscription = answer::answer_requests(bus, &components);
            *components.subscription.lock().unwrap_or_else(PoisonError::into_inner) = Some(subscription);
        }
        Self { components }
    }

    /// Reads settings and approvals and makes the components. Later calls return at once. Should that panic, nothing is
    /// initialized, the log says so, and the next call tries again.
    pub fn initialize(&self) {
        let started = catch_panic(|| {
            let _ = self.components.started();
        });
        if let Err(message) = started {
            // The log may be what failed.
            let _ = catch_panic(|| {
                tracing::warn!(target: "llxprt:core:hooks:system", "hook system failed to start: {message}");
            });
        }
    }

    /// The registry.
    pub fn registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        Ok(&self.components.started.get().ok_or(HookSystemNotInitializedError)?.registry)
    }

    /// The event handler.
    pub fn event_handler(&self) -> Result<&HookEventHandler, HookSystemNotInitializedError> {
        Ok(&self.components.started.get().ok_or(HookSystemNotInitializedError)?.handler)
    }

    /// How far it is.
    pub fn status(&self) -> HookSystemStatus {
        let started = self.components.started.get();
        HookSystemStatus {
            initialized: started.is_some(),
            total_hooks: started.map_or(0, |started| started.registry.total_hooks()),
        }
    }

    /// Turns every hook of this name (or command) on or off until the session ends; says how many changed.
    pub fn set_hook_enabled(&self, name: &str, enabled: bool) -> usize {
        self.components.started().registry.set_hook_enabled(name, enabled)
    }

    /// Turns every hook but those of this name (or command) off until the session ends; says how many are of it.
    pub fn disable_other_hooks(&self, name: &str) -> usize {
        self.components.started().registry.disable_others(name)
    }

    /// Turns every hook for which `unwanted` holds off until the session ends; says how many others there are.
    pub fn disable_hooks_where(&self, unwanted: impl Fn(&Hook) -> bool) -> usize {
        self.components.started().registry.disable_where(unwanted)
    }

    /// Whether hooks are on, with approvals taken into account: a project's own flag counts once one of its hooks is
    /// approved.
    pub fn hooks_are_on(&self) -> bool {
        self.components.host.settings().activation.is_on()
    }

    /// Every hook, enabled and approved or not.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.components.started().registry.all_hooks()
    }

    /// What was found about settings and approvals.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.components.host.settings().findings
    }

    /// Whether the host is to apply the outputs of the six events outside the core five.
    pub fn agent_events(&self) -> AgentEvents {
        self.components.host.settings().agent_events()
    }

    /// Whether some hook listens to this event, whatever it is about.
    pub fn listens_to(&self, event: EventName) -> bool {
        catch_panic(|| self.components.started().registry.listens_to(event)).unwrap_or_default()
    }

    /// Which hooks would run for an event, and why the others would not.
    pub fn explain(&self, event: EventName, target: Option<&str>) -> Explanation {
        self.handler().planner().explain(event, target)
    }

    /// The same for something that goes by several names, such as a tool of another agent.
    pub fn explain_also(&self, event: EventName, target: Option<&str>, also: &[String]) -> Explanation {
        self.handler().planner().explain_also(event, target, also)
    }

    /// Whether any hook would run for this request.
    pub fn has_hooks_for(&self, request: &CheckedRequest) -> bool {
        answer::has_hooks_for(&self.components, request)
    }

    /// Runs the hooks that a checked request asks for. Never fails: errors are in the response.
    pub async fn execute(&self, request: CheckedRequest) -> HookExecutionResponse {
        answer::execute(&self.components, request).await
    }

    /// Answers a message as it would be answered on the bus, whatever is in it.
    pub async fn execute_request(&self, message: Value) -> HookExecutionResponse {
        answer::answer(&self.components, message).await
    }

    /// What the session's workers did.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        self.components
            .started
            .get()
            .map(|started| started.handler.runner().workers().status())
            .unwrap_or_default()
    }

    /// Ends workers, and waits until they and hooks that ran out of time have ended. A program calls it before it
    /// exits.
    pub async fn drain(&self) {
        if let Some(started) = self.components.started.get() {
            started.handler.runner().drain().await;
        }
    }

    /// A handle on hooks that ran out of time, for a program that cannot wait for [`HookSystem::drain`].
    pub fn escalations(&self) -> Escalations {
        self.handler().runner().escalations()
    }

    /// Whether [`HookSystem::drain`] would return at once.
    pub fn is_drained(&self) -> bool {
        self.components.started.get().is_none_or(|started| started.handler.runner().is_drained())
    }

    /// Kills hooks that ran out of time at once, instead of letting them clean up for some seconds. For a program
    /// that has to end now; it still calls [`HookSystem::drain`].
    pub fn end_grace(&self) {
        if let Some(started) = self.components.started.get() {
            started.handler.runner().end_grace();
        }
    }

    /// Stops answering on the bus. Events can still be fired directly.
    pub fn dispose(&self) {
        match self.components.started.get() {
            Some(started) => started.handler.dispose(),
            None => end_subscription(&self.components.subscription),
        }
    }

    /// The handler of a started system; starts it if need be.
    pub(crate) fn handler(&self) -> &HookEventHandler {
        self.components.handler()
    }
}

/// A request that is being answered keeps the components alive, but no new one is taken.
impl Drop for HookSystem {
    fn drop(&mut self) {
        self.dispose();
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
        let explanation = system.explain(EventName::BeforeTool, Some("write_file"));
        assert!(explanation.plan.is_none(), "nothing runs");
        let listed: Vec<_> =
            explanation.skipped.iter().map(|skipped| (skipped.hook.command(), &skipped.why)).collect();
        assert!(matches!(listed.as_slice(), [("theirs", SkipReason::NotApproved { .. })]), "{listed:?}");
        assert!(!system.hooks_are_on());
    }
}
