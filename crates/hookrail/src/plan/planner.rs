//! Which hooks run for an event, in which order. Pure; keeps a bounded number of plans.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use self::candidates::{CommandKey, PlanCandidate, add_unless_duplicate, listens};
use self::explanation::clipped;
pub use self::explanation::{Explanation, SkipReason, Skipped};
use self::plan_cache::{CachedPlan, MAX_NAME_BYTES, PlanCache};
use crate::event::{EventName, Matching};
use crate::hook::Hook;
use crate::matcher::{MatchVerdict, Steps};
use crate::plan::registry::{HookRegistry, Registered};
use crate::plan::unmatched_names::UnmatchedNames;
use crate::trust::{RelativeFiles, Seal};

mod candidates;
mod explanation;
mod plan_cache;

/// What is going to run for an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The event.
    pub event: EventName,
    /// Whether the hooks run one after another.
    pub sequential: bool,
    /// The hooks, at least one, in the order in which they run and are merged.
    pub hooks: Vec<PlannedHook>,
    /// Warnings about how the plan was made.
    pub warnings: Vec<String>,
}

/// A hook that is going to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlannedHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// What to check again right before it runs; `None` where nothing needs a check.
    pub seal: Option<Arc<Seal>>,
    /// Whether it is called once for each file of a patch, because it listens to the tools that write single files and
    /// not to `apply_patch`.
    pub per_file: bool,
    /// What it must not find in the folder that it runs in. Found out here, because a plan serves many events.
    pub(crate) relative_files: RelativeFiles,
}

impl Deref for PlannedHook {
    type Target = Hook;

    fn deref(&self) -> &Hook {
        &self.hook
    }
}

/// Makes plans from a registry.
#[derive(Debug)]
pub struct HookPlanner {
    registry: Arc<HookRegistry>,
    /// In the order of [`EventName::ALL`].
    by_event: [EventPlans; EventName::ALL.len()],
}

/// What is known of the plans of one event.
#[derive(Debug, Default)]
struct EventPlans {
    cache: RwLock<PlanCache>,
    /// Some of the names that have no plan, for a faster answer.
    unmatched: OnceLock<Box<UnmatchedNames>>,
}

impl HookPlanner {
    /// A planner for the hooks of a registry.
    pub fn new(registry: Arc<HookRegistry>) -> Self {
        Self { registry, by_event: Default::default() }
    }

    /// What is going to run for an event; `None` if nothing is. The target is the tool's name, or the word that a
    /// session event is about; without one every hook of the event matches. Events of agent and model have none.
    pub fn plan(&self, event: EventName, target: Option<&str>) -> Option<Arc<Plan>> {
        if !self.registry.listens_to(event) {
            return None;
        }
        let target = target.filter(|_| event.matching() != Matching::Ignored);
        // Read before planning: a change in between makes the plan outdated, never wrongly current.
        let changes = self.registry.changes();
        let EventPlans { cache, unmatched } = self.by_event.get(event as usize)?;
        if let (Some(target), Some(unmatched)) = (target, unmatched.get())
            && unmatched.holds(target, changes)
        {
            return None;
        }
        if let Some(CachedPlan(plan)) =
            cache.read().unwrap_or_else(PoisonError::into_inner).get(target, changes)
        {
            return plan.clone();
        }
        let plan = self.resolve(event, target.as_slice(), None).map(Arc::new);
        if target.is_none_or(|target| target.len() <= MAX_NAME_BYTES) {
            if let (Some(target), None) = (target, &plan) {
                unmatched.get_or_init(Box::default).add(target, changes);
            }
            let mut cache = cache.write().unwrap_or_else(PoisonError::into_inner);
            cache.insert(target, changes, CachedPlan(plan.clone()));
        }
        plan
    }

    /// The plan for something that goes by several names, such as a tool of another agent: a hook matches if its matcher
    /// matches one of them. Only plans for one name are kept.
    pub fn plan_also(&self, event: EventName, target: Option<&str>, also: &[String]) -> Option<Arc<Plan>> {
        #[cfg(test)]
        tests::fail_if_injected();
        if also.is_empty() {
            return self.plan(event, target);
        }
        let names: Vec<&str> = target.into_iter().chain(also.iter().map(String::as_str)).collect();
        self.registry.listens_to(event).then(|| self.resolve(event, &names, None))?.map(Arc::new)
    }

    /// Every hook that a plan for this event may contain. Where no plan can be made, any of them may have been meant.
    pub(crate) fn possible_hooks(&self, event: EventName) -> impl Iterator<Item = &Hook> {
        self.registry.runnable_for(event)
    }

    /// The same plan, and why the other hooks of the event are not in it.
    pub fn explain(&self, event: EventName, target: Option<&str>) -> Explanation {
        self.explain_also(event, target, &[])
    }

    /// The same for something that goes by several names.
    pub fn explain_also(&self, event: EventName, target: Option<&str>, also: &[String]) -> Explanation {
        let mut skipped = Vec::new();
        let names: Vec<&str> = target.into_iter().chain(also.iter().map(String::as_str)).collect();
        let plan = self.resolve(event, &names, Some(&mut skipped));
        skipped.sort_by_key(|(rank, _)| *rank);
        Explanation { plan, skipped: skipped.into_iter().map(|(_, skipped)| skipped).collect() }
    }

    fn resolve(
        &self,
        event: EventName,
        targets: &[&str],
        mut skipped: Option<&mut Vec<(usize, Skipped)>>,
    ) -> Option<Plan> {
        let mut planned: Vec<PlanCandidate<'_>> = Vec::new();
        let mut by_command: HashMap<CommandKey<'_>, usize> = HashMap::new();
        let mut steps = Steps::default();
        for (rank, registered) in self.registry.registered_for(event).enumerate() {
            let hook = &registered.hook;
            // Only a hook that runs may replace another one with the same command.
            let reason = if let Some(by) = registered.disabled_by() {
                Some(SkipReason::Disabled(by))
            } else if let Some(why) = registered.trust.not_approved() {
                Some(SkipReason::NotApproved { why: why.to_owned() })
            } else {
                match listens(hook, targets, &mut steps) {
                    (MatchVerdict::No, _) if skipped.is_none() => continue,
                    (MatchVerdict::No, _) => Some(does_not_match(hook, targets)),
                    (verdict, per_file) => {
                        let candidate =
                            PlanCandidate { rank, registered, verdict, per_file, displaced_by: None };
                        add_unless_duplicate(candidate, &mut planned, &mut by_command)
                    }
                }
            };
            if let (Some(skipped), Some(why)) = (skipped.as_deref_mut(), reason) {
                let also = further_reasons(registered, targets, &why, &mut steps);
                skipped.push((rank, Skipped { hook: Arc::clone(hook), why, also }));
            }
        }
        let mut plan = Plan { event, sequential: false, hooks: Vec::new(), warnings: Vec::new() };
        for PlanCandidate { rank, registered, verdict, per_file, displaced_by } in planned {
            let hook = &registered.hook;
            if let Some(of) = displaced_by {
                if let Some(skipped) = skipped.as_deref_mut() {
                    let why = SkipReason::Duplicate { of };
                    skipped.push((rank, Skipped { hook: Arc::clone(hook), why, also: Vec::new() }));
                }
                continue;
            }
            plan.sequential |= hook.sequential;
            if verdict == MatchVerdict::BoundReached {
                plan.warnings.push(undecided(hook, targets));
            }
            plan.hooks.push(PlannedHook {
                hook: Arc::clone(hook),
                seal: registered.seal.clone(),
                per_file,
                relative_files: RelativeFiles::of(hook),
            });
        }
        (!plan.hooks.is_empty()).then_some(plan)
    }
}

/// The reasons besides the first one for which a hook does not run.
fn further_reasons(
    registered: &Registered,
    targets: &[&str],
    first: &SkipReason,
    steps: &mut Steps,
) -> Vec<SkipReason> {
    let mut reasons = Vec::new();
    if matches!(first, SkipReason::Disabled(_))
        && let Some(why) = registered.trust.not_approved()
    {
        reasons.push(SkipReason::NotApproved { why: why.to_owned() });
    }
    if matches!(first, SkipReason::Disabled(_) | SkipReason::NotApproved { .. })
        && listens(&registered.hook, targets, steps).0 == MatchVerdict::No
    {
        reasons.push(does_not_match(&registered.hook, targets));
    }
    reasons
}

fn does_not_match(hook: &Hook, targets: &[&str]) -> SkipReason {
    SkipReason::MatcherDoesNotMatch {
        matcher: hook.matcher.text().unwrap_or_default().to_owned(),
        target: targets.join(", "),
    }
}

fn undecided(hook: &Hook, targets: &[&str]) -> String {
    format!(
        "matcher `{}` of hook `{}` takes too long on `{}`, so the hook counts as matched",
        clipped(hook.matcher.text().unwrap_or_default()),
        clipped(&hook.name),
        clipped(&targets.join(", ")),
    )
}

#[cfg(test)]
pub(crate) mod tests;
