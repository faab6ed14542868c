//! The merge strategies, as folds in plan order. Pure.
//!
//! Whatever the strategy, a block and a stop are sticky: no other hook undoes them. Everything depends on
//! the order of the plan alone, never on which hook finished first.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::formats::llm::ToolMode;
use crate::hook::{AskReading, Hook, Level};
use crate::output::{Decision, HookOutput, first_not_blank};
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::{AggregatedHookResult, HookError};

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
    pub(crate) failed: bool,
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
}

fn error_of(run: &HookRun) -> Option<HookError> {
    Some(HookError { hook: Some(run.hook.name.clone()), message: run.failure()?.to_string() })
}

fn merge(event: EventName, answers: &[RunOutput<'_>], sequential: bool) -> Option<HookOutput> {
    if answers.is_empty() {
        return None;
    }
    Some(HookOutput {
        decision: merge_decisions(event, answers),
        reason: merge_reasons(event, answers),
        // A stop is sticky.
        continue_: answers
            .iter()
            .filter_map(|answer| answer.output.continue_)
            .reduce(|one, next| one && next),
        stop_reason: merge_stop_reasons(answers),
        suppress_output: merge_suppress_output(event, answers),
        system_message: merge_system_messages(event, answers),
        hook_specific_output: match MergeStrategy::of(event) {
            MergeStrategy::OrDecision => combine_specific(event, answers),
            MergeStrategy::FieldReplacement => {
                replace_specific(answers, sequential && event == EventName::BeforeModel)
            }
            MergeStrategy::Union => unite_specific(answers),
            MergeStrategy::Simple => last(answers, |output| output.hook_specific_output.as_ref()).cloned(),
        },
        // Fields that hookrail does not know: later ones win, whatever the event.
        extra: answers.iter().flat_map(|answer| answer.output.extra.clone()).collect(),
    })
}

/// The last blocking word, else `ask` where a hook asks for a person's decision, else what the strategy makes of the
/// others.
fn merge_decisions(event: EventName, answers: &[RunOutput<'_>]) -> Option<Decision> {
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
fn merge_reasons(event: EventName, answers: &[RunOutput<'_>]) -> Option<String> {
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

/// The reasons of all hooks that stop, each with what it says or the default, so that a merged output that
/// stops always says why; without a stop the last one, which then has no effect.
fn merge_stop_reasons(answers: &[RunOutput<'_>]) -> Option<String> {
    let stopping = answers.iter().filter(|answer| answer.output.should_stop_execution());
    join_lines(stopping.map(|answer| answer.output.effective_stop_reason()))
        .or_else(|| last(answers, |output| output.stop_reason.as_ref()).cloned())
}

/// Where texts join, one hook suffices to suppress the output; elsewhere the last one that sets it decides.
fn merge_suppress_output(event: EventName, answers: &[RunOutput<'_>]) -> Option<bool> {
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

/// A field as the last healthy hook that has it gave it; failed hooks are asked only where none is healthy.
fn last<'a, T>(answers: &[RunOutput<'a>], field: impl Fn(&'a HookOutput) -> Option<&'a T>) -> Option<&'a T> {
    let all_failed = answers.iter().all(|answer| answer.failed);
    let asked = answers.iter().rev().filter(|answer| answer.failed == all_failed);
    asked.map(|answer| answer.output).find_map(field)
}

/// The texts that are not blank, one per line.
fn join_lines<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
    if texts.is_empty() { None } else { Some(texts.join("\n")) }
}

/// The objects of all hooks, key by key. `join` puts a later value into an earlier one and says whether it did; else the
/// later one replaces it.
fn merge_specific(
    answers: &[RunOutput<'_>],
    join: impl Fn(&str, &mut Value, &Value) -> bool,
) -> Option<JsonObject> {
    let objects = answers.iter().filter_map(|answer| answer.output.hook_specific_output.as_ref());
    objects.cloned().reduce(|mut merged, next| {
        for (key, value) in next {
            let is_joined = merged.get_mut(&key).is_some_and(|so_far| join(&key, so_far, &value));
            if !is_joined {
                merged.insert(key, value);
            }
        }
        merged
    })
}

/// Tool and agent events: contexts join line by line, changed tool arguments are merged key by key, a denied
/// permission is sticky; of everything else the later one wins.
fn combine_specific(event: EventName, answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let mut merged = merge_specific(answers, |key, so_far, next| {
        match (key, so_far, next) {
            ("additionalContext", Value::String(so_far), Value::String(next)) => append_line(so_far, next),
            ("tool_input", Value::Object(so_far), Value::Object(next)) => so_far.extend(next.clone()),
            ("clearContext", Value::Bool(so_far), Value::Bool(next)) => *so_far |= next,
            ("permissionDecision", Value::String(so_far), Value::String(next)) => {
                return weight(so_far) > weight(next);
            }
            _ => return false,
        }
        true
    })?;
    if event == EventName::BeforeTool {
        settle_permission_reason(answers, &mut merged);
    }
    Some(merged)
}

/// Block over ask over everything else.
fn weight(word: &str) -> u8 {
    match Decision::from_word(word) {
        Decision::Block | Decision::Deny => 2,
        Decision::Ask => 1,
        Decision::Approve | Decision::Allow | Decision::Other(_) => 0,
    }
}

fn append_line(so_far: &mut String, next: &str) {
    if so_far.trim().is_empty() {
        next.clone_into(so_far);
    } else if !next.trim().is_empty() {
        so_far.push('\n');
        so_far.push_str(next);
    }
}

/// A blocked tool's `permissionDecisionReason` goes before its `reason`, and so does that of an ask. The one of a
/// hook that permitted the call must not be shown as the reason of another hook's block, nor may one blocking hook
/// hide the others.
fn settle_permission_reason(answers: &[RunOutput<'_>], merged: &mut JsonObject) {
    let event = EventName::BeforeTool;
    let blocked = answers.iter().any(|answer| answer.output.blocks(event));
    let decides =
        |answer: &RunOutput<'_>| if blocked { answer.output.blocks(event) } else { answer.asks(event) };
    if !answers.iter().any(decides) {
        return;
    }
    let reasons = answers.iter().filter_map(|answer| {
        let permission = if decides(answer) { answer.output.permission_reason() } else { None };
        first_not_blank([permission, answer.output.reason.as_deref()])
    });
    if merged.shift_remove("permissionDecisionReason").is_some()
        && let Some(reasons) = join_lines(reasons)
    {
        merged.insert("permissionDecisionReason".to_owned(), Value::String(reasons));
    }
}

/// Model events: a later field replaces an earlier one. In a chain the changes of the request add up, because
/// each hook already saw those before it and may well have returned no more than its own.
fn replace_specific(answers: &[RunOutput<'_>], accumulate_request: bool) -> Option<JsonObject> {
    merge_specific(answers, |key, so_far, next| match (key, so_far, next) {
        ("llm_request", Value::Object(so_far), Value::Object(next)) if accumulate_request => {
            so_far.extend(next.clone());
            true
        }
        _ => false,
    })
}

/// Tool selection: allowed tools are united, the most restrictive mode wins, and without tools there is
/// nothing to allow.
fn unite_specific(answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let mut merged = replace_specific(answers, false)?;
    merged.shift_remove("toolConfig");
    if let Some(config) = unite_tool_configs(answers) {
        merged.insert("toolConfig".to_owned(), Value::Object(config));
    }
    Some(merged)
}

fn unite_tool_configs(answers: &[RunOutput<'_>]) -> Option<JsonObject> {
    let mut merged = JsonObject::new();
    let mut mode: Option<ToolMode> = None;
    let mut names: Option<BTreeSet<&str>> = None;
    let configs = answers.iter().filter_map(|answer| answer.output.specific("toolConfig")?.as_object());
    for (key, value) in configs.flatten() {
        match (key.as_str(), value) {
            ("mode", value) => mode = mode.max(ToolMode::from_value(value)),
            ("allowedFunctionNames", Value::Array(given)) => {
                names.get_or_insert_default().extend(given.iter().filter_map(Value::as_str));
            }
            ("allowedFunctionNames", _) => {}
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    if mode == Some(ToolMode::None) {
        names = Some(BTreeSet::new());
    }
    if mode.is_some() || names.is_some() {
        merged.insert("mode".to_owned(), json!(mode.unwrap_or(ToolMode::Auto)));
    }
    // No list is not an empty list: a hook that only sets the mode forbids no tool by name.
    if let Some(names) = names {
        merged.insert("allowedFunctionNames".to_owned(), names.into_iter().collect());
    }
    if merged.is_empty() { None } else { Some(merged) }
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
