//! The merge strategies, as folds in plan order. Pure.
//!
//! Whatever the strategy, a block and a stop are sticky: no other hook undoes them. Everything depends on
//! the order of the plan alone, never on which hook finished first.

mod fields;
mod specific;

use std::time::Duration;

use crate::event::EventName;
use crate::hook::{AskReading, Hook, Level};
use crate::output::{HookOutput, first_not_blank};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{AggregatedHookResult, HookError};

pub(crate) use fields::merge_system_messages;

/// Merges the outputs of the hooks of one event.
#[derive(Debug, Clone, Copy, Default)]
pub struct HookAggregator {
    ask: AskReading,
    project_ask: AskReading,
}

impl HookAggregator {
    /// An aggregator that reads `ask` like this, and that of the project's own hooks like that.
    pub fn new(ask: AskReading, project_ask: AskReading) -> Self {
        Self { ask, project_ask }
    }

    fn ask_of(self, hook: &Hook) -> AskReading {
        match hook.origin.level {
            Level::Managed => AskReading::Person,
            _ if hook.is_own_projects() => self.project_ask,
            _ => self.ask,
        }
    }

    /// Merges finished runs, given in plan order. `sequential` says whether they ran as a chain, in which
    /// each hook saw what the ones before it changed.
    ///
    /// A policy block by exit 2 makes `success` false like any exit but 0, yet it is not an entry of `errors`:
    /// nothing went wrong.
    pub fn aggregate_results(
        &self,
        event: EventName,
        runs: &[HookRun],
        sequential: bool,
    ) -> AggregatedHookResult {
        let read = |run| RunOutput::of(run, self.ask_of(&run.hook));
        let answers: Vec<RunOutput<'_>> = runs.iter().filter_map(read).collect();
        AggregatedHookResult {
            success: runs.iter().all(HookRun::success),
            final_output: merge(event, &answers, sequential),
            all_outputs: answers.iter().map(|answer| answer.output.clone()).collect(),
            errors: runs.iter().filter_map(error_of).collect(),
            ask_reasons: answers.iter().filter_map(|answer| answer.ask_reason(event)).collect(),
            // Saturating, because a sum of durations panics where it overflows.
            total_duration: runs.iter().fold(Duration::ZERO, |sum, run| sum.saturating_add(run.duration)),
        }
    }
}

/// How the answers to an event become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeStrategy {
    /// Any block wins, then any ask; flags are OR-ed, texts join line by line. What is left undecided reads as
    /// allow.
    OrDecision,
    /// Later fields replace earlier ones, those of `hookSpecificOutput` one by one.
    FieldReplacement,
    /// Allowed tools are united and the most restrictive mode wins; texts join line by line.
    Union,
    /// Later fields replace earlier ones, `hookSpecificOutput` as a whole.
    Simple,
}

impl MergeStrategy {
    /// How the outputs of this event's hooks are merged.
    pub(crate) const fn of(event: EventName) -> Self {
        match event {
            EventName::BeforeTool
            | EventName::AfterTool
            | EventName::BeforeAgent
            | EventName::AfterAgent
            | EventName::SessionStart => Self::OrDecision,
            EventName::BeforeModel | EventName::AfterModel => Self::FieldReplacement,
            EventName::BeforeToolSelection => Self::Union,
            EventName::SessionEnd | EventName::PreCompress | EventName::Notification => Self::Simple,
        }
    }

    /// Whether the texts of all hooks are kept, line by line, or only the last one's.
    const fn joins_texts(self) -> bool {
        matches!(self, Self::OrDecision | Self::Union)
    }
}

/// One hook's output, and whether the hook failed: then the output is only a warning, which must not replace
/// anything in the output of a healthy hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunOutput<'a> {
    output: &'a HookOutput,
    failed: bool,
    ask: AskReading,
}

impl<'a> RunOutput<'a> {
    /// The output of a run, if it has one.
    pub(crate) fn of(run: &'a HookRun, ask: AskReading) -> Option<Self> {
        Some(Self { output: run.output.as_ref()?, failed: run.failure().is_some(), ask })
    }

    /// Whether the hook asks for a person's decision, and its settings allow that.
    fn asks(&self, event: EventName) -> bool {
        self.ask == AskReading::Person && self.output.asks(event)
    }

    /// Why the hook asks for a person's decision, if it does and gives a reason.
    fn ask_reason(&self, event: EventName) -> Option<String> {
        let output = Some(self.output).filter(|_| self.asks(event))?;
        first_not_blank([output.permission_reason(), output.reason.as_deref()]).map(str::to_owned)
    }

    /// Whether the hook failed.
    pub(crate) const fn failed(&self) -> bool {
        self.failed
    }
}

fn error_of(run: &HookRun) -> Option<HookError> {
    let failure = run.failure().cloned()?;
    Some(HookError::Hook { name: run.hook.name.clone(), failure })
}

fn merge(event: EventName, answers: &[RunOutput<'_>], sequential: bool) -> Option<HookOutput> {
    if answers.is_empty() {
        return None;
    }
    Some(HookOutput {
        decision: fields::merge_decisions(event, answers),
        reason: fields::merge_reasons(event, answers),
        continue_: fields::merge_continue(answers),
        stop_reason: fields::merge_stop_reasons(answers),
        suppress_output: fields::merge_suppress_output(event, answers),
        system_message: merge_system_messages(event, answers),
        hook_specific_output: match MergeStrategy::of(event) {
            MergeStrategy::OrDecision => specific::combine(event, answers),
            MergeStrategy::FieldReplacement => {
                specific::replace_fields(answers, sequential && event == EventName::BeforeModel)
            }
            MergeStrategy::Union => specific::unite(answers),
            MergeStrategy::Simple => specific::replace(answers),
        },
        extra: fields::merge_extra(answers),
    })
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
