//! Which hooks match an event, and which one of several with the same command runs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::SkipReason;
use crate::event::Matching;
use crate::hook::{Hook, HookKind, Level};
use crate::matcher::{MatchVerdict, Steps};
use crate::plan::registry::Registered;
use crate::rules::{PATCH_TOOL, TOOLS_OF_PATCH};
use crate::trust::relative_words;

/// What hooks that say the same have in common.
pub(super) type CommandKey<'r> = (&'r str, Option<&'r str>, Option<&'r Path>);

/// A hook that matches and may run.
pub(super) struct PlanCandidate<'r> {
    pub(super) rank: usize,
    pub(super) registered: &'r Registered,
    pub(super) verdict: MatchVerdict,
    /// It listens to the tools that write single files, and the call is a patch.
    pub(super) per_file: bool,
    /// A hook of another level that has the same command as this one, which is the project's.
    pub(super) displaced_by: Option<Arc<Hook>>,
}

/// Takes a hook into the plan unless its command is there already. Of hooks with the same command the first stays,
/// but a project's never displaces one of another level: with another timeout or environment it could switch a guard
/// of the user's off.
pub(super) fn add_unless_duplicate<'r>(
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
pub(super) fn listens(hook: &Hook, targets: &[&str], steps: &mut Steps) -> (MatchVerdict, bool) {
    let verdict = matches(hook, targets, steps);
    let is_patch = hook.event.has_tool() && targets.first() == Some(&PATCH_TOOL);
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
