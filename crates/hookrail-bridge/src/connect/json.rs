//! The bridge in JSON settings, with or without groups.

use hookrail::JsonObject;
use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::ast::Value;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::{Value as Json, json};

use super::calls_bridge;
use super::cut::{Step, elements, empty_at, property, remove, value_text};
use super::one_line::into_one_line;
use super::{BridgeEntry, EditError, EntryPlace};
use crate::dialect::SettingsShape;
use crate::jsonc::{cst_value, split_byte_order_mark};

/// The text with all entries in it, and with none of ours that were there. Everything else in the file, comments and
/// layout included, belongs to the person who wrote it and stays.
pub(super) fn connect(text: &str, shape: SettingsShape, wanted: &[BridgeEntry]) -> Result<String, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let mut body = match body.trim() {
        "" => "{\n}\n".to_owned(),
        _ => without_ours(body, shape, &[])?,
    };
    for entry in wanted {
        body = match into_one_line(&body, entry.event, &input(entry, shape)) {
            Some(text) => text,
            None => with_entry(&body, entry, shape)?,
        };
    }
    Ok(format!("{mark}{body}"))
}

/// The text with one entry, in lines of its own.
fn with_entry(body: &str, entry: &BridgeEntry, shape: SettingsShape) -> Result<String, EditError> {
    let root = parse(body)?;
    let settings = root.object_value().ok_or_else(|| EditError::wrong_type("settings", "an object"))?;
    let has_version = matches!(shape, SettingsShape::Flat | SettingsShape::VersionedCommands);
    if has_version && settings.get("version").is_none() {
        settings.append("version", CstInputValue::Number("1".to_owned()));
    }
    let hooks = match settings.get("hooks") {
        Some(prop) => prop.object_value().ok_or_else(|| EditError::wrong_type("hooks", "an object"))?,
        None => new_object(&settings)?,
    };
    let list = event_list(&hooks, entry.event)?;
    list.ensure_multiline();
    list.append(cst_value(&input(entry, shape)));
    Ok(root.to_string())
}

/// The text without our entries; `None` if nothing is left of a file that is ours. Lists that were empty in the text
/// before our entries came stay, as they were written there.
pub(super) fn disconnect(
    text: &str,
    original: Option<&str>,
    shape: SettingsShape,
) -> Result<Option<String>, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    let original = strip_mark(original.unwrap_or_default());
    let ours = ours(body, shape);
    let lists = ours.iter().map(|(place, _)| vec![Step::Key("hooks"), Step::Key(&place.event)]);
    let lists = lists.chain([vec![Step::Key("hooks")]]);
    let kept: Vec<Vec<Step<'_>>> = lists.filter(|path| empty_at(original, path).is_some()).collect();
    let mut left = without_ours(body, shape, &kept)?;
    for path in &kept {
        let was = empty_at(original, path).and_then(|range| original.get(range));
        if let (Some(was), Some(range)) = (was, empty_at(&left, path)) {
            left.replace_range(range, was);
        }
    }
    let is_empty = parse(&left)?.object_value().is_none_or(|settings| {
        let names = settings.properties().into_iter().filter_map(|prop| prop.decoded_name());
        names.filter(|name| name != "version").count() == 0
    });
    Ok((shape != SettingsShape::Flat || !is_empty).then(|| format!("{mark}{left}")))
}

/// The text without the hooks at these places, each with the lists and objects that hold nothing else.
pub(crate) fn without(text: &str, places: &[EntryPlace]) -> Result<String, EditError> {
    let (mark, body) = split_byte_order_mark(text);
    each_key_once(body)?;
    Ok(format!("{mark}{}", cut_out(body, places.iter(), &[])?))
}

/// The text without our entries. Where a group has `hooks` twice, those of the first one are found once the last is gone.
fn without_ours(body: &str, shape: SettingsShape, kept: &[Vec<Step<'_>>]) -> Result<String, EditError> {
    let mut body = body.to_owned();
    loop {
        let ours = ours(&body, shape);
        if ours.is_empty() {
            return Ok(body);
        }
        body = cut_out(&body, ours.iter().map(|(place, _)| place), kept)?;
    }
}

/// The text without these hooks, each with the lists and objects that hold nothing else and are not to be kept.
fn cut_out<'p>(
    body: &str,
    places: impl DoubleEndedIterator<Item = &'p EntryPlace>,
    kept: &[Vec<Step<'_>>],
) -> Result<String, EditError> {
    // The last first: those before it stay where they are.
    places.rev().try_fold(body.to_owned(), |body, place| {
        let mut path = vec![Step::Key("hooks"), Step::Key(&place.event), Step::Element(place.group)];
        path.extend(place.hook.into_iter().flat_map(|hook| [Step::Key("hooks"), Step::Element(hook)]));
        remove(&body, &path, kept).ok_or_else(|| EditError::wrong_type("hooks", "a list of hooks"))
    })
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str, shape: SettingsShape) -> Result<Vec<(String, String)>, EditError> {
    let body = strip_mark(text);
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    each_key_once(body)?;
    Ok(ours(body, shape).into_iter().map(|(place, command)| (place.event, command)).collect())
}

/// Refuses settings that are not an object, or in which it is not certain which `hooks`, or which list of an event, the
/// agent reads.
fn each_key_once(body: &str) -> Result<(), EditError> {
    let settings =
        parse(body)?.object_value().ok_or_else(|| EditError::wrong_type("settings", "an object"))?;
    let names = |object: &CstObject| {
        let names = object.properties().into_iter().filter_map(|prop| prop.decoded_name());
        names.collect::<Vec<String>>()
    };
    let top = names(&settings);
    if top.iter().filter(|name| *name == "hooks").count() > 1 {
        return Err(EditError::Twice { key: "hooks".to_owned() });
    }
    let events = settings.get("hooks").and_then(|prop| prop.object_value());
    let events = events.map(|hooks| names(&hooks)).unwrap_or_default();
    let twice =
        events.iter().enumerate().find(|(at, name)| events.iter().take(*at).any(|before| before == *name));
    twice.map_or(Ok(()), |(_, name)| Err(EditError::Twice { key: format!("hooks.{name}") }))
}

/// Every entry that calls the bridge: its place and its command. They are recognised by their command and need no mark
/// of their own, which a strict agent might refuse.
fn ours(body: &str, shape: SettingsShape) -> Vec<(EntryPlace, String)> {
    let mut found = Vec::new();
    let Ok(parsed) = parse_to_ast(body, &CollectOptions::default(), &PARSE_OPTIONS) else { return found };
    let hooks = parsed.value.as_ref().and_then(|root| property(root, "hooks"));
    let Some(Value::Object(events)) = hooks else { return found };
    for event in &events.properties {
        for (group, element) in elements(&event.value).enumerate() {
            let mut check = |entry: &Value<'_>, hook: Option<usize>| {
                let command = ["command", "bash"].iter().find_map(|key| value_text(property(entry, key)?));
                if let Some(command) = command.filter(|command| calls_bridge(command)) {
                    let event = event.name.as_str().to_owned();
                    found.push((EntryPlace { event, group, hook }, command));
                }
            };
            if shape != SettingsShape::Groups {
                check(element, None);
            } else if let Some(list) = property(element, "hooks") {
                elements(list).enumerate().for_each(|(hook, entry)| check(entry, Some(hook)));
            }
        }
    }
    found
}

/// With comments and trailing commas, which some of these agents accept in their own settings.
fn parse(body: &str) -> Result<CstRootNode, EditError> {
    Ok(CstRootNode::parse(body, &PARSE_OPTIONS)?)
}

/// The value of a settings text; blank text counts as an empty object.
pub(crate) fn to_value(text: &str) -> Result<Json, EditError> {
    let body = strip_mark(text);
    if body.trim().is_empty() {
        return Ok(json!({}));
    }
    Ok(parse(body)?.to_serde_value().unwrap_or_default())
}

/// The list is made if it is missing.
fn event_list(hooks: &CstObject, event: &str) -> Result<CstArray, EditError> {
    let prop = hooks.get(event).unwrap_or_else(|| hooks.append(event, CstInputValue::Array(Vec::new())));
    prop.array_value().ok_or_else(|| EditError::wrong_type(format!("hooks.{event}"), "a list"))
}

/// `hooks` at the end of the file, where it disturbs least.
fn new_object(settings: &CstObject) -> Result<CstObject, EditError> {
    let prop = settings.append("hooks", CstInputValue::Object(Vec::new()));
    prop.object_value().ok_or_else(|| EditError::wrong_type("hooks", "an object"))
}

/// In groups there is no matcher: the bridge runs our rules and hooks, which have their own.
fn input(entry: &BridgeEntry, shape: SettingsShape) -> Json {
    let BridgeEntry { command, timeout, .. } = entry;
    match shape {
        SettingsShape::Flat => {
            let powershell = entry.powershell.iter().map(|command| ("powershell".to_owned(), json!(command)));
            let mut hook = JsonObject::from_iter([("type".to_owned(), json!("command"))]);
            hook.insert("bash".to_owned(), json!(command));
            hook.extend(powershell);
            hook.insert("timeoutSec".to_owned(), json!(timeout));
            hook.into()
        }
        SettingsShape::Commands => json!({ "command": command, "timeout": timeout }),
        SettingsShape::VersionedCommands => {
            json!({ "command": command, "failClosed": entry.event.starts_with("before") })
        }
        _ => json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] }),
    }
}

/// Parsers do not expect it, and edits must keep it.
fn strip_mark(text: &str) -> &str {
    split_byte_order_mark(text).1
}
