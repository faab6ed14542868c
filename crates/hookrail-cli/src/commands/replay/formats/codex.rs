//! Codex rollouts: function calls with their arguments as JSON text, patches as free text, shell calls as argv.

use std::borrow::Cow;

use hookrail_bridge::Agent;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::text_of;
use crate::commands::replay::call::{Call, Told, refusal};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    call_id: Option<Cow<'a, str>>,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    action: Option<Value>,
    #[serde(default)]
    output: Option<Value>,
}

/// Reads a line. Old rollouts have the items without a wrapper.
pub(super) fn read(line: &[u8], number: u64, told: &mut Vec<Told>) -> bool {
    let Ok(Line { r#type, payload }) = serde_json::from_slice(line) else { return false };
    let item = match (r#type.as_deref(), payload) {
        (Some("response_item"), Some(payload)) => serde_json::from_str(payload.get()),
        (Some("response_item"), None) => return false,
        (Some(_), Some(_)) | (None, _) => return true,
        (Some(_), None) => serde_json::from_slice(line),
    };
    let Ok(item) = item else { return false };
    told.extend(tell(item, number));
    true
}

fn tell(item: Item<'_>, number: u64) -> Option<Told> {
    let id = item.call_id.map(Cow::into_owned);
    let (name, input) = match item.r#type.as_deref()? {
        "function_call" => {
            let (Some(name), Some(arguments)) = (item.name, item.arguments) else {
                return Some(Told::Unreadable);
            };
            (name, arguments_of(arguments)?)
        }
        "custom_tool_call" => {
            let (Some(name), Some(Value::String(text))) = (item.name, item.input) else {
                return Some(Told::Unreadable);
            };
            let input = if name == "apply_patch" { json!({ "command": text }) } else { Value::String(text) };
            (name, Some(input))
        }
        "local_shell_call" => {
            let action = item.action.unwrap_or_default();
            let mut input = json!({ "command": action.get("command")? });
            if let Some(folder) = action.get("working_directory").filter(|folder| folder.is_string()) {
                input["workdir"] = folder.clone();
            }
            (Cow::Borrowed("local_shell"), Some(input))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let was = refusal(&text_of(&item.output.unwrap_or_default()));
            return Some(Told::Result { id: id?, was });
        }
        _ => return None,
    };
    let Some(input) = input else { return Some(Told::Unreadable) };
    let mut call = Call::native(Agent::Codex, &name, &input, number);
    call.id = id;
    Some(Told::Call(call))
}

/// Arguments are an object, as JSON text. Anything else is not understood.
#[expect(clippy::option_option, reason = "the outer one ends the item, the inner one is an unreadable call")]
fn arguments_of(arguments: Value) -> Option<Option<Value>> {
    Some(match arguments {
        Value::String(text) if text.trim().is_empty() => Some(json!({})),
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_object),
        Value::Object(_) => Some(arguments),
        _ => None,
    })
}
