//! The bridge in Codex's `config.toml`: `[[hooks.EVENT]]` groups with `[[hooks.EVENT.hooks]]` entries.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::calls_bridge;
use super::{ConnectError, Entry};

/// The text with all entries in it.
pub(super) fn connect(text: &str, wanted: &[Entry]) -> Result<String, ConnectError> {
    let present = found(text)?;
    let is_there = |entry: &Entry| {
        present.iter().any(|(event, command)| event == entry.event && *command == entry.command)
    };
    if present.len() == wanted.len() && wanted.iter().all(is_there) {
        return Ok(text.to_owned());
    }
    let mut document = parse(text)?;
    take_out(&mut document);
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let hooks = hooks.as_table_mut().ok_or_else(|| wrong_type("hooks", "a table"))?;
    for entry in wanted {
        let groups = hooks.entry(entry.event).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let groups = groups
            .as_array_of_tables_mut()
            .ok_or_else(|| wrong_type(&format!("hooks.{}", entry.event), "a list of tables"))?;
        let mut hook = Table::new();
        hook.insert("type", value("command"));
        hook.insert("command", value(&entry.command));
        hook.insert("timeout", value(i64::try_from(entry.timeout).unwrap_or(i64::MAX)));
        let mut list = ArrayOfTables::new();
        list.push(hook);
        let mut group = Table::new();
        group.insert("hooks", Item::ArrayOfTables(list));
        groups.push(group);
    }
    Ok(document.to_string())
}

/// The text without our entries.
pub(super) fn disconnect(text: &str) -> Result<Option<String>, ConnectError> {
    if found(text)?.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let mut document = parse(text)?;
    take_out(&mut document);
    Ok(Some(document.to_string()))
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str) -> Result<Vec<(String, String)>, ConnectError> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let Some(hooks) = document.get("hooks").and_then(Item::as_table_like) else { return Ok(found) };
    for (event, groups) in hooks.iter() {
        for group in groups.as_array_of_tables().into_iter().flatten() {
            let entries = group.get("hooks").and_then(Item::as_array_of_tables);
            for entry in entries.into_iter().flatten().filter_map(command) {
                if calls_bridge(entry) {
                    found.push((event.to_owned(), entry.to_owned()));
                }
            }
        }
    }
    Ok(found)
}

/// Whether hooks for events are configured here; Codex keeps its trust under `hooks.state`, which is none.
pub(super) fn has_events(text: &str) -> bool {
    let Ok(document) = parse(text) else { return false };
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    hooks.is_some_and(|hooks| hooks.iter().any(|(key, _)| key != "state"))
}

fn take_out(document: &mut DocumentMut) {
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut) else { return };
    let mut emptied = Vec::new();
    for (event, groups) in hooks.iter_mut() {
        let Some(groups) = groups.as_array_of_tables_mut() else { continue };
        let count = groups.len();
        for group in groups.iter_mut() {
            if let Some(entries) = group.get_mut("hooks").and_then(Item::as_array_of_tables_mut) {
                entries.retain(|entry| !command(entry).is_some_and(calls_bridge));
            }
        }
        groups.retain(|group| {
            group.get("hooks").and_then(Item::as_array_of_tables).is_none_or(|list| !list.is_empty())
        });
        if groups.is_empty() && count > 0 {
            emptied.push(event.get().to_owned());
        }
    }
    for event in emptied {
        hooks.remove(&event);
    }
    if hooks.is_empty() && hooks.is_implicit() {
        document.remove("hooks");
    }
}

fn command(entry: &Table) -> Option<&str> {
    entry.get("command")?.as_str()
}

fn parse(text: &str) -> Result<DocumentMut, ConnectError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or_default();
        ConnectError::Malformed {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            message: error.message().to_owned(),
        }
    })
}

fn wrong_type(key: &str, expected: &'static str) -> ConnectError {
    ConnectError::WrongType { key: key.to_owned(), expected }
}
