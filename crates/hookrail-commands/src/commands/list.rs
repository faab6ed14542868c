//! `hookrail list`: every hook with its state and its history.
//!
//! All hooks are listed, also those that do not run: the columns show why. What is wrong with the settings follows on
//! stderr.

use hookrail::components::HookStatus;
use hookrail::settings::RegistryScope;
use hookrail::{Diagnostic, EventName};
use serde::Serialize;

use crate::cli::{Format, ListArgs};
use crate::commands::keeper;
use crate::context::Context;
use crate::display::{HookName, approved_word, shown};
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::{self, PastWorkers, Statistics, WorkerReport, local_time};
use crate::terminal::layout::{fit, wrap};
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::screen::stdout_columns;
use crate::terminal::style::{Style, paint};

/// An empty list is not a failure.
pub(crate) fn run(args: &ListArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let mut hooks = settings.registry(RegistryScope::All).all_hooks();
    // By event, each event's hooks by rank.
    hooks.sort_by_key(|status| status.hook.event);
    let log = hook_log::path_in(&context.state_dir());
    let statistics = Statistics::load(&log);
    let workers = PastWorkers::load_for(hooks.iter().map(|status| &*status.hook), &log);
    let rows: Vec<Row<'_>> =
        hooks.iter().map(|status| Row::new(status, context, &statistics, &workers)).collect();
    match args.format {
        Format::Json => printer.json_pretty(&List {
            enabled: settings.activation.is_on(),
            hooks: rows,
            findings: &settings.findings,
        })?,
        Format::Text if rows.is_empty() && !settings.unusable.is_empty() => {
            printer.data("No hooks could be read.")?;
        }
        Format::Text if rows.is_empty() => {
            printer.data("No hooks are configured.")?;
            printer.message("hint: `hookrail init` writes a first one");
        }
        Format::Text => print_table(&rows, context, printer)?,
    }
    if args.format == Format::Text {
        for line in keeper::lines(&context.state_dir()) {
            printer.message(line);
        }
    }
    if let Some(note) = statistics.cut_note() {
        printer.message(note);
    }
    findings::print_findings(&settings, context, printer);
    Ok(ExitStatus::Success)
}

/// The JSON form.
/// `enabled` is about all hooks; each row has its own.
#[derive(Serialize)]
struct List<'l> {
    /// Whether hooks are on at all.
    enabled: bool,
    hooks: Vec<Row<'l>>,
    /// What is wrong with settings and approvals.
    findings: &'l [Diagnostic],
}

/// `lastRun`, `p50Ms` and `p95Ms` are null for a hook that is not in the log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'l> {
    event: EventName,
    #[serde(flatten)]
    hook: HookName<'l>,
    /// `command`, `rule` or another type of the settings.
    r#type: &'static str,
    /// Whether no list disables it.
    enabled: bool,
    /// `trusted`, `approved` or `no`.
    approved: &'static str,
    /// For a hook whose process is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerReport<'l>>,
    #[serde(flatten)]
    history: PastRuns,
}

/// What the log contains about a hook.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct PastRuns {
    /// In this project, as far as the log reaches.
    runs: usize,
    /// In UTC; the table shows local time.
    last_run: Option<String>,
    /// Half of the runs took no longer.
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
}

impl<'l> Row<'l> {
    /// History is that of this project: a user's hook runs in others too, and faster or slower there.
    fn new(
        status: &'l HookStatus,
        context: &Context,
        statistics: &Statistics,
        workers: &'l PastWorkers,
    ) -> Self {
        let hook = &status.hook;
        let known = statistics.of(context.project(), hook.event, &hook.name);
        Self {
            event: hook.event,
            hook: HookName::of(hook),
            r#type: hook.type_name(),
            enabled: status.enabled,
            approved: approved_word(&status.trust),
            worker: WorkerReport::of(hook, workers),
            history: known.map_or_else(PastRuns::default, |known| PastRuns {
                runs: known.runs,
                last_run: Some(known.last_run),
                p50_ms: Some(known.p50_ms),
                p95_ms: Some(known.p95_ms),
            }),
        }
    }
}

/// `SOURCE` is the level of the settings, `ORIGIN` the place in the file.
const HEADINGS: [&str; 10] =
    ["EVENT", "NAME", "MATCHER", "SOURCE", "ORIGIN", "ENABLED", "APPROVED", "LAST RUN", "P50", "P95"];

/// Longer texts are cut in the table; JSON has them in full.
const WIDEST: usize = 48;

/// Columns are as wide as their widest cell; the last one is not padded.
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
                row.history.last_run.as_deref().map_or_else(none, |time| escape_line(&local_time(time))),
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
    let all: usize = widths.iter().map(|width| width + 2).sum();
    match stdout_columns().filter(|columns| all > *columns + 2) {
        Some(columns) => {
            for row in cells.iter().skip(1) {
                printer.data(render_card(row, columns))?;
            }
        }
        None => {
            for (number, row) in cells.iter().enumerate() {
                let line: Vec<String> =
                    row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
                printer.data(paint(style_of(number, row), line.join("  ").trim_end()))?;
            }
        }
    }
    for row in rows {
        if let Some(worker) = &row.worker {
            let name = cut(&escape_line(row.hook.name));
            printer.data(format_args!("worker of {name}: {}", worker.describe()))?;
        }
    }
    Ok(())
}

/// The heading stands out; a hook that does not run steps back.
fn style_of(number: usize, row: &[String; 10]) -> Style {
    let [_, _, _, _, _, enabled, approved, ..] = row;
    match (number, enabled.as_str(), approved.as_str()) {
        (0, ..) => Style::Bold,
        (_, "no", _) => Style::Dim,
        (_, _, "no") => Style::Yellow,
        _ => Style::Plain,
    }
}

/// One hook on several lines, for a terminal that is too narrow for the table.
fn render_card(row: &[String; 10], columns: usize) -> String {
    let [event, name, matcher, _, origin, enabled, approved, last_run, p50, p95] = row;
    let state = match (enabled.as_str(), approved.as_str()) {
        ("no", _) => "disabled",
        (_, "no") => "not approved",
        (_, other) => other,
    };
    let ran = match last_run.as_str() {
        "-" => "never ran".to_owned(),
        time => format!("last run {time}, p50 {p50}, p95 {p95}"),
    };
    let head = paint(style_of(1, row), &fit(&format!("{event}  {name}"), columns));
    let mut rest = vec![format!("{state}, {ran}")];
    if matcher != "-" {
        rest.insert(0, format!("matcher {matcher}"));
    }
    rest.push(origin.clone());
    let inside = columns.saturating_sub(2);
    let rest = rest.iter().flat_map(|text| wrap(text, inside)).map(|line| fit(&line, inside));
    let rest: Vec<String> = rest.collect();
    format!("{head}\n  {}", rest.join("\n  "))
}

/// Counted in characters. Wide characters move a column, which does no harm.
fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
