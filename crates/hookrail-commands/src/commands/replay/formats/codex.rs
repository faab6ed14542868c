//! Codex rollouts: function calls with their arguments as JSON text, patches as free text, shell calls as argv.
//!
//! A result belongs to a call by `call_id`. Whether it ran is read from the text of its output.

use std::borrow::Cow;

use hookrail_bridge::Agent;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::text_of;
use crate::commands::replay::call::{PastCall, TranscriptEntry, refusal};

/// Only the wrapper is read; most lines are no calls, and their payloads are skipped unread.
#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// One item of the conversation. Which fields it has follows from its type.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    arguments: Option<Value>,
    input: Option<Value>,
    action: Option<Value>,
    output: Option<Value>,
}

/// Reads a line. Old rollouts have the items without a wrapper.
/// `false` if the line is not JSON, or an item without its fields.
pub(super) fn read(line: &[u8], number: u64, entries: &mut Vec<TranscriptEntry>) -> bool {
    let Ok(CodexLine { r#type, payload }) = serde_json::from_slice(line) else { return false };
    let item = match (r#type.as_deref(), payload) {
        (Some("response_item"), Some(payload)) => serde_json::from_str(payload.get()),
        (Some("response_item"), None) => return false,
        (Some(_), Some(_)) | (None, _) => return true,
        (Some(_), None) => serde_json::from_slice(line),
    };
    let Ok(item) = item else { return false };
    entries.extend(entry_of(item, number));
    true
}

/// `None` for items that are neither calls nor results. A call whose arguments cannot be read is an entry of its own.
fn entry_of(item: Item<'_>, number: u64) -> Option<TranscriptEntry> {
    let id = item.call_id.map(Cow::into_owned);
    let (name, input) = match item.r#type.as_deref()? {
        "function_call" => {
            let (Some(name), Some(arguments)) = (item.name, item.arguments) else {
                return Some(TranscriptEntry::Unreadable);
            };
            (name, arguments_of(arguments))
        }
        "custom_tool_call" => {
            let (Some(name), Some(Value::String(text))) = (item.name, item.input) else {
                return Some(TranscriptEntry::Unreadable);
            };
            let input = if name == "apply_patch" { json!({ "command": text }) } else { Value::String(text) };
            (name, Some(input))
        }
        "local_shell_call" => {
            let action = item.action.unwrap_or_default();
            let mut input = json!({ "command": action.get("command")? });
            if let Some(folder) = action.get("working_directory").filter(|folder| folder.is_string())
                && let Value::Object(input) = &mut input
            {
                input.insert("workdir".to_owned(), folder.clone());
            }
            (Cow::Borrowed("local_shell"), Some(input))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let was = refusal(&text_of(&item.output.unwrap_or_default()));
            return Some(TranscriptEntry::Result { id: id?, was });
        }
        _ => return None,
    };
    let Some(input) = input else { return Some(TranscriptEntry::Unreadable) };
    let mut call = PastCall::native(Agent::Codex, &name, &input, number);
    call.id = id;
    Some(TranscriptEntry::Call(call))
}

/// Arguments are an object, as JSON text. Anything else is not understood.
fn arguments_of(arguments: Value) -> Option<Value> {
    match arguments {
        Value::String(text) if text.trim().is_empty() => Some(json!({})),
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_object),
        Value::Object(_) => Some(arguments),
        _ => None,
    }
}
