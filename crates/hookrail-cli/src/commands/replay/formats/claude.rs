//! Claude Code: `tool_use` blocks of assistant messages, `tool_result` blocks of the messages that follow.

use std::borrow::Cow;

use hookrail_bridge::Agent;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::text_of;
use crate::commands::replay::call::{Call, Told, Was, arguments, refusal};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
}

/// Reads a line. Lines of other kinds tell nothing, which is fine.
pub(super) fn read(line: &[u8], number: u64, told: &mut Vec<Told>) -> bool {
    let Ok(Line { r#type, cwd, message }) = serde_json::from_slice(line) else { return false };
    let (Some("assistant" | "user"), Some(message)) = (r#type.as_deref(), message) else { return true };
    let Ok(Message { content }) = serde_json::from_str(message.get()) else { return false };
    // A plain text holds no calls.
    let Some(content) = content.map(RawValue::get).filter(|content| content.starts_with('[')) else {
        return true;
    };
    let Ok(blocks) = serde_json::from_str::<Vec<Block<'_>>>(content) else { return false };
    for block in blocks {
        match block.r#type.as_deref() {
            Some("tool_use") => match (block.name, block.input.and_then(arguments)) {
                (Some(name), Some(input)) => {
                    let mut call = Call::native(Agent::Claude, &name, &Value::Object(input), number);
                    call.id = block.id.map(Cow::into_owned);
                    call.cwd = cwd.as_ref().map(|cwd| cwd.clone().into_owned());
                    told.push(Told::Call(call));
                }
                _ => told.push(Told::Unreadable),
            },
            Some("tool_result") => {
                let Some(id) = block.tool_use_id else {
                    told.push(Told::Unreadable);
                    continue;
                };
                let was = match (block.is_error, block.content) {
                    (Some(true), Some(content)) => refusal(&text_of(&parsed(content))),
                    _ => Was::Allow,
                };
                told.push(Told::Result { id: id.into_owned(), was });
            }
            _ => {}
        }
    }
    true
}

fn parsed(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
