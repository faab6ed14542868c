//! Findings about one hook at a time: what it starts, and whether its output has an effect.

use std::collections::HashSet;

use hookrail::components::{ForkObstacle, fork_obstacle};
use hookrail::components::{HookKind, OnFailure};
use hookrail::{DiagnosticCode, Hook};

use super::finding::{Finding, Severity};
use super::{Check, program};
use crate::effect::{NO_EFFECT_HERE, why_observed};

impl Check<'_> {
    /// Hooks whose outputs the agent only observes, one finding for each event; and rules that block what cannot be
    /// blocked.
    /// One for each event and not for each hook, since the setting that helps is one for all.
    pub(super) fn observed(&mut self) {
        let effects = self.settings.agent_events();
        let mut seen = HashSet::new();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let event = resolved.hook.event;
            if effects.only_observes(event) && seen.insert(event) {
                let message = format!("a block or a change by a hook of {event} {NO_EFFECT_HERE}");
                let finding = Finding::note(DiagnosticCode::OnlyObserved, message, why_observed(event));
                self.at_hook(index, finding);
            } else if !event.can_block() && blocks(&resolved.hook) {
                let message = format!("the block of this rule {NO_EFFECT_HERE}: {event} cannot be blocked");
                let help = "block in BeforeTool, BeforeModel, BeforeAgent or AfterAgent";
                self.at_hook(index, Finding::warning(DiagnosticCode::BlockInVain, message, help));
            }
        }
    }

    /// Commands that cannot be started as they are written, and workers that cannot be forked.
    pub(super) fn commands(&mut self) {
        let environment = hookrail::components::inherited_environment();
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            let hook = &resolved.hook;
            let obstacle = fork_obstacle(hook, environment.clone(), self.context.project());
            let Some(obstacle) = obstacle else { continue };
            let severity = match obstacle {
                ForkObstacle::NotPython(_) => Severity::Warning,
                ForkObstacle::NotTheSame(_) => Severity::Note,
            };
            let message = format!("`\"worker\": \"fork\"` has no effect: the hook {}", obstacle.why());
            let help = "each event starts a process of its own";
            self.at_hook(index, Finding::new(severity, DiagnosticCode::ForkWithoutEffect, message, help));
        }
        for (index, resolved) in self.settings.hooks.iter().enumerate() {
            if let Some(message) = crate::services::problem(&resolved.hook, &self.context.paths.home) {
                let hook = &resolved.hook;
                let blocks = hook.on_failure == OnFailure::Block && hook.event.is_guarded();
                let effect = if blocks { "is refused" } else { "passes" };
                let help = format!("until then the hook fails, and {} {effect}", hook.event);
                self.at_hook(index, Finding::error(DiagnosticCode::InvalidValue, message, help));
            }
        }
        let commands = self.settings.hooks.iter().enumerate().filter_map(|(index, resolved)| {
            match &resolved.hook.kind {
                // Others are reported by the engine, and nothing can be asked about them.
                HookKind::Command(command) if !command.contains('\0') => {
                    Some((index, &*resolved.hook, command.as_str()))
                }
                _ => None,
            }
        });
        for (index, problem) in program::all_problems(&commands.collect::<Vec<_>>(), self.context) {
            self.at_hook(index, problem);
        }
    }
}

/// Whether a hook is a rule that blocks.
fn blocks(hook: &Hook) -> bool {
    matches!(&hook.kind, HookKind::Rule(rule) if rule.output().is_blocking_decision())
}
