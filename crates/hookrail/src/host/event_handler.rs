//! Fires the events of a started session: plan, admit, run, aggregate, record. The session's own methods, the message bus
//! and the `fire` command all enter here.

mod call;
mod lifting;
mod running;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use self::call::{EventRun, facts, subject_of};
use self::lifting::Lifting;
use crate::event::{BaseFields, CallReading, Event, EventName, HookInput, timestamp_now};
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind};
use crate::host::admission::{Admitted, admit, directory_for};
use crate::host::engine::Engine;
use crate::host::observer::Records;
use crate::host::panics::{catch_panic, catch_panic_in_future};
use crate::host::session::{HookSession, HookSystemNotInitializedError};
use crate::payload::BaseOverrides;
use crate::plan::planner::Plan;
use crate::rules::{Folders, OurTool, shell_tool_of, unreadable_call};
use crate::run::{Call, KeptAnswer, KeptQuestion, stays_open_for_writing};
use crate::trust::{Recheck, RelativeFiles};
use crate::verdict::common_fields::{
    build_failure_envelope, failure_block, process_common_hook_output_fields,
};
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult};

/// A started session, which fires events. A view: all of them see the same components.
#[derive(Clone, Copy)]
pub struct HookEventHandler<'s> {
    session: &'s HookSession,
    engine: &'s Engine,
}

impl HookSession {
    /// The event handler.
    pub fn event_handler(&self) -> Result<HookEventHandler<'_>, HookSystemNotInitializedError> {
        let engine = self.started_engine().ok_or(HookSystemNotInitializedError)?;
        Ok(HookEventHandler { session: self, engine })
    }

    /// The event handler, for which the session is started. The start may panic.
    pub(super) fn handler(&self) -> HookEventHandler<'_> {
        HookEventHandler { session: self, engine: self.engine() }
    }

    /// The event handler, for which the session is started; `None` where hooks are off, or where the start panics.
    #[inline]
    pub(super) fn started(&self) -> Option<HookEventHandler<'_>> {
        Some(HookEventHandler { session: self.hook_system()?, engine: self.try_engine()? })
    }

    /// The block of a guarded event whose hooks could not be asked, where the host wants one: nobody knows what they would
    /// have said.
    pub(super) fn own_failure_block(&self, event: EventName, why: &str) -> Option<Block> {
        let blocks = self.config().blocks_on_own_failure && event.is_guarded();
        let reason = || format!("hookrail could not run its hooks, so this was refused: {why}");
        blocks.then(|| Block { reason: reason(), cause: BlockCause::Failure })
    }

    /// The same for an event that came while the session could not be started.
    pub(super) fn block_unstarted(&self, event: EventName) -> Option<Block> {
        self.hook_system().filter(|session| session.started_engine().is_none())?;
        self.own_failure_block(event, "they could not be read")
    }
}

/// An event as its sender gave it.
#[derive(Clone, Copy)]
struct Given<'a> {
    event: &'a Event<'a>,
    base: &'a BaseOverrides,
    extra: &'a JsonObject,
}

impl HookEventHandler<'_> {
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
        let given = Given { event, base, extra };
        let plan = match self.plan_for(event, base) {
            Ok(Some(plan)) => plan,
            Ok(None) => return self.without_hooks(given), // No payload, no process.
            Err(panic) => {
                let hooks = self.engine.planner.possible_hooks(event.name());
                return self.failed(given, hooks, &panic, "planning");
            }
        };
        // The slow path is boxed so that the future of an event without hooks stays small.
        catch_panic_in_future(Box::pin(self.run_plan(&plan, given)))
            .await
            .unwrap_or_else(|panic| self.failed(given, planned(&plan), &panic, "hook execution"))
    }

    fn plan_for(&self, event: &Event<'_>, base: &BaseOverrides) -> Result<Option<Arc<Plan>>, String> {
        self.plan(event.name(), event.match_target(), &Self::other_names(event, base))
    }

    fn plan(
        &self,
        event: EventName,
        target: Option<&str>,
        also: &[String],
    ) -> Result<Option<Arc<Plan>>, String> {
        catch_panic(|| self.engine.planner.plan_also(event, target, also))
    }

    async fn run_plan(&self, whole_plan: &Arc<Plan>, given: Given<'_>) -> ProcessedHookResult {
        let Given { event, base: given_base, extra } = given;
        let config = self.session.config();
        let reading = self.reading(event, given_base);
        let base = self.base_fields(given_base);
        let project = &*config.working_dir;
        let call_directory = given_base.call_directory.as_deref().unwrap_or(&base.cwd);
        let call = Call {
            folders: Folders { project, cwd: call_directory, home: self.engine.home.as_deref() },
            reading: reading.as_deref(),
            also_matches: &given_base.also_matches,
            told: given_base.caller.as_deref(),
        };
        // A call on another machine is not one in another folder of this one: the project's own hooks count for it.
        let cwd = if call.told.is_some() { project } else { &*base.cwd };
        let directory = directory_for(config, whole_plan, &base.cwd, call.told.is_some());
        let input = HookInput { base: &base, event, extra };
        let facts = facts(call, project, subject_of(&input));
        let narrowed = whole_plan.narrowed(&facts);
        let plan = narrowed.as_ref().unwrap_or(whole_plan);
        let standing = self.blocked_anyway(plan.event);
        let Admitted { hooks, mut refused, failed } = admit(config, plan, cwd, directory, standing).await;
        let records = self.records();
        let logs_texts = self.engine.settings.effective.logs_texts();
        let lifting = Lifting::new(config, &input, call_directory, logs_texts);
        let run = EventRun {
            engine: self.engine,
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
        let (aggregated, runs, not_held) = match run.all(&hooks, failed, &input).await {
            Ok(outcome) => outcome,
            Err(error) => return self.failed(given, planned(plan), &error, "payload"),
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
            let failure = failure_envelope(plan.event, planned(plan), &panic, "hook execution");
            result = result.with_failure(failure);
            self.block_on_own_failure(&mut result);
        }
        result
    }

    /// The failure of an event that has no result, recorded. Whatever writing that leads to, the event has failed already.
    fn failed<'a>(
        &self,
        given: Given<'_>,
        hooks: impl Iterator<Item = &'a Hook>,
        error: &dyn std::fmt::Display,
        stage: &str,
    ) -> ProcessedHookResult {
        let mut result = failure_envelope(given.event.name(), hooks, error, stage);
        self.block_on_own_failure(&mut result);
        self.records().batch(&result);
        self.record_decision(given, &result);
        result
    }

    /// The result of an event for which no hook runs.
    fn without_hooks(&self, given: Given<'_>) -> ProcessedHookResult {
        let mut result = ProcessedHookResult::empty(given.event.name());
        if let Some(reason) = self.blocked_anyway(given.event.name()) {
            result.block = Some(Block { reason: reason.clone(), cause: BlockCause::Failure });
            self.record_decision(given, &result);
        }
        result
    }

    /// Records what came of an event none of whose hooks ran to an end.
    fn record_decision(&self, Given { event, base, extra }: Given<'_>, result: &ProcessedHookResult) {
        let base = self.base_fields(base);
        let input = HookInput { base: &base, event, extra };
        self.records().decided(&input, result, self.engine.settings.effective.logs_texts());
    }

    /// New records of one event.
    fn records(&self) -> Records<'_> {
        Records::new(self.session.config().observer.as_deref())
    }

    /// Blocks a guarded event whose hooks could not be asked, where the host wants that.
    fn block_on_own_failure(&self, result: &mut ProcessedHookResult) {
        let why = result.own_failure().filter(|_| result.block.is_none());
        if let Some(block) = why.and_then(|why| self.session.own_failure_block(result.event, &why)) {
            result.block_with(block);
        }
    }

    fn base_fields<'a>(&'a self, given: &'a BaseOverrides) -> BaseFields<'a> {
        let transcript = self.session.config().transcript_path.as_deref().map(Path::to_string_lossy);
        BaseFields {
            session_id: Cow::Borrowed(
                given.session_id.as_deref().unwrap_or(&self.session.config().session_id),
            ),
            transcript_path: match &given.transcript_path {
                Some(path) => Cow::Borrowed(path.as_str()),
                None => transcript.unwrap_or_default(),
            },
            cwd: Cow::Borrowed(given.cwd.as_deref().unwrap_or(&self.session.config().working_dir)),
            timestamp: given.timestamp.clone().unwrap_or_else(timestamp_now),
        }
    }

    /// The names besides its own that a matcher may mean an event's tool by: those that the sender knows, and the shell's
    /// for a tool in no table that seems to run a shell line.
    pub fn other_names<'b>(event: &Event<'_>, base: &'b BaseOverrides) -> Cow<'b, [String]> {
        let known = Cow::Borrowed(base.also_matches.as_slice());
        let Some((tool_name, tool_input)) = event.tool_call() else { return known };
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
        let (tool_name, tool_input) = event.tool_call()?;
        OurTool::named(tool_name).filter(|_| self.session.config().has_our_tools)?;
        let unreadable = unreadable_call(tool_name, tool_input);
        Some(Cow::Owned(unreadable.map_or(CallReading::Known, CallReading::Unreadable)))
    }

    /// Asks the worker of one hook for another process, which has planned and merges. `None` if there is no such hook that
    /// may run now, or its worker cannot answer.
    pub async fn ask_worker(&self, question: &KeptQuestion<'_>) -> Option<KeptAnswer> {
        let directory = self.session.config().working_dir.as_path();
        let (hook, seal) = self.engine.registry.runnable(question.hook)?;
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
        self.engine.runner.ask_worker(hook, question, directory).await
    }

    /// Whether an event with these fields can have a result.
    pub fn would_run(&self, event: &Event<'_>, base: &BaseOverrides) -> bool {
        self.can_have_result(event.name(), event.match_target(), &Self::other_names(event, base))
    }

    /// Whether an event with these fields is answered by rules alone, so that no process is started.
    pub fn asks_only_rules(&self, event: &Event<'_>, base: &BaseOverrides) -> bool {
        let is_rule = |hook: &Hook| matches!(hook.kind, HookKind::Rule(_) | HookKind::UnreadableRule(_));
        matches!(self.plan_for(event, base), Ok(Some(plan)) if planned(&plan).all(is_rule))
    }

    /// Whether an event can have a result, for a target and other names of it: a lookup, no more.
    pub(crate) fn can_have_result(&self, event: EventName, target: Option<&str>, also: &[String]) -> bool {
        // Where planning fails, that failure is the result.
        !matches!(self.plan(event, target, also), Ok(None)) || self.blocked_anyway(event).is_some()
    }

    /// Why this event is blocked whatever the hooks say.
    fn blocked_anyway(&self, event: EventName) -> Option<&String> {
        self.engine.standing_block.as_ref().filter(|_| event.is_guarded())
    }

    /// Stops answering requests on the bus. Without a bus there is nothing to stop.
    pub fn dispose(&self) {
        self.session.dispose();
    }
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
    stage: &str,
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
