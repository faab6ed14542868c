//! The bridge in Codex's `config.toml`: `[[hooks.EVENT]]` groups with `[[hooks.EVENT.hooks]]` entries.
//!
//! The file is Codex's whole configuration. Layout and comments stay; only line ends and a byte order mark have to be
//! put back by hand.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, Value, value};

use super::calls_bridge;
use super::{BridgeEntry, ConnectError, EntryPlace};

/// The text with all entries in it.
/// A file that has exactly these entries is returned as it is.
pub(super) fn connect(text: &str, wanted: &[BridgeEntry]) -> Result<String, ConnectError> {
    let present = found(text)?;
    let is_there = |entry: &BridgeEntry| {
        present.iter().any(|(event, command)| event == entry.event && *command == entry.command)
    };
    if present.len() == wanted.len() && wanted.iter().all(is_there) {
        return Ok(text.to_owned());
    }
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    take_out(&mut document);
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    // What a person wrote in one line goes on in one line: headers cannot extend it.
    let in_line = hooks.is_inline_table() || hooks.as_table().is_some_and(Table::is_dotted);
    let hooks = hooks.as_table_like_mut().ok_or_else(|| wrong_type("hooks", "a table"))?;
    for entry in wanted {
        let groups = hooks.entry(entry.event).or_insert_with(|| {
            if in_line { value(Array::new()) } else { Item::ArrayOfTables(ArrayOfTables::new()) }
        });
        match groups {
            Item::ArrayOfTables(groups) => groups.push(group_of(entry)),
            Item::Value(Value::Array(groups)) => groups.push(group_of(entry).into_inline_table()),
            _ => return Err(wrong_type(&format!("hooks.{}", entry.event), "a list of tables")),
        }
    }
    Ok(lines.write(&document))
}

fn group_of(entry: &BridgeEntry) -> Table {
    let mut hook = Table::new();
    hook.insert("type", value("command"));
    hook.insert("command", value(&entry.command));
    hook.insert("timeout", value(i64::try_from(entry.timeout).unwrap_or(i64::MAX)));
    let mut list = ArrayOfTables::new();
    list.push(hook);
    let mut group = Table::new();
    group.insert("hooks", Item::ArrayOfTables(list));
    group
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

/// The text without the hooks at these places, and without events and tables that are empty afterwards.
pub(crate) fn without(text: &str, places: &[EntryPlace]) -> Result<String, ConnectError> {
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    let unusable = || wrong_type("hooks", "a list of hooks");
    // The last first: those before it stay where they are.
    for place in places.iter().rev() {
        let hooks = document.get_mut("hooks").and_then(Item::as_table_like_mut).ok_or_else(unusable)?;
        let groups = hooks.get_mut(&place.event).ok_or_else(unusable)?;
        let removed = match place.hook {
            None => remove_at(groups, place.group),
            Some(hook) => {
                let entries = group_at(groups, place.group).and_then(|group| group.get_mut("hooks"));
                entries.and_then(|entries| remove_at(entries, hook))
            }
        };
        removed.ok_or_else(unusable)?;
        if tables(groups).is_empty() {
            hooks.remove(&place.event);
        }
    }
    remove_left_over(&mut document);
    Ok(lines.write(&document))
}

/// Removes an element of a list, if it is there.
pub(super) fn remove_at(list: &mut Item, at: usize) -> Option<()> {
    match list {
        Item::ArrayOfTables(tables) if at < tables.len() => {
            tables.remove(at);
        }
        Item::Value(Value::Array(values)) if at < values.len() => {
            values.remove(at);
        }
        _ => return None,
    }
    Some(())
}

/// A table of a list, under a header or in one line.
fn group_at(list: &mut Item, at: usize) -> Option<&mut dyn TableLike> {
    match list {
        Item::ArrayOfTables(tables) => tables.get_mut(at).map(|table| table as &mut dyn TableLike),
        Item::Value(Value::Array(values)) => {
            values.get_mut(at)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}

/// Removes the table of hooks if nothing is left of it but its name in other headers.
fn remove_left_over(document: &mut DocumentMut) {
    let is_left_over = |hooks: &Table| hooks.is_empty() && hooks.is_implicit();
    if document.get("hooks").and_then(Item::as_table).is_some_and(is_left_over) {
        document.remove("hooks");
    }
}

/// How lines end, and whether a byte order mark comes first. The editor of the text keeps neither.
pub(super) struct LineEnds {
    mark: &'static str,
    end: &'static str,
}

impl LineEnds {
    /// A file with both kinds of line ends is refused, because a change would touch every line.
    pub(super) fn of(text: &str) -> Result<Self, ConnectError> {
        let (all, returns) = (text.matches('\n').count(), text.matches("\r\n").count());
        if returns > 0 && returns < all {
            let message =
                "its lines have two kinds of line ends, and a change would make them all the same".to_owned();
            return Err(ConnectError::Malformed { line: 1, column: 1, message });
        }
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        Ok(Self { mark, end: if returns > 0 { "\r\n" } else { "\n" } })
    }

    /// The document as text, with the line ends that it had.
    pub(super) fn write(&self, document: &DocumentMut) -> String {
        let text = document.to_string().replace("\r\n", "\n").replace('\n', self.end);
        format!("{}{}", self.mark, text.trim_start_matches('\u{feff}'))
    }
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str) -> Result<Vec<(String, String)>, ConnectError> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let Some(hooks) = document.get("hooks").and_then(Item::as_table_like) else { return Ok(found) };
    for (event, groups) in hooks.iter() {
        for group in tables(groups) {
            let entries = group.get("hooks").map(tables).unwrap_or_default();
            for entry in entries.into_iter().filter_map(command).filter(|entry| calls_bridge(entry)) {
                found.push((event.to_owned(), entry.to_owned()));
            }
        }
    }
    Ok(found)
}

/// Whether hooks for events are configured here; Codex keeps its trust under `hooks.state`, which does not count.
pub(super) fn has_events(text: &str) -> bool {
    let Ok(document) = parse(text) else { return false };
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    hooks.is_some_and(|hooks| hooks.iter().any(|(key, _)| key != "state"))
}

/// The tables of a list, under headers or in one line.
pub(super) fn tables(list: &Item) -> Vec<&dyn TableLike> {
    match list {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(values)) => {
            let tables = values.iter().filter_map(Value::as_inline_table);
            tables.map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// Removes our entries, groups that held nothing else, and events and tables that are empty afterwards.
fn take_out(document: &mut DocumentMut) {
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else { return };
    let mut emptied = Vec::new();
    for (event, groups) in hooks.iter_mut() {
        let count = tables(groups).len();
        match groups {
            Item::ArrayOfTables(groups) => {
                groups.retain(|group| !is_ours(group));
                for group in groups.iter_mut() {
                    take_from(group);
                }
            }
            Item::Value(Value::Array(groups)) => {
                groups.retain(|group| !group.as_inline_table().is_some_and(|group| is_ours(group)));
                for group in groups.iter_mut().filter_map(Value::as_inline_table_mut) {
                    take_from(group);
                }
            }
            _ => continue,
        }
        if count > 0 && tables(groups).is_empty() {
            emptied.push(event.get().to_owned());
        }
    }
    for event in emptied {
        hooks.remove(&event);
    }
    remove_left_over(document);
}

/// Takes our entries out of a group that holds others as well.
fn take_from(group: &mut dyn TableLike) {
    let is_bridge = |entry: &dyn TableLike| command(entry).is_some_and(calls_bridge);
    match group.get_mut("hooks") {
        Some(Item::ArrayOfTables(entries)) => entries.retain(|entry| !is_bridge(entry)),
        Some(Item::Value(Value::Array(entries))) => {
            entries.retain(|entry| !entry.as_inline_table().is_some_and(|entry| is_bridge(entry)));
        }
        _ => {}
    }
}

/// Whether a group is one that `connect` wrote.
fn is_ours(group: &dyn TableLike) -> bool {
    let entries = group.get("hooks").map(tables).unwrap_or_default();
    !entries.is_empty() && entries.into_iter().all(|entry| command(entry).is_some_and(calls_bridge))
}

/// An entry without a command is not ours.
pub(super) fn command(entry: &dyn TableLike) -> Option<&str> {
    entry.get("command")?.as_str()
}

/// The document. The error has the place in lines and characters, as editors count.
pub(crate) fn parse(text: &str) -> Result<DocumentMut, ConnectError> {
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

pub(super) fn wrong_type(key: &str, expected: &'static str) -> ConnectError {
    ConnectError::WrongType { key: key.to_owned(), expected }
}
