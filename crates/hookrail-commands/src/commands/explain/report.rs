//! The plan for programs. The fields are a contract.

use hookrail::EventName;
use hookrail::components::{Explanation, SkipReason};
use hookrail::settings::ResolvedSettings;
use hookrail_agent::log::millis;
use serde_json::{Value, json};

use super::Planned;
use crate::display::hook_json;
use crate::hook_log::{PastWorkers, WorkerReport};

/// The JSON form, made from the same values as the text. `mode` is null when nothing runs; `hooks` are in the order in which
/// results merge.
pub(super) fn report(
    event: EventName,
    target: Option<&str>,
    settings: &ResolvedSettings,
    explanation: &Explanation,
    planned: &[Planned<'_>],
    workers: &PastWorkers,
) -> Value {
    let plan = explanation.plan.as_ref();
    let reason = |why: &SkipReason| json!({ "code": why.code(), "why": why.to_string() });
    // `code` and `why` are those of the first reason; `reasons` came later and has them all. Codes are stable, texts are for
    // people and may change.
    let skipped = explanation.skipped.iter().map(|skipped| {
        let mut fields = hook_json(&skipped.hook);
        fields.extend(reason(&skipped.why).as_object().cloned().unwrap_or_default());
        fields.insert("reasons".to_owned(), skipped.reasons().map(reason).collect());
        fields
    });
    json!({
        "event": event,
        "target": target,
        "enabled": settings.activation.is_on(),
        "findings": settings.findings,
        "mode": plan.map(|plan| if plan.sequential { "sequential" } else { "parallel" }),
        "hooks": planned.iter().map(|planned| planned_json(planned, workers)).collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
        "warnings": plan.map_or(&[][..], |plan| &plan.warnings),
    })
}

/// `condition` is there where arguments were given, `worker` for a hook that has one, `perFile` for one that is called once
/// for each file of a patch.
fn planned_json(planned: &Planned<'_>, workers: &PastWorkers) -> Value {
    let hook = planned.hook;
    let mut fields = hook_json(hook);
    let mut add = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    if let Some(condition) = &planned.condition {
        add("condition", json!(condition));
    }
    add("timeoutMs", millis(hook.timeout).into());
    if let Some(worker) = WorkerReport::of(hook, workers) {
        add("worker", json!(worker));
    }
    add("sequential", hook.sequential.into());
    add("onFailure", json!(hook.on_failure));
    if planned.per_file {
        add("perFile", true.into());
    }
    Value::Object(fields)
}
