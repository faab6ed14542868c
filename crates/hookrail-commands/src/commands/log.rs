//! `hookrail log`: what came of events and what hooks did, from the engine's own log or session logs.
//!
//! The engine's log has every decision and every hook call of every agent on this machine, without what the hooks were
//! given. It is rotated, and the files that were moved aside are read as well. Session logs have hook calls alone.

mod decision;
mod save;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum as _;
use serde::Serialize;

use self::decision::NARROW;
use crate::cli::{Format, LogArgs};
use crate::context::Context;
use crate::display::short_home;
use crate::exit::ExitStatus;
use crate::hook_log::{
    self, HookStats, LogEntry, LoggedCall, LoggedDecision, LoggedVerdict, OpenLogs, PastWorker, PastWorkers,
    READ_AT_MOST, SHORT_ID, Statistics, Tail, local_time, open_named, open_with_rotated, short_local_time,
};
use crate::terminal::layout::{cell, counted, fit, width};
use crate::terminal::printer::{Printer, escape_json, escape_line};
use crate::terminal::screen::stdout_columns;
use crate::terminal::style::{Style, paint};

/// How many past calls are shown before new ones are waited for.
/// Enough to see whether anything happens at all.
const PAST_CALLS: usize = 10;

/// How often a followed log is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// How much of a hook's message is shown in its line, in bytes.
/// `--format json` has all that was logged.
const MESSAGE_BYTES: usize = 200;

/// Prints hook calls, or numbers about them.
/// Lines are printed while they are read, so a long log needs no memory and `| head` ends early.
pub(crate) fn run(args: &LogArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let own_log = hook_log::path_in(&context.state_dir());
    let wanted = Wanted::new(args, context)?;
    if args.follow {
        return follow(args, &wanted, own_log, printer);
    }
    let logs = open(args, &own_log)?;
    if let Some(id) = &args.save_test {
        return save::run(id, args, logs, context, printer);
    }
    if args.stats {
        return print_stats(args, &wanted, logs, printer);
    }
    let is_paged = args.format == Format::Text && !args.no_pager;
    let pager = is_paged.then(|| printer.start_pager()).flatten();
    let outcome = print_all(args, &wanted, logs, printer);
    if let Some(pager) = pager {
        pager.wait(printer);
    }
    outcome
}

/// Prints the lines that are wanted.
fn print_all(
    args: &LogArgs,
    wanted: &Wanted<'_>,
    logs: OpenLogs,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let mut is_empty = true;
    let mut last = VecDeque::new();
    for entry in logs.lines() {
        let entry = entry?;
        if wanted.covers(&entry) {
            is_empty = false;
            match args.last {
                Some(most) => keep_last(&mut last, most, entry),
                None => print(args.format, &entry, wanted, printer)?,
            }
        }
    }
    for entry in last {
        print(args.format, &entry, wanted, printer)?;
    }
    if is_empty {
        printer.message(if wanted.calls { "no hook calls" } else { "nothing was decided" });
    }
    Ok(ExitStatus::Success)
}

/// A missing log of the engine is an empty one. A file that was named must be there.
fn open(args: &LogArgs, own_log: &Path) -> anyhow::Result<OpenLogs> {
    if args.files.is_empty() { open_with_rotated(own_log) } else { open_named(&args.files) }
}

/// Keeps a line, and of all lines at most this many.
fn keep_last(lines: &mut VecDeque<LogEntry>, most: usize, line: LogEntry) {
    lines.push_back(line);
    if lines.len() > most {
        lines.pop_front();
    }
}

/// Never returns by itself: Ctrl-C ends it, or the pipe it writes to. Files are looked at again and again, because
/// notifications of file systems do not reach across mounts and containers.
fn follow(
    args: &LogArgs,
    wanted: &Wanted<'_>,
    own_log: PathBuf,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    // The engine's own log may come into being later; a file that is named should be there.
    drop(open(args, &own_log)?);
    let paths = if args.files.is_empty() { vec![own_log] } else { args.files.clone() };
    let mut tails: Vec<Tail> = paths.iter().map(|path| Tail::new(path)).collect();
    let mut past = VecDeque::new();
    for tail in &mut tails {
        tail.poll(&mut |line: LogEntry| {
            if wanted.covers(&line) {
                keep_last(&mut past, args.last.unwrap_or(PAST_CALLS), line);
            }
            Ok(())
        })?;
    }
    for line in past {
        print(args.format, &line, wanted, printer)?;
    }
    loop {
        printer.flush()?;
        std::thread::sleep(PAUSE);
        for tail in &mut tails {
            tail.poll(&mut |line: LogEntry| {
                if wanted.covers(&line) { print(args.format, &line, wanted, printer) } else { Ok(()) }
            })?;
        }
    }
}

/// The filters of the command line.
struct Wanted<'a> {
    args: &'a LogArgs,
    /// The one project whose calls are shown, if only one is: its path as the log has it.
    project: Option<String>,
    /// Whether each hook call is shown, in place of what came of each event.
    calls: bool,
    /// The width of the terminal, if there is one.
    columns: Option<usize>,
    context: &'a Context,
}

impl<'a> Wanted<'a> {
    /// A project that was named is resolved to its real path, as it is in the log.
    fn new(args: &'a LogArgs, context: &'a Context) -> anyhow::Result<Self> {
        let project = match &args.project {
            None => None,
            Some(given) if given.as_os_str() == "." => Some(context.project().to_owned()),
            Some(given) => Some(
                given.canonicalize().with_context(|| format!("there is no project `{}`", given.display()))?,
            ),
        };
        let project = project.map(|project| project.to_string_lossy().into_owned());
        let calls = args.calls || args.outcome.is_some() || !args.files.is_empty();
        Ok(Self { args, project, calls, columns: stdout_columns(), context })
    }

    /// Whether a line is of the wanted kind and passes every filter. For programs both kinds are printed, unless one of
    /// them was asked for.
    fn covers(&self, entry: &LogEntry) -> bool {
        let args = self.args;
        let of_decisions = args.agent.is_some() || args.decision.is_some();
        let both = args.format == Format::Json && !self.calls && !of_decisions;
        match entry {
            LogEntry::Call(call) => (self.calls || both) && self.covers_call(call),
            LogEntry::Decision(decision) => (!self.calls || both) && self.covers_decision(decision),
        }
    }

    fn covers_decision(&self, decision: &LoggedDecision) -> bool {
        let (args, known) = (self.args, decision);
        let is_decided = |verdict: LoggedVerdict| {
            verdict.to_possible_value().is_some_and(|word| word.get_name() == known.decision)
        };
        args.hook.as_ref().is_none_or(|hook| known.hook.as_ref() == Some(hook))
            && args.agent.as_ref().is_none_or(|agent| known.agent == *agent)
            && args.decision.is_none_or(is_decided)
            && self.covers_line(
                &known.event,
                known.tool.as_deref().unwrap_or_default(),
                known.project.as_deref().unwrap_or_default(),
                &known.session_id,
                &known.timestamp,
            )
    }

    fn covers_call(&self, call: &LoggedCall) -> bool {
        let args = self.args;
        args.hook.as_ref().is_none_or(|name| call.name == *name || call.command.as_ref() == Some(name))
            && args.outcome.is_none_or(|outcome| call.ended_in(outcome))
            && self.covers_line(&call.event, &call.tool, &call.project, &call.session_id, &call.timestamp)
    }

    /// The filters that are for both kinds of lines.
    fn covers_line(&self, event: &str, tool: &str, project: &str, session: &str, timestamp: &str) -> bool {
        let args = self.args;
        args.event.is_none_or(|wanted| event == wanted.as_str())
            && args.tool.as_ref().is_none_or(|wanted| tool == wanted)
            && self.project.as_ref().is_none_or(|wanted| project == wanted)
            && args.session.as_ref().is_none_or(|wanted| session.starts_with(wanted.as_str()))
            && args.since.is_none_or(|since| since.covers(timestamp))
    }

    /// The project of a line, where it is not the present one.
    /// Lines of older versions name no project and count as being here.
    fn elsewhere<'c>(&self, project: &'c str) -> Option<&'c str> {
        let here = project.is_empty() || Path::new(project) == self.context.project();
        (!here).then_some(project)
    }

    /// Where a hook ran, if not here: ` in ~/project`.
    fn place_of(&self, hook: &HookStats) -> String {
        let place = self.elsewhere(&hook.project);
        place.map(|project| format!(" in {}", short_home(project, self.context))).unwrap_or_default()
    }
}

/// JSON lines are printed as they stand in the log, made safe for a terminal and otherwise unchanged.
fn print(format: Format, entry: &LogEntry, wanted: &Wanted<'_>, printer: &mut Printer) -> anyhow::Result<()> {
    match (format, entry) {
        (Format::Json, LogEntry::Call(call)) => printer.data(escape_json(&call.text)),
        (Format::Json, LogEntry::Decision(decision)) => printer.data(escape_json(&decision.text)),
        (Format::Text, LogEntry::Call(call)) => printer.data(render(call, wanted)),
        (Format::Text, LogEntry::Decision(decision)) => printer.data(decision::render(decision, wanted)),
    }
}

/// One line: when, id, event, outcome, how long, how it ended, which hook. Its message comes last, because it is cut. In a
/// narrow terminal, two lines with less.
fn render(call: &LoggedCall, wanted: &Wanted<'_>) -> String {
    let id = call.id().unwrap_or_default();
    // Lines of older versions have none.
    let id = escape_line(id.get(..SHORT_ID).unwrap_or("-"));
    let outcome = call.outcome();
    let painted = paint(decision::style_of(outcome), &format!("{outcome:<10}"));
    let name = escape_line(&call.name);
    let mut about = String::new();
    if !call.tool.is_empty() {
        let _ = write!(about, " for {}", escape_line(&call.tool));
    }
    if let Some(project) = wanted.elsewhere(&call.project) {
        let _ = write!(about, " in {}", escape_line(&short_home(project, wanted.context)));
    }
    if let Some(message) = call.message() {
        let shown = message.get(..message.floor_char_boundary(MESSAGE_BYTES)).unwrap_or_default();
        let more = if shown.len() < message.len() { "…" } else { "" };
        let _ = write!(about, ": {}{more}", escape_line(shown));
    }
    if let Some(columns) = wanted.columns.filter(|columns| *columns < NARROW) {
        let time = cell(&escape_line(&short_local_time(&call.timestamp)), 11);
        let name = fit(&name, columns.saturating_sub(46));
        let about = fit(&format!("{}{about}", escape_line(&call.event)), columns.saturating_sub(2));
        return format!("{time}  {id:<SHORT_ID$}  {painted}  {:>6} ms  {name}\n  {about}", call.duration_ms);
    }
    let ended = match (call.signal, call.exit_code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit {code}"),
        (None, None) => "no exit".to_owned(),
    };
    let time = escape_line(&local_time(&call.timestamp));
    let event = escape_line(&call.event);
    let head = format!("{time}  {id:<SHORT_ID$}  {event:<13}  ");
    let tail = format!("  {:>6} ms  {ended:<9}  {name}{about}", call.duration_ms);
    let room = wanted.columns.map_or(usize::MAX, |columns| columns.saturating_sub(width(&head) + 10));
    format!("{head}{painted}{}", fit(&tail, room))
}

/// Numbers for each hook of each project. A huge log is read from its end, with a note.
fn print_stats(
    args: &LogArgs,
    wanted: &Wanted<'_>,
    mut logs: OpenLogs,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    logs.keep_last(READ_AT_MOST).context("cannot read the log")?;
    let mut statistics = Statistics::default();
    statistics.is_cut = logs.is_cut;
    if let Some(note) = statistics.cut_note() {
        printer.message(note);
    }
    for call in logs.lines() {
        let call = call?;
        if wanted.covers_call(&call) {
            statistics.add(call);
        }
    }
    let all = statistics.all();
    let workers = if args.files.is_empty() {
        PastWorkers::load(&hook_log::path_in(&wanted.context.state_dir()))
    } else {
        PastWorkers::default()
    };
    if args.format == Format::Json {
        let all: Vec<_> =
            all.iter().map(|hook| WithWorker { worker: workers.of(&hook.command), hook }).collect();
        printer.json_pretty(&all)?;
        return Ok(ExitStatus::Success);
    }
    if all.is_empty() {
        printer.message("no hook calls");
        return Ok(ExitStatus::Success);
    }
    let is_narrow = wanted.columns.is_some_and(|columns| columns < NARROW);
    if !is_narrow {
        let [runs, blocks, asks, failures, p50] = ["runs", "blocks", "asks", "failures", "p50"];
        let head =
            format!("{runs:>6} {blocks:>6} {asks:>6} {failures:>8} {p50:>9} {:>9} {:>9}", "p95", "max");
        printer.data(paint(Style::Bold, &format!("{head}  {:<19}  hook", "event")))?;
    }
    for hook in &all {
        if is_narrow {
            printer.data(narrow_stats(hook, wanted))?;
            continue;
        }
        let HookStats { event, name, runs, blocks, asks, failures, p50_ms, p95_ms, max_ms, .. } = hook;
        printer.data(format_args!(
            "{runs:>6} {blocks:>6} {asks:>6} {failures:>8} {p50_ms:>6} ms {p95_ms:>6} ms {max_ms:>6} ms  {:<19}  {}{}",
            escape_line(event),
            escape_line(name),
            escape_line(&wanted.place_of(hook))
        ))?;
    }
    let mut seen = HashSet::new();
    for hook in all.iter().filter(|hook| seen.insert(&hook.command)) {
        if let Some(worker) = workers.of(&hook.command) {
            printer.data(format_args!("worker of {}: {}", escape_line(&hook.name), worker.describe()))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// The numbers of a hook on two lines; those that are zero are left out.
fn narrow_stats(hook: &HookStats, wanted: &Wanted<'_>) -> String {
    let columns = wanted.columns.unwrap_or(NARROW);
    let place = wanted.place_of(hook);
    let first = fit(&escape_line(&format!("{} at {}{place}", hook.name, hook.event)), columns);
    let counts = [(hook.runs, "run"), (hook.blocks, "block"), (hook.asks, "ask"), (hook.failures, "failure")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| counted(*count as u64, word)).collect();
    let HookStats { p50_ms, p95_ms, max_ms, .. } = hook;
    let second = format!("{}; p50 {p50_ms} ms, p95 {p95_ms} ms, max {max_ms} ms", counts.join(", "));
    format!("{}\n  {}", paint(Style::Bold, &first), fit(&second, columns.saturating_sub(2)))
}

/// The numbers of a hook, and what the log contains about its worker.
/// A worker is found by its command: several hooks may share one.
#[derive(Serialize)]
struct WithWorker<'l> {
    #[serde(flatten)]
    hook: &'l HookStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'l PastWorker>,
}
