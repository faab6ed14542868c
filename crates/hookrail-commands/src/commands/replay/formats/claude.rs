//! Claude Code: `tool_use` blocks of assistant messages, `tool_result` blocks of the messages that follow.
//!
//! Every message is a line. A call and its result have the same id and may be many lines apart.

use std::borrow::Cow;

use hookrail_bridge::Agent;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::text_of;
use crate::commands::replay::call::{PastCall, PastOutcome, TranscriptEntry, arguments, refusal};

/// The outer line; the message in it is read only for the two types that have calls.
#[derive(Deserialize)]
struct ClaudeLine<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// `content` is a text or a list of blocks.
#[derive(Deserialize)]
struct ClaudeMessage<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// One block. Texts and images have none of these fields but `type`.
#[derive(Deserialize)]
struct ClaudeBlock<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Option<bool>,
}

/// Reads a line. Lines of other kinds have no entries, which is fine.
/// A result that is not an error ran; one that is an error may be the tool's own failure or a refusal, which its text
/// shows.
pub(super) fn read(line: &[u8], number: u64, entries: &mut Vec<TranscriptEntry>) -> bool {
    let Ok(ClaudeLine { r#type, cwd, message }) = serde_json::from_slice(line) else { return false };
    let (Some("assistant" | "user"), Some(message)) = (r#type.as_deref(), message) else { return true };
    let Ok(ClaudeMessage { content }) = serde_json::from_str(message.get()) else { return false };
    // A plain text holds no calls.
    let Some(content) = content.map(RawValue::get).filter(|content| content.starts_with('[')) else {
        return true;
    };
    let Ok(blocks) = serde_json::from_str::<Vec<ClaudeBlock<'_>>>(content) else { return false };
    for block in blocks {
        match block.r#type.as_deref() {
            Some("tool_use") => match (block.name, block.input.and_then(arguments)) {
                (Some(name), Some(input)) => {
                    let mut call = PastCall::native(Agent::Claude, &name, &Value::Object(input), number);
                    call.id = block.id.map(Cow::into_owned);
                    call.cwd = cwd.as_ref().map(|cwd| cwd.clone().into_owned());
                    entries.push(TranscriptEntry::Call(call));
                }
                _ => entries.push(TranscriptEntry::Unreadable),
            },
            Some("tool_result") => {
                let Some(id) = block.tool_use_id else {
                    entries.push(TranscriptEntry::Unreadable);
                    continue;
                };
                let was = match (block.is_error, block.content) {
                    (Some(true), Some(content)) => refusal(&text_of(&parsed(content))),
                    _ => PastOutcome::Allow,
                };
                entries.push(TranscriptEntry::Result { id: id.into_owned(), was });
            }
            _ => {}
        }
    }
    true
}

/// Content that is not JSON reads as nothing, and so not as a refusal.
fn parsed(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
