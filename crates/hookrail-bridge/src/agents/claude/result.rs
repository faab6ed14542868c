//! Tool results of Claude Code: an object whose shape depends on the tool.

use hookrail::JsonObject;
use serde_json::Value;

use crate::agents::shapes::{our_result, streams, text_result};
use crate::event::BridgeEvent;

/// Fields that contain a tool's output, the most important first.
const TEXTS: &[&str] = &["stdout", "content", "result", "output", "text", "message", "filenames"];
/// Further fields that may contain the old result, and are emptied.
const REST: &[&str] = &["stderr", "originalFile", "structuredPatch", "oldString", "newString", "gitDiff"];

/// The result in our shape.
pub(super) fn to_ours(response: &Value) -> JsonObject {
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    if let Some(stdout) = text("stdout") {
        return streams(stdout, text("stderr").unwrap_or_default());
    }
    let file = response.get("file").and_then(|file| file.get("content")).and_then(Value::as_str);
    file.map_or_else(|| our_result(response), text_result)
}

/// The text in the shape of the result that it replaces: Claude Code ignores any other shape. `None` if no field
/// of that result is known to hold text.
pub(super) fn to_native(event: &BridgeEvent, text: &str) -> Option<Value> {
    match event.native_response.as_ref()? {
        Value::String(_) => Some(text.into()),
        Value::Array(_) => Some(content(text)),
        Value::Object(fields) => replace(fields, text).map(Value::Object),
        _ => None,
    }
}

/// The object with the text in the first field that contains output, and nothing in the others.
fn replace(fields: &JsonObject, text: &str) -> Option<JsonObject> {
    let mut fields = fields.clone();
    if let Some(file) = fields.get("file").and_then(Value::as_object) {
        let file = replace(file, text)?;
        fields.insert("file".to_owned(), file.into());
        return Some(fields);
    }
    let mut is_placed = false;
    for key in TEXTS.iter().chain(REST) {
        let Some(value) = fields.get_mut(*key) else { continue };
        let text = if is_placed { "" } else { text };
        *value = match value {
            Value::String(_) => text.into(),
            Value::Array(_) if *key == "filenames" && !is_placed => vec![text].into(),
            Value::Array(_) if *key == "content" && !is_placed => content(text),
            Value::Array(_) => Value::Array(Vec::new()),
            _ => continue,
        };
        is_placed |= TEXTS.contains(key);
    }
    is_placed.then_some(fields)
}

/// A text as content blocks.
fn content(text: &str) -> Value {
    serde_json::json!([{"type": "text", "text": text}])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_replacement_keeps_the_shape_and_nothing_of_the_old_text() {
        for (before, after) in [
            (
                json!({"stdout": "KEY", "stderr": "KEY", "interrupted": false}),
                Some(json!({"stdout": "new", "stderr": "", "interrupted": false})),
            ),
            (
                json!({"type": "text", "file": {"filePath": "a", "content": "KEY", "numLines": 3}}),
                Some(json!({"type": "text", "file": {"filePath": "a", "content": "new", "numLines": 3}})),
            ),
            (
                json!({"filePath": "a", "content": "KEY", "originalFile": "KEY", "structuredPatch": ["KEY"]}),
                Some(json!({"filePath": "a", "content": "new", "originalFile": "", "structuredPatch": []})),
            ),
            (
                json!({"filenames": ["KEY"], "numFiles": 1}),
                Some(json!({"filenames": ["new"], "numFiles": 1})),
            ),
            (
                json!({"content": [{"type": "text", "text": "KEY"}]}),
                Some(json!({"content": [{"type": "text", "text": "new"}]})),
            ),
            (json!({"secret": "KEY"}), None),
        ] {
            let replaced = replace(before.as_object().expect("an object"), "new").map(Value::Object);
            assert_eq!(replaced, after, "{before}");
        }
    }
}
