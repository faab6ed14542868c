//! Which hooks run for an event, in which order. Pure; remembers plans, bounded.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::event::{EventName, Matching};
use crate::hook::{Hook, HookKind, Level};
use crate::matcher::{MatchVerdict, Steps};
use crate::plan::registry::{DisabledBy, DisabledList, HookRegistry, Registered};
use crate::plan::silent::SilentNames;
use crate::trust::{RelativeFiles, Seal, relative_words};

/// Models invent tool names, so only so many are remembered, none of them long.
const MAX_NAMES: usize = 1_024;
const MAX_NAME_BYTES: usize = 256;
/// How many hooks all remembered plans of an event may hold together.
const MAX_PLANNED_HOOKS: usize = 65_536;

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
    /// What the user should know about how the plan came about.
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
    /// What it must not find in the folder that it runs in. Found out here, because a plan serves many events.
    pub(crate) relative_files: RelativeFiles,
}

impl Deref for PlannedHook {
    type Target = Hook;

    fn deref(&self) -> &Hook {
        &self.hook
    }
}

/// What is going to run for an event, and why the rest is not.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The plan, if there is anything to run.
    pub plan: Option<Plan>,
    /// The other hooks of the event, by rank.
    pub skipped: Vec<Skipped>,
}

/// A hook that does not run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Skipped {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Why not: the reason that came first.
    pub why: SkipReason,
    /// Further reasons: without the first one these would keep it from running all the same.
    pub also: Vec<SkipReason>,
}

impl Skipped {
    /// Every reason, the first one first.
    pub fn reasons(&self) -> impl Iterator<Item = &SkipReason> {
        std::iter::once(&self.why).chain(&self.also)
    }
}

/// Why a hook does not run.
#[derive(Debug, Clone)]
pub enum SkipReason {
    /// Somebody disabled it.
    Disabled(DisabledBy),
    /// The user has not approved it.
    NotApproved {
        /// What is missing.
        why: String,
    },
    /// It listens to something else.
    MatcherDoesNotMatch {
        /// Its matcher.
        matcher: String,
        /// What the event is about.
        target: String,
    },
    /// It is a rule whose condition does not hold.
    RuleDoesNotHold,
    /// Its `when` does not hold, so that it is not started.
    WhenDoesNotHold,
    /// A hook of higher rank runs the same command.
    Duplicate {
        /// That hook.
        of: Arc<Hook>,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled(DisabledBy::List(DisabledList::Settings(level))) => {
                write!(f, "disabled by `hooksConfig.disabled` in {level} settings")
            }
            Self::Disabled(DisabledBy::List(DisabledList::ForThisProject)) => {
                f.write_str("disabled by you for this project (`hookrail enable` turns it on)")
            }
            Self::Disabled(DisabledBy::RunTime) => f.write_str("disabled at run time"),
            Self::NotApproved { why } => write!(f, "not approved: {why}"),
            Self::MatcherDoesNotMatch { matcher, target } => {
                write!(f, "matcher `{}` does not match `{}`", clipped(matcher), clipped(target))
            }
            Self::RuleDoesNotHold => f.write_str("its condition does not hold"),
            Self::WhenDoesNotHold => f.write_str("its `when` does not hold"),
            Self::Duplicate { of } => {
                write!(f, "duplicate of `{}`", clipped(&of.name))?;
                if of.origin.line > 0 {
                    write!(f, " ({}:{})", of.origin.file.display(), of.origin.line)?;
                }
                Ok(())
            }
        }
    }
}

/// Makes plans from a registry.
#[derive(Debug)]
pub struct HookPlanner {
    registry: Arc<HookRegistry>,
    remembered: [RwLock<Remembered>; EventName::ALL.len()],
    /// Some of the names that are remembered as having no plan, for a faster answer.
    silent: [OnceLock<Box<SilentNames>>; EventName::ALL.len()],
}

impl HookPlanner {
    /// A planner for the hooks of a registry.
    pub fn new(registry: Arc<HookRegistry>) -> Self {
        Self { registry, remembered: Default::default(), silent: Default::default() }
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
        let silent = self.silent.get(event as usize)?;
        if let (Some(target), Some(silent)) = (target, silent.get())
            && silent.holds(target, changes)
        {
            return None;
        }
        let remembered = self.remembered.get(event as usize)?;
        if let Some(CachedPlan(plan)) =
            remembered.read().unwrap_or_else(PoisonError::into_inner).recall(target, changes)
        {
            return plan.clone();
        }
        let plan = self.resolve(event, target.as_slice(), None).map(Arc::new);
        if target.is_none_or(|target| target.len() <= MAX_NAME_BYTES) {
            if let (Some(target), None) = (target, &plan) {
                silent.get_or_init(Box::default).add(target, changes);
            }
            let mut remembered = remembered.write().unwrap_or_else(PoisonError::into_inner);
            remembered.remember(target, changes, CachedPlan(plan.clone()));
        }
        plan
    }

    /// The plan for something that goes by several names, such as a tool of another agent: a hook matches if its matcher
    /// matches one of them. Only plans for one name are remembered.
    pub fn plan_also(&self, event: EventName, target: Option<&str>, also: &[String]) -> Option<Arc<Plan>> {
        #[cfg(test)]
        tests::fail_if_injected();
        if also.is_empty() {
            return self.plan(event, target);
        }
        let names: Vec<&str> = target.into_iter().chain(also.iter().map(String::as_str)).collect();
        self.registry.listens_to(event).then(|| self.resolve(event, &names, None))?.map(Arc::new)
    }

    /// The same plan, and why the other hooks of the event are not in it.
    pub fn explain(&self, event: EventName, target: Option<&str>) -> Explanation {
        let mut skipped = Vec::new();
        let plan = self.resolve(event, target.as_slice(), Some(&mut skipped));
        skipped.sort_by_key(|(rank, _)| *rank);
        Explanation { plan, skipped: skipped.into_iter().map(|(_, skipped)| skipped).collect() }
    }

    fn resolve(
        &self,
        event: EventName,
        targets: &[&str],
        mut skipped: Option<&mut Vec<(usize, Skipped)>>,
    ) -> Option<Plan> {
        let mut planned: Vec<Candidate<'_>> = Vec::new();
        let mut by_command: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        let mut steps = Steps::default();
        for (rank, registered) in self.registry.registered_for(event).enumerate() {
            let hook = &registered.hook;
            // Only a hook that runs may replace another one with the same command.
            let reason = if let Some(by) = registered.disabled_by() {
                Some(SkipReason::Disabled(by))
            } else if let Some(why) = registered.not_approved() {
                Some(SkipReason::NotApproved { why: why.to_owned() })
            } else {
                match matches(hook, targets, &mut steps) {
                    MatchVerdict::No if skipped.is_none() => continue,
                    MatchVerdict::No => Some(does_not_match(hook, targets)),
                    verdict => {
                        let candidate = Candidate { rank, registered, verdict, displaced_by: None };
                        admit(candidate, &mut planned, &mut by_command)
                    }
                }
            };
            if let (Some(skipped), Some(why)) = (skipped.as_deref_mut(), reason) {
                let also = further_reasons(registered, targets, &why, &mut steps);
                skipped.push((rank, Skipped { hook: Arc::clone(hook), why, also }));
            }
        }
        let mut plan = Plan { event, sequential: false, hooks: Vec::new(), warnings: Vec::new() };
        for Candidate { rank, registered, verdict, displaced_by } in planned {
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
                relative_files: RelativeFiles::of(hook),
            });
        }
        (!plan.hooks.is_empty()).then_some(plan)
    }
}

/// A hook that matches and may run.
struct Candidate<'r> {
    rank: usize,
    registered: &'r Registered,
    verdict: MatchVerdict,
    /// A hook of another level that has the same command as this one, which is the project's.
    displaced_by: Option<Arc<Hook>>,
}

/// Takes a hook into the plan unless its command is there already. Of hooks with the same command the first stays,
/// but a project's never displaces one of another level: with another timeout or environment it could switch a guard
/// of the user's off.
fn admit<'r>(
    candidate: Candidate<'r>,
    planned: &mut Vec<Candidate<'r>>,
    by_command: &mut HashMap<(&'r str, Option<&'r str>), usize>,
) -> Option<SkipReason> {
    let hook = &candidate.registered.hook;
    if let HookKind::Command(command) = &hook.kind {
        // Hooks that start under different conditions are different hooks.
        let key = (command.as_str(), hook.definition.as_deref());
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

/// Whether a hook matches one of the names; without any every hook does.
fn matches(hook: &Hook, targets: &[&str], steps: &mut Steps) -> MatchVerdict {
    if targets.is_empty() {
        return MatchVerdict::Yes;
    }
    let mut undecided = false;
    for target in targets {
        let verdict = match hook.event.matching() {
            Matching::Tool => hook.matcher.matches_tool_within(target, steps),
            Matching::Word { .. } => hook.matcher.matches_exactly(target).into(),
            Matching::Ignored => MatchVerdict::Yes,
        };
        match verdict {
            MatchVerdict::Yes => return MatchVerdict::Yes,
            MatchVerdict::BoundReached => undecided = true,
            MatchVerdict::No => {}
        }
    }
    if undecided { MatchVerdict::BoundReached } else { MatchVerdict::No }
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
        && let Some(why) = registered.not_approved()
    {
        reasons.push(SkipReason::NotApproved { why: why.to_owned() });
    }
    if matches!(first, SkipReason::Disabled(_) | SkipReason::NotApproved { .. })
        && matches(&registered.hook, targets, steps) == MatchVerdict::No
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

/// A text that is short enough for a line.
fn clipped(text: &str) -> impl fmt::Display {
    let end = text.char_indices().nth(80).map_or(text.len(), |(end, _)| end);
    let dots = if end < text.len() { "…" } else { "" };
    fmt::from_fn(move |f| write!(f, "{}{dots}", text.get(..end).unwrap_or_default()))
}

/// A plan or the knowledge that there is none.
#[derive(Debug)]
struct CachedPlan(Option<Arc<Plan>>);

/// The answers of one event, all from the same state of the registry.
#[derive(Debug, Default)]
struct Remembered {
    changes: u64,
    without_target: Option<CachedPlan>,
    by_target: HashMap<Box<str>, CachedPlan>,
    planned_hooks: usize,
}

impl Remembered {
    fn recall(&self, target: Option<&str>, changes: u64) -> Option<&CachedPlan> {
        if self.changes != changes {
            return None;
        }
        match target {
            None => self.without_target.as_ref(),
            Some(target) => self.by_target.get(target),
        }
    }

    /// When there is no room all is forgotten: the names that matter are soon back, and one that is asked for
    /// once does not displace the others for long.
    fn remember(&mut self, target: Option<&str>, changes: u64, answer: CachedPlan) {
        let hooks = answer.0.as_ref().map_or(0, |plan| plan.hooks.len());
        let is_full = self.by_target.len() >= MAX_NAMES || self.planned_hooks + hooks > MAX_PLANNED_HOOKS;
        if self.changes > changes {
            return; // Somebody was faster, with a newer registry.
        }
        if self.changes < changes || is_full {
            *self = Self { changes, ..Self::default() };
        }
        self.planned_hooks += hooks;
        match target {
            None => self.without_target = Some(answer),
            Some(target) => {
                self.by_target.insert(target.into(), answer);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
