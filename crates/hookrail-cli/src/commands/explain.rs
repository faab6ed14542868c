//! `hookrail explain`: the plan for an event, without running it.

use std::sync::Arc;

use hookrail::components::{Explanation, HookPlanner, Matching, SkipReason};
use hookrail::internal::{RegistryScope, ResolvedSettings};
use hookrail::{Diagnostic, EventName, Hook};
use serde::Serialize;

use crate::cli::{ExplainArgs, Format};
use crate::context::Context;
use crate::display::{HookName, shown_origin};
use crate::exit::ExitStatus;
use crate::findings;
use crate::printer::{Printer, escape_line};

pub(crate) fn run(
    args: &ExplainArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let target = args.tool.as_deref();
    if target.is_some() && !has_target(args.event) {
        printer.talk(format_args!("note: --tool has no effect: {} hooks run every time", args.event));
    }
    let target = target.filter(|_| has_target(args.event));
    let planner = HookPlanner::new(Arc::new(settings.registry(RegistryScope::All)));
    let explanation = planner.explain(args.event, target);
    findings::tell(&settings, context, printer);
    if !settings.activation.is_on() && !settings.hooks.is_empty() {
        printer.talk("note: this is what would run if hooks were on");
    }
    match args.format {
        Format::Json => printer.json_pretty(&report(args.event, target, &settings, &explanation))?,
        Format::Text => print_text(args.event, target, &explanation, context, printer)?,
    }
    Ok(ExitStatus::Success)
}

/// Whether matchers have a say in this event.
fn has_target(event: EventName) -> bool {
    event.matching() != Matching::Ignored
}

/// The JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'e> {
    event: EventName,
    target: Option<&'e str>,
    /// Whether hooks are on at all.
    enabled: bool,
    /// What is wrong with settings and approvals.
    findings: &'e [Diagnostic],
    /// `null` when nothing runs.
    mode: Option<&'static str>,
    hooks: Vec<PlannedReport<'e>>,
    skipped: Vec<SkippedReport<'e>>,
    warnings: &'e [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlannedReport<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    timeout_ms: u128,
    sequential: bool,
    on_failure: hookrail::components::OnFailure,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkippedReport<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    /// A stable word for the reason.
    code: &'static str,
    why: String,
}

fn report<'e>(
    event: EventName,
    target: Option<&'e str>,
    settings: &'e ResolvedSettings,
    explanation: &'e Explanation,
) -> Report<'e> {
    let plan = explanation.plan.as_ref();
    let planned = plan.into_iter().flat_map(|plan| &plan.hooks);
    Report {
        event,
        target,
        enabled: settings.activation.is_on(),
        findings: &settings.findings,
        mode: plan.map(|plan| if plan.sequential { "sequential" } else { "parallel" }),
        hooks: planned
            .map(|planned| PlannedReport {
                hook: HookName::of(&planned.hook),
                timeout_ms: planned.timeout.as_millis(),
                sequential: planned.sequential,
                on_failure: planned.on_failure,
            })
            .collect(),
        skipped: explanation
            .skipped
            .iter()
            .map(|skipped| SkippedReport {
                hook: HookName::of(&skipped.hook),
                code: code(&skipped.why),
                why: skipped.why.to_string(),
            })
            .collect(),
        warnings: plan.map_or(&[], |plan| &plan.warnings),
    }
}

fn code(why: &SkipReason) -> &'static str {
    match why {
        SkipReason::Disabled(_) => "disabled",
        SkipReason::NotApproved { .. } => "not-approved",
        SkipReason::MatcherDoesNotMatch { .. } => "matcher-does-not-match",
        SkipReason::Duplicate { .. } => "duplicate",
    }
}

fn print_text(
    event: EventName,
    target: Option<&str>,
    explanation: &Explanation,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let about = match target {
        Some(target) => format!("{event} for `{}`", escape_line(target)),
        None => event.to_string(),
    };
    match &explanation.plan {
        None => printer.data(format_args!("{about}: no hook runs"))?,
        Some(plan) => {
            let way = match (plan.hooks.len(), plan.sequential) {
                (1, _) => "1 hook runs".to_owned(),
                (count, false) => format!("{count} hooks run, all at once; results merge in this order"),
                (count, true) => {
                    format!("{count} hooks run one after another; each sees what the last changed")
                }
            };
            printer.data(format_args!("{about}: {way}"))?;
            for (number, planned) in plan.hooks.iter().enumerate() {
                let label = format!("{}. ", number + 1);
                printer.data(format_args!("  {label}{}", headline(&planned.hook, context)))?;
                printer.data(format_args!("  {:width$}{}", "", terms(&planned.hook), width = label.len()))?;
            }
            for warning in &plan.warnings {
                printer.data(format_args!("  warning: {}", escape_line(warning)))?;
            }
        }
    }
    if !explanation.skipped.is_empty() {
        printer.data("left out:")?;
        for skipped in &explanation.skipped {
            printer.data(format_args!("  - {}", headline(&skipped.hook, context)))?;
            printer.data(format_args!("    {}", escape_line(&skipped.why.to_string())))?;
        }
    }
    let has_matcher = |hook: &Hook| hook.matcher.text().is_some();
    let planned = explanation.plan.iter().flat_map(|plan| &plan.hooks);
    if target.is_none() && has_target(event) && planned.into_iter().any(|planned| has_matcher(&planned.hook))
    {
        printer.talk("note: without --tool every matcher counts as matching");
    }
    Ok(())
}

fn headline(hook: &Hook, context: &Context) -> String {
    let origin = shown_origin(&hook.origin, context);
    format!("{} ({origin})", escape_line(&hook.name))
}

fn terms(hook: &Hook) -> String {
    let mut terms = Vec::new();
    if hook.name != hook.command() {
        terms.push(format!("runs `{}`", escape_line(hook.command())));
    }
    if let Some(matcher) = hook.matcher.text() {
        terms.push(format!("matcher `{}`", escape_line(matcher)));
    }
    terms.push(format!("timeout {} ms", hook.timeout.as_millis()));
    if hook.on_failure == hookrail::components::OnFailure::Block {
        terms.push("a failure blocks".to_owned());
    }
    terms.join(", ")
}
