//! How much of a hook's output is kept in the log.

use std::borrow::Cow;

use hookrail::HookOutput;
use serde_json::{Map, Value};

/// How much of a text is kept.
const MAX_TEXT: usize = 4 * 1024;

/// How much of an answer is kept as it is.
const MAX_OUTPUT: usize = 8 * 1024;

/// A text, or its beginning with a note of how much is missing.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let start = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    Cow::Owned(format!("{start}… ({} bytes more)", text.len() - start.len()))
}

/// A hook's answer. Of one that is too long, what decides is kept: flags, and the beginning of texts.
pub(super) fn output(output: &HookOutput) -> Value {
    // Counted no further than that: an answer may be a hundred times as long as what is kept of it.
    let mut room = [0; MAX_OUTPUT];
    if serde_json::to_writer(&mut room[..], output).is_ok() {
        return serde_json::to_value(output).unwrap_or_default();
    }
    let mut kept = Map::new();
    let mut keep = |key: &str, value: Option<Value>| kept.extend(value.map(|value| (key.to_owned(), value)));
    let clipped = |given: &Option<String>| given.as_deref().map(|given| Value::from(text(given)));
    keep("decision", output.decision.as_ref().map(|decision| Value::from(text(decision.as_str()))));
    keep("reason", clipped(&output.reason));
    keep("continue", output.continue_.map(Value::from));
    keep("stopReason", clipped(&output.stop_reason));
    keep("suppressOutput", output.suppress_output.map(Value::from));
    keep("systemMessage", clipped(&output.system_message));
    if let Some(permission) = output.specific("permissionDecision").and_then(Value::as_str) {
        let mut specific = Map::new();
        specific.insert("permissionDecision".to_owned(), Value::from(text(permission)));
        keep("hookSpecificOutput", Some(Value::Object(specific)));
    }
    keep("truncated", Some(Value::Bool(true)));
    Value::Object(kept)
}
