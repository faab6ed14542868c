//! Plans that were made before, bounded in number and size.

use std::collections::HashMap;
use std::sync::Arc;

use super::Plan;

/// Models invent tool names, so only so many are kept, none of them long.
pub(super) const MAX_NAMES: usize = 1_024;
/// Plans for longer names are not kept.
pub(super) const MAX_NAME_BYTES: usize = 256;
/// How many hooks all kept plans of an event may hold together.
pub(super) const MAX_PLANNED_HOOKS: usize = 65_536;

/// A plan, or `None` where nothing runs.
#[derive(Debug)]
pub(super) struct CachedPlan(pub(super) Option<Arc<Plan>>);

/// The plans of one event, all from the same state of the registry.
#[derive(Debug, Default)]
pub(super) struct PlanCache {
    changes: u64,
    without_target: Option<CachedPlan>,
    pub(super) by_target: HashMap<Box<str>, CachedPlan>,
    pub(super) planned_hooks: usize,
}

impl PlanCache {
    /// The plan for a target, if it was made at this count of changes.
    pub(super) fn get(&self, target: Option<&str>, changes: u64) -> Option<&CachedPlan> {
        if self.changes != changes {
            return None;
        }
        match target {
            None => self.without_target.as_ref(),
            Some(target) => self.by_target.get(target),
        }
    }

    /// Keeps a plan. When a bound is reached, all plans are dropped: those in use are soon made again, and a name that is
    /// asked for once does not displace the others for long.
    pub(super) fn insert(&mut self, target: Option<&str>, changes: u64, plan: CachedPlan) {
        let hooks = plan.0.as_ref().map_or(0, |plan| plan.hooks.len());
        let is_full = self.by_target.len() >= MAX_NAMES || self.planned_hooks + hooks > MAX_PLANNED_HOOKS;
        if self.changes > changes {
            return; // Another thread has kept plans of a newer registry.
        }
        if self.changes < changes || is_full {
            *self = Self { changes, ..Self::default() };
        }
        self.planned_hooks += hooks;
        match target {
            None => self.without_target = Some(plan),
            Some(target) => {
                self.by_target.insert(target.into(), plan);
            }
        }
    }
}
