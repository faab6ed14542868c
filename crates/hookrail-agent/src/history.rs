//! The conversation so far, with all parts kept.

use hookrail::genai::{Content, FunctionCall, FunctionResponse, Part};
use hookrail::{ToolContent, ToolResult};
use serde_json::{Value, json};

/// The conversation.
#[derive(Debug, Default)]
pub struct History {
    contents: Vec<Content>,
}

impl History {
    /// All entries, oldest first.
    pub fn contents(&self) -> &[Content] {
        &self.contents
    }

    /// Appends an entry; an empty one would be refused by models and says nothing.
    pub fn push(&mut self, content: Content) {
        if !content.parts.is_empty() {
            self.contents.push(content);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.contents.clear();
    }

    /// Replaces everything.
    pub fn replace(&mut self, contents: Vec<Content>) {
        self.contents = contents;
    }

    /// Its size as sent.
    pub fn bytes(&self) -> usize {
        self.contents.iter().map(content_bytes).sum()
    }

    /// Where the recent part begins when about half of the bytes are to be summarised: always at a
    /// user's prompt, so that no tool call is torn from its result. `None` when there is nothing old.
    pub fn recent_start(&self) -> Option<usize> {
        let half = self.bytes() / 2;
        let mut seen = 0;
        let mut start = None;
        for (index, content) in self.contents.iter().enumerate() {
            let is_prompt = content.role.as_deref() == Some("user")
                && content.parts.iter().all(|part| part.function_response.is_none());
            if is_prompt && index > 0 {
                start = Some(index);
                if seen >= half {
                    break;
                }
            }
            seen += content_bytes(content);
        }
        start
    }
}

fn content_bytes(content: &Content) -> usize {
    serde_json::to_vec(content).map_or(0, |bytes| bytes.len())
}

/// The entry that answers tool calls, in call order.
pub fn tool_responses(results: impl IntoIterator<Item = (FunctionCall, ToolResult)>) -> Content {
    let mut parts = Vec::new();
    for (call, result) in results {
        let key = if result.error.is_some() { "error" } else { "output" };
        let text = result.llm_content.to_text();
        let response = FunctionResponse {
            id: call.id,
            name: call.name,
            response: json!({ key: text }).as_object().cloned(),
            ..FunctionResponse::default()
        };
        parts.push(Part { function_response: Some(response), ..Part::default() });
        if let ToolContent::Parts(own) = result.llm_content {
            parts.extend(own.into_iter().filter(|part| part.text.is_none()));
        }
    }
    Content { role: Some("user".to_owned()), parts, ..Content::default() }
}

/// A hook's message as an entry of its own.
pub fn system_message(text: &str) -> Content {
    Content::text("user", format!("[System] {text}"))
}

/// The system instruction in the SDK's form.
pub fn system_instruction(text: &str) -> Value {
    json!({ "role": "system", "parts": [{ "text": text }] })
}
