//! The bridge in TOML settings: Codex's `[[hooks.EVENT]]` groups with `[[hooks.EVENT.hooks]]` entries, and Kimi Code's
//! `[[hooks]]`, each with its `event`. Kimi's schema is strict, so an entry has nothing else that is not needed.
//!
//! The file is the agent's whole configuration. Layout and comments stay; only line ends and a byte order mark have to be
//! put back by hand.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, Value, value};

use super::calls_bridge;
use super::{BridgeEntry, EditError, EntryPlace};
use crate::dialect::SettingsShape;

/// The text with all entries in it, and with none of ours that were there.
pub(super) fn connect(text: &str, shape: SettingsShape, wanted: &[BridgeEntry]) -> Result<String, EditError> {
    edit(text, |document| {
        take_out(document, shape);
        let is_list = shape == SettingsShape::TomlList;
        let hooks = document.entry("hooks").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            if is_list { Item::ArrayOfTables(ArrayOfTables::new()) } else { Item::Table(table) }
        });
        // What a person wrote in one line goes on in one line: headers cannot extend it.
        let in_line = hooks.is_inline_table() || hooks.as_table().is_some_and(Table::is_dotted);
        for entry in wanted {
            let mut hook = Table::new();
            if is_list {
                hook.insert("event", value(entry.event));
            } else {
                hook.insert("type", value("command"));
            }
            hook.insert("command", value(&entry.command));
            hook.insert("timeout", value(i64::try_from(entry.timeout).unwrap_or(i64::MAX)));
            if is_list {
                push(hooks, hook).ok_or_else(|| EditError::wrong_type("hooks", "a list of tables"))?;
                continue;
            }
            let events =
                hooks.as_table_like_mut().ok_or_else(|| EditError::wrong_type("hooks", "a table"))?;
            let groups = events.entry(entry.event).or_insert_with(|| {
                if in_line { value(Array::new()) } else { Item::ArrayOfTables(ArrayOfTables::new()) }
            });
            let mut group = Table::new();
            group.insert("hooks", Item::ArrayOfTables(ArrayOfTables::from_iter([hook])));
            push(groups, group)
                .ok_or_else(|| EditError::wrong_type(format!("hooks.{}", entry.event), "a list of tables"))?;
        }
        Ok(())
    })
}

/// The text without our entries, and without what is empty then.
pub(super) fn disconnect(text: &str, shape: SettingsShape) -> Result<String, EditError> {
    edit(text, |document| {
        take_out(document, shape);
        Ok(())
    })
}

/// The text without the hooks at these places, and without events and tables that are empty afterwards. In a list, a
/// place is the number of the hook among those of its event.
pub(crate) fn without(text: &str, shape: SettingsShape, places: &[EntryPlace]) -> Result<String, EditError> {
    edit(text, |document| {
        // The last first: those before it stay where they are.
        for place in places.iter().rev() {
            take_out_at(document, shape, place)
                .ok_or_else(|| EditError::wrong_type("hooks", "a list of hooks"))?;
        }
        remove_left_over(document);
        Ok(())
    })
}

fn take_out_at(document: &mut DocumentMut, shape: SettingsShape, place: &EntryPlace) -> Option<()> {
    let hooks = document.get_mut("hooks")?;
    if shape == SettingsShape::TomlList {
        let is_of = |hook: &dyn TableLike| hook.get("event").and_then(Item::as_str) == Some(&place.event);
        let all = tables(hooks).into_iter().enumerate().filter(|(_, hook)| is_of(*hook));
        let number = all.map(|(number, _)| number).nth(place.group)?;
        return remove_at(hooks, number);
    }
    let events = hooks.as_table_like_mut()?;
    let groups = events.get_mut(&place.event)?;
    match place.hook {
        None => remove_at(groups, place.group)?,
        Some(hook) => remove_at(table_at(groups, place.group)?.get_mut("hooks")?, hook)?,
    }
    if tables(groups).is_empty() {
        events.remove(&place.event);
    }
    Some(())
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str, shape: SettingsShape) -> Result<Vec<(String, String)>, EditError> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let mut add = |event: Option<&str>, hook: &dyn TableLike| {
        let line = command(hook).filter(|line| calls_bridge(line));
        found.extend(event.zip(line).map(|(event, line)| (event.to_owned(), line.to_owned())));
    };
    match document.get("hooks") {
        Some(hooks) if shape == SettingsShape::TomlList => {
            for hook in tables(hooks) {
                add(hook.get("event").and_then(Item::as_str), hook);
            }
        }
        Some(hooks) => {
            for (event, groups) in hooks.as_table_like().into_iter().flat_map(TableLike::iter) {
                let groups = tables(groups).into_iter().filter_map(|group| group.get("hooks"));
                groups.flat_map(tables).for_each(|hook| add(Some(event), hook));
            }
        }
        None => {}
    }
    Ok(found)
}

/// Removes our entries, groups that held nothing else, and events and tables that are empty afterwards.
fn take_out(document: &mut DocumentMut, shape: SettingsShape) {
    let is_bridge = |hook: &mut dyn TableLike| command(hook).is_some_and(calls_bridge);
    if shape == SettingsShape::TomlList {
        if let Some(hooks) = document.get_mut("hooks") {
            remove_if(hooks, is_bridge);
        }
    } else if let Some(events) = document.get_mut("hooks").and_then(Item::as_table_like_mut) {
        let mut emptied = Vec::new();
        for (event, groups) in events.iter_mut() {
            let is_ours = |group: &mut dyn TableLike| {
                group.get_mut("hooks").is_some_and(|hooks| remove_if(hooks, is_bridge))
            };
            if remove_if(groups, is_ours) {
                emptied.push(event.get().to_owned());
            }
        }
        for event in emptied {
            events.remove(&event);
        }
    }
    remove_left_over(document);
}

/// Removes tables of a list; whether it had some, and has none any more.
fn remove_if(list: &mut Item, mut is_unwanted: impl FnMut(&mut dyn TableLike) -> bool) -> bool {
    let before = tables(list).len();
    let length = match list {
        Item::ArrayOfTables(tables) => tables.len(),
        Item::Value(Value::Array(values)) => values.len(),
        _ => 0,
    };
    for at in (0..length).rev() {
        if table_at(list, at).is_some_and(&mut is_unwanted) {
            remove_at(list, at);
        }
    }
    before > 0 && tables(list).is_empty()
}

/// Removes what is left of the hooks: a list without headers, or a table that is nothing but a name in other headers.
/// `hooks = []` is the person's own.
fn remove_left_over(document: &mut DocumentMut) {
    let is_left_over = match document.get("hooks") {
        Some(Item::Table(hooks)) => hooks.is_empty() && hooks.is_implicit(),
        Some(Item::ArrayOfTables(hooks)) => hooks.is_empty(),
        _ => false,
    };
    if is_left_over {
        document.remove("hooks");
    }
}

/// Adds a table to a list, under a header or in one line.
fn push(list: &mut Item, table: Table) -> Option<()> {
    match list {
        Item::ArrayOfTables(tables) => tables.push(table),
        Item::Value(Value::Array(values)) => values.push(table.into_inline_table()),
        _ => return None,
    }
    Some(())
}

/// Removes an element of a list, if it is there.
fn remove_at(list: &mut Item, at: usize) -> Option<()> {
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
fn table_at(list: &mut Item, at: usize) -> Option<&mut dyn TableLike> {
    match list {
        Item::ArrayOfTables(tables) => tables.get_mut(at).map(|table| table as &mut dyn TableLike),
        Item::Value(Value::Array(values)) => {
            values.get_mut(at)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}

/// The tables of a list, under headers or in one line.
fn tables(list: &Item) -> Vec<&dyn TableLike> {
    match list {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(values)) => {
            let tables = values.iter().filter_map(Value::as_inline_table);
            tables.map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// An entry without a command is not ours.
fn command(entry: &dyn TableLike) -> Option<&str> {
    entry.get("command")?.as_str()
}

/// Whether hooks for events are configured here; Codex keeps its trust under `hooks.state`, which does not count.
pub(super) fn has_events(text: &str) -> bool {
    let Ok(document) = parse(text) else { return false };
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    hooks.is_some_and(|hooks| hooks.iter().any(|(key, _)| key != "state"))
}

/// A value as JSON. Dates, for which JSON has no type, become texts.
pub(crate) fn to_json(item: &Item) -> Json {
    let table = |table: &dyn TableLike| {
        Json::Object(table.iter().map(|(key, item)| (key.to_owned(), to_json(item))).collect())
    };
    match item {
        Item::None => Json::Null,
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => tables.iter().map(|inner| table(inner)).collect(),
        Item::Value(value) => match value {
            Value::String(text) => text.value().as_str().into(),
            Value::Integer(number) => (*number.value()).into(),
            Value::Float(number) => (*number.value()).into(),
            Value::Boolean(boolean) => (*boolean.value()).into(),
            Value::Datetime(time) => time.value().to_string().into(),
            Value::Array(values) => values.iter().map(|value| to_json(&Item::Value(value.clone()))).collect(),
            Value::InlineTable(inner) => table(inner),
        },
    }
}

/// The document after a change, with the line ends that it had.
fn edit(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let lines = LineEnds::of(text)?;
    let mut document = parse(text)?;
    change(&mut document)?;
    Ok(lines.write(&document))
}

/// How lines end, and whether a byte order mark comes first. The editor of the text keeps neither.
struct LineEnds {
    mark: &'static str,
    end: &'static str,
}

impl LineEnds {
    /// A file with both kinds of line ends is refused, because a change would touch every line.
    fn of(text: &str) -> Result<Self, EditError> {
        let (all, returns) = (text.matches('\n').count(), text.matches("\r\n").count());
        if returns > 0 && returns < all {
            let message =
                "its lines have two kinds of line ends, and a change would make them all the same".to_owned();
            return Err(EditError::Malformed { line: 1, column: 1, message });
        }
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        Ok(Self { mark, end: if returns > 0 { "\r\n" } else { "\n" } })
    }

    /// The document as text, with the line ends that it had.
    fn write(&self, document: &DocumentMut) -> String {
        let text = document.to_string().replace("\r\n", "\n").replace('\n', self.end);
        format!("{}{}", self.mark, text.trim_start_matches('\u{feff}'))
    }
}

/// The document. The error has the place in lines and characters, as editors count.
pub(crate) fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or_default();
        EditError::Malformed {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            message: error.message().to_owned(),
        }
    })
}
