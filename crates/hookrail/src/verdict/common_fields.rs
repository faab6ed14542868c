//! The one place where the common fields of a merged output are read, for all callers.

use std::fmt::Display;

use crate::event::EventName;
use crate::hook::{AskReading, Hook, HookKind, OnFailure};
use crate::output::{DEFAULT_ASK_REASON, Decision, HookOutput};
use crate::verdict::aggregator::{RunOutput, merge_system_messages};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{
    AggregatedHookResult, Block, BlockCause, HookError, ProcessedHookResult, StopReason,
};

/// Reads what the hooks of one event ask for: stop, block, question, message, suppression. Callers act on the fields of
/// the result and parse nothing themselves.
pub fn process_common_hook_output_fields(
    event: EventName,
    aggregated: AggregatedHookResult,
    runs: Vec<HookRun>,
) -> ProcessedHookResult {
    let output = aggregated.final_output.as_ref();
    let stopping = output.filter(|output| output.should_stop_execution());
    // What failed hooks wrote to stderr is in the merged output, but is not meant for the model.
    let read = |run| RunOutput::of(run, AskReading::default());
    let healthy: Vec<RunOutput<'_>> = runs.iter().filter_map(read).filter(|answer| !answer.failed).collect();
    let block = policy_block(event, output).or_else(|| {
        let failures = runs.iter().filter_map(|run| Some((&*run.hook, run.failure()?)));
        failure_block(event, failures)
    });
    ProcessedHookResult {
        event,
        stop: stopping.map(|output| StopReason::new(output.effective_stop_reason())),
        ask: if block.is_none() { ask(event, &aggregated) } else { None },
        block,
        system_message: merge_system_messages(event, &healthy),
        suppress_output: output.is_some_and(|output| output.suppress_output == Some(true)),
        warnings: requests_without_effect(event, &runs),
        not_held: Vec::new(),
        left_out: None,
        refused: Vec::new(),
        grant: None,
        aggregated,
        runs,
    }
}

/// The block that hooks decided on.
fn policy_block(event: EventName, output: Option<&HookOutput>) -> Option<Block> {
    let output = output.filter(|output| event.can_block() && output.blocks(event))?;
    let reason = output.effective_reason(event).to_owned();
    Some(Block { reason, cause: BlockCause::Policy })
}

/// The question that a person is to answer, with the reasons of those that ask.
fn ask(event: EventName, aggregated: &AggregatedHookResult) -> Option<String> {
    let merged = aggregated.final_output.as_ref();
    merged.filter(|output| event == EventName::BeforeTool && output.decision == Some(Decision::Ask))?;
    let reasons = &aggregated.ask_reasons;
    Some(if reasons.is_empty() { DEFAULT_ASK_REASON.to_owned() } else { reasons.join("\n") })
}

/// The block that follows from failures: of those of the given hooks that are set to block an operation when
/// they give no verdict. Each hook comes with what kept it from giving one.
pub(crate) fn failure_block<'a>(
    event: EventName,
    failures: impl Iterator<Item = (&'a Hook, impl Display)>,
) -> Option<Block> {
    let reasons: Vec<String> = failures
        .filter_map(|(hook, why)| match &hook.kind {
            // What an unreadable rule was to forbid is not known.
            HookKind::UnreadableRule(why) if event.is_guarded() => {
                Some(format!("{why}; `hookrail check` shows the place"))
            }
            _ if hook.on_failure == OnFailure::Block && event.is_guarded() => {
                Some(format!("hook `{}` gave no verdict ({why}) and is set to block on failure", hook.name))
            }
            _ => None,
        })
        .collect();
    if reasons.is_empty() {
        return None;
    }
    Some(Block { reason: reasons.join("\n"), cause: BlockCause::Failure })
}

/// One warning for each hook that blocks what cannot be blocked, or asks a person where there is no call to ask about.
fn requests_without_effect(event: EventName, runs: &[HookRun]) -> Vec<String> {
    let without_effect = |run: &HookRun| {
        let output = run.output.as_ref()?;
        let name = &run.hook.name;
        if output.is_blocking_decision() && !event.can_block() {
            Some(format!("hook `{name}` asked for a block, but {event} cannot be blocked"))
        } else if output.decision == Some(Decision::Ask) && event != EventName::BeforeTool {
            Some(format!("hook `{name}` asked for a person to decide, but only BeforeTool can ask"))
        } else {
            None
        }
    };
    runs.iter().filter_map(without_effect).collect()
}

/// The result of an event to which no hook listens. A new value each time.
pub fn make_empty_success_result() -> AggregatedHookResult {
    AggregatedHookResult { success: true, ..AggregatedHookResult::default() }
}

/// The result of an event for which the hook system itself failed, at the given stage. It is not a success,
/// so that it differs from an event without hooks, and it has no output, so that nothing is blocked by accident.
pub fn build_failure_envelope(error: &dyn Display, stage: &str) -> AggregatedHookResult {
    let error = HookError { hook: None, message: format!("{stage}: {error}") };
    AggregatedHookResult { success: false, errors: vec![error], ..make_empty_success_result() }
}

#[cfg(test)]
mod tests;
