//! The one place where the common fields of a merged output are read, for all callers.

use std::fmt::Display;
use std::time::Duration;

use crate::event::EventName;
use crate::hook::{Hook, OnFailure};
use crate::verdict::aggregator::{Answer, merge_system_messages};
use crate::verdict::hook_run::HookRun;
use crate::verdict::output::HookOutput;
use crate::verdict::result::{AggregatedHookResult, Block, BlockCause, HookError, ProcessedHookResult};
use crate::verdict::views;

/// Reads what the hooks of one event ask for: stop, block, message, suppression. Callers act on the fields of
/// the result and parse nothing themselves.
pub fn process_common_hook_output_fields(
    event: EventName,
    aggregated: AggregatedHookResult,
    runs: Vec<HookRun>,
) -> ProcessedHookResult {
    let output = aggregated.final_output.as_ref();
    let stopping = output.filter(|output| output.should_stop_execution());
    // What failed hooks wrote to stderr is in the merged output, but is nothing for the model to hear.
    let healthy: Vec<Answer<'_>> =
        runs.iter().filter_map(Answer::of).filter(|answer| !answer.failed()).collect();
    ProcessedHookResult {
        event,
        should_stop: stopping.is_some(),
        stop_reason: stopping.map(|output| output.effective_stop_reason().to_owned()),
        system_message: merge_system_messages(event, &healthy),
        suppress_output: output.is_some_and(|output| output.suppress_output == Some(true)),
        block: policy_block(event, output).or_else(|| {
            let failures = runs.iter().filter_map(|run| Some((&*run.hook, run.failure.as_deref()?)));
            failure_block(event, failures)
        }),
        warnings: vain_blocks(event, &runs),
        aggregated,
        runs,
    }
}

/// The block that hooks decided on.
fn policy_block(event: EventName, output: Option<&HookOutput>) -> Option<Block> {
    let output = output.filter(|output| event.can_block() && views::blocks(event, output))?;
    let reason = views::effective_reason(event, output).to_owned();
    Some(Block { reason, cause: BlockCause::Policy })
}

/// The block that follows from failures: of those of the given hooks that are set to block an operation when
/// they give no verdict. Each hook comes with what kept it from giving one.
pub(crate) fn failure_block<'a>(
    event: EventName,
    failures: impl Iterator<Item = (&'a Hook, &'a str)>,
) -> Option<Block> {
    if !event.blocks_on_failure() {
        return None;
    }
    let reasons: Vec<String> = failures
        .filter(|(hook, _)| hook.on_failure == OnFailure::Block)
        .map(|(hook, why)| {
            format!("hook `{}` gave no verdict ({why}) and is set to block on failure", hook.name)
        })
        .collect();
    if reasons.is_empty() {
        return None;
    }
    Some(Block { reason: reasons.join("\n"), cause: BlockCause::Failure })
}

/// One warning for each hook that blocks what cannot be blocked.
fn vain_blocks(event: EventName, runs: &[HookRun]) -> Vec<String> {
    let vain = |run: &&HookRun| run.output.as_ref().is_some_and(HookOutput::is_blocking_decision);
    let runs = runs.iter().filter(vain).filter(|_| !event.can_block());
    runs.map(|run| format!("hook `{}` asked for a block, but {event} cannot be blocked", run.hook.name))
        .collect()
}

/// The result of an event to which no hook listens. A fresh value each time.
pub fn make_empty_success_result() -> AggregatedHookResult {
    AggregatedHookResult {
        success: true,
        final_output: None,
        all_outputs: Vec::new(),
        errors: Vec::new(),
        total_duration: Duration::ZERO,
    }
}

/// The result of an event for which the hook system itself failed, at the given stage. It is not a success,
/// so that trouble can be told from silence, and it has no output, so that nothing is blocked by accident.
pub fn build_failure_envelope(error: &dyn Display, stage: &str) -> AggregatedHookResult {
    let message = format!("{stage}: {error}");
    AggregatedHookResult {
        success: false,
        errors: vec![HookError { hook: None, message }],
        ..make_empty_success_result()
    }
}

#[cfg(test)]
mod tests;
