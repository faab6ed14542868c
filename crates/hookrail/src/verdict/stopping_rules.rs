//! Which rules stop an operation, and whether a person can let it pass nevertheless.

use crate::event::EventName;
use crate::hook::{Hook, Level, OnFailure};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{BlockCause, ProcessedHookResult};

/// The rules that block an operation or leave it to a person.
#[derive(Debug)]
#[non_exhaustive]
pub struct StoppingRules<'a> {
    /// Each once, in the order of the plan.
    pub rules: Vec<&'a Hook>,
    /// Why a person cannot let it pass; `None` if one can.
    pub obstacle: Option<String>,
    /// Whether they block it, as opposed to asking.
    pub is_block: bool,
}

impl ProcessedHookResult {
    /// The rules that stop this operation; `None` if no rule does.
    pub fn stopping_rules(&self) -> Option<StoppingRules<'_>> {
        let event = self.event;
        let is_blocked = self.block.is_some();
        if !is_blocked && self.ask.is_none() {
            return None;
        }
        let stops = |run: &&HookRun| {
            let output = run.output.as_ref();
            output.is_some_and(|output| if is_blocked { output.blocks(event) } else { output.asks(event) })
        };
        let stopping: Vec<&Hook> = self.runs.iter().filter(stops).map(|run| &*run.hook).collect();
        let mut rules: Vec<&Hook> = Vec::new();
        for hook in stopping.iter().filter(|hook| hook.type_name() == "rule") {
            if !rules.iter().any(|rule| std::ptr::eq(*rule, *hook)) {
                rules.push(hook);
            }
        }
        (!rules.is_empty()).then(|| StoppingRules {
            rules,
            obstacle: self.obstacle(&stopping),
            is_block: is_blocked,
        })
    }

    fn obstacle(&self, stopping: &[&Hook]) -> Option<String> {
        if self.event != EventName::BeforeTool {
            return Some("only tool calls can be allowed".to_owned());
        }
        if let Some(hook) = stopping.iter().find(|hook| !hook.can_be_lifted()) {
            let (name, level) = (&hook.name, &hook.origin.level);
            return Some(match level {
                _ if hook.type_name() != "rule" => {
                    format!("the hook `{name}` stops it too, and only rules can be lifted")
                }
                Level::Managed => format!("the rule `{name}` is in the policy of this machine"),
                Level::System => format!("the rule `{name}` is in the system's settings"),
                _ => format!("the rule `{name}` is not in your settings or the project's"),
            });
        }
        let failed = |run: &HookRun| run.failure().is_some() && run.hook.on_failure == OnFailure::Block;
        let is_failure = self.block.as_ref().is_some_and(|block| block.cause == BlockCause::Failure)
            || self.refused.iter().any(|refused| refused.why.blocks())
            || self.runs.iter().any(failed);
        if is_failure {
            return Some("a guard that does not work blocks it too".to_owned());
        }
        let changes =
            |run: &HookRun| run.output.as_ref().is_some_and(|output| output.specific("tool_input").is_some());
        let is_changed = self.runs.iter().any(changes);
        is_changed.then(|| "a hook changed its arguments".to_owned())
    }
}
