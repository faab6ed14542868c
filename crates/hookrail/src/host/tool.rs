//! What a tool gives back: one text for the model, one for the user.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::formats::genai::Part;
use crate::formats::json_object::JsonObject;

/// The result of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// What the model sees.
    pub llm_content: ToolContent,
    /// What the user sees.
    #[serde(default)]
    pub return_display: Value,
    /// Facts about the call, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// Set when the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Set when the user must not see the result; the model still does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_display: Option<bool>,
}

/// Why a tool call failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// For people.
    pub message: String,
    /// For programs.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Text, or parts for results with images and files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolContent {
    /// Plain text.
    Text(String),
    /// A list of parts.
    Parts(Vec<Part>),
}

impl Default for ToolContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl ToolContent {
    fn append(&mut self, text: &str) {
        match self {
            Self::Text(own) => own.push_str(text),
            Self::Parts(parts) => parts.push(Part::text(text)),
        }
    }

    /// The text in it.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts.iter().filter_map(Part::answer_text).collect(),
        }
    }
}

impl ToolResult {
    /// The same text for the model and the user.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            return_display: Value::String(text.clone()),
            llm_content: ToolContent::Text(text),
            ..Self::default()
        }
    }

    /// A failed call: the model reads the message as the result.
    pub fn failure(message: impl Into<String>, kind: &str) -> Self {
        let message = message.into();
        Self {
            error: Some(ToolError { message: message.clone(), kind: Some(kind.to_owned()) }),
            ..Self::text(message)
        }
    }

    /// The `tool_response` that `AfterTool` hooks receive.
    pub fn to_hook_response(&self) -> JsonObject {
        let mut response = JsonObject::new();
        response.insert("llmContent".to_owned(), serde_json::to_value(&self.llm_content).unwrap_or_default());
        response.insert("returnDisplay".to_owned(), self.return_display.clone());
        response.insert("metadata".to_owned(), Value::Object(self.metadata.clone().unwrap_or_default()));
        if let Some(error) = &self.error {
            response.insert("error".to_owned(), serde_json::to_value(error).unwrap_or_default());
        }
        response
    }

    /// Puts what a hook gave in the place of what the model and the person get. A text is the text of both; an object
    /// like the one that hooks are given replaces both by what it has of them; any other value is shown as JSON.
    pub fn replace_with(&mut self, response: &Value) {
        let (content, display) = match response {
            Value::Object(fields) => (fields.get("llmContent"), fields.get("returnDisplay")),
            _ => (None, None),
        };
        let (content, display) = match (content, display) {
            (None, None) => (response, response),
            (Some(content), None) => (content, content),
            (None, Some(display)) => (display, display),
            (Some(content), Some(display)) => (content, display),
        };
        self.llm_content = serde_json::from_value(content.clone())
            .unwrap_or_else(|_| ToolContent::Text(content.to_string()));
        // Parts and other values are for models; a person reads their text.
        self.return_display = if std::ptr::eq(content, display) {
            Value::String(self.llm_content.to_text())
        } else {
            display.clone()
        };
    }

    /// Adds the hooks' text for the model to the result.
    pub fn append_context(&mut self, context: Option<&str>) {
        if let Some(context) = not_blank(context) {
            self.llm_content.append(&format!("\n\n{context}"));
        }
    }

    /// Adds a message of a hook, marked with `[System]` so that it differs from the result.
    pub fn append_system_message(&mut self, message: Option<&str>) {
        if let Some(message) = not_blank(message) {
            self.llm_content.append(&format!("\n\n[System] {message}"));
        }
    }
}

fn not_blank(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}
