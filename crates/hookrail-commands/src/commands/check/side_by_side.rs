//! Findings that need all hooks side by side, as if everything were approved: disabled ones, duplicates, rules that
//! decide nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use hookrail::components::{
    DisabledBy, DisabledList, HookPlanner, HookRegistry, Level, Matching, SkipReason,
};
use hookrail::settings::ResolvedSettings;
use hookrail::{DiagnosticCode, EventName, Hook};
use hookrail_agent::tools::ToolTable;

use super::finding::Finding;
use super::{Check, shadowed};
use crate::display::{name_operand, shown};

impl Check<'_> {
    /// Hooks that a list turned off. It is a note, because it was intended; the help names the list that has to
    /// change.
    pub(super) fn disabled(&mut self, hooks: &AsIfApproved) {
        for event in EventName::ALL {
            for (index, why) in hooks.skipped(event, None) {
                let SkipReason::Disabled(DisabledBy::List(list)) = &why else { continue };
                let Some(resolved) = self.settings.hooks.get(index) else { continue };
                let name = &resolved.hook.name;
                let project = *list == DisabledList::Settings(Level::Project);
                let message = format!("hook `{name}` is {why}");
                let flag = if project { " --project" } else { "" };
                let help = format!("`hookrail enable{flag} {}` turns it on", name_operand(name));
                self.at_hook(index, Finding::note(DiagnosticCode::HookDisabled, message, help));
            }
        }
    }

    /// Hooks whose command another hook of higher rank runs already. Approval is left out of it: what is
    /// dropped is dropped once everything is approved.
    /// Targets are tried one by one, because a duplicate may be one for some tools only.
    pub(super) fn duplicates(&mut self, hooks: &AsIfApproved) {
        let all = || self.settings.hooks.iter().map(|resolved| &*resolved.hook);
        let mut dropped: BTreeMap<usize, (Arc<Hook>, Vec<String>)> = BTreeMap::new();
        for event in EventName::ALL {
            for target in targets(event, all().filter(|hook| hook.event == event)) {
                for (index, why) in hooks.skipped(event, target.as_deref()) {
                    let SkipReason::Duplicate { of } = why else { continue };
                    let (_, targets) = dropped.entry(index).or_insert_with(|| (of, Vec::new()));
                    targets.extend(target.clone());
                }
            }
        }
        for (index, (of, targets)) in dropped {
            let about =
                if targets.is_empty() { String::new() } else { format!(" for {}", targets.join(", ")) };
            let place = format!("{}:{}", shown(&of.origin.file, self.context), of.origin.line);
            let message =
                format!("this hook is dropped{about}: `{}` ({place}) runs the same command", of.name);
            let finding =
                Finding::warning(DiagnosticCode::DuplicateCommand, message, "remove one of the two");
            self.at_hook(index, finding);
        }
    }

    /// Rules that decide nothing because another one blocks the same calls.
    /// Hooks that are disabled shadow nothing.
    pub(super) fn shadowed(&mut self, hooks: &AsIfApproved) {
        let disabled = EventName::ALL.into_iter().flat_map(|event| hooks.skipped(event, None));
        let disabled = disabled.filter(|(_, why)| matches!(why, SkipReason::Disabled(_)));
        let disabled: HashSet<usize> = disabled.map(|(index, _)| index).collect();
        let effects = self.settings.agent_events();
        for (index, finding) in
            shadowed::shadowed(self.settings, &disabled, |event| effects.only_observes(event))
        {
            self.at_hook(index, finding);
        }
    }
}

/// What hooks of an event can be asked about: the agent's tools, or the words that matchers name.
/// An event without a target is asked once, without one.
fn targets<'h>(event: EventName, hooks: impl Iterator<Item = &'h Hook>) -> Vec<Option<String>> {
    match event.matching() {
        Matching::Tool => {
            ToolTable::standard().names().into_iter().map(|name| Some(name.to_owned())).collect()
        }
        Matching::Word { .. } | Matching::Ignored => {
            let words: BTreeSet<&str> = hooks.filter_map(|hook| hook.matcher.text()).collect();
            if words.is_empty() {
                return vec![None];
            }
            words.into_iter().map(|word| Some(word.to_owned())).collect()
        }
    }
}

/// All hooks as if they were approved.
/// Findings about matching and duplicates hold for the day when everything is approved, so an approval that is missing
/// must not hide them.
pub(super) struct AsIfApproved {
    planner: HookPlanner,
    /// By rank, as the planner lists hooks, each with its index in the settings.
    ranked: Vec<(usize, Arc<Hook>)>,
}

/// Where a hook is in the settings, and its name.
fn place(hook: &Hook) -> (&Level, &Path, usize, EventName, &str) {
    (&hook.origin.level, &hook.origin.file, hook.origin.line, hook.event, &hook.name)
}

impl AsIfApproved {
    pub(super) fn new(settings: &ResolvedSettings) -> Self {
        let registry = Arc::new(HookRegistry::trusting(settings.hook_list(), &settings.disabled));
        let registered = registry.all_hooks();
        // Hooks that are alike in all of these are kept in their order by the registry.
        let mut by_place: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (index, resolved) in settings.hooks.iter().enumerate() {
            by_place.entry(place(&resolved.hook)).or_default().push_back(index);
        }
        let ranked = registered.iter().filter_map(|status| {
            let index = by_place.get_mut(&place(&status.hook))?.pop_front()?;
            Some((index, Arc::clone(&status.hook)))
        });
        Self { ranked: ranked.collect(), planner: HookPlanner::new(registry) }
    }

    /// What the hooks of an event are left out for, by their index in the settings.
    fn skipped(&self, event: EventName, target: Option<&str>) -> Vec<(usize, SkipReason)> {
        let skipped = self.planner.explain(event, target, &[]).skipped.into_iter();
        // Both lists are by rank, so that one pass finds them all.
        let mut ranked = self.ranked.iter();
        skipped
            .filter_map(|skipped| {
                let (index, _) = ranked.find(|(_, hook)| Arc::ptr_eq(hook, &skipped.hook))?;
                Some((*index, skipped.why))
            })
            .collect()
    }
}
