//! `hookrail explain`: the plan for an event, without running it.
//!
//! The same planner as for a real event is asked. Hooks that are off, disabled or not approved are part of the answer,
//! because their absence is what has to be explained.

mod report;
mod text;

use std::borrow::Cow;
use std::sync::Arc;

use hookrail::components::{
    Event, Explanation, HookEventHandler, HookKind, HookPlanner, Level, Matching, PlannedHook, TypedInput,
};
use hookrail::rules::{ConditionReport, Facts, Folders, Subject};
use hookrail::settings::{RegistryScope, ResolvedSettings};
use hookrail::{EventName, Hook};

use self::report::report;
use self::text::print_text;
use crate::cli::{EventFields, ExplainArgs, Format};
use crate::context::Context;
use crate::display::home;
use crate::event_input;
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::{self, PastWorkers};
use crate::terminal::printer::Printer;

/// Prints the plan. With hooks off it is still made, as if they were on, with a note if that makes hooks run.
pub(crate) fn run(
    args: &ExplainArgs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let target = args.tool.as_deref();
    if target.is_some() && !has_target(args.event) {
        printer.message(format_args!("note: --tool has no effect: {} hooks run every time", args.event));
    }
    let target = target.filter(|_| has_target(args.event));
    let given = given(args)?;
    let event = given.as_ref().map(TypedInput::event);
    let other_names = match (&given, &event) {
        (Some(given), Some(event)) => HookEventHandler::other_names(event, &given.base),
        _ => Cow::default(),
    };
    let registry = Arc::new(settings.registry(RegistryScope::All));
    let explanation = HookPlanner::new(registry).explain(args.event, target, &other_names);
    findings::print_findings(&settings, context, printer);
    if plans_hooks_that_are_off(&explanation, &settings) {
        printer.message("note: this is what would run if hooks were on");
    }
    let planned = planned(event.as_ref(), context, &explanation);
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

/// Whether the plan has a hook that does not run now, because hooks of its level are off. One that waits for approval is
/// never in the plan.
fn plans_hooks_that_are_off(explanation: &Explanation, settings: &ResolvedSettings) -> bool {
    let mut planned = explanation.plan.iter().flat_map(|plan| &plan.hooks);
    let is_off = |level: &Level| {
        settings.hooks.iter().any(|resolved| resolved.hook.origin.level == *level && !resolved.on)
    };
    planned.any(|planned| is_off(&planned.hook.origin.level))
}

/// A hook that would run.
struct Planned<'e> {
    hook: &'e Arc<Hook>,
    /// Whether it is called once for each file of a patch.
    per_file: bool,
    /// Which parts of its condition hold; `None` for a hook without one, and where no arguments were given.
    condition: Option<ConditionReport>,
}

/// The event, where arguments were given.
fn given(args: &ExplainArgs) -> anyhow::Result<Option<TypedInput>> {
    if args.input.is_none() {
        return Ok(None);
    }
    let given = EventFields { tool: args.tool.clone(), input: args.input.clone(), payload: None };
    event_input::load(args.event, &given, "explain").map(Some)
}

/// The planned hooks, in the order of the plan.
/// Conditions are looked at only where arguments were given: without them no condition can be decided.
fn planned<'e>(
    event: Option<&Event<'_>>,
    context: &Context,
    explanation: &'e Explanation,
) -> Vec<Planned<'e>> {
    let hooks = explanation.plan.iter().flat_map(|plan| &plan.hooks);
    let condition = |hook: &Hook| {
        // A guard of an enclosing project sees paths from there.
        let project = hook.enclosing.as_deref().unwrap_or(context.project());
        let folders = Folders { project, cwd: context.project(), home: home(context) };
        let facts = Facts::new(Subject::of(event?), folders);
        match (&hook.kind, &hook.when) {
            (HookKind::Rule(rule), _) => Some(rule.explain(&facts)),
            (_, Some(when)) => Some(when.explain(&facts)),
            _ => None,
        }
    };
    let planned = |planned: &'e PlannedHook| Planned {
        hook: &planned.hook,
        per_file: planned.per_file,
        // Its condition is asked about each file, not about the patch.
        condition: if planned.per_file { None } else { condition(&planned.hook) },
    };
    hooks.map(planned).collect()
}

/// Whether matchers are compared with something in this event.
/// `--tool` means nothing for the others, and is ignored with a note.
fn has_target(event: EventName) -> bool {
    event.matching() != Matching::Ignored
}
