//! `hookrail fire`: one event through the whole hook system, and everything that came of it.
//!
//! It is the agent's own path from the settings to the verdict, with the answer printed instead of applied. Calls are
//! logged as those of an agent are.

mod native;
mod report;
mod save;
mod summary;
mod text;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use hookrail::components::{
    CallReading, Event, HookEventHandler, HookSystem, ProcessedHookResult, TypedInput,
};
use hookrail::rules::unreadable_call;
use hookrail::settings::AgentEvents;
use hookrail::{EventName, HookSession};

use crate::cli::{EventFields, EventWord, FireArgs, Format};
use crate::context::Context;
use crate::event_input;
use crate::exit::{ExitStatus, fail, misused};
use crate::findings;
use crate::hook_log::{HookLog, find_decision, path_in};
use crate::signals::EndSignals;
use crate::terminal::error;
use crate::terminal::printer::{ClosedPipe, Printer, escape, escape_line};
use native::{NativeAnswerReport, NativeInput};
use report::{FireReport, SkippedHook};
use summary::RepeatSummary;
use watch::Watch;

/// Fires the event and prints what the hooks answer.
/// Without a hook system, when hooks are off, the result is that of an event that no hook listens to: allowed. Why hooks
/// are off is printed on stderr.
pub(crate) fn run(args: &FireArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    // A logged call is fired where it came from.
    let logged = args.from_log.as_deref().map(|id| logged_call(id, context)).transpose()?;
    let (context, fields) = logged.as_ref().map_or((context, &args.fields), |(place, call)| (place, call));
    let given = load(args, fields, context)?;
    let input = &given.input;
    let log = Arc::new(HookLog::new(&context.state_dir()));
    log.set_project(context.project());
    let watch = Arc::new(Watch::new(Arc::clone(&log)));
    let hooks = context.engine(args.trust.trust_hooks, Some(watch.clone())).build();
    log.set_session(input.base.session_id.as_deref().unwrap_or(hooks.session_id()));
    let settings = hooks.settings();
    findings::begin(settings, args.trust.trust_hooks, context, printer)?;
    findings::print_why_off(settings, context, printer);
    let effects = settings.agent_events();
    let Some(system) = hooks.hook_system() else {
        let result = given.noted(ProcessedHookResult::empty(input.event().name()));
        let native = given.native_answer(args, &hooks, &result);
        let fired = Fired { input, result, skipped: Vec::new(), effects, native };
        return Ok(print(args, &fired, None, context, printer));
    };
    system.initialize();
    if let Some(name) = &args.only
        && system.registry()?.disable_others(name) == 0
        && system.hooks_are_on()
    {
        return fail(format!("there is no hook `{name}`"), "`hookrail list` shows the names of all hooks");
    }
    let runtime = crate::signals::runtime()?;
    runtime.block_on(fire(args, &hooks, system, &given, &watch, context, printer))
}

/// The call of a decision of which the log has everything, as if it were given on the command line, in its project.
fn logged_call(id: &str, context: &Context) -> anyhow::Result<(Context, EventFields)> {
    let decision = find_decision(&path_in(&context.state_dir()), id)?;
    let Some((tool, input)) = decision.whole_call() else {
        let message = format!("the log has only a part of the call of `{id}`");
        let hint = "`hookrail replay --save-tests FILE` reads whole calls from an agent's own transcripts";
        return fail(message, hint);
    };
    let input = serde_json::to_string(&input)?;
    let fields = EventFields { tool: Some(tool.to_owned()), input: Some(input), payload: None };
    Ok((context.clone().in_project_of(decision.project.as_deref().map(Path::new))?, fields))
}

/// The event that is fired.
struct Given {
    input: TypedInput,
    /// The same as another agent sends it.
    native: Option<NativeInput>,
    /// Why an agent's call like this one may be refused.
    unreadable: Option<String>,
}

impl Given {
    /// The result, with what is to be said about the call itself.
    fn noted(&self, mut result: ProcessedHookResult) -> ProcessedHookResult {
        result.warnings.extend(self.unreadable.clone());
        result
    }

    /// What the agent would get, where that was asked for.
    fn native_answer(
        &self,
        args: &FireArgs,
        hooks: &HookSession,
        result: &ProcessedHookResult,
    ) -> Option<NativeAnswerReport> {
        Some(self.native.as_ref().filter(|_| args.native)?.answer(hooks, result))
    }
}

/// Reads the event from the command line. A call of our own that cannot be read is fired all the same, with a warning:
/// people try out half a call.
fn load(args: &FireArgs, fields: &EventFields, context: &Context) -> anyhow::Result<Given> {
    if let Some(agent) = args.agent {
        let native = NativeInput::load(agent, args, context)?;
        return Ok(Given { input: native.input.clone(), native: Some(native), unreadable: None });
    }
    let event = match &args.event {
        None => EventName::BeforeTool,
        Some(EventWord::Ours(event)) => *event,
        Some(EventWord::Native(word)) => {
            let meant =
                EventName::nearest(word).map_or_else(String::new, |event| format!("; ours is `{event}`"));
            let hint = format!("`hookrail fire {word} --agent AGENT` reads it as that agent sends it");
            return misused(format!("`{word}` is another agent's event{meant}"), hint);
        }
    };
    let mut input = event_input::load(event, fields, "fire")?;
    let unreadable = match input.event() {
        Event::BeforeTool { tool_name, tool_input } => unreadable_call(tool_name, tool_input),
        _ => None,
    };
    if unreadable.is_some() {
        input.base.reading = Some(CallReading::Known);
    }
    let unreadable = unreadable
        .map(|why| format!("{why} An agent's call like this is refused where a guard depends on it."));
    Ok(Given { input, native: None, unreadable })
}

/// What one event brought.
/// With `--repeat`, the most severe result of all.
struct Fired<'a> {
    input: &'a TypedInput,
    result: ProcessedHookResult,
    skipped: Vec<SkippedHook>,
    /// What the agent would apply of it.
    effects: AgentEvents,
    /// What another agent would get.
    native: Option<NativeAnswerReport>,
}

/// Fires the event and prints the result. The first Ctrl-C ends the hooks, the second one kills them at once.
async fn fire(
    args: &FireArgs,
    hooks: &HookSession,
    system: &HookSystem,
    given: &Given,
    watch: &Watch,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let mut signals = EndSignals::listen().context("cannot listen to signals")?;
    let fired = tokio::select! {
        // Giving the event up kills its hooks.
        _ = signals.next() => None,
        fired = fire_repeatedly(args, hooks, system, given) => Some(fired?),
    };
    watch.progress.idle();
    let status = if let Some((fired, summary)) = &fired {
        print(args, fired, summary.as_ref(), context, printer)
    } else {
        printer.message("interrupted");
        ExitStatus::Interrupted
    };
    let workers = system.workers();
    if !workers.is_empty() {
        let log = HookLog::new(&context.state_dir());
        log.set_session(hooks.session_id());
        log.workers(&workers);
    }
    tokio::select! {
        () = system.drain() => Ok(status),
        // Asked a second time, nothing is waited for.
        _ = signals.next() => {
            system.escalations().kill();
            Ok(ExitStatus::Interrupted)
        }
    }
}

/// Fires the event as often as asked. Of several results the most severe is kept, the last one among equals.
/// The event is the same each time, id and timestamp included where they were given.
async fn fire_repeatedly<'a>(
    args: &FireArgs,
    hooks: &HookSession,
    system: &HookSystem,
    given: &'a Given,
) -> anyhow::Result<(Fired<'a>, Option<RepeatSummary>)> {
    let handler = system.event_handler()?;
    let input = &given.input;
    let event = input.event();
    let other_names = HookEventHandler::other_names(&event, &input.base);
    let explanation = system.explain(event.name(), event.match_target(), &other_names);
    let mut summary = args.repeat.map(|_| RepeatSummary::default());
    let mut kept: Option<ProcessedHookResult> = None;
    for _ in 0..args.repeat.unwrap_or(1) {
        let start = Instant::now();
        let result = handler.fire_with(&event, &input.base, &input.extra).await;
        if let Some(summary) = &mut summary {
            summary.add(&result, start.elapsed());
        }
        // More severe ones have a higher exit code: allowed, failed, blocked, stopped.
        let severity = |result: &ProcessedHookResult| status_of(args, result).code();
        if kept.as_ref().is_none_or(|kept| severity(&result) >= severity(kept)) {
            kept = Some(result);
        }
    }
    let result = given.noted(kept.unwrap_or_else(|| ProcessedHookResult::empty(event.name())));
    let native = given.native_answer(args, hooks, &result);
    let skipped = report::skipped(&explanation, &result, args.only.as_deref(), hooks.working_dir());
    let effects = hooks.settings().agent_events();
    Ok((Fired { input, result, skipped, effects, native }, summary))
}

/// A block comes before a stop, as in the hook protocol, where 2 means that the operation must not happen.
fn status_of(args: &FireArgs, result: &ProcessedHookResult) -> ExitStatus {
    if result.block.is_some() {
        ExitStatus::Blocked
    } else if result.stop.is_some() {
        ExitStatus::Stopped
    } else if args.fail_on_error && !result.aggregated.errors.is_empty() {
        ExitStatus::Failure
    } else {
        ExitStatus::Success
    }
}

/// Prints the result. The exit code is the verdict, whatever becomes of the text: a guard whose output goes to a full
/// disk still guards.
fn print(
    args: &FireArgs,
    fired: &Fired<'_>,
    summary: Option<&RepeatSummary>,
    context: &Context,
    printer: &mut Printer,
) -> ExitStatus {
    for warning in &fired.result.warnings {
        printer.message(format_args!("warning: {}", escape(warning)));
    }
    let outcome = match args.format {
        Format::Json => printer.json_pretty(&FireReport::new(fired, summary)),
        Format::Text => printer.data(text::render(fired, summary, context).trim_end()),
    };
    if let Some(name) = &args.save_test {
        // The verdict counts, whatever becomes of the test.
        if let Err(error) = save::save(name, fired, context, printer) {
            let _ = error::report(&error);
        }
    }
    if let Err(error) = outcome.and_then(|()| printer.flush()) {
        printer.abandon_stdout();
        if !error.is::<ClosedPipe>() {
            printer
                .message(format_args!("error: cannot write the result: {}", escape_line(&error.to_string())));
        }
    }
    status_of(args, &fired.result)
}
