//! Fires events: plan, run, aggregate, log. The triggers, the message bus and the `fire` command all
//! enter by this door.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;

use serde_json::Value;

use crate::event::{
    BaseFields, Event, EventName, HookInput, NotificationType, PreCompressTrigger, SessionEndReason,
    SessionStartSource, timestamp_now,
};
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::json_object::JsonObject;
use crate::formats::payload::BaseOverrides;
use crate::formats::translator::{to_hook_llm_request, to_hook_llm_response};
use crate::hook::{Hook, Level};
use crate::host::admission::{take_out_busy_guards, take_out_strays};
use crate::host::observer::{HookBatch, HookCall};
use crate::host::second_round::{SecondRound, objections};
use crate::host::session::Host;
use crate::host::system::{SubscriptionSlot, end_subscription};
use crate::plan::planner::{HookPlanner, Plan, PlannedHook};
use crate::rules::{Facts, Folders, Subject};
use crate::run::rules::{self, Asked};
use crate::run::{HookRunner, Payload, PayloadError, apart, is_long};
use crate::trust::Recheck;
use crate::verdict::aggregator::HookAggregator;
use crate::verdict::chain::unusable_request_fields;
use crate::verdict::common_fields::{
    build_failure_envelope, failure_block, process_common_hook_output_fields,
};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult};

/// Fires events. One instance serves a session.
pub struct HookEventHandler {
    host: Arc<Host>,
    planner: HookPlanner,
    runner: HookRunner,
    aggregator: HookAggregator,
    subscription: SubscriptionSlot,
    /// Why guarded events are blocked whatever the hooks say.
    standing_block: Option<String>,
    /// What `~` means in a shell line.
    home: Option<PathBuf>,
}

impl HookEventHandler {
    pub(crate) fn new(
        host: Arc<Host>,
        planner: HookPlanner,
        runner: HookRunner,
        aggregator: HookAggregator,
        subscription: SubscriptionSlot,
        home: Option<PathBuf>,
    ) -> Self {
        let standing_block = host.standing_block();
        Self { host, planner, runner, aggregator, subscription, standing_block, home }
    }

    /// Stops answering requests on the bus. Without a bus there is nothing to stop.
    pub fn dispose(&self) {
        end_subscription(&self.subscription);
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
        let plan = match survive(|| {
            self.planner.plan_also(event.name(), event.match_target(), &base.also_matches)
        }) {
            Ok(Some(plan)) => plan,
            Ok(None) => return self.without_hooks(event.name()), // No payload, no process.
            Err(panic) => return failure_envelope(event.name(), &[], &panic, "planning"),
        };
        // The slow path is boxed so that the future of an event without hooks stays small.
        match catch_panic(Box::pin(self.run_plan(&plan, event, base, extra))).await {
            Ok(result) => result,
            Err(panic) => failure_envelope(plan.event, &plan.hooks, &panic, "hook execution"),
        }
    }

    /// Whether anything can come of an event with these fields.
    pub fn would_run(&self, event: &Event<'_>, base: &BaseOverrides) -> bool {
        self.planner.plan_also(event.name(), event.match_target(), &base.also_matches).is_some()
            || self.blocked_anyway(event.name()).is_some()
    }

    /// Whether nothing can come of this event: a lookup, no more.
    pub(crate) fn is_silent(&self, event: EventName, target: Option<&str>) -> bool {
        self.planner.plan(event, target).is_none() && self.blocked_anyway(event).is_none()
    }

    /// Why this event is blocked whatever the hooks say.
    fn blocked_anyway(&self, event: EventName) -> Option<&String> {
        self.standing_block.as_ref().filter(|_| event.is_guarded())
    }

    /// The result of an event for which no hook runs.
    fn without_hooks(&self, event: EventName) -> ProcessedHookResult {
        let mut result = ProcessedHookResult::empty(event);
        if let Some(reason) = self.blocked_anyway(event) {
            result.block = Some(Block { reason: reason.clone(), cause: BlockCause::Failure });
        }
        result
    }

    pub(crate) fn planner(&self) -> &HookPlanner {
        &self.planner
    }

    pub(crate) fn runner(&self) -> &HookRunner {
        &self.runner
    }

    async fn run_plan(
        &self,
        plan: &Plan,
        event: &Event<'_>,
        base: &BaseOverrides,
        extra: &JsonObject,
    ) -> ProcessedHookResult {
        let base = self.base_fields(base);
        let directory = self.directory_for(&base.cwd);
        let (mut hooks, mut refused) = self.admit(plan, &base.cwd, directory);
        refused.changed.extend(take_out_busy_guards(plan, &mut hooks).await);
        let strays = take_out_strays(&mut hooks, directory);
        let input = HookInput { base: &base, event, extra };
        let records = Records::default();
        let (mut runs, not_held) = if hooks.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            match self.run_hooks(plan, &hooks, &input, directory, &records).await {
                Ok(outcome) => outcome,
                Err(error) => return failure_envelope(plan.event, &plan.hooks, &error, "payload"),
            }
        };
        if !strays.is_empty() {
            let payload = Payload::new(&input);
            for (run, payload) in strays.iter().zip(payload.iter().cycle()) {
                records.keep(|| self.log_run(plan.event, run, payload));
            }
            runs.extend(strays);
        }
        let (name, sequential, aggregator) = (event.name(), plan.sequential, self.aggregator);
        let (mut aggregated, mut runs) = apart(is_long(&runs), move || {
            let aggregated = aggregator.aggregate_results(name, &runs, sequential);
            (aggregated, runs)
        })
        .await;
        let final_output = aggregated.final_output.as_ref();
        if let Some(round) = SecondRound::after(event, &runs, final_output, plan.sequential) {
            match self.ask_again(&round, &input, directory, &records).await {
                Ok(objections) => runs.extend(objections),
                Err(error) => return failure_envelope(plan.event, &plan.hooks, &error, "payload"),
            }
            aggregated = self.aggregator.aggregate_results(event.name(), &runs, plan.sequential);
        }
        let mut result = process_common_hook_output_fields(event.name(), aggregated, runs);
        result.not_held = not_held;
        result.warnings.extend(plan.warnings.iter().cloned());
        refused.apply(event.name(), &mut result);
        records.keep(|| self.log_summary(&result));
        match records.panic.into_inner() {
            None => result,
            Some(panic) => {
                let envelope = failure_envelope(plan.event, &plan.hooks, &panic, "hook execution");
                // What the hooks decided stands: trouble beside them must not turn a no into a yes.
                ProcessedHookResult {
                    block: result.block.or(envelope.block),
                    should_stop: result.should_stop,
                    stop_reason: result.stop_reason,
                    runs: result.runs,
                    ..envelope
                }
            }
        }
    }

    /// Asks the rules, runs the other hooks, and reports each of them with the input it was given. Hooks whose
    /// condition does not hold are given back apart.
    async fn run_hooks(
        &self,
        plan: &Plan,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records,
    ) -> Result<(Vec<HookRun>, Vec<Arc<Hook>>), PayloadError> {
        if plan.sequential {
            return self.run_chain(plan, hooks, input, directory, records).await;
        }
        let (mut answered, start, not_held) = self.ask_rules(hooks, input);
        if start.is_empty() && self.host.observer.is_none() {
            return Ok((answered.into_iter().map(|(_, run)| run).collect(), not_held)); // No payload is needed.
        }
        let payload = Payload::new(input)?;
        let (places, start): (Vec<usize>, Vec<Arc<Hook>>) = start.into_iter().unzip();
        let runs = self.runner.execute_hooks_parallel(&start, &payload, directory).await;
        answered.extend(places.into_iter().zip(runs));
        answered.sort_by_key(|(place, _)| *place);
        let runs: Vec<HookRun> = answered.into_iter().map(|(_, run)| run).collect();
        for run in &runs {
            records.keep(|| self.log_run(plan.event, run, &payload));
        }
        Ok((runs, not_held))
    }

    async fn run_chain(
        &self,
        plan: &Plan,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records,
    ) -> Result<(Vec<HookRun>, Vec<Arc<Hook>>), PayloadError> {
        let cwd = input.base.cwd.as_ref();
        let object = to_object(input)?;
        let not_held = Mutex::new(Vec::new());
        let ask = |hook: &Arc<Hook>, input: &JsonObject| {
            let asked = rules::ask(hook, &Facts::new(rules::subject_of_payload(input), self.folders(cwd)));
            if matches!(asked, Asked::DoesNotHold) {
                not_held.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(hook));
            }
            asked
        };
        let on_finish = |run: &HookRun, payload: &Payload| {
            records.keep(|| {
                self.log_run(plan.event, run, payload);
                log_unusable_fields(plan.event, run);
            });
        };
        let chain = self.runner.execute_chain(hooks, plan.event, object, directory, &ask, &on_finish);
        let (runs, _) = chain.await;
        Ok((runs, not_held.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Asks every rule and every condition about one event, whose facts are found out once for all of them. Gives
    /// back what rules said and which hooks have to be started, each with its place in the plan.
    #[expect(clippy::type_complexity, reason = "three lists that are taken apart at once")]
    fn ask_rules(
        &self,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
    ) -> (Vec<(usize, HookRun)>, Vec<(usize, Arc<Hook>)>, Vec<Arc<Hook>>) {
        let subject = Subject { agent: rules::agent_of(input.extra), ..Subject::of(input.event) };
        let facts = Facts::new(subject, self.folders(&input.base.cwd));
        let (mut answered, mut start, mut not_held) = (Vec::new(), Vec::new(), Vec::new());
        for (place, hook) in hooks.iter().enumerate() {
            match rules::ask(hook, &facts) {
                Asked::Start => start.push((place, Arc::clone(hook))),
                Asked::Answered(run) => answered.push((place, *run)),
                Asked::DoesNotHold => not_held.push(Arc::clone(hook)),
            }
        }
        (answered, start, not_held)
    }

    /// The folders that paths of an event are seen from.
    fn folders<'a>(&'a self, cwd: &'a Path) -> Folders<'a> {
        Folders { project: &self.host.working_dir, cwd, home: self.home.as_deref() }
    }

    /// Asks hooks about arguments that a project's hook changed after they had seen them. Returns what they object.
    async fn ask_again(
        &self,
        round: &SecondRound,
        input: &HookInput<'_>,
        cwd: &Path,
        records: &Records,
    ) -> Result<Vec<HookRun>, PayloadError> {
        let Event::BeforeTool { tool_name, .. } = input.event else { return Ok(Vec::new()) };
        let event = Event::BeforeTool { tool_name, tool_input: &round.tool_input };
        let input = HookInput { base: input.base, event: &event, extra: input.extra };
        let (answered, start, _) = self.ask_rules(&round.hooks, &input);
        let start: Vec<Arc<Hook>> = start.into_iter().map(|(_, hook)| hook).collect();
        let payload = Payload::new(&input)?;
        let mut runs: Vec<HookRun> = answered.into_iter().map(|(_, run)| run).collect();
        runs.extend(self.runner.execute_hooks_parallel(&start, &payload, cwd).await);
        for run in &runs {
            records.keep(|| self.log_run(event.name(), run, &payload));
        }
        Ok(objections(&event, runs))
    }

    fn base_fields<'a>(&'a self, given: &'a BaseOverrides) -> BaseFields<'a> {
        let transcript = self.host.transcript_path.as_deref().map(Path::to_string_lossy);
        BaseFields {
            session_id: Cow::Borrowed(given.session_id.as_deref().unwrap_or(&self.host.session_id)),
            transcript_path: match &given.transcript_path {
                Some(path) => Cow::Borrowed(path.as_str()),
                None => transcript.unwrap_or_default(),
            },
            cwd: Cow::Borrowed(given.cwd.as_deref().unwrap_or(&self.host.working_dir)),
            timestamp: given.timestamp.clone().unwrap_or_else(timestamp_now),
        }
    }

    /// Where the hooks of an event run: in the project, if the event's `cwd` lies inside of it.
    fn directory_for<'a>(&'a self, cwd: &'a Path) -> &'a Path {
        let project = self.host.working_dir.as_path();
        if is_inside(cwd, project) { project } else { cwd }
    }

    /// Leaves out project hooks that may not run: another directory, or a file changed since approval.
    fn admit(&self, plan: &Plan, cwd: &Path, directory: &Path) -> (Vec<Arc<Hook>>, Refused) {
        let mut refused =
            Refused { standing: self.blocked_anyway(plan.event).cloned(), ..Refused::default() };
        let project = &self.host.working_dir;
        let elsewhere = !std::ptr::eq(directory, project.as_path());
        let mut admit = |planned: &PlannedHook| {
            let name = &planned.name;
            if elsewhere && planned.origin.level == Level::Project {
                let (project, cwd) = (project.display(), cwd.display());
                refused.warnings.push(format!(
                    "hook `{name}` belongs to the project in {project} and does not run for {cwd}"
                ));
                return None;
            }
            match self.recheck(planned) {
                Recheck::Unchanged => Some(Arc::clone(&planned.hook)),
                Recheck::Changed { what } => {
                    refused.changed.push(format!(
                        "hook `{name}` changed since it was approved ({what}); run `hookrail trust` to approve it again"
                    ));
                    None
                }
            }
        };
        (plan.hooks.iter().filter_map(&mut admit).collect(), refused)
    }

    /// Looks at an approved hook's files again. What changed may have been approved again meanwhile.
    fn recheck(&self, planned: &PlannedHook) -> Recheck {
        let Some(seal) = &planned.seal else { return Recheck::Unchanged };
        match seal.recheck() {
            Recheck::Unchanged => Recheck::Unchanged,
            changed @ Recheck::Changed { .. } => {
                match self.host.trust.reapproved(&self.host.working_dir, &planned.hook) {
                    // Approved again, and still it may be unable to start.
                    Some(seal) => seal.recheck(),
                    None => changed,
                }
            }
        }
    }

    /// One record per hook, with its artifacts; failures are warnings.
    fn log_run(&self, event: EventName, run: &HookRun, payload: &Payload) {
        let name = &run.hook.name;
        let duration_ms = millis(run.duration);
        tracing::debug!(
            target: "llxprt:core:hooks:handler",
            %event, hook = name, r#type = run.hook.type_name(), duration_ms, success = run.success(),
            exit_code = run.exit_code(), signal = run.signal(), stdout = run.stdout, stderr = run.stderr,
            error = run.failure.as_deref(), "hook finished",
        );
        if let Some(failure) = &run.failure {
            tracing::warn!(
                target: "llxprt:core:hooks:handler",
                %event, hook = name, duration_ms, exit_code = run.exit_code(), stderr = run.stderr,
                "hook `{name}` failed: {failure}",
            );
        }
        for warning in &run.warnings {
            tracing::warn!(target: "llxprt:core:hooks:handler", %event, hook = name, "hook `{name}`: {warning}");
        }
        if let Some(observer) = &self.host.observer {
            observer.hook_call(&HookCall { event, run, input: payload });
        }
    }

    fn log_summary(&self, result: &ProcessedHookResult) {
        let hook_count = result.runs.len();
        let success_count = result.runs.iter().filter(|run| run.success()).count();
        let batch = HookBatch {
            event: result.event,
            hook_count,
            success_count,
            failure_count: hook_count - success_count,
            duration: result.aggregated.total_duration,
        };
        tracing::debug!(
            target: "llxprt:core:hooks:handler",
            event = %batch.event, hook_count, success_count, failure_count = batch.failure_count,
            total_duration_ms = millis(batch.duration), success = result.aggregated.success,
            blocked = result.block.is_some(), should_stop = result.should_stop, "event finished",
        );
        for warning in &result.warnings {
            tracing::warn!(target: "llxprt:core:hooks:handler", event = %batch.event, "{warning}");
        }
        if let Some(observer) = &self.host.observer {
            observer.hook_batch(&batch);
        }
    }
}

/// One method for each event, with exactly the data that the event carries.
impl HookEventHandler {
    /// A tool is about to run.
    pub async fn fire_before_tool_event(
        &self,
        tool_name: &str,
        tool_input: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::BeforeTool { tool_name, tool_input }).await
    }

    /// A tool has run.
    pub async fn fire_after_tool_event(
        &self,
        tool_name: &str,
        tool_input: &JsonObject,
        tool_response: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::AfterTool { tool_name, tool_input, tool_response }).await
    }

    /// A prompt is about to be worked on.
    pub async fn fire_before_agent_event(&self, prompt: &str) -> ProcessedHookResult {
        self.fire(&Event::BeforeAgent { prompt }).await
    }

    /// The work on a prompt has come to an end.
    pub async fn fire_after_agent_event(
        &self,
        prompt: &str,
        prompt_response: &str,
        stop_hook_active: bool,
    ) -> ProcessedHookResult {
        self.fire(&Event::AfterAgent { prompt, prompt_response, stop_hook_active }).await
    }

    /// A model call is about to be made.
    pub async fn fire_before_model_event(&self, request: &GenerateContentParameters) -> ProcessedHookResult {
        if self.is_silent(EventName::BeforeModel, None) {
            return ProcessedHookResult::empty(EventName::BeforeModel);
        }
        self.fire(&Event::BeforeModel { llm_request: to_hook_llm_request(request) }).await
    }

    /// A model call has been answered completely.
    pub async fn fire_after_model_event(
        &self,
        request: &GenerateContentParameters,
        response: &GenerateContentResponse,
    ) -> ProcessedHookResult {
        if self.is_silent(EventName::AfterModel, None) {
            return ProcessedHookResult::empty(EventName::AfterModel);
        }
        let (llm_request, llm_response) = (to_hook_llm_request(request), to_hook_llm_response(response));
        self.fire(&Event::AfterModel { llm_request, llm_response }).await
    }

    /// A model call that carries tool definitions is about to be made.
    pub async fn fire_before_tool_selection_event(
        &self,
        request: &GenerateContentParameters,
    ) -> ProcessedHookResult {
        if self.is_silent(EventName::BeforeToolSelection, None) {
            return ProcessedHookResult::empty(EventName::BeforeToolSelection);
        }
        self.fire(&Event::BeforeToolSelection { llm_request: to_hook_llm_request(request) }).await
    }

    /// A session begins.
    pub async fn fire_session_start_event(&self, source: SessionStartSource) -> ProcessedHookResult {
        self.fire(&Event::SessionStart { source }).await
    }

    /// A session ends.
    pub async fn fire_session_end_event(&self, reason: SessionEndReason) -> ProcessedHookResult {
        self.fire(&Event::SessionEnd { reason }).await
    }

    /// The history is about to be summarised.
    pub async fn fire_pre_compress_event(&self, trigger: PreCompressTrigger) -> ProcessedHookResult {
        self.fire(&Event::PreCompress { trigger }).await
    }

    /// The agent is about to tell or ask the user something.
    pub async fn fire_notification_event(
        &self,
        notification_type: &NotificationType,
        message: &str,
        details: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::Notification { notification_type, message, details }).await
    }
}

/// Keeping records runs code of the host. Its first panic is remembered, and the event goes on.
#[derive(Default)]
struct Records {
    panic: OnceLock<String>,
}

impl Records {
    fn keep(&self, record: impl FnOnce()) {
        if let Err(panic) = survive(record) {
            let _ = self.panic.set(panic);
        }
    }
}

/// Hooks that were planned but may not run.
#[derive(Default)]
struct Refused {
    /// What blocks the event whatever the hooks say.
    standing: Option<String>,
    /// Approved once, changed since: a guard that was tampered with must not be a guard that is off.
    changed: Vec<String>,
    /// Not run for a reason that needs no block.
    warnings: Vec<String>,
}

impl Refused {
    fn apply(self, event: EventName, result: &mut ProcessedHookResult) {
        let reasons: Vec<&str> = self.standing.iter().chain(&self.changed).map(String::as_str).collect();
        if event.is_guarded() && !reasons.is_empty() {
            let reason = reasons.join("\n");
            match &mut result.block {
                Some(block) => block.reason = format!("{}\n{reason}", block.reason),
                None => result.block = Some(Block { reason, cause: BlockCause::Failure }),
            }
        }
        result.warnings.extend(self.changed);
        result.warnings.extend(self.warnings);
    }
}

/// The explicit failure of the hook system itself. A planned hook that is set to block on failure
/// gave no verdict, so that it blocks.
fn failure_envelope(
    event: EventName,
    planned: &[PlannedHook],
    error: &dyn std::fmt::Display,
    stage: &str,
) -> ProcessedHookResult {
    // The log may be what failed.
    let _ = survive(|| {
        tracing::warn!(target: "llxprt:core:hooks:handler", %event, "hook system failed during {stage}: {error}");
    });
    let aggregated = build_failure_envelope(error, stage);
    let mut result = process_common_hook_output_fields(event, aggregated, Vec::new());
    let why = format!("the hook system failed: {stage}");
    result.block = failure_block(event, planned.iter().map(|planned| (&*planned.hook, why.as_str())));
    result
}

/// Whether a path leads into a folder, however the two are spelled.
fn is_inside(path: &Path, folder: &Path) -> bool {
    path == folder
        || matches!((path.canonicalize(), folder.canonicalize()), (Ok(path), Ok(folder)) if path.starts_with(&folder))
}

/// Says which fields of a request the next hook of a chain does not get to see.
fn log_unusable_fields(event: EventName, run: &HookRun) {
    let name = &run.hook.name;
    for problem in run.output.iter().flat_map(|output| unusable_request_fields(event, output)) {
        tracing::warn!(target: "llxprt:core:hooks:handler", %event, hook = name, "hook `{name}`: {problem}");
    }
}

/// The payload as a chain needs it: a value that each hook's output may change.
fn to_object(input: &HookInput<'_>) -> Result<JsonObject, PayloadError> {
    match serde_json::to_value(input)? {
        Value::Object(object) => Ok(object),
        _ => Ok(JsonObject::new()),
    }
}

/// Polls a future and turns a panic of any poll into its message.
pub(crate) async fn catch_panic<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match survive(|| future.as_mut().poll(context)) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        // The future is never polled again after a panic, so that no broken state is observed.
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Calls a function and turns a panic into its message.
#[inline]
pub(crate) fn survive<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(function)).map_err(|panic| panic_message(panic.as_ref()))
}

pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    format!("panic: {text}")
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
