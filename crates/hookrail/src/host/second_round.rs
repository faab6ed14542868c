//! A project's hook that changes the arguments of a tool call must not carry them past the hooks of the user and the
//! system: those that saw the old ones, and guards of enclosing projects, are asked once more, about the new ones. A block of that round counts, changes
//! do not, so that there is no third.

use std::sync::Arc;

use serde_json::Value;

use crate::event::Event;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, Level, OnFailure};
use crate::output::HookOutput;
use crate::verdict::hook_run::HookRun;

/// Who is asked again, and about what.
pub(super) struct SecondRound {
    /// The arguments as they became.
    pub(super) tool_input: JsonObject,
    /// The hooks that have not seen them, in the order of the plan.
    pub(super) hooks: Vec<Arc<Hook>>,
}

impl SecondRound {
    /// What is to be asked after the first round; `None` if nothing is. `merged` is what the first round came to.
    pub(super) fn after<'h>(
        event: &Event<'_>,
        runs: &[HookRun],
        not_held: impl Iterator<Item = &'h Arc<Hook>>,
        merged: Option<&HookOutput>,
        sequential: bool,
    ) -> Option<Self> {
        let Event::BeforeTool { tool_input: given, .. } = event else { return None };
        let merged = merged.filter(|output| !output.blocks(event.name()))?;
        let Some(Value::Object(changes)) = merged.specific("tool_input") else { return None };
        let differs = |changes: &JsonObject| changes.iter().any(|(key, value)| given.get(key) != Some(value));
        if !differs(changes) {
            return None;
        }
        let is_change_by_project = |run: &HookRun| {
            let changes = run.output.as_ref().and_then(|output| output.specific("tool_input"));
            run.hook.origin.level == Level::Project
                && matches!(changes, Some(Value::Object(changes)) if !changes.is_empty())
        };
        let last_change = runs.iter().rposition(is_change_by_project)?;
        // In a chain, hooks behind the change have seen it.
        let saw_old = |place: usize| !sequential || place < last_change;
        let mut hooks: Vec<Arc<Hook>> = runs
            .iter()
            .enumerate()
            .filter(|(place, run)| !run.hook.is_own_projects() && saw_old(*place))
            .map(|(_, run)| Arc::clone(&run.hook))
            // A condition that did not hold for the old arguments may hold for the new ones.
            .chain(not_held.filter(|hook| !hook.is_own_projects()).cloned())
            .collect();
        // One that was called for several files is asked once more for each.
        hooks.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let mut tool_input = (*given).clone();
        tool_input.extend(changes.iter().map(|(key, value)| (key.clone(), value.clone())));
        (!hooks.is_empty()).then_some(Self { tool_input, hooks })
    }
}

/// What counts of a second round: the runs that block, or that failed and are set to block then, without the changes
/// that they ask for.
pub(super) fn objections(event: &Event<'_>, runs: Vec<HookRun>) -> Vec<HookRun> {
    let mut runs = runs;
    runs.retain(|run| {
        let objects = run.output.as_ref().is_some_and(|output| output.blocks(event.name()));
        objects || (run.failure().is_some() && run.hook.on_failure == OnFailure::Block)
    });
    for run in &mut runs {
        let specific = run.output.as_mut().and_then(|output| output.hook_specific_output.as_mut());
        if let Some(specific) = specific {
            specific.remove("tool_input");
        }
    }
    runs
}
