//! The fields that every event's hooks have in common.

use serde_json::Value;

use super::{MergeStrategy, RunOutput};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::output::{Decision, HookOutput, first_not_blank};

/// The last blocking word, else `ask` where a hook asks for a person's decision, else what the strategy makes of the
/// others.
pub(super) fn merge_decisions(event: EventName, answers: &[RunOutput<'_>]) -> Option<Decision> {
    if let Some(block) = answers.iter().rev().find_map(|answer| blocking_decision(event, answer.output)) {
        return Some(block);
    }
    if answers.iter().any(|answer| answer.asks(event)) {
        return Some(Decision::Ask);
    }
    if MergeStrategy::of(event) == MergeStrategy::OrDecision {
        let stops = answers.iter().any(|answer| answer.output.should_stop_execution());
        return if stops { None } else { Some(Decision::Allow) };
    }
    last(answers, |output| output.decision.as_ref()).cloned()
}

/// The decision by which a hook blocks. Hooks written for other agents block a tool by `permissionDecision`.
fn blocking_decision(event: EventName, output: &HookOutput) -> Option<Decision> {
    if output.is_blocking_decision() {
        output.decision.clone()
    } else if event == EventName::BeforeTool && output.is_permission_denied() {
        output.specific("permissionDecision").and_then(Value::as_str).map(Decision::from_word)
    } else {
        None
    }
}

/// Every reason where texts join; else the reasons of the blocking hooks, and without a block the last one.
pub(super) fn merge_reasons(event: EventName, answers: &[RunOutput<'_>]) -> Option<String> {
    if MergeStrategy::of(event).joins_texts() {
        return join_lines(answers.iter().filter_map(|answer| {
            let counts = event == EventName::BeforeTool
                && (answer.output.is_permission_denied() || answer.asks(event));
            let permission = if counts { answer.output.permission_reason() } else { None };
            first_not_blank([answer.output.reason.as_deref(), permission])
        }));
    }
    if answers.iter().any(|answer| answer.output.blocks(event)) {
        let blocking = answers.iter().filter(|answer| answer.output.blocks(event));
        return join_lines(blocking.filter_map(|answer| answer.output.reason.as_deref()));
    }
    last(answers, |output| output.reason.as_ref()).cloned()
}

/// A stop is sticky.
pub(super) fn merge_continue(answers: &[RunOutput<'_>]) -> Option<bool> {
    answers.iter().filter_map(|answer| answer.output.continue_).reduce(|so_far, next| so_far && next)
}

/// The reasons of all hooks that stop, each with what it says or the default, so that a merged output that
/// stops always says why; without a stop the last one, which then has no effect.
pub(super) fn merge_stop_reasons(answers: &[RunOutput<'_>]) -> Option<String> {
    let stopping = answers.iter().filter(|answer| answer.output.should_stop_execution());
    join_lines(stopping.map(|answer| answer.output.effective_stop_reason()))
        .or_else(|| last(answers, |output| output.stop_reason.as_ref()).cloned())
}

/// Where texts join, one hook suffices to suppress the output; elsewhere the last one that sets it decides.
pub(super) fn merge_suppress_output(event: EventName, answers: &[RunOutput<'_>]) -> Option<bool> {
    if MergeStrategy::of(event).joins_texts() {
        answers
            .iter()
            .filter_map(|answer| answer.output.suppress_output)
            .reduce(|so_far, next| so_far || next)
    } else {
        last(answers, |output| output.suppress_output.as_ref()).copied()
    }
}

/// Messages for the model. Where later fields replace earlier ones, the warnings of failed hooks are added to
/// the message that counts, instead of replacing it.
pub(crate) fn merge_system_messages(event: EventName, answers: &[RunOutput<'_>]) -> Option<String> {
    fn message<'a>(answer: &RunOutput<'a>) -> Option<&'a str> {
        answer.output.system_message.as_deref()
    }
    if MergeStrategy::of(event).joins_texts() {
        return join_lines(answers.iter().filter_map(message));
    }
    let healthy = answers.iter().rev().filter(|answer| !answer.failed).find_map(message);
    let warnings = answers.iter().filter(|answer| answer.failed).filter_map(message);
    join_lines(healthy.into_iter().chain(warnings))
}

/// Fields that hookrail does not know: later ones win, whatever the event.
pub(super) fn merge_extra(answers: &[RunOutput<'_>]) -> JsonObject {
    let entries = answers.iter().flat_map(|answer| &answer.output.extra);
    entries.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A field as the last healthy hook that has it gave it; failed hooks are asked only where none is healthy.
pub(super) fn last<'a, T>(
    answers: &[RunOutput<'a>],
    field: impl Fn(&'a HookOutput) -> Option<&'a T>,
) -> Option<&'a T> {
    let all_failed = answers.iter().all(|answer| answer.failed);
    let asked = answers.iter().rev().filter(|answer| answer.failed == all_failed);
    asked.map(|answer| answer.output).find_map(field)
}

/// The texts that are not blank, one per line.
pub(super) fn join_lines<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
    if texts.is_empty() { None } else { Some(texts.join("\n")) }
}
