//! Runs the hooks of a plan: rules are asked, the other hooks started, and the user's hooks asked again about arguments
//! that a project's hook changed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::HookEventHandler;
use crate::event::{Event, HookInput};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::host::records::Records;
use crate::host::second_round::{SecondRound, objections};
use crate::plan::planner::Plan;
use crate::rules::{Facts, Folders, Subject};
use crate::run::rules::{self, RuleCheck};
use crate::run::{Payload, PayloadError, is_long, on_blocking_thread_if};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::AggregatedHookResult;

/// The hooks that ran, and those whose condition did not hold.
type Ran = (Vec<HookRun>, Vec<Arc<Hook>>);

/// What became of the hooks when rules and conditions were asked.
struct RuleResults {
    /// The hooks that count, in plan order.
    asked: Vec<AskedHook>,
    /// The hooks whose condition does not hold.
    not_held: Vec<Arc<Hook>>,
}

/// A hook whose condition holds, or that has none.
enum AskedHook {
    /// A rule, which has answered.
    Answered(Box<HookRun>),
    /// A hook that has to be started.
    Start(Arc<Hook>),
}

impl RuleResults {
    /// The hooks that have to be started.
    fn to_start(&self) -> Vec<Arc<Hook>> {
        let to_start = self.asked.iter().filter_map(|asked| match asked {
            AskedHook::Start(hook) => Some(Arc::clone(hook)),
            AskedHook::Answered(_) => None,
        });
        to_start.collect()
    }

    /// All runs in plan order, given those of the started hooks; and the hooks that did not run.
    fn with_runs(self, started: Vec<HookRun>) -> Ran {
        let mut started = started.into_iter().peekable();
        let mut runs = Vec::with_capacity(self.asked.len());
        for asked in self.asked {
            match asked {
                AskedHook::Answered(run) => runs.push(*run),
                AskedHook::Start(hook) => {
                    runs.extend(started.next_if(|run| Arc::ptr_eq(&run.hook, &hook)));
                }
            }
        }
        // In whichever order they came, no verdict is lost.
        runs.extend(started);
        (runs, self.not_held)
    }
}

impl HookEventHandler {
    /// Runs the hooks, adds those that failed before they began, and merges everything. Hooks whose condition did not
    /// hold are given back apart.
    pub(super) async fn run_all(
        &self,
        plan: &Plan,
        hooks: &[Arc<Hook>],
        failed: Vec<HookRun>,
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records<'_>,
    ) -> Result<(AggregatedHookResult, Vec<HookRun>, Vec<Arc<Hook>>), PayloadError> {
        let (mut runs, not_held) = match hooks {
            [] => (Vec::new(), Vec::new()),
            hooks if plan.sequential => self.run_chain(plan, hooks, input, directory, records).await?,
            hooks => self.run_side_by_side(plan, hooks, input, directory, records).await?,
        };
        if !failed.is_empty() {
            let payload = Payload::new(input)?;
            for run in &failed {
                records.hook(plan.event, run, &payload);
            }
            runs.extend(failed);
        }
        let (name, sequential, aggregator) = (plan.event, plan.sequential, self.aggregator);
        // Long outputs are merged apart, so that no other client of the same thread waits for it.
        let (mut aggregated, mut runs) = on_blocking_thread_if(is_long(&runs), move || {
            let aggregated = aggregator.aggregate_results(name, &runs, sequential);
            (aggregated, runs)
        })
        .await;
        let merged = aggregated.final_output.as_ref();
        if let Some(round) = SecondRound::after(input.event, &runs, &not_held, merged, sequential) {
            runs.extend(self.ask_again(&round, input, directory, records).await?);
            aggregated = aggregator.aggregate_results(name, &runs, sequential);
        }
        Ok((aggregated, runs, not_held))
    }

    async fn run_side_by_side(
        &self,
        plan: &Plan,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records<'_>,
    ) -> Result<Ran, PayloadError> {
        let results = self.ask_rules(hooks, input);
        let start = results.to_start();
        if start.is_empty() && self.host.observer.is_none() {
            return Ok(results.with_runs(Vec::new())); // No payload is needed.
        }
        let (payload, started) = self.runner.execute_hooks_on(&start, input, directory).await?;
        let (runs, not_held) = results.with_runs(started);
        for run in &runs {
            records.hook(plan.event, run, &payload);
        }
        Ok((runs, not_held))
    }

    async fn run_chain(
        &self,
        plan: &Plan,
        hooks: &[Arc<Hook>],
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records<'_>,
    ) -> Result<Ran, PayloadError> {
        let cwd = input.base.cwd.as_ref();
        let object = to_object(input)?;
        let not_held = Mutex::new(Vec::new());
        let ask = |hook: &Arc<Hook>, input: &JsonObject| {
            let folders = self.folders(hook, cwd);
            let asked = rules::ask(hook, &Facts::new(rules::subject_of_payload(input), folders));
            if matches!(asked, RuleCheck::DoesNotHold) {
                not_held.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(hook));
            }
            asked
        };
        let on_finish = |run: &HookRun, payload: &Payload| {
            records.hook(plan.event, run, payload);
            records.unusable_fields(plan.event, run);
        };
        let chain = self.runner.execute_chain(hooks, plan.event, object, directory, &ask, &on_finish);
        let (runs, _) = chain.await;
        Ok((runs, not_held.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Asks every rule and every condition about one event, whose facts are found out once for all of them.
    fn ask_rules(&self, hooks: &[Arc<Hook>], input: &HookInput<'_>) -> RuleResults {
        let subject = Subject { agent: rules::agent_of(input.extra), ..Subject::of(input.event) };
        let cwd = input.base.cwd.as_ref();
        let own = Folders { project: &self.host.working_dir, cwd, home: self.home.as_deref() };
        let facts = Facts::new(subject.clone(), own);
        let mut all = RuleResults { asked: Vec::with_capacity(hooks.len()), not_held: Vec::new() };
        for hook in hooks {
            let asked = match &hook.enclosing {
                Some(_) => rules::ask(hook, &Facts::new(subject.clone(), self.folders(hook, cwd))),
                None => rules::ask(hook, &facts),
            };
            match asked {
                RuleCheck::Start => all.asked.push(AskedHook::Start(Arc::clone(hook))),
                RuleCheck::Answered(run) => all.asked.push(AskedHook::Answered(run)),
                RuleCheck::DoesNotHold => all.not_held.push(Arc::clone(hook)),
            }
        }
        all
    }

    /// The folders that a hook sees the paths of an event from.
    fn folders<'a>(&'a self, hook: &'a Hook, cwd: &'a Path) -> Folders<'a> {
        Folders { project: hook.folder(&self.host.working_dir), cwd, home: self.home.as_deref() }
    }

    /// Asks hooks about arguments that a project's hook changed after they had seen them. Returns what they object.
    async fn ask_again(
        &self,
        round: &SecondRound,
        input: &HookInput<'_>,
        directory: &Path,
        records: &Records<'_>,
    ) -> Result<Vec<HookRun>, PayloadError> {
        let Event::BeforeTool { tool_name, .. } = input.event else { return Ok(Vec::new()) };
        let event = Event::BeforeTool { tool_name, tool_input: &round.tool_input };
        let input = HookInput { base: input.base, event: &event, extra: input.extra };
        let results = self.ask_rules(&round.hooks, &input);
        let (payload, started) = self.runner.execute_hooks_on(&results.to_start(), &input, directory).await?;
        let (runs, _) = results.with_runs(started);
        for run in &runs {
            records.hook(event.name(), run, &payload);
        }
        Ok(objections(&event, runs))
    }
}

/// The payload as a chain needs it: a value that each hook's output may change.
fn to_object(input: &HookInput<'_>) -> Result<JsonObject, PayloadError> {
    match serde_json::to_value(input)? {
        Value::Object(object) => Ok(object),
        _ => Ok(JsonObject::new()),
    }
}
