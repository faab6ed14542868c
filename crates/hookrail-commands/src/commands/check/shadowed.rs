//! Rules that decide nothing, because another rule of the same file blocks whatever they would block or ask about.
//!
//! Only what is certain is reported. Rules of different files are not compared: the other file may be changed, disabled or
//! not approved without this one.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hookrail::components::{HookKind, Level};
use hookrail::rules::Rule;
use hookrail::settings::{ResolvedHook, ResolvedSettings};
use hookrail::{DiagnosticCode, EventName};

use super::finding::{Finding, Severity};

/// How many rules are compared with one another in all. Files with hundreds of rules for one event are written by
/// programs, and this finding is not worth the wait.
const MOST_COMPARISONS: usize = 20_000;

/// The rules of each file and event that run for the same calls, in the order of the settings, with their indexes.
type Groups<'s> = HashMap<(&'s Path, &'s Level, EventName), Vec<(usize, &'s Rule)>>;

/// Findings about all rules that decide nothing, by their indexes. `disabled` has the hooks that are off one by one.
pub(super) fn shadowed(
    settings: &ResolvedSettings,
    disabled: &HashSet<usize>,
    is_observed: impl Fn(EventName) -> bool,
) -> Vec<(usize, Finding)> {
    // In a chain a hook between two rules may change what the second one is asked about.
    let chained: HashSet<EventName> = settings
        .hooks
        .iter()
        .map(|resolved| &resolved.hook)
        .filter(|hook| hook.sequential)
        .map(|hook| hook.event)
        .collect();
    let mut groups = Groups::new();
    for (index, ResolvedHook { hook, .. }) in settings.hooks.iter().enumerate() {
        let HookKind::Rule(rule) = &hook.kind else { continue };
        let counts = hook.event.can_block() && !is_observed(hook.event) && !chained.contains(&hook.event);
        if counts && !disabled.contains(&index) {
            let place = (hook.origin.file.as_path(), &hook.origin.level, hook.event);
            groups.entry(place).or_default().push((index, rule));
        }
    }
    let mut comparisons = 0;
    let mut found = Vec::new();
    for group in groups.values() {
        for (place, (index, narrow)) in group.iter().enumerate() {
            let asks = !narrow.output().is_blocking_decision();
            // Of two blocks the first one gives its reason first. A question is never put where anything blocks.
            let others =
                group.iter().enumerate().filter(|(other, _)| *other < place || (asks && *other > place));
            let mut others = others.take(MOST_COMPARISONS - comparisons).inspect(|_| comparisons += 1);
            let by = others.find(|(_, (by, wide))| covers(settings, *by, *index) && wide.shadows(narrow));
            let finding = by.and_then(|(_, (by, _))| finding(settings, *index, *by, asks));
            found.extend(finding.map(|finding| (*index, finding)));
        }
    }
    found
}

/// How bad it is that another rule blocks the same calls, and what to do. A question then never has an effect; a block still
/// gives its reason beside the other one.
fn finding(settings: &ResolvedSettings, index: usize, by: usize, asks: bool) -> Option<Finding> {
    let (narrow, wide) = (&settings.hooks.get(index)?.hook, &settings.hooks.get(by)?.hook);
    let (severity, effect, help) = if asks {
        (Severity::Warning, "never asks", "remove it, or make the other one narrower")
    } else {
        (Severity::Note, "decides nothing", "remove it, unless its reason is wanted beside the other one's")
    };
    let (name, by, line) = (&narrow.name, &wide.name, wide.origin.line);
    let message =
        format!("rule `{name}` {effect}: `{by}` (line {line}) already blocks every call that it is for");
    Some(Finding::new(severity, DiagnosticCode::RuleShadowed, message, help))
}

/// Whether one hook is asked whenever the other one is: its matcher takes at least the same tools, and its approval
/// is in the same state.
fn covers(settings: &ResolvedSettings, wide: usize, narrow: usize) -> bool {
    let (Some(wide), Some(narrow)) = (settings.hooks.get(wide), settings.hooks.get(narrow)) else {
        return false;
    };
    let takes_all = wide.hook.matcher.matches_everything();
    let waits = |resolved: &ResolvedHook| resolved.trust.not_approved().is_some();
    let same_matcher = wide.hook.matcher.text() == narrow.hook.matcher.text();
    (takes_all || same_matcher) && waits(wide) == waits(narrow)
}
