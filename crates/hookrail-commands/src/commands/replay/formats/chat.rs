//! Gemini and Qwen chats: messages with `toolCalls`, or parts with `functionCall` and `functionResponse`; as lines,
//! or as one document whose `messages` are read one at a time.

mod document;

use std::borrow::Cow;

use hookrail_bridge::Agent;
use serde::Deserialize;
use serde_json::Value;

use super::text_of;
use crate::commands::replay::call::{PastCall, PastOutcome, TranscriptEntry, refusal};
pub(in crate::commands::replay) use document::document;

/// A message, in either form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChatMessage<'a> {
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    tool_calls: Option<Vec<Value>>,
    message: Option<ChatContent>,
    parts: Option<Vec<Value>>,
    content: Option<Value>,
    tool_call_result: Option<Value>,
}

/// The form in which the parts are one level deeper.
#[derive(Deserialize)]
struct ChatContent {
    parts: Option<Vec<Value>>,
}

/// Reads a line that is one message.
/// `false` if it is not a chat.
pub(super) fn read_line(agent: Agent, line: &[u8], number: u64, entries: &mut Vec<TranscriptEntry>) -> bool {
    let Ok(message) = serde_json::from_slice::<ChatMessage<'_>>(line) else { return false };
    message.add_entries(agent, number, entries);
    true
}

impl ChatMessage<'_> {
    /// Adds the calls and results of the message.
    fn add_entries(self, agent: Agent, number: u64, entries: &mut Vec<TranscriptEntry>) {
        let cwd = self.cwd.map(Cow::into_owned);
        for call in self.tool_calls.unwrap_or_default() {
            entries.push(tool_call(agent, &call, number, cwd.as_deref()));
        }
        let content = match self.content {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let nested = self.message.and_then(|message| message.parts).unwrap_or_default();
        // A status beside a response is more exact than the response itself.
        let result = self.tool_call_result.as_ref();
        let word = |key| result.and_then(|result| result.get(key)).and_then(Value::as_str);
        let (status, error_type) = (word("status"), word("errorType"));
        for part in nested.iter().chain(&self.parts.unwrap_or_default()).chain(&content) {
            if let Some(call) = part.get("functionCall") {
                entries.push(function_call(agent, call, number, cwd.as_deref()));
            }
            if let Some(response) = part.get("functionResponse") {
                let Some(id) = response.get("id").and_then(Value::as_str) else { continue };
                let result = response.get("response").unwrap_or(&Value::Null);
                let was = match ended(status, result) {
                    // A hook's own text is all that Qwen Code keeps of its refusal. Its other refusals are distinguished
                    // by their texts.
                    PastOutcome::Allow if error_type == Some("execution_denied") => PastOutcome::Block,
                    was => was,
                };
                entries.push(TranscriptEntry::Result { id: id.to_owned(), was });
            }
        }
    }
}

/// An entry of `toolCalls`, which has its end beside it.
/// Gemini CLI writes it again as it changes, so the same call may come more than once.
fn tool_call(agent: Agent, call: &Value, number: u64, cwd: Option<&str>) -> TranscriptEntry {
    let read = call.get("args").and_then(|args| past_call(agent, call, args, number, cwd));
    let Some(read) = read else { return TranscriptEntry::Unreadable };
    let status = call.get("status").and_then(Value::as_str);
    let results = [call.get("result"), call.get("resultDisplay")];
    let result = results.into_iter().flatten().map(text_of).collect::<String>();
    TranscriptEntry::Finished(read, ended(status, &Value::String(result)))
}

/// Its result comes in a later message.
fn function_call(agent: Agent, call: &Value, number: u64, cwd: Option<&str>) -> TranscriptEntry {
    let nothing = Value::Object(serde_json::Map::new());
    let args = call.get("args").unwrap_or(&nothing);
    past_call(agent, call, args, number, cwd).map_or(TranscriptEntry::Unreadable, TranscriptEntry::Call)
}

/// A call without a name, or whose arguments are no object, cannot be asked about.
fn past_call(agent: Agent, call: &Value, args: &Value, number: u64, cwd: Option<&str>) -> Option<PastCall> {
    let text = |key| call.get(key).and_then(Value::as_str);
    let name = text("name").filter(|name| !name.is_empty() && args.is_object())?;
    let (id, cwd) = (text("id").map(str::to_owned), cwd.map(str::to_owned));
    Some(PastCall { id, cwd, ..PastCall::native(agent, name, args, number) })
}

/// How a call ended, by its status and its result.
fn ended(status: Option<&str>, result: &Value) -> PastOutcome {
    match status {
        Some("success") => PastOutcome::Allow,
        Some("cancelled" | "canceled") => PastOutcome::Denied,
        _ => refusal(&text_of(result)),
    }
}
