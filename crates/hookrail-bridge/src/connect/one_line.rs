//! Entries in settings that are written on one line. A tree of the text would break that line up, and taking the entry
//! out again would leave it broken.

use hookrail::settings::jsonc::PARSE_OPTIONS;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::cut::property;
use crate::jsonc::comma_after;

/// The text with an entry at an event, unless the list it belongs into, or the object in which that list is missing, has
/// its brackets on lines of their own.
pub(super) fn into_one_line(text: &str, event: &str, entry: &serde_json::Value) -> Option<String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &PARSE_OPTIONS).ok()?;
    let root = parsed.value.as_ref()?;
    let hooks = property(root, "hooks");
    let list = hooks.and_then(|hooks| property(hooks, event));
    let entry = entry.to_string();
    let (container, fragment) = match (hooks, list) {
        (_, Some(list @ Value::Array(_))) => (list, entry),
        (Some(hooks @ Value::Object(_)), None) => (hooks, format!("\"{event}\":[{entry}]")),
        (None, None) => (root, format!("\"hooks\":{{\"{event}\":[{entry}]}}")),
        _ => return None,
    };
    let ranges: Vec<_> = match container {
        Value::Object(object) => object.properties.iter().map(Ranged::range).collect(),
        Value::Array(array) => array.elements.iter().map(Ranged::range).collect(),
        _ => return None,
    };
    let range = container.range();
    let first = ranges.first().map_or(range.end, |first| first.start);
    let end = ranges.last().map(|range| range.end);
    let breaks =
        |start: usize, end: usize| text.get(start..end).is_some_and(|text| text.contains(['\n', '\r']));
    if breaks(range.start, first) && breaks(end.unwrap_or(range.start), range.end) {
        return None;
    }
    let mut text = text.to_owned();
    let Some(end) = end else {
        text.insert_str(range.start + 1, &fragment);
        return Some(text);
    };
    match comma_after(&text, end).filter(|comma| *comma < range.end) {
        Some(comma) => text.insert_str(comma + 1, &format!("{fragment},")),
        None => text.insert_str(end, &format!(",{fragment}")),
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Agent, ConnectOptions, EntryScope, connect, disconnect};

    #[test]
    fn lines_are_kept_as_they_are() {
        let program = EntryScope::Project { require: false };
        let mine = r#"{ "hooks": [ { "type": "command", "command": "mine.sh" } ] }"#;
        for text in [
            r#"{ "theme": "dark" }"#.to_owned(),
            r#"{"theme":"dark"}"#.to_owned(),
            format!(r#"{{ "hooks": {{ "PreToolUse": [ {mine}, ], "Stop": [{mine}] }} }}"#),
            format!("{{\n  \"hooks\": {{ \"PreToolUse\": [{mine}] }}, // mine\n  \"a\": 1\n}}\n"),
            format!("{{\n  \"hooks\": {{\n    \"Stop\": [ {mine}, /* b */ ]\n  }}\n}}\n"),
        ] {
            let edit =
                connect(Agent::Claude, Some(&text), program, ConnectOptions::default()).expect("an edit");
            let connected = edit.new_text.expect("a text");
            assert_eq!(connected.matches("bridge --project claude Stop").count(), 1, "{connected}");
            assert_eq!(connected.matches("mine.sh").count(), text.matches("mine.sh").count(), "{connected}");
            let again = connect(Agent::Claude, Some(&connected), program, ConnectOptions::default());
            assert!(!again.expect("an edit").is_changed, "{connected}");
            let left = disconnect(Agent::Claude, Some(&connected), None, ConnectOptions::default())
                .expect("an edit");
            assert_eq!(left.new_text.as_deref(), Some(text.as_str()), "{connected}");
        }
    }
}
