//! Our own session logs: `tool_call` lines, with the status that the call ended in.

use std::borrow::Cow;

use hookrail::JsonObject;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::commands::replay::call::{Call, Told, Was, arguments};

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    args: &'a RawValue,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

/// Reads a line.
pub(super) fn read(line: &[u8], number: u64, told: &mut Vec<Told>) -> bool {
    let Ok(typed) = serde_json::from_slice::<Typed<'_>>(line) else { return false };
    if typed.r#type != "tool_call" {
        return true;
    }
    let Ok(call) = serde_json::from_slice::<ToolCall<'_>>(line) else { return false };
    let was = match call.status.as_ref() {
        "success" | "error" => Was::Allow,
        "blocked" => Was::Block,
        "denied" | "cancelled" => Was::Denied,
        _ => return false,
    };
    let Some(input) = arguments(call.args) else { return false };
    let call = Call {
        id: None,
        line: number,
        tool: call.name.into_owned(),
        input,
        also_matches: Vec::new(),
        extra: JsonObject::new(),
        cwd: None,
    };
    told.push(Told::Finished(call, was));
    true
}
