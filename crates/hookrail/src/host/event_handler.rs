//! The engine of a session: it is started once, and then fires events: plan, admit, run, aggregate, record. The session,
//! the message bus and the `fire` command all enter here.

mod call;
mod lifting;
mod running;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::call::{EventRun, facts, subject_of};
use self::lifting::Lifting;
use crate::event::{BaseFields, CallReading, Event, EventName, HookInput, timestamp_now};
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind};
use crate::host::admission::{
    admit, directory_for, directory_for_caller, refuse_guards_open_for_writing, take_out_project_file_hooks,
};
use crate::host::bus::publish::{SubscriptionSlot, end_subscription};
use crate::host::config::SessionConfig;
use crate::host::observer::{HookObserver, Records};
use crate::host::panics::{catch_panic, catch_panic_in_future};
use crate::payload::BaseOverrides;
use crate::plan::planner::{HookPlanner, Plan};
use crate::plan::registry::HookRegistry;
use crate::rules::{Folders, OurTool, shell_tool_of, unreadable_call};
use crate::run::{
    Call, HookRunner, KeptAnswer, KeptQuestion, RunnerOptions, StartListener, inherited_environment,
    stays_open_for_writing,
};
use crate::settings::{RegistryScope, ResolvedSettings};
use crate::trust::{Recheck, RelativeFiles};
use crate::verdict::aggregator::HookAggregator;
use crate::verdict::common_fields::{
    build_failure_envelope, failure_block, process_common_hook_output_fields,
};
use crate::verdict::result::{Block, BlockCause, FailureStage, ProcessedHookResult};

/// Fires events. One instance serves a session.
pub struct HookEventHandler {
    config: Arc<SessionConfig>,
    pub(crate) settings: ResolvedSettings,
    pub(crate) registry: Arc<HookRegistry>,
    pub(crate) planner: HookPlanner,
    pub(crate) runner: HookRunner,
    aggregator: HookAggregator,
    subscription: SubscriptionSlot,
    /// Why guarded events are blocked whatever the hooks say.
    standing_block: Option<String>,
    /// What `~` means in a shell line.
    home: Option<PathBuf>,
}

impl HookEventHandler {
    /// Resolves settings and approvals and makes the components of a session. Nothing later reads approvals or settings;
    /// before each run, the files of approved hooks are looked at again.
    pub(crate) fn start(config: Arc<SessionConfig>, subscription: SubscriptionSlot) -> Self {
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
            subscription,
            standing_block: config.standing_block(&settings),
            home,
            settings,
            registry,
            config,
        }
    }

    /// Fires an event that a caller has put together.
    pub async fn fire(&self, event: &Event<'_>) -> ProcessedHookResult {
        self.fire_with(event, &BaseOverrides::default(), &JsonObject::new()).await
    }

    /// Fires an event with base fields and extra fields that a client sent along.
    pub async fn fire_with(
        &self,
        event: &Event<'_>,
        base: &BaseOverrides,
        extra: &JsonObject,
    ) -> ProcessedHookResult {
        let plan = match self.plan_for(event, base) {
            Ok(Some(plan)) => plan,
            Ok(None) => return self.without_hooks(event, base, extra), // No payload, no process.
            Err(panic) => {
                let hooks = self.planner.possible_hooks(event.name());
                let result = self.failed(event.name(), hooks, &panic, FailureStage::Planning);
                self.record_decision(event, base, extra, &result);
                return result;
            }
        };
        // The slow path is boxed so that the future of an event without hooks stays small.
        match catch_panic_in_future(Box::pin(self.run_plan(&plan, event, base, extra))).await {
            Ok(result) => result,
            Err(panic) => {
                let result = self.failed(plan.event, planned(&plan), &panic, FailureStage::HookExecution);
                self.record_decision(event, base, extra, &result);
                result
            }
        }
    }

    fn plan_for(&self, event: &Event<'_>, base: &BaseOverrides) -> Result<Option<Arc<Plan>>, String> {
        let other_names = Self::other_names(event, base);
        catch_panic(|| self.planner.plan_also(event.name(), event.match_target(), &other_names))
    }

    /// The failure of an event that wrote no record of itself yet.
    fn failed<'a>(
        &self,
        event: EventName,
        hooks: impl Iterator<Item = &'a Hook>,
        error: &dyn std::fmt::Display,
        stage: FailureStage,
    ) -> ProcessedHookResult {
        let mut result = failure_envelope(event, hooks, error, stage);
        self.block_on_own_failure(&mut result);
        // Whatever writing it leads to, the event has failed already.
        Records::new(self.config.observer.as_deref()).batch(&result);
        result
    }

    async fn run_plan(
        &self,
        whole_plan: &Arc<Plan>,
        event: &Event<'_>,
        base: &BaseOverrides,
        extra: &JsonObject,
    ) -> ProcessedHookResult {
        let reading = self.reading(event, base);
        let given = base;
        let base = self.base_fields(given);
        let project = &*self.config.working_dir;
        let call_directory = given.call_directory.as_deref().unwrap_or(&base.cwd);
        let call = Call {
            folders: Folders { project, cwd: call_directory, home: self.home.as_deref() },
            reading: reading.as_deref(),
            also_matches: &given.also_matches,
            told: given.caller.as_deref(),
        };
        // A call on another machine is not one in another folder of this one: the project's own hooks count for it.
        let cwd = if call.told.is_some() { project } else { &*base.cwd };
        let directory = match call.told {
            Some(_) => directory_for_caller(&self.config, whole_plan, &base.cwd),
            None => directory_for(&self.config, &base.cwd),
        };
        let input = HookInput { base: &base, event, extra };
        let facts = facts(call, project, subject_of(&input));
        let narrowed = whole_plan.narrowed(&facts);
        let plan = narrowed.as_ref().unwrap_or(whole_plan);
        let standing = self.blocked_anyway(plan.event);
        let (mut hooks, mut refused) = admit(&self.config, plan, cwd, directory, standing);
        refuse_guards_open_for_writing(plan, &mut hooks, &mut refused).await;
        let refused_runs = take_out_project_file_hooks(plan, &mut hooks, directory);
        let records = Records::new(self.config.observer.as_deref());
        let logs_texts = self.settings.effective.logs_texts();
        let lifting = Lifting::new(&self.config, &input, call_directory, logs_texts);
        let run = EventRun {
            handler: self,
            plan,
            whole_plan,
            event,
            facts: &facts,
            call,
            directory,
            records: &records,
            lifting: &lifting,
        };
        run.note_unreadable(&hooks, &input, &mut refused);
        let outcome = run.all(&hooks, refused_runs, &input).await;
        let (aggregated, runs, not_held) = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                let result = self.failed(plan.event, planned(plan), &error, FailureStage::Payload);
                records.decided(&input, &result, logs_texts);
                return result;
            }
        };
        let mut result = process_common_hook_output_fields(event.name(), aggregated, runs);
        result.not_held = not_held;
        result.left_out = narrowed.is_some().then(|| Arc::clone(whole_plan));
        result.warnings.extend(plan.warnings.iter().cloned());
        refused.apply(event.name(), &mut result);
        self.block_on_own_failure(&mut result);
        lifting.settle(&mut result);
        records.batch(&result);
        records.decided(&input, &result, logs_texts);
        if let Some(panic) = records.into_panic() {
            let hooks = planned(plan);
            result =
                result.with_failure(failure_envelope(plan.event, hooks, &panic, FailureStage::HookExecution));
            self.block_on_own_failure(&mut result);
        }
        result
    }

    /// Blocks a guarded event whose hooks could not be asked, where the host wants that: nobody knows what they would have
    /// said.
    fn block_on_own_failure(&self, result: &mut ProcessedHookResult) {
        let blocks = self.config.blocks_on_own_failure && result.event.is_guarded() && result.block.is_none();
        if let Some(why) = result.own_failure().filter(|_| blocks) {
            let reason = format!("hookrail could not run its hooks, so this was refused: {why}");
            result.block_with(Block { reason, cause: BlockCause::Failure });
        }
    }

    fn base_fields<'a>(&'a self, given: &'a BaseOverrides) -> BaseFields<'a> {
        let transcript = self.config.transcript_path.as_deref().map(Path::to_string_lossy);
        BaseFields {
            session_id: Cow::Borrowed(given.session_id.as_deref().unwrap_or(&self.config.session_id)),
            transcript_path: match &given.transcript_path {
                Some(path) => Cow::Borrowed(path.as_str()),
                None => transcript.unwrap_or_default(),
            },
            cwd: Cow::Borrowed(given.cwd.as_deref().unwrap_or(&self.config.working_dir)),
            timestamp: given.timestamp.clone().unwrap_or_else(timestamp_now),
        }
    }

    /// The names besides its own that a matcher may mean an event's tool by: those that the sender knows, and the shell's
    /// for a tool in no table that seems to run a shell line.
    pub fn other_names<'b>(event: &Event<'_>, base: &'b BaseOverrides) -> Cow<'b, [String]> {
        let known = Cow::Borrowed(base.also_matches.as_slice());
        let (Event::BeforeTool { tool_name, tool_input } | Event::AfterTool { tool_name, tool_input, .. }) =
            event
        else {
            return known;
        };
        match shell_tool_of(tool_name, tool_input, base.reading.as_ref()) {
            Some(shell) => known.iter().cloned().chain([shell.to_owned()]).collect(),
            None => known,
        }
    }

    /// What is known of a tool call: by the sender's table, else by ours.
    fn reading<'b>(&self, event: &Event<'_>, base: &'b BaseOverrides) -> Option<Cow<'b, CallReading>> {
        if let Some(reading) = &base.reading {
            return Some(Cow::Borrowed(reading));
        }
        let (Event::BeforeTool { tool_name, tool_input } | Event::AfterTool { tool_name, tool_input, .. }) =
            event
        else {
            return None;
        };
        OurTool::named(tool_name).filter(|_| self.config.has_our_tools)?;
        let unreadable = unreadable_call(tool_name, tool_input);
        Some(Cow::Owned(unreadable.map_or(CallReading::Known, CallReading::Unreadable)))
    }

    /// Asks the worker of one hook for another process, which has planned and merges. `None` if there is no such hook that
    /// may run now, or its worker cannot answer.
    pub async fn ask_worker(&self, question: &KeptQuestion<'_>) -> Option<KeptAnswer> {
        let directory = self.config.working_dir.as_path();
        let (hook, seal) = self.registry.runnable(question.hook)?;
        let seal = match seal.map(|seal| (seal.recheck(), seal)) {
            Some((Recheck::Unchanged, seal)) => Some(seal),
            // Whoever asks sees the same, and reports it.
            Some(_) => return None,
            None => None,
        };
        for file in seal.iter().flat_map(|seal| seal.executables()) {
            if stays_open_for_writing(file).await {
                return None;
            }
        }
        if RelativeFiles::of(hook).found_in(hook.folder(directory)).is_some() {
            return None;
        }
        self.runner.ask_worker(hook, question, directory).await
    }

    /// Whether a hook listens to this event, whatever it is about.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.can_have_result(event, None, &[])
    }

    /// Whether an event with these fields can have a result.
    pub fn would_run(&self, event: &Event<'_>, base: &BaseOverrides) -> bool {
        self.can_have_result(event.name(), event.match_target(), &Self::other_names(event, base))
    }

    /// Whether an event with these fields is answered by rules alone, so that no process is started.
    pub fn asks_only_rules(&self, event: &Event<'_>, base: &BaseOverrides) -> bool {
        let plan = self.plan_for(event, base);
        let is_rule = |hook: &Hook| matches!(hook.kind, HookKind::Rule(_) | HookKind::UnreadableRule(_));
        matches!(plan, Ok(Some(plan)) if plan.hooks.iter().all(|planned| is_rule(&planned.hook)))
    }

    /// Whether an event can have a result, for a target and other names of it: a lookup, no more.
    pub(crate) fn can_have_result(&self, event: EventName, target: Option<&str>, also: &[String]) -> bool {
        // Where planning fails, that failure is the result.
        let planned = catch_panic(|| self.planner.plan_also(event, target, also).is_some());
        planned.unwrap_or(true) || self.blocked_anyway(event).is_some()
    }

    /// Why this event is blocked whatever the hooks say.
    fn blocked_anyway(&self, event: EventName) -> Option<&String> {
        self.standing_block.as_ref().filter(|_| event.is_guarded())
    }

    /// The result of an event for which no hook runs.
    fn without_hooks(
        &self,
        event: &Event<'_>,
        base: &BaseOverrides,
        extra: &JsonObject,
    ) -> ProcessedHookResult {
        let mut result = ProcessedHookResult::empty(event.name());
        if let Some(reason) = self.blocked_anyway(event.name()) {
            result.block = Some(Block { reason: reason.clone(), cause: BlockCause::Failure });
            self.record_decision(event, base, extra, &result);
        }
        result
    }

    /// Records what came of an event whose other records are written. Whatever that leads to, the result is known.
    fn record_decision(
        &self,
        event: &Event<'_>,
        base: &BaseOverrides,
        extra: &JsonObject,
        result: &ProcessedHookResult,
    ) {
        let base = self.base_fields(base);
        let input = HookInput { base: &base, event, extra };
        let logs_texts = self.settings.effective.logs_texts();
        Records::new(self.config.observer.as_deref()).decided(&input, result, logs_texts);
    }

    /// Stops answering requests on the bus. Without a bus there is nothing to stop.
    pub fn dispose(&self) {
        end_subscription(&self.subscription);
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

fn planned(plan: &Plan) -> impl Iterator<Item = &Hook> {
    plan.hooks.iter().map(|planned| &*planned.hook)
}

/// The explicit failure of the hook system itself. Those of the hooks that are set to block on failure
/// gave no verdict, so that they block.
fn failure_envelope<'a>(
    event: EventName,
    hooks: impl Iterator<Item = &'a Hook>,
    error: &dyn std::fmt::Display,
    stage: FailureStage,
) -> ProcessedHookResult {
    // The log may be what failed.
    let _ = catch_panic(|| {
        tracing::warn!(target: "llxprt:core:hooks:handler", %event, "hook system failed during {stage}: {error}");
    });
    let aggregated = build_failure_envelope(error, stage);
    let mut result = process_common_hook_output_fields(event, aggregated, Vec::new());
    let why = format!("the hook system failed: {stage}");
    result.block = failure_block(event, hooks.map(|hook| (hook, why.as_str())));
    result
}
