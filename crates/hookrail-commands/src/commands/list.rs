//! `hookrail list`: every hook with its state and its history.
//!
//! All hooks are listed, also those that do not run: the columns show why. What is wrong with the settings follows on
//! stderr.

use hookrail::JsonObject;
use hookrail::components::HookStatus;
use hookrail::rules::order;
use hookrail::settings::RegistryScope;
use serde_json::{Value, json};

use crate::cli::{Format, ListArgs};
use crate::commands::keeper;
use crate::context::Context;
use crate::display::{approved_word, hook_json, shown};
use crate::exit::ExitStatus;
use crate::findings;
use crate::hook_log::{self, HookStats, PastWorkers, Statistics, WorkerReport, local_time};
use crate::terminal::layout::{fit, table, wrap};
use crate::terminal::printer::{Printer, escape_line};
use crate::terminal::screen::stdout_columns;
use crate::terminal::style::{Style, paint};

/// An empty list is not a failure.
pub(crate) fn run(args: &ListArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let settings = context.settings();
    let mut hooks = settings.registry(RegistryScope::All).all_hooks();
    // By event, each event's hooks by rank.
    order::sort_by_key(&mut hooks, |status| status.hook.event);
    let log = hook_log::path_in(&context.state_dir());
    let statistics = Statistics::load(&log);
    let workers = PastWorkers::load_for(hooks.iter().map(|status| &*status.hook), &log);
    let rows = hooks.iter().map(|status| {
        let hook = &status.hook;
        let history = statistics.of(context.project(), hook.event, &hook.name);
        Row { status, worker: WorkerReport::of(hook, &workers), history }
    });
    let rows: Vec<Row<'_>> = rows.collect();
    match args.format {
        Format::Json => printer.json_pretty(&json!({
            "enabled": settings.activation.is_on(),
            "hooks": rows.iter().map(Row::json).collect::<Vec<_>>(),
            "findings": settings.findings,
        }))?,
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

/// A hook, and what the log contains about it.
struct Row<'l> {
    status: &'l HookStatus,
    /// For a hook whose process is kept.
    worker: Option<WorkerReport<'l>>,
    /// In this project: a user's hook runs in others too, and faster or slower there.
    history: Option<HookStats>,
}

impl Row<'_> {
    /// The JSON form. Its fields are a contract; `lastRun`, `p50Ms` and `p95Ms` are null for a hook that is not in the log.
    fn json(&self) -> Value {
        let HookStatus { hook, enabled, trust, .. } = self.status;
        let mut fields = JsonObject::from_iter([("event".to_owned(), json!(hook.event))]);
        fields.extend(hook_json(hook));
        let mut add = |key: &str, value: Value| fields.insert(key.to_owned(), value);
        add("type", hook.type_name().into());
        add("enabled", (*enabled).into());
        add("approved", approved_word(trust).into());
        if let Some(worker) = &self.worker {
            add("worker", json!(worker));
        }
        let history = self.history.as_ref();
        add("runs", history.map_or(0, |known| known.runs).into());
        add("lastRun", json!(history.map(|known| &known.last_run)));
        add("p50Ms", json!(history.map(|known| known.p50_ms)));
        add("p95Ms", json!(history.map(|known| known.p95_ms)));
        Value::Object(fields)
    }
}

/// `SOURCE` is the level of the settings, `ORIGIN` the place in the file.
const HEADINGS: [&str; 10] =
    ["EVENT", "NAME", "MATCHER", "SOURCE", "ORIGIN", "ENABLED", "APPROVED", "LAST RUN", "P50", "P95"];

/// Longer texts are cut in the table; JSON has them in full.
const WIDEST: usize = 48;

/// In a terminal that is too narrow, each hook has several lines.
fn print_table(rows: &[Row<'_>], context: &Context, printer: &mut Printer) -> anyhow::Result<()> {
    let none = || "-".to_owned();
    let duration = |milliseconds: Option<u64>| milliseconds.map_or_else(none, |ms| format!("{ms} ms"));
    let cells: Vec<[String; 10]> = std::iter::once(HEADINGS.map(str::to_owned))
        .chain(rows.iter().map(|row| {
            let HookStatus { hook, enabled, trust, .. } = row.status;
            let history = row.history.as_ref();
            [
                hook.event.to_string(),
                cut(&escape_line(&hook.name)),
                hook.matcher.text().map_or_else(none, |matcher| cut(&escape_line(matcher))),
                escape_line(&hook.origin.level.to_string()),
                format!("{}:{}", shown(&hook.origin.file, context), hook.origin.line),
                if *enabled { "yes" } else { "no" }.to_owned(),
                approved_word(trust).to_owned(),
                history.map_or_else(none, |known| escape_line(&local_time(&known.last_run))),
                duration(history.map(|known| known.p50_ms)),
                duration(history.map(|known| known.p95_ms)),
            ]
        }))
        .collect();
    let lines = table(&cells);
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    match stdout_columns().filter(|columns| widest > *columns) {
        Some(columns) => {
            for row in cells.iter().skip(1) {
                printer.data(render_card(row, columns))?;
            }
        }
        None => {
            for (number, (row, line)) in cells.iter().zip(&lines).enumerate() {
                printer.data(paint(style_of(number, row), line))?;
            }
        }
    }
    for row in rows {
        if let Some(worker) = &row.worker {
            let name = cut(&escape_line(&row.status.hook.name));
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
