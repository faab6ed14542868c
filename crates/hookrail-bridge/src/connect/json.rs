//! The bridge in JSON settings, with or without groups.

use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::calls_bridge;
use super::cut::{JsonPath, empty_at, remove};
use super::one_line::into_one_line;
use super::{BridgeEntry, ConnectError, EntryPlace};
use crate::dialect::SettingsShape;
use crate::jsonc::split_byte_order_mark;

/// The text with all entries in it, and with none of ours that were there. Everything else in the file, comments and
/// layout included, belongs to the person who wrote it and stays.
pub(super) fn connect(
    text: &str,
    shape: SettingsShape,
    wanted: &[BridgeEntry],
) -> Result<String, ConnectError> {
    let (mark, body) = split_byte_order_mark(text);
    let body =
        if body.trim().is_empty() { "{\n}\n".to_owned() } else { without_ours(body.to_owned(), shape, &[])? };
    let mut body = body;
    for entry in wanted {
        body = match into_one_line(&body, entry.event, &input(entry, shape)) {
            Some(text) => text,
            None => with_entry(&body, entry, shape)?,
        };
    }
    Ok(format!("{mark}{body}"))
}

/// The text with one entry, in lines of its own.
fn with_entry(body: &str, entry: &BridgeEntry, shape: SettingsShape) -> Result<String, ConnectError> {
    let root = parse(body)?;
    let settings = root.object_value().ok_or_else(|| wrong_type("settings", "an object"))?;
    let has_version = matches!(shape, SettingsShape::Flat | SettingsShape::VersionedCommands);
    if has_version && settings.get("version").is_none() {
        settings.append("version", CstInputValue::Number("1".to_owned()));
    }
    let hooks = match settings.get("hooks") {
        Some(prop) => prop.object_value().ok_or_else(|| wrong_type("hooks", "an object"))?,
        None => new_object(&settings)?,
    };
    let list = event_list(&hooks, entry.event)?;
    list.ensure_multiline();
    list.append(input(entry, shape));
    Ok(root.to_string())
}

/// The text without our entries; `None` if nothing is left of a file that is ours. Lists that were empty in the text
/// before our entries came stay, as they were written there.
pub(super) fn disconnect(
    text: &str,
    original: Option<&str>,
    shape: SettingsShape,
) -> Result<Option<String>, ConnectError> {
    let original = strip_mark(original.unwrap_or_default());
    let places =
        ours(strip_mark(text), shape).into_iter().map(|(event, ..)| JsonPath::new(&["hooks", &event]));
    let kept: Vec<JsonPath> =
        places.chain([JsonPath::new(&["hooks"])]).filter(|path| empty_at(original, path).is_some()).collect();
    let mut left = without_ours(text.to_owned(), shape, &kept)?;
    let shift = left.len() - strip_mark(&left).len();
    for path in &kept {
        let was = empty_at(original, path).and_then(|range| original.get(range));
        if let (Some(was), Some(range)) = (was, empty_at(strip_mark(&left), path)) {
            left.replace_range(range.start + shift..range.end + shift, was);
        }
    }
    let is_empty = parse(strip_mark(&left))?.object_value().is_none_or(|settings| {
        let names = settings.properties().into_iter().filter_map(|prop| prop.decoded_name());
        names.filter(|name| name != "version").count() == 0
    });
    Ok((shape != SettingsShape::Flat || !is_empty).then_some(left))
}

/// The text without the hooks at these places, each with the lists and objects that hold nothing else.
pub(crate) fn without(text: &str, places: &[EntryPlace]) -> Result<String, ConnectError> {
    let (mark, body) = split_byte_order_mark(text);
    each_key_once(&parse(body)?.object_value().ok_or_else(|| wrong_type("settings", "an object"))?)?;
    let mut body = body.to_owned();
    // The last first: those before it stay where they are.
    for place in places.iter().rev() {
        let group = JsonPath::new(&["hooks", &place.event]).entry(place.group);
        let path = match place.hook {
            Some(hook) => group.key("hooks").entry(hook),
            None => group,
        };
        body = remove(&body, &path, &[]).ok_or_else(|| wrong_type("hooks", "a list of hooks"))?;
    }
    Ok(format!("{mark}{body}"))
}

/// The entries that call the bridge: event and command.
pub(super) fn found(text: &str, shape: SettingsShape) -> Result<Vec<(String, String)>, ConnectError> {
    let body = strip_mark(text);
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    let settings = parse(body)?.object_value().ok_or_else(|| wrong_type("settings", "an object"))?;
    each_key_once(&settings)?;
    Ok(ours(body, shape).into_iter().map(|(event, command, _)| (event, command)).collect())
}

/// Refuses settings in which it is not certain which `hooks`, or which list of an event, the agent reads.
fn each_key_once(settings: &CstObject) -> Result<(), ConnectError> {
    let names = |object: &CstObject| {
        let names = object.properties().into_iter().filter_map(|prop| prop.decoded_name());
        names.collect::<Vec<String>>()
    };
    let top = names(settings);
    if top.iter().filter(|name| *name == "hooks").count() > 1 {
        return Err(ConnectError::Twice { key: "hooks".to_owned() });
    }
    let events = settings.get("hooks").and_then(|prop| prop.object_value());
    let events = events.map(|hooks| names(&hooks)).unwrap_or_default();
    let twice =
        events.iter().enumerate().find(|(at, name)| events.iter().take(*at).any(|before| before == *name));
    twice.map_or(Ok(()), |(_, name)| Err(ConnectError::Twice { key: format!("hooks.{name}") }))
}

/// Every entry that calls the bridge, with its path from the top. They are recognised by their command and need no mark
/// of their own, which a strict agent might refuse.
fn ours(body: &str, shape: SettingsShape) -> Vec<(String, String, JsonPath)> {
    use crate::connect::cut::{elements, property, value_text};
    let mut found = Vec::new();
    let Ok(parsed) = parse_to_ast(body, &CollectOptions::default(), &PARSE_OPTIONS) else { return found };
    let hooks = parsed.value.as_ref().and_then(|root| property(root, "hooks"));
    let Some(jsonc_parser::ast::Value::Object(events)) = hooks else { return found };
    for event in &events.properties {
        let name = event.name.as_str();
        for (at, element) in elements(&event.value).enumerate() {
            let path = JsonPath::new(&["hooks", name]).entry(at);
            let mut check = |entry: &jsonc_parser::ast::Value<'_>, path: JsonPath| {
                let command = ["command", "bash"].iter().find_map(|key| value_text(property(entry, key)?));
                if let Some(command) = command.filter(|command| calls_bridge(command)) {
                    found.push((name.to_owned(), command, path));
                }
            };
            if shape != SettingsShape::Groups {
                check(element, path);
            } else if let Some(list) = property(element, "hooks") {
                for (inner, entry) in elements(list).enumerate() {
                    check(entry, path.clone().key("hooks").entry(inner));
                }
            }
        }
    }
    found
}

/// Takes our entries out, one after another, each with the lists and objects that hold nothing else and are not
/// to be kept.
fn without_ours(mut text: String, shape: SettingsShape, kept: &[JsonPath]) -> Result<String, ConnectError> {
    while let Some((_, _, path)) = ours(strip_mark(&text), shape).into_iter().next_back() {
        let shift = text.len() - strip_mark(&text).len();
        match remove(strip_mark(&text), &path, kept) {
            Some(left) => text.replace_range(shift.., &left),
            None => return Err(wrong_type("hooks", "a list of hooks")),
        }
    }
    Ok(text)
}

/// With comments and trailing commas, which some of these agents accept in their own settings.
fn parse(body: &str) -> Result<CstRootNode, ConnectError> {
    CstRootNode::parse(body, &PARSE_OPTIONS).map_err(|error| ConnectError::Malformed {
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    })
}

/// The value of a settings text; blank text counts as an empty object.
pub(crate) fn to_value(text: &str) -> Result<serde_json::Value, ConnectError> {
    let body = strip_mark(text);
    if body.trim().is_empty() {
        return Ok(serde_json::Value::Object(serde_json::Map::new()));
    }
    Ok(parse(body)?.to_serde_value().unwrap_or_default())
}

/// The list is made if it is missing.
fn event_list(hooks: &CstObject, event: &str) -> Result<CstArray, ConnectError> {
    let prop = hooks.get(event).unwrap_or_else(|| hooks.append(event, CstInputValue::Array(Vec::new())));
    prop.array_value().ok_or_else(|| wrong_type(&format!("hooks.{event}"), "a list"))
}

/// `hooks` at the end of the file, where it disturbs least.
fn new_object(settings: &CstObject) -> Result<CstObject, ConnectError> {
    let prop = settings.append("hooks", CstInputValue::Object(Vec::new()));
    prop.object_value().ok_or_else(|| wrong_type("hooks", "an object"))
}

/// In groups there is no matcher: the bridge runs our rules and hooks, which have their own.
fn input(entry: &BridgeEntry, shape: SettingsShape) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let number = CstInputValue::Number(entry.timeout.to_string());
    let field = |name: &str, value: CstInputValue| (name.to_owned(), value);
    if shape == SettingsShape::Flat {
        let mut fields = vec![field("type", text("command")), field("bash", text(&entry.command))];
        fields.extend(entry.powershell.as_deref().map(|command| field("powershell", text(command))));
        fields.push(field("timeoutSec", number));
        return CstInputValue::Object(fields);
    }
    let command = || field("command", text(&entry.command));
    match shape {
        SettingsShape::Commands => return CstInputValue::Object(vec![command(), field("timeout", number)]),
        SettingsShape::VersionedCommands => {
            let closed = field("failClosed", CstInputValue::Bool(entry.event.starts_with("before")));
            return CstInputValue::Object(vec![command(), closed]);
        }
        _ => {}
    }
    let hook = CstInputValue::Object(vec![
        field("type", text("command")),
        field("command", text(&entry.command)),
        field("timeout", number),
    ]);
    CstInputValue::Object(vec![field("hooks", CstInputValue::Array(vec![hook]))])
}

/// Parsers do not expect it, and edits must keep it.
fn strip_mark(text: &str) -> &str {
    split_byte_order_mark(text).1
}

fn wrong_type(key: &str, expected: &'static str) -> ConnectError {
    ConnectError::WrongType { key: key.to_owned(), expected }
}
