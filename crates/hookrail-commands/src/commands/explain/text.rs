//! The plan for people.

use std::sync::Arc;

use hookrail::components::{Explanation, OnFailure, WorkerMode};
use hookrail::components::{fork_obstacle, inherited_environment};
use hookrail::rules::{ConditionReport, Truth};
use hookrail::{EventName, Hook};

use super::{Planned, has_target};
use crate::context::Context;
use crate::display::shown_origin;
use crate::hook_log::{PastWorkers, WorkerReport};
use crate::terminal::printer::{Printer, escape_line};

/// The plan in the order in which results merge, then what is left out and why, every reason on a line.
pub(super) fn print_text(
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
            for (number, Planned { hook, per_file, condition }) in planned.iter().enumerate() {
                let label = format!("{}. ", number + 1);
                printer.data(format_args!("  {label}{}", headline(hook, context)))?;
                printer.data(format_args!("  {:width$}{}", "", terms(hook), width = label.len()))?;
                if *per_file {
                    let how = "called once for each file of the patch, as if its tool had been called";
                    printer.data(format_args!("  {:width$}{how}", "", width = label.len()))?;
                }
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
        printer.message("note: without --tool every matcher counts as matching");
    }
    Ok(())
}

/// One part of a condition a line, with what was seen of its fact.
/// Parts of a condition are indented below it.
fn print_condition(part: &ConditionReport, indent: usize, printer: &mut Printer) -> anyhow::Result<()> {
    let word = match part.truth {
        Truth::Yes => "holds",
        Truth::No => "does not hold",
        Truth::Unknown => "cannot be determined",
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
        None => match hook.service() {
            Some(service) => {
                terms.push(format!("asks `{}` ({})", escape_line(&service), hook.type_name()));
                terms.push(format!("timeout {} ms", hook.timeout.as_millis()));
            }
            None => terms.push(format!("a {}", hook.type_name())),
        },
    }
    if let Some(matcher) = hook.matcher.text() {
        terms.push(format!("matcher `{}`", escape_line(matcher)));
    }
    if hook.command_text().is_some() {
        terms.push(format!("timeout {} ms", hook.timeout.as_millis()));
    }
    if hook.on_failure == OnFailure::Block {
        terms.push("a failure blocks".to_owned());
    }
    terms.join(", ")
}
