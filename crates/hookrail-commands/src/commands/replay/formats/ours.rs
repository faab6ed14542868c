//! Our own session logs: `tool_call` lines, with the status that the call ended in.
//!
//! The arguments are those that were executed, after hooks changed them: what is asked is whether that call would run.

use std::borrow::Cow;

use hookrail::JsonObject;
use hookrail::components::CallReading;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::commands::replay::call::{PastCall, PastOutcome, TranscriptEntry, arguments};

/// Read first, because most lines are of other types.
#[derive(Deserialize)]
struct LineType<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
}

/// The fields that are needed; results may be large and are skipped.
#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    args: &'a RawValue,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

/// Adds the call of a line to `entries`; `false` if the line is not JSON of ours.
pub(super) fn read(line: &[u8], number: u64, entries: &mut Vec<TranscriptEntry>) -> bool {
    let Ok(typed) = serde_json::from_slice::<LineType<'_>>(line) else { return false };
    if typed.r#type != "tool_call" {
        return true;
    }
    let Ok(call) = serde_json::from_slice::<ToolCall<'_>>(line) else { return false };
    let was = match call.status.as_ref() {
        "success" | "error" => PastOutcome::Allow,
        "blocked" => PastOutcome::Block,
        "denied" | "cancelled" => PastOutcome::Denied,
        _ => return false,
    };
    let Some(input) = arguments(call.args) else { return false };
    let call = PastCall {
        id: None,
        line: number,
        tool: call.name.into_owned(),
        input,
        also_matches: Vec::new(),
        reading: CallReading::Known,
        extra: JsonObject::new(),
        cwd: None,
    };
    entries.push(TranscriptEntry::Finished(call, was));
    true
}
