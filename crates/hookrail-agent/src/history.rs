//! The conversation so far, with all parts kept.

use hookrail::genai::{Content, FunctionCall, FunctionResponse, Part};
use hookrail::{ToolContent, ToolResult};
use serde_json::{Value, json};

/// The entries of the conversation, as they are sent with each request.
#[derive(Debug, Default)]
pub(crate) struct History {
    contents: Vec<Content>,
}

impl History {
    /// All entries, oldest first.
    pub(crate) fn contents(&self) -> &[Content] {
        &self.contents
    }

    /// Appends an entry; an empty one is left out, because models refuse it.
    pub(crate) fn push(&mut self, content: Content) {
        if !content.parts.is_empty() {
            self.contents.push(content);
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.contents.clear();
    }

    /// The size of all entries in bytes, as they are sent.
    pub(crate) fn bytes(&self) -> usize {
        self.contents.iter().map(content_bytes).sum()
    }

    /// Where the recent part begins when about half of the bytes are to be summarised. A cut is made
    /// before a user's prompt or before the model's turn, so that no tool call is separated from its result.
    /// `None` when there is nothing old.
    pub(crate) fn recent_start(&self) -> Option<usize> {
        let half = self.bytes() / 2;
        let mut seen = 0;
        let mut start = None;
        for (index, content) in self.contents.iter().enumerate() {
            let is_cut = if content.role.as_deref() == Some("model") {
                // A first answer belongs to the prompt before it; there is nothing to gain yet.
                index > 2
            } else {
                index > 0 && content.parts.iter().all(|part| part.function_response.is_none())
            };
            if is_cut {
                start = Some(index);
                if seen >= half {
                    break;
                }
            }
            seen += content_bytes(content);
        }
        start
    }

    /// Puts a summary in the place of everything before `recent`.
    pub(crate) fn summarise(&mut self, recent: usize, summary: &str) {
        let kept = self.contents.split_off(recent.min(self.contents.len()));
        let text = format!("Summary of the conversation so far:\n{summary}");
        self.contents = vec![Content::text("user", text)];
        if kept.first().is_none_or(|first| first.role.as_deref() != Some("model")) {
            self.contents.push(Content::text("model", "Understood."));
        }
        self.contents.extend(kept);
    }
}

/// The size of an entry as JSON, which is close to what the provider counts.
fn content_bytes(content: &Content) -> usize {
    serde_json::to_vec(content).map_or(0, |bytes| bytes.len())
}

/// The entry that answers tool calls, in call order. Images and files are beside the answer they belong
/// to, because a function response holds text only.
pub(crate) fn tool_responses(results: impl IntoIterator<Item = (FunctionCall, ToolResult)>) -> Content {
    let mut parts = Vec::new();
    for (call, result) in results {
        let key = if result.error.is_some() { "error" } else { "output" };
        let mut text = result.llm_content.to_text();
        let attached: Vec<Part> = match result.llm_content {
            ToolContent::Text(_) => Vec::new(),
            ToolContent::Parts(own) => own.into_iter().filter(|part| part.text.is_none()).collect(),
        };
        if text.is_empty() && !attached.is_empty() {
            text = format!("The content follows as {} part(s).", attached.len());
        }
        let response = FunctionResponse {
            id: call.id,
            name: call.name,
            response: json!({ key: text }).as_object().cloned(),
            ..FunctionResponse::default()
        };
        parts.push(Part { function_response: Some(response), ..Part::default() });
        parts.extend(attached);
    }
    Content { role: Some("user".to_owned()), parts, ..Content::default() }
}

/// The system instruction in the SDK's form.
pub(crate) fn system_instruction(text: &str) -> Value {
    json!({ "role": "system", "parts": [{ "text": text }] })
}

#[cfg(test)]
mod tests;
