//! Owns the components of one session; starts them at the first event.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::event::EventName;
use crate::hook::Hook;
use crate::host::bus::{self, CheckedRequest, HookExecutionResponse, Subscription};
use crate::host::event_handler::HookEventHandler;
use crate::host::session::Host;
use crate::plan::planner::{Explanation, HookPlanner};
use crate::plan::registry::{HookRegistry, HookStatus};
use crate::run::{Escalations, HookRunner, RunnerOptions, StartListener, inherited_environment};
use crate::settings::{AgentEvents, RegistryScope};
use crate::verdict::aggregator::HookAggregator;

/// The hook system of one session.
///
/// Making one reads nothing. [`HookSystem::initialize`] reads settings and approvals, once; the
/// triggers call it at the first event.
pub struct HookSystem {
    inner: Arc<Inner>,
}

/// Shared with the bus subscription, which must not keep a dropped system alive.
pub(crate) struct Inner {
    host: Arc<Host>,
    started: OnceLock<Started>,
    subscription: SubscriptionSlot,
}

/// The subscription to requests on the bus, while there is one. It exists before the handler does, because a
/// request may be the first event.
pub(crate) type SubscriptionSlot = Arc<Mutex<Option<Subscription>>>;

/// Everything that exists after the start.
struct Started {
    registry: Arc<HookRegistry>,
    handler: HookEventHandler,
}

/// A component was asked for before the hook system was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hook system is not initialized; call `HookSystem::initialize` first")]
pub struct HookSystemNotInitializedError;

/// How far the hook system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookSystemStatus {
    /// Whether it was started.
    pub initialized: bool,
    /// How many hooks it knows, enabled or not; 0 before the start.
    pub total_hooks: usize,
}

impl HookSystem {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        let inner =
            Arc::new(Inner { host, started: OnceLock::new(), subscription: SubscriptionSlot::default() });
        if let Some(bus) = &inner.host.bus {
            let subscription = bus::answer_requests(bus, &inner);
            *inner.subscription.lock().unwrap_or_else(PoisonError::into_inner) = Some(subscription);
        }
        Self { inner }
    }

    /// Reads settings and approvals and makes the components. Later calls return at once.
    pub fn initialize(&self) {
        let _ = self.inner.started();
    }

    /// The registry.
    pub fn registry(&self) -> Result<&HookRegistry, HookSystemNotInitializedError> {
        Ok(&self.inner.started.get().ok_or(HookSystemNotInitializedError)?.registry)
    }

    /// The event handler.
    pub fn event_handler(&self) -> Result<&HookEventHandler, HookSystemNotInitializedError> {
        Ok(&self.inner.started.get().ok_or(HookSystemNotInitializedError)?.handler)
    }

    /// How far it is.
    pub fn status(&self) -> HookSystemStatus {
        let started = self.inner.started.get();
        HookSystemStatus {
            initialized: started.is_some(),
            total_hooks: started.map_or(0, |started| started.registry.total_hooks()),
        }
    }

    /// Turns every hook of this name (or command) on or off until the session ends; says how many changed.
    pub fn set_hook_enabled(&self, name: &str, enabled: bool) -> usize {
        self.inner.started().registry.set_hook_enabled(name, enabled)
    }

    /// Turns every hook but those of this name (or command) off until the session ends; says how many are of it.
    pub fn disable_other_hooks(&self, name: &str) -> usize {
        self.inner.started().registry.disable_others(name)
    }

    /// Whether hooks are on, now that it is known whether the project's own word counts.
    pub fn hooks_are_on(&self) -> bool {
        self.inner.host.settings().activation.is_on()
    }

    /// Every hook, enabled and approved or not.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.inner.started().registry.all_hooks()
    }

    /// What was found about settings and approvals.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.inner.host.settings().findings
    }

    /// Whether the host is to apply the outputs of the six events outside the core five.
    pub fn agent_events(&self) -> AgentEvents {
        self.inner.host.settings().agent_events()
    }

    /// Which hooks would run for an event, and why the others would not.
    pub fn explain(&self, event: EventName, target: Option<&str>) -> Explanation {
        self.handler().planner().explain(event, target)
    }

    /// Whether any hook would run for this request.
    pub fn hears(&self, request: &CheckedRequest) -> bool {
        bus::hears(&self.inner, request)
    }

    /// Runs the hooks that a checked request asks for. Never fails: trouble is in the answer.
    pub async fn execute(&self, request: CheckedRequest) -> HookExecutionResponse {
        bus::execute(&self.inner, request).await
    }

    /// Answers a message as it would be answered on the bus, whatever is in it.
    pub async fn execute_request(&self, message: Value) -> HookExecutionResponse {
        bus::answer(&self.inner, message).await
    }

    /// Waits until hooks that ran out of time are gone. A program calls it before it exits.
    pub async fn drain(&self) {
        if let Some(started) = self.inner.started.get() {
            started.handler.runner().drain().await;
        }
    }

    /// A handle on hooks that ran out of time, for a program that cannot wait for [`HookSystem::drain`].
    pub fn escalations(&self) -> Escalations {
        self.handler().runner().escalations()
    }

    /// Whether [`HookSystem::drain`] would return at once.
    pub fn is_drained(&self) -> bool {
        self.inner.started.get().is_none_or(|started| started.handler.runner().is_drained())
    }

    /// Kills hooks that ran out of time at once, instead of letting them clean up for some seconds. For a program
    /// that is told to end now; it still calls [`HookSystem::drain`].
    pub fn end_grace(&self) {
        if let Some(started) = self.inner.started.get() {
            started.handler.runner().end_grace();
        }
    }

    /// Stops answering on the bus. Events can still be fired directly.
    pub fn dispose(&self) {
        match self.inner.started.get() {
            Some(started) => started.handler.dispose(),
            None => end_subscription(&self.inner.subscription),
        }
    }

    /// The handler of a started system; starts it if need be.
    pub(crate) fn handler(&self) -> &HookEventHandler {
        self.inner.handler()
    }
}

/// Ends a subscription, if there is one.
pub(crate) fn end_subscription(slot: &SubscriptionSlot) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// A request that is being answered keeps the components alive, but no new one is taken.
impl Drop for HookSystem {
    fn drop(&mut self) {
        self.dispose();
    }
}

impl Inner {
    pub(crate) fn handler(&self) -> &HookEventHandler {
        &self.started().handler
    }

    fn started(&self) -> &Started {
        self.started.get_or_init(|| Started::new(&self.host, &self.subscription))
    }
}

impl Started {
    fn new(host: &Arc<Host>, subscription: &SubscriptionSlot) -> Self {
        let settings = host.settings();
        let registry = Arc::new(settings.registry(RegistryScope::On));
        let effective = settings.effective.clone();
        let project = settings.project_effective.clone();
        let environment = host.environment.clone().unwrap_or_else(inherited_environment);
        let home =
            environment.iter().rfind(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
        let runner = HookRunner::new(RunnerOptions {
            limits: effective.limits,
            redaction: effective.redaction,
            project: project.map(|project| (project.limits, project.redaction)),
            direct_execution: host.direct_execution,
            answer_by: host.answer_by,
            on_start: Some(start_listener(host)),
            ..RunnerOptions::new(environment)
        });
        let planner = HookPlanner::new(Arc::clone(&registry));
        let handler = HookEventHandler::new(
            Arc::clone(host),
            planner,
            runner,
            HookAggregator,
            Arc::clone(subscription),
            home,
        );
        tracing::debug!(target: "llxprt:core:hooks:system", total_hooks = registry.total_hooks(), "hook system started");
        Self { registry, handler }
    }
}

/// Tells the log and the host's observer that a hook is about to start.
fn start_listener(host: &Arc<Host>) -> StartListener {
    let observer = host.observer.clone();
    Arc::new(move |hook: &Hook| {
        tracing::debug!(target: "llxprt:core:hooks:runner", event = %hook.event, hook = hook.name, "hook started");
        if let Some(observer) = &observer {
            observer.hook_started(hook.event, hook);
        }
    })
}

#[cfg(test)]
mod tests {
    use hookrail_testkit::TestProject;
    use serde_json::json;

    use crate::event::EventName;
    use crate::host::session::Config;
    use crate::plan::planner::SkipReason;
    use crate::settings::SettingsPaths;
    use crate::trust::{ApprovalStore, TrustPolicy};

    #[test]
    fn hooks_that_wait_for_approval_are_listed_although_only_their_project_turns_hooks_on() {
        let project = TestProject::new();
        let hooks = |command: &str| json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": command }] }] });
        project.settings(&json!({ "enableHooks": true, "hooks": hooks("theirs") }));
        project.user_settings(&json!({ "hooks": hooks("mine") }));
        let paths = SettingsPaths {
            project_dir: project.dir(),
            home: project.home(),
            system: project.system_settings_path(),
        };
        let store = ApprovalStore::new(project.home().join("state"));
        let config = Config::builder(project.dir())
            .settings_paths(paths)
            .trust(TrustPolicy::RequireApproval(store))
            .build();
        let system = config.hook_system().unwrap();
        let explanation = system.explain(EventName::BeforeTool, Some("write_file"));
        assert!(explanation.plan.is_none(), "nothing runs");
        let listed: Vec<_> =
            explanation.skipped.iter().map(|skipped| (skipped.hook.command(), &skipped.why)).collect();
        assert!(matches!(listed.as_slice(), [("theirs", SkipReason::NotApproved { .. })]), "{listed:?}");
        assert!(!system.hooks_are_on());
    }
}
