//! The components of one session and their start, which happens at the first event.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::hook::Hook;
use crate::host::bus::publish::SubscriptionSlot;
use crate::host::event_handler::HookEventHandler;
use crate::host::shared::Host;
use crate::plan::planner::HookPlanner;
use crate::plan::registry::HookRegistry;
use crate::run::{HookRunner, ProjectOptions, RunnerOptions, StartListener, inherited_environment};
use crate::settings::RegistryScope;
use crate::verdict::aggregator::HookAggregator;

/// Shared with the bus subscription, which must not keep a dropped system alive.
pub(crate) struct Components {
    pub(crate) host: Arc<Host>,
    pub(crate) started: OnceLock<Started>,
    pub(crate) subscription: SubscriptionSlot,
}

/// Everything that exists after the start.
pub(crate) struct Started {
    pub(crate) registry: Arc<HookRegistry>,
    pub(crate) handler: HookEventHandler,
}

impl Components {
    /// Nothing is read or made yet.
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, started: OnceLock::new(), subscription: SubscriptionSlot::default() }
    }

    /// The handler; everything is started if need be.
    pub(crate) fn handler(&self) -> &HookEventHandler {
        &self.started().handler
    }

    /// Everything, started if need be.
    pub(crate) fn started(&self) -> &Started {
        self.started.get_or_init(|| Started::new(&self.host, &self.subscription))
    }
}

impl Started {
    fn new(host: &Arc<Host>, subscription: &SubscriptionSlot) -> Self {
        let settings = host.settings();
        let registry = Arc::new(settings.registry(RegistryScope::On));
        let effective = settings.effective.clone();
        let project = settings.project_effective.clone();
        let project_ask = project.as_ref().map_or(effective.ask, |project| project.ask);
        let environment = host.environment.clone().unwrap_or_else(inherited_environment);
        let variable = || environment.iter().rfind(|(name, _)| name == "HOME").map(|(_, value)| value.into());
        let home: Option<PathBuf> = host.home.clone().or_else(variable);
        let runner = HookRunner::new(RunnerOptions {
            limits: effective.limits,
            redaction: effective.redaction,
            project: project.map(|project| ProjectOptions::new(project.limits, project.redaction)),
            trusted_path: host.trusted_path.clone(),
            direct_execution: host.direct_execution,
            answer_by: host.answer_by,
            on_start: Some(start_listener(host)),
            workers: host.workers.clone(),
            ..RunnerOptions::new(environment)
        });
        let aggregator = HookAggregator::new(effective.ask, project_ask);
        let planner = HookPlanner::new(Arc::clone(&registry));
        let subscription = Arc::clone(subscription);
        let handler =
            HookEventHandler::new(Arc::clone(host), planner, runner, aggregator, subscription, home);
        tracing::debug!(target: "llxprt:core:hooks:system", total_hooks = registry.total_hooks(), "hook system started");
        Self { registry, handler }
    }
}

/// Reports to the log and the host's observer that a hook is about to start.
fn start_listener(host: &Arc<Host>) -> StartListener {
    let observer = host.observer.clone();
    Arc::new(move |hook: &Hook| {
        tracing::debug!(target: "llxprt:core:hooks:runner", event = %hook.event, hook = hook.name, "hook started");
        if let Some(observer) = &observer {
            observer.hook_started(hook.event, hook);
        }
    })
}
