//! The transcripts of the agents: which one a file is, and what its lines contain. Formats change, so that a line that
//! is not understood is counted and never guessed.

mod chat;
mod claude;
mod codex;
mod ours;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::call::TranscriptEntry;
pub(super) use chat::document;

/// Whose transcript a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TranscriptFormat {
    /// Our own session log.
    Ours,
    Claude,
    Codex,
    /// Gemini CLI, as lines.
    Gemini,
    Qwen,
}

/// Which agent wrote a line, if it can be recognised by its keys.
/// `None` for lines that several agents write alike; the next line may show it.
pub(super) fn recognise(line: &[u8]) -> Option<TranscriptFormat> {
    type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

    fn given<'a>(fields: &Fields<'a>, key: &str) -> Option<&'a str> {
        fields.get(key).map(|value| value.get()).filter(|value| *value != "null")
    }

    let fields: Fields<'_> = serde_json::from_slice(line).ok()?;
    let has = |key: &str| given(&fields, key).is_some();
    let kind: Option<String> = given(&fields, "type").and_then(|kind| serde_json::from_str(kind).ok());
    let message = given(&fields, "message").and_then(|message| serde_json::from_str(message).ok());
    let message: Fields<'_> = message.unwrap_or_default();
    // Qwen has `parts` where Claude has `content`.
    let (has_parts, has_content) = (given(&message, "parts").is_some(), given(&message, "content").is_some());
    let is_stamped = has("timestamp") && has("sessionId") && !has("message");
    match kind.as_deref() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context") if has("payload") => {
            Some(TranscriptFormat::Codex)
        }
        Some("function_call" | "function_call_output" | "custom_tool_call") if has("call_id") => {
            Some(TranscriptFormat::Codex)
        }
        Some("local_shell_call") => Some(TranscriptFormat::Codex),
        Some("user" | "assistant" | "tool_result" | "model") if has_parts => Some(TranscriptFormat::Qwen),
        Some("user" | "assistant") if has_content => Some(TranscriptFormat::Claude),
        Some("gemini") => Some(TranscriptFormat::Gemini),
        None if has("sessionId") && has("projectHash") => Some(TranscriptFormat::Gemini),
        Some("tool_call") if has("status") => Some(TranscriptFormat::Ours),
        // Only the first line of our own logs names a folder.
        Some("session_start") if is_stamped => Some(TranscriptFormat::Ours),
        Some(
            "user" | "model_request" | "model_response" | "hook_call" | "hook_batch" | "stop" | "session_end",
        ) if is_stamped && !has("cwd") => Some(TranscriptFormat::Ours),
        _ => None,
    }
}

/// The entries of a transcript's line, added to `entries`. `false` if the line cannot be read at all.
pub(super) fn read(
    format: TranscriptFormat,
    line: &[u8],
    number: u64,
    entries: &mut Vec<TranscriptEntry>,
) -> bool {
    match format {
        TranscriptFormat::Ours => ours::read(line, number, entries),
        TranscriptFormat::Claude => claude::read(line, number, entries),
        TranscriptFormat::Codex => codex::read(line, number, entries),
        TranscriptFormat::Gemini => chat::read_line(hookrail_bridge::Agent::Gemini, line, number, entries),
        TranscriptFormat::Qwen => chat::read_line(hookrail_bridge::Agent::Qwen, line, number, entries),
    }
}

/// The texts of a result, which may be a text, a list of parts, or an object.
/// Bounded in size and depth, because a result may be anything that a tool printed.
pub(super) fn text_of(value: &Value) -> String {
    fn add(value: &Value, text: &mut String, depth: usize) {
        if text.len() > 8_192 || depth > 8 {
            return;
        }
        match value {
            Value::String(piece) => {
                text.push_str(piece);
                text.push('\n');
            }
            Value::Array(values) => values.iter().for_each(|value| add(value, text, depth + 1)),
            Value::Object(fields) => fields.values().for_each(|value| add(value, text, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut text = String::new();
    add(value, &mut text, 0);
    text
}

#[cfg(test)]
mod tests;
