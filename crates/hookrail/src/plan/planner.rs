//! Which hooks run for an event, in which order. Pure; keeps a bounded number of plans.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use self::explanation::clipped;
pub use self::explanation::{Explanation, SkipReason, Skipped};
use crate::event::{CallReading, EventName, Matching};
use crate::hook::{Hook, HookKind, Level};
use crate::matcher::{MatchVerdict, Steps};
use crate::order;
use crate::plan::registry::{HookRegistry, Registered};
use crate::rules::{Facts, PATCH_TOOL, RuleIndex, TOOLS_OF_PATCH};
use crate::trust::{RelativeFiles, Seal, relative_words};

mod explanation;

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
    /// Whether one of the hooks is called for single files of a patch.
    pub(crate) has_per_file: bool,
    /// The hooks by what they need, made where there are many and a second call comes: to make it takes longer than to ask
    /// all of them once.
    index: OnceLock<RuleIndex>,
    is_asked_again: Arc<AtomicBool>,
}

/// In a shorter plan every rule is asked: that takes less than to look it up.
const INDEXED_FROM: usize = 64;

impl Plan {
    /// The plan without the rules that cannot hold for a call, nor be undecided; `None` where none is left out. Hooks of a
    /// chain may change the call, so that all of them are asked.
    pub(crate) fn narrowed(&self, facts: &Facts<'_>) -> Option<Self> {
        let is_unreadable = matches!(facts.subject().reading, Some(CallReading::Unreadable(_)));
        if self.hooks.len() < INDEXED_FROM || self.sequential || is_unreadable {
            return None;
        }
        if !self.is_asked_again.swap(true, Ordering::Relaxed) {
            return None;
        }
        let index = self.index.get_or_init(|| {
            let mut index = RuleIndex::default();
            for (place, planned) in self.hooks.iter().enumerate() {
                let rule = match &planned.hook.kind {
                    HookKind::Rule(rule) if !planned.per_file => Some(&**rule),
                    _ => None,
                };
                index.add(place, rule);
            }
            index
        });
        let places = index.candidates(facts)?;
        let hooks = places.into_iter().filter_map(|place| self.hooks.get(place)).cloned().collect();
        let Self { event, sequential, has_per_file, ref warnings, .. } = *self;
        let warnings = warnings.clone();
        Some(Self { sequential, hooks, warnings, has_per_file, ..Self::of(event) })
    }

    /// A plan without hooks.
    fn of(event: EventName) -> Self {
        Self {
            event,
            sequential: false,
            hooks: Vec::new(),
            warnings: Vec::new(),
            has_per_file: false,
            index: OnceLock::new(),
            is_asked_again: Arc::default(),
        }
    }
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

/// Makes plans from a registry.
#[derive(Debug)]
pub struct HookPlanner {
    registry: Arc<HookRegistry>,
    /// In the order of [`EventName::ALL`].
    plans: [RwLock<PlanCache>; EventName::ALL.len()],
}

impl HookPlanner {
    /// A planner for the hooks of a registry.
    pub fn new(registry: Arc<HookRegistry>) -> Self {
        Self { registry, plans: Default::default() }
    }

    /// What is going to run for an event; `None` if nothing is. The target is the tool's name, or the word that a
    /// session event is about; without one every hook of the event matches. Events of agent and model have none.
    pub fn plan(&self, event: EventName, target: Option<&str>) -> Option<Arc<Plan>> {
        let target = target.filter(|_| event.matching() != Matching::Ignored);
        self.cached(event, target.as_slice())
    }

    /// The plan for something that goes by several names, such as a tool of another agent: a hook matches if its matcher
    /// matches one of them. A few such plans are kept.
    pub fn plan_also(&self, event: EventName, target: Option<&str>, also: &[String]) -> Option<Arc<Plan>> {
        #[cfg(test)]
        tests::fail_if_injected();
        if also.is_empty() {
            return self.plan(event, target);
        }
        let names: Vec<&str> = target.into_iter().chain(also.iter().map(String::as_str)).collect();
        self.cached(event, &names)
    }

    /// The plan for these names, made if it is not kept.
    fn cached(&self, event: EventName, names: &[&str]) -> Option<Arc<Plan>> {
        if !self.registry.listens_to(event) {
            return None;
        }
        // Read before planning: a change in between makes the plan outdated, never wrongly current.
        let changes = self.registry.changes();
        let cache = self.plans.get(event as usize)?;
        if let Some(plan) = cache.read().unwrap_or_else(PoisonError::into_inner).get(names, changes) {
            return plan.clone();
        }
        let plan = self.resolve(event, names, None).map(Arc::new);
        if names.iter().all(|name| name.len() <= MAX_NAME_BYTES) {
            let mut cache = cache.write().unwrap_or_else(PoisonError::into_inner);
            cache.insert(names, changes, plan.clone());
        }
        plan
    }

    /// Every hook that a plan for this event may contain. Where no plan can be made, any of them may have been meant.
    pub(crate) fn possible_hooks(&self, event: EventName) -> impl Iterator<Item = &Hook> {
        self.registry.runnable_for(event)
    }

    /// The same plan, and why the other hooks of the event are not in it.
    pub fn explain(&self, event: EventName, target: Option<&str>, also: &[String]) -> Explanation {
        let mut skipped = Vec::new();
        let names: Vec<&str> = target.into_iter().chain(also.iter().map(String::as_str)).collect();
        let plan = self.resolve(event, &names, Some(&mut skipped));
        order::sort_by_key(&mut skipped, |(rank, _)| *rank);
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
        let mut plan = Plan::of(event);
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
            plan.has_per_file |= per_file;
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

/// What hooks that say the same have in common.
type CommandKey<'r> = (&'r str, Option<&'r str>, Option<&'r Path>);

/// A hook that matches and may run.
struct PlanCandidate<'r> {
    rank: usize,
    registered: &'r Registered,
    verdict: MatchVerdict,
    /// It listens to the tools that write single files, and the call is a patch.
    per_file: bool,
    /// A hook of another level that has the same command as this one, which is the project's.
    displaced_by: Option<Arc<Hook>>,
}

/// Takes a hook into the plan unless its command is there already. Of hooks with the same command the first stays,
/// but a project's never displaces one of another level: with another timeout or environment it could switch a guard
/// of the user's off.
fn add_unless_duplicate<'r>(
    candidate: PlanCandidate<'r>,
    planned: &mut Vec<PlanCandidate<'r>>,
    by_command: &mut HashMap<CommandKey<'r>, usize>,
) -> Option<SkipReason> {
    let hook = &candidate.registered.hook;
    if let HookKind::Command(command) = &hook.kind {
        // Hooks that start under different conditions, or run in different projects, are different hooks.
        let key = (command.as_str(), hook.definition.as_deref(), hook.enclosing.as_deref());
        if let Some(first) = by_command.get(&key).and_then(|place| planned.get_mut(*place)) {
            let of = &first.registered.hook;
            if of.origin.level != Level::Project || hook.origin.level == Level::Project {
                return Some(SkipReason::Duplicate { of: Arc::clone(of) });
            }
            if !relative_words(command).is_empty() {
                // It would run a file of the project, which is refused: it must not take the project's guard along.
                planned.push(candidate);
                return None;
            }
            first.displaced_by = Some(Arc::clone(hook));
        }
        by_command.insert(key, planned.len());
    }
    planned.push(candidate);
    None
}

/// Whether a hook matches one of the names, and whether only because a patch amounts to calls of the tools that write
/// single files.
fn listens(hook: &Hook, targets: &[&str], steps: &mut Steps) -> (MatchVerdict, bool) {
    let is_patch = hook.event.has_tool() && targets.first() == Some(&PATCH_TOOL);
    if is_patch && hook.dialect.is_claude() {
        return (matches(hook, &TOOLS_OF_PATCH, steps), true); // It knows no patches.
    }
    let verdict = matches(hook, targets, steps);
    if verdict == MatchVerdict::No && is_patch {
        return (matches(hook, &TOOLS_OF_PATCH, steps), true);
    }
    (verdict, false)
}

/// Whether a hook matches one of the names; without any every hook does.
fn matches(hook: &Hook, targets: &[&str], steps: &mut Steps) -> MatchVerdict {
    if targets.is_empty() {
        return MatchVerdict::Yes;
    }
    let mut undecided = false;
    for target in targets {
        for word in hook.dialect.words(hook.event, target) {
            let verdict = match hook.event.matching() {
                Matching::Word { .. } if !hook.dialect.is_claude() => {
                    hook.matcher.matches_exactly(word).into()
                }
                Matching::Word { .. } | Matching::Tool => hook.matcher.matches_tool_within(word, steps),
                Matching::Ignored => MatchVerdict::Yes,
            };
            match verdict {
                MatchVerdict::Yes => return MatchVerdict::Yes,
                MatchVerdict::BoundReached => undecided = true,
                MatchVerdict::No => {}
            }
        }
    }
    if undecided { MatchVerdict::BoundReached } else { MatchVerdict::No }
}

/// Models invent tool names, so only so many are kept, none of them long.
const MAX_NAMES: usize = 1_024;
/// How many plans for several names are kept.
const MAX_NAMED: usize = 16;
/// Plans for longer names are not kept.
const MAX_NAME_BYTES: usize = 256;
/// How many hooks all kept plans of an event may hold together.
const MAX_PLANNED_HOOKS: usize = 65_536;

/// A plan; `None` where nothing runs.
type CachedPlan = Option<Arc<Plan>>;

/// The plans of one event, all from the same state of the registry.
#[derive(Debug, Default)]
struct PlanCache {
    changes: u64,
    by_target: HashMap<Box<str>, CachedPlan>,
    by_names: Vec<(Vec<String>, CachedPlan)>,
    planned_hooks: usize,
}

impl PlanCache {
    /// The plan for these names, if it was made at this count of changes.
    fn get(&self, names: &[&str], changes: u64) -> Option<&CachedPlan> {
        if self.changes != changes {
            return None;
        }
        match names {
            [target] => self.by_target.get(*target),
            names => self.by_names.iter().find(|(kept, _)| kept == names).map(|(_, plan)| plan),
        }
    }

    /// Keeps a plan. When a bound is reached, all plans are dropped: those in use are soon made again, and a name that is
    /// asked for once does not displace the others for long.
    fn insert(&mut self, names: &[&str], changes: u64, plan: CachedPlan) {
        let hooks = plan.as_ref().map_or(0, |plan| plan.hooks.len());
        let is_full = self.by_target.len() >= MAX_NAMES
            || self.by_names.len() >= MAX_NAMED
            || self.planned_hooks + hooks > MAX_PLANNED_HOOKS;
        if self.changes > changes {
            return; // Another thread has kept plans of a newer registry.
        }
        if self.changes < changes || is_full {
            *self = Self { changes, ..Self::default() };
        }
        self.planned_hooks += hooks;
        match names {
            [target] => _ = self.by_target.insert((*target).into(), plan),
            names => self.by_names.push((names.iter().map(|name| (*name).to_owned()).collect(), plan)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
