//! The transcripts of the agents: which one a file is, and what its lines contain. Formats change, so that a line that
//! is not understood is counted and never guessed.

mod chat;
mod claude;
mod codex;
mod ours;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

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

/// The keys by which the agent of a line is recognised.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    r#type: Option<std::borrow::Cow<'a, str>>,
    #[serde(default)]
    payload: Option<IgnoredAny>,
    #[serde(default)]
    message: Option<MessageHead>,
    #[serde(default, rename = "sessionId")]
    session_id: Option<IgnoredAny>,
    #[serde(default, rename = "projectHash")]
    project_hash: Option<IgnoredAny>,
    #[serde(default)]
    timestamp: Option<IgnoredAny>,
    #[serde(default)]
    call_id: Option<IgnoredAny>,
    #[serde(default)]
    status: Option<IgnoredAny>,
    #[serde(default)]
    cwd: Option<IgnoredAny>,
}

/// Qwen has `parts` where Claude has `content`.
#[derive(Deserialize)]
struct MessageHead {
    #[serde(default)]
    content: Option<IgnoredAny>,
    #[serde(default)]
    parts: Option<IgnoredAny>,
}

/// Which agent wrote a line, if it can be recognised.
/// `None` for lines that several agents write alike; the next line may show it.
pub(super) fn recognise(line: &[u8]) -> Option<TranscriptFormat> {
    let head: Head<'_> = serde_json::from_slice(line).ok()?;
    let message = head.message.as_ref();
    let has_parts = message.is_some_and(|message| message.parts.is_some());
    let has_content = message.is_some_and(|message| message.content.is_some());
    let stamped = head.timestamp.is_some() && head.session_id.is_some();
    match head.r#type.as_deref() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context") if head.payload.is_some() => {
            Some(TranscriptFormat::Codex)
        }
        Some("function_call" | "function_call_output" | "custom_tool_call") if head.call_id.is_some() => {
            Some(TranscriptFormat::Codex)
        }
        Some("local_shell_call") => Some(TranscriptFormat::Codex),
        Some("user" | "assistant" | "tool_result" | "model") if has_parts => Some(TranscriptFormat::Qwen),
        Some("user" | "assistant") if has_content => Some(TranscriptFormat::Claude),
        Some("gemini") => Some(TranscriptFormat::Gemini),
        None if head.session_id.is_some() && head.project_hash.is_some() => Some(TranscriptFormat::Gemini),
        Some("tool_call") if head.status.is_some() => Some(TranscriptFormat::Ours),
        Some(
            "session_start" | "user" | "model_request" | "model_response" | "hook_call" | "hook_batch"
            | "stop" | "session_end",
        ) if stamped && message.is_none() && (head.cwd.is_none() || has_type(&head, "session_start")) => {
            Some(TranscriptFormat::Ours)
        }
        _ => None,
    }
}

/// Only the first line of our own logs names a folder.
fn has_type(head: &Head<'_>, name: &str) -> bool {
    head.r#type.as_deref() == Some(name)
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
