//! `hookrail list`: every hook with its state and its history.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use hookrail::{EventName, HookStatus};
use serde::{Deserialize, Serialize};

use crate::cli::{Format, ListArgs};
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::printer::{Printer, escape_line};
use crate::survey::{HookName, Survey, approved_word, shown};

pub(crate) fn run(args: &ListArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let survey = Survey::load(context);
    let mut hooks = survey.registry.all_hooks();
    // By event, each event's hooks by rank.
    hooks.sort_by_key(|status| status.hook.event);
    let history = load_history(context);
    let rows: Vec<Row<'_>> = hooks.iter().map(|status| Row::new(status, &history)).collect();
    match args.format {
        Format::Json => printer.json_pretty(&List { enabled: survey.enabled, hooks: rows })?,
        Format::Text if rows.is_empty() => {
            printer.data("No hooks are configured.")?;
            printer.talk("hint: `hookrail init` writes a first one");
        }
        Format::Text => print_table(&rows, context, printer)?,
    }
    if !survey.enabled && !hooks.is_empty() {
        let off = survey.why_off(context);
        printer.talk(format_args!("warning: {}", off.message));
        printer.talk(format_args!("hint: {}", off.help));
    } else if hooks.iter().any(|status| matches!(status.trust, hookrail::HookTrust::NotApproved { .. })) {
        printer.talk("hint: review hooks that are not approved with `hookrail trust`");
    }
    Ok(ExitStatus::Success)
}

/// The JSON form.
#[derive(Serialize)]
struct List<'l> {
    /// Whether hooks are on at all.
    enabled: bool,
    hooks: Vec<Row<'l>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'l> {
    event: EventName,
    #[serde(flatten)]
    hook: HookName<'l>,
    /// Whether no list disables it.
    enabled: bool,
    /// `trusted`, `approved` or `no`.
    approved: &'static str,
    #[serde(flatten)]
    history: History,
}

/// What the log knows of a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct History {
    runs: usize,
    last_run: Option<String>,
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
}

impl<'l> Row<'l> {
    fn new(status: &'l HookStatus, history: &HashMap<Key, History>) -> Self {
        let hook = &status.hook;
        let key = (hook.event.to_string(), hook.name.clone(), hook.command().to_owned());
        Self {
            event: hook.event,
            hook: HookName::of(hook),
            enabled: status.enabled,
            approved: approved_word(&status.trust),
            history: history.get(&key).cloned().unwrap_or_default(),
        }
    }
}

/// Event, name and command: two projects may have a hook of the same name.
type Key = (String, String, String);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogLine {
    #[serde(rename = "type")]
    kind: String,
    timestamp: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    command: String,
    #[serde(default)]
    duration_ms: u64,
}

/// Reads the engine's own log. Lines that cannot be read, and a log that does not exist, say nothing.
fn load_history(context: &Context) -> HashMap<Key, History> {
    let mut calls: HashMap<Key, (String, Vec<u64>)> = HashMap::new();
    if let Ok(file) = File::open(context.state_dir().join("log.jsonl")) {
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            let Ok(line) = serde_json::from_slice::<LogLine>(&line) else { continue };
            if line.kind == "hook_call" {
                let call = calls.entry((line.event, line.name, line.command)).or_default();
                call.0 = line.timestamp;
                call.1.push(line.duration_ms);
            }
        }
    }
    let history = calls.into_iter().map(|(key, (last, mut durations))| {
        durations.sort_unstable();
        let history = History {
            runs: durations.len(),
            last_run: Some(last),
            p50_ms: percentile(&durations, 50),
            p95_ms: percentile(&durations, 95),
        };
        (key, history)
    });
    history.collect()
}

/// The smallest value that at least `percent` of all are not above.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

const HEADINGS: [&str; 10] =
    ["EVENT", "NAME", "MATCHER", "SOURCE", "ORIGIN", "ENABLED", "APPROVED", "LAST RUN", "P50", "P95"];

/// Longer texts are cut in the table; JSON has them in full.
const WIDEST: usize = 48;

fn print_table(rows: &[Row<'_>], context: &Context, printer: &mut Printer) -> anyhow::Result<()> {
    let none = || "-".to_owned();
    let duration = |milliseconds: Option<u64>| milliseconds.map_or_else(none, |ms| format!("{ms} ms"));
    let cells: Vec<[String; 10]> = std::iter::once(HEADINGS.map(str::to_owned))
        .chain(rows.iter().map(|row| {
            let origin = row.hook.origin;
            [
                row.event.to_string(),
                cut(&escape_line(row.hook.name)),
                row.hook.matcher.map_or_else(none, |matcher| cut(&escape_line(matcher))),
                escape_line(&origin.level.to_string()),
                format!("{}:{}", shown(&origin.file, context), origin.line),
                if row.enabled { "yes" } else { "no" }.to_owned(),
                row.approved.to_owned(),
                row.history.last_run.as_deref().map_or_else(none, escape_line),
                duration(row.history.p50_ms),
                duration(row.history.p95_ms),
            ]
        }))
        .collect();
    let mut widths = [0; 10];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in &cells {
        let line: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        printer.data(line.join("  ").trim_end())?;
    }
    Ok(())
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let hundred: Vec<u64> = (1..=100).collect();
        for (values, p50, p95) in [
            (&hundred[..], Some(50), Some(95)),
            (&[7], Some(7), Some(7)),
            (&[1, 9], Some(1), Some(9)),
            (&[], None, None),
        ] {
            assert_eq!((percentile(values, 50), percentile(values, 95)), (p50, p95), "{values:?}");
        }
    }
}
