//! The bridge in Kimi Code's `config.toml`: `[[hooks]]`, each with its `event`.
//!
//! The schema is strict, so an entry has `event`, `command` and `timeout` and nothing else.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value, value};

use super::toml::{LineEnds, command, parse, remove_at, tables, wrong_type};
use super::{BridgeEntry, ConnectError, EntryPlace, calls_bridge};

/// The text with all entries in it.
pub(super) fn connect(text: &str, wanted: &[BridgeEntry]) -> Result<String, ConnectError> {
    let present = found(text)?;
    let expected = wanted.iter().map(|entry| (entry.event.to_owned(), entry.command.clone()));
    if present.iter().cloned().eq(expected) {
        return Ok(text.to_owned());
    }
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    take_out(&mut document);
    let hooks = document.entry("hooks").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    for entry in wanted {
        let mut table = Table::new();
        table.insert("event", value(entry.event));
        table.insert("command", value(&entry.command));
        table.insert("timeout", value(i64::try_from(entry.timeout).unwrap_or(i64::MAX)));
        match hooks {
            Item::ArrayOfTables(hooks) => hooks.push(table),
            Item::Value(Value::Array(hooks)) => hooks.push(table.into_inline_table()),
            _ => return Err(wrong_type("hooks", "a list of tables")),
        }
    }
    Ok(lines.write(&document))
}

pub(super) fn disconnect(text: &str) -> Result<Option<String>, ConnectError> {
    if found(text)?.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    take_out(&mut document);
    Ok(Some(lines.write(&document)))
}

/// The text without the hooks at these places. A place is the number of the hook among those of its event.
pub(crate) fn without(text: &str, places: &[EntryPlace]) -> Result<String, ConnectError> {
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    let unusable = || wrong_type("hooks", "a list of tables");
    // The last first: those before it stay where they are.
    for place in places.iter().rev() {
        let hooks = document.get_mut("hooks").ok_or_else(unusable)?;
        let is_of = |hook: &dyn TableLike| hook.get("event").and_then(Item::as_str) == Some(&place.event);
        let all = tables(hooks).into_iter().enumerate().filter(|(_, hook)| is_of(*hook));
        let number = all.map(|(number, _)| number).nth(place.group);
        number.and_then(|number| remove_at(hooks, number)).ok_or_else(unusable)?;
    }
    remove_empty(&mut document);
    Ok(lines.write(&document))
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str) -> Result<Vec<(String, String)>, ConnectError> {
    let document = parse(text)?;
    let Some(hooks) = document.get("hooks") else { return Ok(Vec::new()) };
    let ours = tables(hooks).into_iter().filter_map(|hook| {
        let line = command(hook).filter(|line| calls_bridge(line))?;
        Some((hook.get("event")?.as_str()?.to_owned(), line.to_owned()))
    });
    Ok(ours.collect())
}

fn take_out(document: &mut DocumentMut) {
    match document.get_mut("hooks") {
        Some(Item::ArrayOfTables(hooks)) => hooks.retain(|hook| !command(hook).is_some_and(calls_bridge)),
        Some(Item::Value(Value::Array(hooks))) => {
            let is_ours = |hook: &Value| {
                hook.as_inline_table().is_some_and(|hook| command(hook).is_some_and(calls_bridge))
            };
            hooks.retain(|hook| !is_ours(hook));
        }
        _ => {}
    }
    remove_empty(document);
}

/// Removes a list that became empty; `hooks = []` is the person's own.
fn remove_empty(document: &mut DocumentMut) {
    if document.get("hooks").and_then(Item::as_array_of_tables).is_some_and(ArrayOfTables::is_empty) {
        document.remove("hooks");
    }
}
