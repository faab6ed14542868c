//! What a session needs to fire events. It is made once, at the start, from settings and approvals.

use std::path::PathBuf;
use std::sync::Arc;

use crate::hook::Hook;
use crate::host::config::SessionConfig;
use crate::host::observer::HookObserver;
use crate::plan::planner::HookPlanner;
use crate::plan::registry::HookRegistry;
use crate::run::{HookRunner, RunnerOptions, StartListener, inherited_environment};
use crate::settings::{RegistryScope, ResolvedSettings};
use crate::verdict::aggregator::HookAggregator;

/// The components of a started session.
pub(crate) struct Engine {
    pub(crate) settings: ResolvedSettings,
    pub(crate) registry: Arc<HookRegistry>,
    pub(crate) planner: HookPlanner,
    pub(crate) runner: HookRunner,
    pub(crate) aggregator: HookAggregator,
    /// Why guarded events are blocked whatever the hooks say.
    pub(crate) standing_block: Option<String>,
    /// What `~` means in a shell line.
    pub(crate) home: Option<PathBuf>,
}

impl Engine {
    /// Resolves settings and approvals and makes the components of a session. Nothing later reads approvals or settings;
    /// before each run, the files of approved hooks are looked at again.
    pub(super) fn start(config: &SessionConfig) -> Self {
        let settings = ResolvedSettings::resolve(&config.files, &config.trust);
        let registry = Arc::new(settings.registry(RegistryScope::On));
        let effective = settings.effective.clone();
        let project = settings.project_effective.clone();
        let project_ask = project.as_ref().map_or(effective.ask, |project| project.ask);
        let environment = config.environment.clone().unwrap_or_else(|| Arc::new(inherited_environment));
        let variable =
            || environment().into_iter().rfind(|(name, _)| name == "HOME").map(|(_, value)| value.into());
        let home: Option<PathBuf> = config.home.clone().or_else(variable);
        let runner = HookRunner::new(RunnerOptions {
            limits: effective.limits,
            redaction: effective.redaction,
            project,
            environment,
            on_start: Some(start_listener(config.observer.clone())),
            ..config.runner.clone()
        });
        tracing::debug!(target: "llxprt:core:hooks:system", total_hooks = registry.total_hooks(), "hook system started");
        Self {
            planner: HookPlanner::new(Arc::clone(&registry)),
            runner,
            aggregator: HookAggregator::new(effective.ask, project_ask),
            standing_block: config.standing_block(&settings),
            home,
            settings,
            registry,
        }
    }
}

/// Reports to the log and the host's observer that a hook is about to start.
fn start_listener(observer: Option<Arc<dyn HookObserver>>) -> StartListener {
    Arc::new(move |hook: &Hook| {
        tracing::debug!(target: "llxprt:core:hooks:runner", event = %hook.event, hook = hook.name, "hook started");
        if let Some(observer) = &observer {
            observer.hook_started(hook.event, hook);
        }
    })
}
