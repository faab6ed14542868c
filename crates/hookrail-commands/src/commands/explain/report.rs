//! The plan for programs. The fields are a contract.

use hookrail::components::{Explanation, OnFailure};
use hookrail::rules::ConditionReport;
use hookrail::settings::ResolvedSettings;
use hookrail::{Diagnostic, EventName};
use serde::Serialize;

use super::Planned;
use crate::display::HookName;
use crate::hook_log::{PastWorkers, WorkerReport};

/// The JSON form.
/// Its fields are a contract. `mode` and `warnings` are those of the plan.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExplainReport<'e> {
    event: EventName,
    /// The tool's name or the event's word that matchers were compared with.
    target: Option<&'e str>,
    /// Whether hooks are on at all.
    enabled: bool,
    /// What is wrong with settings and approvals.
    findings: &'e [Diagnostic],
    /// `null` when nothing runs.
    mode: Option<&'static str>,
    /// In the order in which results merge.
    hooks: Vec<PlannedReport<'e>>,
    /// Hooks of the event that would not run.
    skipped: Vec<SkipExplanation<'e>>,
    warnings: &'e [String],
}

/// `worker` is there for a hook that has one, with what the log contains about it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlannedReport<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    /// Which parts of its condition hold, where arguments were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'e ConditionReport>,
    /// After which it is ended, and has failed.
    timeout_ms: u128,
    /// For a hook whose process is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerReport<'e>>,
    /// Whether it asks for one hook after the other; one such hook makes the whole plan sequential.
    sequential: bool,
    on_failure: OnFailure,
    /// Whether it is called once for each file of a patch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    per_file: bool,
}

/// `code` and `why` are those of the first reason; `reasons` came later and has them all.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkipExplanation<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    /// A stable word for the first reason.
    code: &'static str,
    why: String,
    /// All reasons, the first one included.
    reasons: Vec<Reason>,
}

/// Words of `code` are stable, texts of `why` are for people and may change.
#[derive(Serialize)]
struct Reason {
    code: &'static str,
    why: String,
}

/// The JSON form, made from the same values as the text.
pub(super) fn report<'e>(
    event: EventName,
    target: Option<&'e str>,
    settings: &'e ResolvedSettings,
    explanation: &'e Explanation,
    planned: &'e [Planned<'e>],
    workers: &'e PastWorkers,
) -> ExplainReport<'e> {
    let plan = explanation.plan.as_ref();
    ExplainReport {
        event,
        target,
        enabled: settings.activation.is_on(),
        findings: &settings.findings,
        mode: plan.map(|plan| if plan.sequential { "sequential" } else { "parallel" }),
        hooks: planned
            .iter()
            .map(|Planned { hook, per_file, condition }| PlannedReport {
                per_file: *per_file,
                hook: HookName::of(hook),
                condition: condition.as_ref(),
                timeout_ms: hook.timeout.as_millis(),
                worker: WorkerReport::of(hook, workers),
                sequential: hook.sequential,
                on_failure: hook.on_failure,
            })
            .collect(),
        skipped: explanation
            .skipped
            .iter()
            .map(|skipped| SkipExplanation {
                hook: HookName::of(&skipped.hook),
                code: skipped.why.code(),
                why: skipped.why.to_string(),
                reasons: skipped
                    .reasons()
                    .map(|reason| Reason { code: reason.code(), why: reason.to_string() })
                    .collect(),
            })
            .collect(),
        warnings: plan.map_or(&[], |plan| &plan.warnings),
    }
}
