//! The result of an event as JSON. Other programs rely on this shape.
//!
//! Fields are only added. `success` describes the hooks' health, `blocked` their verdict; a hook that failed with
//! `onFailure: block` makes the first false and the second true.

use std::path::Path;
use std::sync::Arc;

use hookrail::components::HookFailure;
use hookrail::components::{
    ConfigSource, DisabledBy, Explanation, HookError, ProcessedHookResult, SkipReason,
};
use hookrail::{BlockCause, Hook, HookOutput, HookRun, StopReason};
use hookrail_agent::log::millis;
use serde::Serialize;
use serde_json::{Value, json};

use super::Fired;
use super::native::NativeAnswerReport;
use super::summary::RepeatSummary;
use crate::display::origin_json;

/// One event. `finalOutput` is what all outputs merged to, `allOutputs` has them in the order of the plan, `hooks` has
/// every run, `skipped` every hook of the event that did not run. Durations are milliseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the shape is the contract")]
pub(super) struct FireReport<'a> {
    /// The event's name, as in the settings.
    event: &'static str,
    /// Whether every hook that ran gave its verdict. A block is not a failure.
    success: bool,
    /// Whether the operation must not happen.
    blocked: bool,
    /// `policy` or `failure`; null unless it is blocked.
    block_cause: Option<BlockCause>,
    /// Whether a person is to decide.
    ask: bool,
    /// Why it is blocked or asked about.
    reason: Option<&'a str>,
    /// Whether the agent is to stop.
    should_stop: bool,
    stop_reason: Option<&'a str>,
    /// The messages of all hooks for the model, joined.
    system_message: Option<&'a str>,
    /// Whether the user does not see what the operation prints.
    suppress_output: bool,
    /// What all outputs merged to.
    final_output: Option<&'a HookOutput>,
    /// The output of each hook that gave one, in the order of the plan.
    all_outputs: &'a [HookOutput],
    /// What failed, also apart from single hooks.
    errors: &'a [HookError],
    warnings: Vec<String>,
    /// From the call to the verdict, in milliseconds.
    total_duration: u64,
    /// Hooks of the event that did not run. `why` is for people; `hookrail explain --format json` has a stable code.
    skipped: Vec<Value>,
    hooks: Vec<HookReport<'a>>,
    /// With `--native` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    native: Option<&'a NativeAnswerReport>,
    /// With `--repeat` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<Value>,
}

/// `exitCode` and `signal` exclude each other, and both are null for a rule and for a hook that was not started.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookReport<'a> {
    name: &'a str,
    command: Option<&'a str>,
    /// Which settings file it comes from, as a rank.
    source: ConfigSource,
    origin: Value,
    success: bool,
    exit_code: Option<i32>,
    signal: Option<i32>,
    duration_ms: u64,
    stdout: &'a str,
    stderr: &'a str,
    /// Why it gave no verdict.
    error: Option<&'a HookFailure>,
    /// What was read from its stdout or its exit code.
    output: Option<&'a HookOutput>,
}

impl<'a> FireReport<'a> {
    /// `summary` is there with `--repeat` only.
    pub(super) fn new(fired: &'a Fired<'_>, summary: Option<&RepeatSummary>) -> Self {
        let ProcessedHookResult { event, aggregated, block, .. } = &fired.result;
        let skipped = |SkippedHook { hook, why }: &SkippedHook| {
            let origin = origin_json(&hook.origin);
            json!({ "name": hook.name, "command": hook.command_text(), "origin": origin, "why": why })
        };
        Self {
            event: event.as_str(),
            success: aggregated.success,
            blocked: block.is_some(),
            block_cause: block.as_ref().map(|block| block.cause),
            ask: fired.result.ask.is_some(),
            reason: fired.result.verdict_reason(),
            should_stop: fired.result.stop.is_some(),
            stop_reason: fired.result.stop.as_ref().map(StopReason::as_str),
            system_message: fired.result.system_message.as_deref(),
            suppress_output: fired.result.suppress_output,
            final_output: aggregated.final_output.as_ref(),
            all_outputs: &aggregated.all_outputs,
            errors: &aggregated.errors,
            warnings: fired.result.all_warnings(),
            total_duration: millis(aggregated.total_duration),
            skipped: fired.skipped.iter().map(skipped).collect(),
            hooks: fired.result.runs.iter().map(HookReport::of).collect(),
            native: fired.native.as_ref(),
            repeat: summary.map(RepeatSummary::json),
        }
    }
}

impl<'a> HookReport<'a> {
    fn of(run: &'a HookRun) -> Self {
        Self {
            name: &run.hook.name,
            command: run.hook.command_text(),
            source: run.hook.source,
            origin: origin_json(&run.hook.origin),
            success: run.success(),
            exit_code: run.exit_code(),
            signal: run.signal(),
            duration_ms: millis(run.duration),
            stdout: &run.stdout,
            stderr: &run.stderr,
            error: run.failure(),
            output: run.output.as_ref(),
        }
    }
}

/// A hook of the event that did not run.
/// `why` is one of the planner's reasons or what ended the chain.
pub(super) struct SkippedHook {
    pub(super) hook: Arc<Hook>,
    pub(super) why: String,
}

/// Every hook of the event that did not run: those that were not planned, and those that were planned and did not run.
/// Those that were planned come first, because they are the surprise.
pub(super) fn skipped(
    explanation: &Explanation,
    result: &ProcessedHookResult,
    only: Option<&str>,
    project: &Path,
) -> Vec<SkippedHook> {
    let not_planned = explanation.skipped.iter().map(|skipped| {
        let why = match (&skipped.why, only) {
            (SkipReason::Disabled(DisabledBy::RunTime), Some(only)) => format!("left out by `--only {only}`"),
            (SkipReason::Duplicate { of }, _) if of.origin.line > 0 => {
                let file = of.origin.file.strip_prefix(project).unwrap_or(&of.origin.file);
                format!("duplicate of `{}` ({}:{})", of.name, file.display(), of.origin.line)
            }
            (why, _) => why.to_string(),
        };
        SkippedHook { hook: Arc::clone(&skipped.hook), why }
    });
    let planned = explanation.plan.iter().flat_map(|plan| &plan.hooks);
    let planned_not_run = planned
        .filter(|planned| !result.runs.iter().any(|run| Arc::ptr_eq(&run.hook, &planned.hook)))
        .map(|planned| SkippedHook {
            hook: Arc::clone(&planned.hook),
            why: if planned.per_file {
                "no file of the patch was for it".to_owned()
            } else {
                why_not_run(&planned.hook, result)
            },
        });
    planned_not_run.chain(not_planned).collect()
}

/// Why a hook that was planned did not run.
fn why_not_run(hook: &Hook, result: &ProcessedHookResult) -> String {
    if result.all_not_held().any(|other| std::ptr::eq(Arc::as_ptr(other), hook)) {
        if hook.when.is_none() && hook.dialect.is_claude() {
            return "Claude Code would not call it for this".to_owned();
        }
        let is_rule = hook.command_text().or(hook.service().as_deref()).is_none();
        return if is_rule { SkipReason::RuleDoesNotHold } else { SkipReason::WhenDoesNotHold }.to_string();
    }
    if let Some(refused) =
        result.refused.iter().find(|refused| std::ptr::eq(Arc::as_ptr(&refused.hook), hook))
    {
        return refused.why.to_string();
    }
    match result.infrastructure_failure() {
        Some(failure) => failure.to_string(),
        None => "an earlier hook ended the chain".to_owned(),
    }
}
