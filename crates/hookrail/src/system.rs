//! Owns the components of one session; starts them at the first event.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::aggregator::HookAggregator;
use crate::bus::{self, Subscription};
use crate::config::{AgentEvents, Settings};
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::event::EventName;
use crate::handler::HookEventHandler;
use crate::hook::{Hook, Origin};
use crate::host::Host;
use crate::planner::{Explanation, HookPlanner};
use crate::registry::{HookRegistry, HookStatus, JudgedHook};
use crate::runner::{Escalations, HookRunner, RunnerOptions, StartListener};
use crate::trust::{HookTrust, Judgement};

/// The hook system of one session.
///
/// Making one reads nothing. [`HookSystem::initialize`] reads settings and approvals, once; the
/// triggers call it at the first event.
pub struct HookSystem {
    inner: Arc<Inner>,
    subscription: Mutex<Option<Subscription>>,
}

/// Shared with the bus subscription, which must not keep a dropped system alive.
pub(crate) struct Inner {
    host: Arc<Host>,
    started: OnceLock<Started>,
}

/// Everything that exists after the start.
struct Started {
    registry: Arc<HookRegistry>,
    handler: HookEventHandler,
    diagnostics: Vec<Diagnostic>,
    agent_events: AgentEvents,
    enabled: bool,
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
        let inner = Arc::new(Inner { host, started: OnceLock::new() });
        let subscription = inner.host.bus.as_ref().map(|bus| bus::answer_requests(bus, &inner));
        Self { inner, subscription: Mutex::new(subscription) }
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

    /// Turns every hook of this name (or command) on or off until the session ends; says how many there are.
    pub fn set_hook_enabled(&self, name: &str, enabled: bool) -> usize {
        self.inner.started().registry.set_hook_enabled(name, enabled)
    }

    /// Turns every hook but those of this name (or command) off until the session ends; says how many are of it.
    pub fn disable_other_hooks(&self, name: &str) -> usize {
        self.inner.started().registry.disable_others(name)
    }

    /// Whether hooks are on, now that it is known whether the project's own word counts.
    pub fn hooks_are_on(&self) -> bool {
        self.inner.started().enabled
    }

    /// Every hook, enabled and approved or not.
    pub fn all_hooks(&self) -> Vec<HookStatus> {
        self.inner.started().registry.all_hooks()
    }

    /// What was found about settings and approvals.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.inner.started().diagnostics
    }

    /// Whether the host is to apply the outputs of the six events outside the core five.
    pub fn agent_events(&self) -> AgentEvents {
        self.inner.started().agent_events
    }

    /// Which hooks would run for an event, and why the others would not.
    pub fn explain(&self, event: EventName, target: Option<&str>) -> Explanation {
        self.handler().planner().explain(event, target)
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

    /// Stops answering on the bus. Events can still be fired directly.
    pub fn dispose(&self) {
        self.subscription.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The handler of a started system; starts it if need be.
    pub(crate) fn handler(&self) -> &HookEventHandler {
        self.inner.handler()
    }
}

impl Inner {
    pub(crate) fn handler(&self) -> &HookEventHandler {
        &self.started().handler
    }

    fn started(&self) -> &Started {
        self.started.get_or_init(|| Started::new(&self.host))
    }
}

impl Started {
    fn new(host: &Arc<Host>) -> Self {
        let settings = host.source.load(&host.working_dir);
        let project_settings = settings.project_settings();
        let judgement = host.trust.judge(&host.working_dir, &settings.hooks, &project_settings);
        let project_counts = judgement.project_settings_approved;
        let effective = settings.effective(project_counts);
        let enabled = effective.enabled || project_turns_hooks_on(&settings, &judgement);
        let diagnostics = diagnostics(&settings, &judgement);

        // Hooks that are off only because their project waits for approval are listed, so that a person can see
        // what to approve.
        let waits = |trust: &HookTrust| {
            settings.enable.project == Some(true) && matches!(trust, HookTrust::NotApproved { .. })
        };
        let judged = settings.hooks.iter().zip(judgement.hooks).zip(judgement.seals);
        let hooks = judged
            .filter(|((hook, trust), _)| {
                (enabled || waits(trust)) && settings.is_active(hook, project_counts)
            })
            .map(|((hook, trust), seal)| JudgedHook { hook: hook.clone(), trust, seal });
        let registry = Arc::new(HookRegistry::new(hooks, &settings.disabled));
        let runner = HookRunner::new(RunnerOptions {
            limits: effective.limits,
            redaction: effective.redaction,
            direct_execution: host.direct_execution,
            on_start: Some(start_listener(host)),
            ..RunnerOptions::new(host.environment.clone())
        });
        let planner = HookPlanner::new(Arc::clone(&registry));
        let handler = HookEventHandler::new(Arc::clone(host), planner, runner, HookAggregator);
        tracing::debug!(target: "llxprt:core:hooks:system", total_hooks = registry.total_hooks(), "hook system started");
        Self { registry, handler, diagnostics, agent_events: effective.agent_events, enabled }
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

/// A project's own `enableHooks: true` counts as soon as one of its hooks is approved: approvals are
/// per hook, and changing one hook must not switch its neighbours off.
fn project_turns_hooks_on(settings: &Settings, judgement: &Judgement) -> bool {
    settings.enable.project == Some(true) && judgement.hooks.contains(&HookTrust::Approved)
}

/// Logs what the settings and approvals have to say, and keeps it for `check`.
fn diagnostics(settings: &Settings, judgement: &Judgement) -> Vec<Diagnostic> {
    let mut all = settings.diagnostics.clone();
    all.extend(judgement.problem.clone());
    all.extend(unapproved(settings, judgement));
    for finding in all.iter().filter(|finding| finding.severity >= Severity::Warning) {
        let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
        tracing::warn!(target: "llxprt:core:hooks:registry", code = finding.code, place, "{}", finding.message);
    }
    all
}

/// One finding for each hook that waits for approval.
fn unapproved<'a>(settings: &'a Settings, judgement: &'a Judgement) -> impl Iterator<Item = Diagnostic> + 'a {
    settings.hooks.iter().zip(&judgement.hooks).filter_map(|(hook, trust)| {
        let HookTrust::NotApproved { why } = trust else { return None };
        Some(Diagnostic {
            code: "hook-not-approved",
            severity: Severity::Warning,
            place: place_of(&hook.origin),
            message: format!("hook `{}` does not run: {why}", hook.name),
            help: Some("review it with `hookrail trust`".to_owned()),
        })
    })
}

fn place_of(origin: &Origin) -> Option<Place> {
    let known = origin.line > 0;
    known.then(|| Place { file: origin.file.clone(), line: origin.line, column: 1, span: 0..0 })
}

#[cfg(test)]
mod tests {
    use hookrail_testkit::TestProject;
    use serde_json::json;

    use crate::config::SettingsPaths;
    use crate::event::EventName;
    use crate::host::Config;
    use crate::planner::SkipReason;
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
