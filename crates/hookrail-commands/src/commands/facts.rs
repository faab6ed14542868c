//! `hookrail facts`: what rules see of an event. It needs no settings.
//!
//! The author of a rule sees here what its conditions are compared with. A command that cannot be taken apart is
//! shown as `dynamic`, for which rules have a condition of their own.

use hookrail::rules::{Facts, Folders, Subject};
use serde_json::Value;

use crate::cli::{FactsArgs, Format};
use crate::context::Context;
use crate::display::home;
use crate::event_input;
use crate::exit::ExitStatus;
use crate::terminal::printer::{Printer, escape_line};

/// Prints the facts of one event.
pub(crate) fn run(args: &FactsArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let input = event_input::load(args.event, &args.fields, "facts")?;
    let event = input.event();
    let folders = Folders { project: context.project(), cwd: context.project(), home: home(context) };
    let facts = Facts::new(Subject::of(&event), folders);
    let json = facts.to_json();
    match args.format {
        Format::Json => printer.json_pretty(&json)?,
        Format::Text => print_text(&json, printer)?,
    }
    Ok(ExitStatus::Success)
}

/// Words that cannot be determined are shown as `?`.
fn print_text(facts: &Value, printer: &mut Printer) -> anyhow::Result<()> {
    let list = |key: &str| facts.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let word = |word: &Value| word.as_str().map_or_else(|| "?".to_owned(), quoted);
    for command in list("commands") {
        let words = command.get("argv").and_then(Value::as_array).cloned().unwrap_or_default();
        let words: Vec<String> = words.iter().map(word).collect();
        let via = command.get("via").and_then(Value::as_array).cloned().unwrap_or_default();
        let via: Vec<String> = via.iter().map(word).collect();
        let behind = if via.is_empty() { String::new() } else { format!("  (behind {})", via.join(", ")) };
        printer.data(format_args!("command  {}{behind}", words.join(" ")))?;
    }
    for (key, name) in [("programs", "program"), ("writes", "writes"), ("reads", "reads"), ("shows", "shows")]
    {
        for value in list(key) {
            printer.data(format_args!("{name:8} {}", word(&value)))?;
        }
    }
    let dynamic = facts.get("dynamic").and_then(Value::as_bool).unwrap_or(false);
    let causes: Vec<String> = list("dynamicCauses").iter().map(word).collect();
    let causes = if causes.is_empty() { String::new() } else { format!("  ({})", causes.join(", ")) };
    printer.data(format_args!("dynamic  {dynamic}{causes}"))
}

/// A word as it is, in quotes where a reader could not see where it ends.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| !c.is_whitespace() && !"'\"".contains(c));
    if plain { escape_line(word) } else { format!("'{}'", escape_line(word)) }
}
