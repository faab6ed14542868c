//! `hookrail explain`: the plan for an event, without running it.
//!
//! The same planner as for a real event is asked. Hooks that are off, disabled or not approved are part of the answer,
//! because their absence is what people come here to understand.

use std::sync::Arc;

use hookrail::components::{Explanation, HookKind, HookPlanner, Matching, SkipReason, WorkerMode};
use hookrail::internal::{
    Facts, Folders, RegistryScope, ResolvedSettings, RuleExplanation, Subject, Truth, fork_obstacle,
    inherited_environment,
};
use hookrail::{Diagnostic, EventName, Hook};
use serde::Serialize;

use crate::cli::{EventArgs, ExplainArgs, Format};
use crate::context::Context;
use crate::display::{HookName, home, shown_origin};
use crate::event_input::{self, InputProblem};
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::{self, PastWorkers, WorkerReport};
use crate::terminal::printer::{Printer, escape_line};

/// Prints the plan. With hooks off it is still made, as if they were on, and a note says so.
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
    let explanation =
        HookPlanner::new(Arc::new(settings.registry(RegistryScope::All))).explain(args.event, target);
    findings::tell(&settings, context, printer);
    if !settings.activation.is_on() && !settings.hooks.is_empty() {
        printer.talk("note: this is what would run if hooks were on");
    }
    let planned = match planned(args, context, &explanation) {
        Ok(planned) => planned,
        Err(InputProblem::Usage { message, hint }) => {
            printer.talk(format_args!("error: {}", escape_line(&message)));
            printer.talk(format_args!("hint: {hint}"));
            return Ok(ExitStatus::Usage);
        }
        Err(InputProblem::Unreadable(error)) => return Err(error),
    };
    let hooks = explanation.plan.iter().flat_map(|plan| &plan.hooks).map(|planned| &*planned.hook);
    let workers = PastWorkers::load_for(hooks, &hook_log::path_in(&context.state_dir()));
    match args.format {
        Format::Json => {
            let report = report(args.event, target, &settings, &explanation, &planned, &workers);
            printer.json_pretty(&report)?;
        }
        Format::Text => print_text(args.event, target, &explanation, &planned, &workers, context, printer)?,
    }
    Ok(ExitStatus::Success)
}

/// A hook that would run.
struct Planned<'e> {
    hook: &'e Arc<Hook>,
    /// Which parts of its condition hold; `None` for a hook without one, and where no arguments were given.
    condition: Option<RuleExplanation>,
}

/// The planned hooks, in the order of the plan.
/// Conditions are looked at only where arguments were given: without them no condition can be told.
fn planned<'e>(
    args: &ExplainArgs,
    context: &Context,
    explanation: &'e Explanation,
) -> Result<Vec<Planned<'e>>, InputProblem> {
    let hooks = explanation.plan.iter().flat_map(|plan| &plan.hooks).map(|planned| &planned.hook);
    if args.input.is_none() {
        return Ok(hooks.map(|hook| Planned { hook, condition: None }).collect());
    }
    let given =
        EventArgs { event: args.event, tool: args.tool.clone(), input: args.input.clone(), payload: None };
    let input = event_input::load(&given)?;
    let event = input.event();
    let folders = Folders { project: context.project(), cwd: context.project(), home: home(context) };
    let facts = Facts::new(Subject::of(&event), folders);
    let condition = |hook: &Hook| match (&hook.kind, &hook.when) {
        (HookKind::Rule(rule), _) => Some(rule.explain(&facts)),
        (_, Some(when)) => Some(when.explain(&facts)),
        _ => None,
    };
    Ok(hooks.map(|hook| Planned { hook, condition: condition(hook) }).collect())
}

/// Whether matchers are compared with something in this event.
/// `--tool` means nothing for the others, and is ignored with a note.
fn has_target(event: EventName) -> bool {
    event.matching() != Matching::Ignored
}

/// The JSON form.
/// Its fields are a contract. `mode` and `warnings` are those of the plan.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'e> {
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
    skipped: Vec<SkippedReport<'e>>,
    warnings: &'e [String],
}

/// `worker` is there for a hook that has one, with what the log knows of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlannedReport<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    /// Which parts of its condition hold, where arguments were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'e RuleExplanation>,
    /// After which it is ended, and has failed.
    timeout_ms: u128,
    /// For a hook whose process is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerReport<'e>>,
    /// Whether it asks for one hook after the other; one such hook makes the whole plan sequential.
    sequential: bool,
    on_failure: hookrail::components::OnFailure,
}

/// `code` and `why` are those of the first reason; `reasons` came later and has them all.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkippedReport<'e> {
    #[serde(flatten)]
    hook: HookName<'e>,
    /// A stable word for the first reason.
    code: &'static str,
    why: String,
    /// Every reason.
    reasons: Vec<Reason>,
}

/// Words of `code` are stable, texts of `why` are for people and may change.
#[derive(Serialize)]
struct Reason {
    code: &'static str,
    why: String,
}

/// The JSON form, made from the same values as the text.
fn report<'e>(
    event: EventName,
    target: Option<&'e str>,
    settings: &'e ResolvedSettings,
    explanation: &'e Explanation,
    planned: &'e [Planned<'e>],
    workers: &'e PastWorkers,
) -> Report<'e> {
    let plan = explanation.plan.as_ref();
    Report {
        event,
        target,
        enabled: settings.activation.is_on(),
        findings: &settings.findings,
        mode: plan.map(|plan| if plan.sequential { "sequential" } else { "parallel" }),
        hooks: planned
            .iter()
            .map(|Planned { hook, condition }| PlannedReport {
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
            .map(|skipped| SkippedReport {
                hook: HookName::of(&skipped.hook),
                code: code(&skipped.why),
                why: skipped.why.to_string(),
                reasons: skipped
                    .reasons()
                    .map(|reason| Reason { code: code(reason), why: reason.to_string() })
                    .collect(),
            })
            .collect(),
        warnings: plan.map_or(&[], |plan| &plan.warnings),
    }
}

/// A match without a wildcard: a new reason needs a word of its own.
fn code(why: &SkipReason) -> &'static str {
    match why {
        SkipReason::Disabled(_) => "disabled",
        SkipReason::NotApproved { .. } => "not-approved",
        SkipReason::MatcherDoesNotMatch { .. } => "matcher-does-not-match",
        SkipReason::RuleDoesNotHold => "rule-does-not-hold",
        SkipReason::WhenDoesNotHold => "when-does-not-hold",
        SkipReason::Duplicate { .. } => "duplicate",
    }
}

/// The plan in the order in which results merge, then what is left out and why, every reason on a line.
fn print_text(
    event: EventName,
    target: Option<&str>,
    explanation: &Explanation,
    planned: &[Planned<'_>],
    workers: &PastWorkers,
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
            for (number, Planned { hook, condition }) in planned.iter().enumerate() {
                let label = format!("{}. ", number + 1);
                printer.data(format_args!("  {label}{}", headline(hook, context)))?;
                printer.data(format_args!("  {:width$}{}", "", terms(hook), width = label.len()))?;
                if let Some(worker) = WorkerReport::of(hook, workers) {
                    let way = way_of(hook, context);
                    let did = worker.describe();
                    printer.data(format_args!("  {:width$}{way}: {did}", "", width = label.len()))?;
                }
                if let Some(condition) = condition {
                    print_condition(condition, 2 + label.len(), printer)?;
                }
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
            for reason in skipped.reasons() {
                printer.data(format_args!("    {}", escape_line(&reason.to_string())))?;
            }
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

/// One part of a condition a line, with what was seen of its fact.
/// Parts of a condition are indented below it.
fn print_condition(part: &RuleExplanation, indent: usize, printer: &mut Printer) -> anyhow::Result<()> {
    let word = match part.truth {
        Truth::Yes => "holds",
        Truth::No => "does not hold",
        Truth::Unknown => "cannot be told",
    };
    let seen: Vec<String> = part.seen.iter().map(|value| format!("`{}`", escape_line(value))).collect();
    let seen = if seen.is_empty() { String::new() } else { format!(", seen: {}", seen.join(", ")) };
    printer.data(format_args!("{:indent$}{word}: {}{seen}", "", escape_line(&part.condition)))?;
    for inner in &part.parts {
        print_condition(inner, indent + 2, printer)?;
    }
    Ok(())
}

/// A hook's name and where it is configured, as all lists show it.
fn headline(hook: &Hook, context: &Context) -> String {
    let origin = shown_origin(&hook.origin, context);
    format!("{} ({origin})", escape_line(&hook.name))
}

/// How the process of a hook with a worker is kept.
/// `fork` has conditions, and a hook that does not meet them runs as if it were not set.
fn way_of(hook: &Arc<Hook>, context: &Context) -> String {
    if hook.worker != WorkerMode::Fork {
        return "worker, one process for all events".to_owned();
    }
    match fork_obstacle(hook, inherited_environment(), context.project()) {
        None => "in forks of one interpreter".to_owned(),
        Some(obstacle) => format!("not in forks, because the hook {}", escape_line(obstacle.why())),
    }
}

/// What a hook is configured with, as far as it is not the default.
fn terms(hook: &Hook) -> String {
    let mut terms = Vec::new();
    match hook.command_text() {
        Some(command) if command != hook.name => terms.push(format!("runs `{}`", escape_line(command))),
        Some(_) => {}
        None => terms.push(format!("a {}", hook.type_name())),
    }
    if let Some(matcher) = hook.matcher.text() {
        terms.push(format!("matcher `{}`", escape_line(matcher)));
    }
    if hook.command_text().is_some() {
        terms.push(format!("timeout {} ms", hook.timeout.as_millis()));
    }
    if hook.on_failure == hookrail::components::OnFailure::Block {
        terms.push("a failure blocks".to_owned());
    }
    terms.join(", ")
}
