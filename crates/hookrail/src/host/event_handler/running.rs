//! Runs the hooks of a plan: rules are asked, the other hooks started, and the user's hooks asked again about arguments
//! that a project's hook changed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::future::try_join_all;
use serde_json::Value;

use super::call::{EventRun, facts, subject_of};
use crate::event::{CallReading, Event, HookInput};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::host::patch_calls::{PatchCalls, allow_all_or_nothing};
use crate::host::second_round::{SecondRound, objections};
use crate::order;
use crate::run::rules::{self, RuleCheck};
use crate::run::{Call, Payload, PayloadError, is_long, on_blocking_thread_if};
use crate::verdict::chain::ends_chain;
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::AggregatedHookResult;

/// The hooks that ran, and those whose condition did not hold.
type Ran = (Vec<HookRun>, Vec<Arc<Hook>>);

impl EventRun<'_> {
    /// Runs the hooks, adds those that failed before they began, and merges everything. Hooks whose condition did not
    /// hold are given back apart.
    pub(super) async fn all(
        &self,
        hooks: &[Arc<Hook>],
        failed: Vec<HookRun>,
        input: &HookInput<'_>,
    ) -> Result<(AggregatedHookResult, Vec<HookRun>, Vec<Arc<Hook>>), PayloadError> {
        let (name, sequential, aggregator) = (self.plan.event, self.plan.sequential, self.engine.aggregator);
        let (mut runs, not_held) = self.run(hooks, input, sequential).await?;
        if !failed.is_empty() {
            let payload = Payload::new(input)?;
            for run in &failed {
                self.records.hook(name, run, &payload);
            }
            runs.extend(failed);
        }
        // Long outputs are merged apart, so that no other client of the same thread waits for it.
        let (mut aggregated, mut runs) = on_blocking_thread_if(is_long(&runs), move || {
            let aggregated = aggregator.aggregate_results(name, &runs, sequential);
            (aggregated, runs)
        })
        .await;
        let merged = aggregated.final_output.as_ref();
        let unheld = not_held.iter().chain(self.left_out());
        if let Some(round) = SecondRound::after(input.event, &runs, unheld, merged, sequential) {
            runs.extend(self.ask_again(&round, input).await?);
            aggregated = aggregator.aggregate_results(name, &runs, sequential);
        }
        Ok((aggregated, runs, not_held))
    }

    /// Runs hooks on an event: those that listen to it, and those that listen to single files of the patch that it is.
    async fn run(
        &self,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
        sequential: bool,
    ) -> Result<Ran, PayloadError> {
        let (hooks, mut not_held): (Vec<_>, Vec<_>) =
            hooks.iter().cloned().partition(|hook| hook.dialect.hears(input.event, input.extra));
        let (per_file, whole): (Vec<_>, Vec<_>) = hooks.into_iter().partition(|hook| self.is_per_file(hook));
        let mut left_by_chain = None;
        let (mut runs, unheld) = match &*whole {
            [] => Ran::default(),
            whole if sequential => {
                let (ran, payload) = self.run_chain(whole, input).await?;
                left_by_chain = Some(payload);
                ran
            }
            whole => self.run_side_by_side(whole, input).await?,
        };
        not_held.extend(unheld);
        if per_file.is_empty() {
            return Ok((runs, not_held));
        }
        let name = input.event.name();
        // In a chain they see the patch as the others have left it.
        let left = left_by_chain.as_ref().and_then(|payload| payload.get("tool_input")?.as_object());
        let event = match (input.event, left) {
            (Event::BeforeTool { tool_name, .. }, Some(tool_input)) => {
                Event::BeforeTool { tool_name, tool_input }
            }
            (event, _) => event.clone(),
        };
        let input = &HookInput { base: input.base, event: &event, extra: input.extra };
        let is_over = |run: &HookRun| run.output.as_ref().is_some_and(|output| ends_chain(name, output));
        if !(sequential && runs.iter().any(is_over)) {
            let (of_files, without) = self.run_per_file(&per_file, input).await?;
            runs.extend(of_files);
            not_held.extend(without);
            let place = |hook: &Arc<Hook>| {
                self.plan.hooks.iter().position(|planned| Arc::ptr_eq(&planned.hook, hook))
            };
            order::sort_by_key(&mut runs, |run| place(&run.hook));
        }
        Ok((runs, not_held))
    }

    async fn run_side_by_side(
        &self,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
    ) -> Result<Ran, PayloadError> {
        let checks = self.ask_rules(hooks, input);
        let start: Vec<_> = checks.iter().filter(|(_, check)| matches!(check, RuleCheck::Start)).collect();
        if start.is_empty() && !self.records.are_observed() {
            return Ok(in_plan_order(checks, Vec::new())); // No payload is needed.
        }
        let start: Vec<_> = start.into_iter().map(|(hook, _)| Arc::clone(hook)).collect();
        let payload = Payload::new(input)?;
        let started = self.engine.runner.execute_at(&start, &payload, self.place()).await;
        let (runs, not_held) = in_plan_order(checks, started);
        for run in &runs {
            self.records.hook(self.plan.event, run, &payload);
        }
        Ok((runs, not_held))
    }

    /// Runs hooks one after another. Returns the payload as they have left it, too.
    async fn run_chain(
        &self,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
    ) -> Result<(Ran, JsonObject), PayloadError> {
        let object = to_object(input)?;
        let not_held = Mutex::new(Vec::new());
        let ask = |hook: &Arc<Hook>, input: &JsonObject| {
            let subject = rules::subject_of_payload(input);
            let tool_input = subject.tool_input;
            let asked = self.check(hook, &self.facts(hook, subject), tool_input);
            if matches!(asked, RuleCheck::DoesNotHold) {
                not_held.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(hook));
            }
            asked
        };
        let event = self.plan.event;
        let on_finish = |run: &HookRun, payload: &Payload| {
            self.records.hook(event, run, payload);
            self.records.unusable_fields(event, run);
        };
        let chain = self.engine.runner.execute_chain(hooks, event, object, self.place(), &ask, &on_finish);
        let (runs, payload) = chain.await;
        Ok(((runs, not_held.into_inner().unwrap_or_else(PoisonError::into_inner)), payload))
    }

    /// Calls hooks once for each file of a patch. Hooks run side by side, and the calls of one hook one after another, so
    /// that its timeout bounds all of them. A patch that cannot be read is refused elsewhere, and they are not called.
    async fn run_per_file(&self, hooks: &[Arc<Hook>], input: &HookInput<'_>) -> Result<Ran, PayloadError> {
        let Ok(calls) = PatchCalls::of(input.event) else { return Ok((Vec::new(), Vec::new())) };
        let extra = with_patch(input);
        let known = CallReading::Known;
        let this = EventRun { call: Call { reading: Some(&known), ..self.call }, ..*self };
        let running = hooks.iter().map(|hook| this.run_for_files(hook, &calls, input, &extra));
        let mut ran = Ran::default();
        for (hook, runs) in hooks.iter().zip(try_join_all(running).await?) {
            if runs.is_empty() {
                ran.1.push(Arc::clone(hook));
            }
            ran.0.extend(runs);
        }
        Ok(ran)
    }

    async fn run_for_files(
        &self,
        hook: &Arc<Hook>,
        calls: &PatchCalls,
        input: &HookInput<'_>,
        extra: &JsonObject,
    ) -> Result<Vec<HookRun>, PayloadError> {
        let started = Instant::now();
        let mut runs = Vec::new();
        let patch = tool_input(input.event);
        for call in calls.for_hook(hook) {
            let event = call.event(input.event);
            let input = HookInput { base: input.base, event: &event, extra };
            let asked = self.check(hook, &self.facts_of(hook, &input), patch);
            let mut run = match asked {
                RuleCheck::DoesNotHold => continue,
                RuleCheck::Answered(run) => {
                    if self.records.are_observed() {
                        self.records.hook(event.name(), &run, &Payload::new(&input)?);
                    }
                    *run
                }
                RuleCheck::Start => {
                    let timeout = hook.timeout.saturating_sub(started.elapsed());
                    if timeout.is_zero() {
                        runs.push(HookRun::not_started(hook, StartFailure::NoTimeLeft));
                        break;
                    }
                    let hurried = [Arc::new(Hook { timeout, ..Hook::clone(hook) })];
                    let payload = Payload::new(&input)?;
                    let ran = self.engine.runner.execute_at(&hurried, &payload, self.place()).await;
                    let Some(mut run) = ran.into_iter().next() else { continue };
                    run.hook = Arc::clone(hook);
                    self.records.hook(event.name(), &run, &payload);
                    run
                }
            };
            call.refuse_changes(&mut run);
            runs.push(run);
        }
        allow_all_or_nothing(&mut runs, calls.len());
        Ok(runs)
    }

    /// Asks every rule and every condition about one event, whose facts are found out once for all of them.
    fn ask_rules(&self, hooks: &[Arc<Hook>], input: &HookInput<'_>) -> Vec<(Arc<Hook>, RuleCheck)> {
        // Its shell line may have been read already.
        let is_first = std::ptr::eq(input.event, self.event);
        let other_facts = (!is_first).then(|| facts(self.call, self.call.folders.project, subject_of(input)));
        let own_facts = other_facts.as_ref().unwrap_or(self.facts);
        let tool_input = tool_input(input.event);
        let check = |hook: &Arc<Hook>| {
            let check = match &hook.enclosing {
                Some(_) => self.check(hook, &self.facts_of(hook, input), tool_input),
                None => self.check(hook, own_facts, tool_input),
            };
            (Arc::clone(hook), check)
        };
        hooks.iter().map(check).collect()
    }

    /// Asks hooks about arguments that a project's hook changed after they had seen them. Returns what they object.
    async fn ask_again(
        &self,
        round: &SecondRound,
        input: &HookInput<'_>,
    ) -> Result<Vec<HookRun>, PayloadError> {
        let Event::BeforeTool { tool_name, .. } = input.event else { return Ok(Vec::new()) };
        let event = Event::BeforeTool { tool_name, tool_input: &round.tool_input };
        let input = HookInput { base: input.base, event: &event, extra: input.extra };
        let (runs, _) = self.run(&round.hooks, &input, false).await?;
        Ok(objections(&event, runs))
    }
}

/// The answers of rules and the runs of the started hooks in plan order; and the hooks whose condition does not hold.
fn in_plan_order(checks: Vec<(Arc<Hook>, RuleCheck)>, started: Vec<HookRun>) -> Ran {
    let mut started = started.into_iter().peekable();
    let (mut runs, mut not_held) = (Vec::with_capacity(checks.len()), Vec::new());
    for (hook, check) in checks {
        match check {
            RuleCheck::Answered(run) => runs.push(*run),
            RuleCheck::Start => runs.extend(started.next_if(|run| Arc::ptr_eq(&run.hook, &hook))),
            RuleCheck::DoesNotHold => not_held.push(hook),
        }
    }
    // In whichever order they came, no verdict is lost.
    runs.extend(started);
    (runs, not_held)
}

/// The arguments of a call that is about to be made.
fn tool_input<'e>(event: &Event<'e>) -> Option<&'e JsonObject> {
    match event {
        Event::BeforeTool { tool_input, .. } => Some(tool_input),
        _ => None,
    }
}

/// The further fields of a call for one file: `agent` holds the patch, where another agent did not put it there already.
fn with_patch(input: &HookInput<'_>) -> JsonObject {
    let mut extra = input.extra.clone();
    let Some((tool_name, tool_input)) = input.event.tool_call() else { return extra };
    if let Value::Object(agent) = extra.entry("agent").or_insert_with(|| JsonObject::new().into()) {
        agent.entry("tool_name").or_insert_with(|| tool_name.into());
        agent.entry("tool_input").or_insert_with(|| tool_input.clone().into());
    }
    extra
}

/// The payload as a chain needs it: a value that each hook's output may change.
fn to_object(input: &HookInput<'_>) -> Result<JsonObject, PayloadError> {
    match serde_json::to_value(input)? {
        Value::Object(object) => Ok(object),
        _ => Ok(JsonObject::new()),
    }
}
