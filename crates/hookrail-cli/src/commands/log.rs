//! `hookrail log`: what hooks did, from session logs or the engine's own log.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;

use crate::cli::{Format, LogArgs};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::hook_log::{
    self, Call, HookStats, Line, Lines, OpenLogs, READ_AT_MOST, Statistics, Tail, open_named,
    open_with_rotated,
};
use crate::printer::{Printer, escape_json, escape_line};

/// How many past calls are shown before new ones are waited for.
const PAST_CALLS: usize = 10;

/// How often a followed log is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// How much of what a hook said is shown in its line.
const SAID: usize = 200;

/// Prints hook calls, or numbers about them.
pub(crate) fn run(args: &LogArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let own_log = hook_log::path_in(&context.state_dir());
    if args.follow {
        return follow(args, own_log, printer);
    }
    let logs = open(args, &own_log)?;
    if args.stats {
        return print_stats(args, logs, printer);
    }
    let mut is_empty = true;
    for (path, file) in logs.files {
        for line in Lines::new(file) {
            let line = line.with_context(|| format!("cannot read `{}`", path.display()))?;
            if is_wanted(args, &line.call) {
                is_empty = false;
                print(args.format, &line, printer)?;
            }
        }
    }
    if is_empty {
        printer.talk("no hook calls");
    }
    Ok(ExitStatus::Success)
}

fn open(args: &LogArgs, own_log: &std::path::Path) -> anyhow::Result<OpenLogs> {
    if args.files.is_empty() {
        return open_with_rotated(own_log).with_context(|| format!("cannot read `{}`", own_log.display()));
    }
    open_named(&args.files).map_err(|(path, error)| {
        anyhow::Error::new(error).context(format!("cannot read `{}`", path.display()))
    })
}

fn follow(args: &LogArgs, own_log: PathBuf, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    // The engine's own log may come into being later; a file that somebody names should be there.
    drop(open(args, &own_log)?);
    let paths = if args.files.is_empty() { vec![own_log] } else { args.files.clone() };
    let mut tails: Vec<Tail> = paths.iter().map(|path| Tail::new(path)).collect();
    let mut past = VecDeque::with_capacity(PAST_CALLS);
    for tail in &mut tails {
        tail.poll(&mut |line| {
            if is_wanted(args, &line.call) {
                if past.len() == PAST_CALLS {
                    past.pop_front();
                }
                past.push_back(line);
            }
            Ok(())
        })?;
    }
    for line in past {
        print(args.format, &line, printer)?;
    }
    loop {
        printer.flush()?;
        std::thread::sleep(PAUSE);
        for tail in &mut tails {
            tail.poll(&mut |line| {
                if is_wanted(args, &line.call) { print(args.format, &line, printer) } else { Ok(()) }
            })?;
        }
    }
}

fn is_wanted(args: &LogArgs, call: &Call) -> bool {
    args.event.is_none_or(|event| call.event == event.as_str())
        && args.hook.as_ref().is_none_or(|name| call.name == *name || call.command == *name)
        && args.outcome.is_none_or(|outcome| call.ended_in(outcome))
}

fn print(format: Format, line: &Line, printer: &mut Printer) -> anyhow::Result<()> {
    match format {
        Format::Json => printer.data(escape_json(&line.text)),
        Format::Text => printer.data(render(&line.call)),
    }
}

fn render(call: &Call) -> String {
    let ended = match (call.signal, call.exit_code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit {code}"),
        (None, None) => "no exit".to_owned(),
    };
    let mut text = format!(
        "{}  {:<13}  {:<10}  {:>6} ms  {ended:<9}  {}",
        escape_line(&call.timestamp),
        escape_line(&call.event),
        call.outcome(),
        call.duration_ms,
        escape_line(&call.name),
    );
    if let Some(said) = call.said() {
        let shown = said.get(..said.floor_char_boundary(SAID)).unwrap_or_default();
        text.push_str(": ");
        text.push_str(&escape_line(shown));
        if shown.len() < said.len() {
            text.push('…');
        }
    }
    text
}

fn print_stats(args: &LogArgs, mut logs: OpenLogs, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    logs.keep_last(READ_AT_MOST).context("cannot read the log")?;
    let mut statistics = Statistics::default();
    statistics.is_cut = logs.is_cut;
    if let Some(note) = statistics.cut_note() {
        printer.talk(note);
    }
    for (path, file) in logs.files {
        for line in Lines::new(file) {
            let line = line.with_context(|| format!("cannot read `{}`", path.display()))?;
            if is_wanted(args, &line.call) {
                statistics.add(line.call);
            }
        }
    }
    let all = statistics.all();
    if args.format == Format::Json {
        printer.json_pretty(&all)?;
        return Ok(ExitStatus::Success);
    }
    if all.is_empty() {
        printer.talk("no hook calls");
        return Ok(ExitStatus::Success);
    }
    let head = ["runs", "blocks", "failures", "p50", "p95", "max"];
    let [runs, blocks, failures, p50, p95, max] = head;
    printer.data(format_args!(
        "{runs:>6} {blocks:>6} {failures:>8} {p50:>9} {p95:>9} {max:>9}  {:<19}  hook",
        "event"
    ))?;
    for HookStats { event, name, runs, blocks, failures, p50_ms, p95_ms, max_ms, .. } in &all {
        printer.data(format_args!(
            "{runs:>6} {blocks:>6} {failures:>8} {p50_ms:>6} ms {p95_ms:>6} ms {max_ms:>6} ms  {:<19}  {}",
            escape_line(event),
            escape_line(name)
        ))?;
    }
    Ok(ExitStatus::Success)
}
