//! Pieces that several dialects share.

use std::time::Duration;

use hookrail::JsonObject;
use serde_json::{Value, json};

use crate::dialect::{Capabilities, Dialect, HookOrder, MatcherDialect, McpForm, SettingsFile};

/// What most agents have in common.
pub(crate) const PLAIN: Dialect = Dialect {
    tested_with: "",
    project_variable: None,
    events: "",
    event_aliases: &[],
    tools: "",
    beside: &[],
    marks: &[],
    caller: None,
    mcp: McpForm::DoubleUnderscore,
    unit: Duration::from_secs(1),
    default_timeout: Duration::from_secs(30),
    matchers: MatcherDialect::Pattern,
    order: HookOrder::SideBySide,
    can: Capabilities::NONE,
    carries_stop: &[],
    interrupted_tools: &[],
    fires_without_prompt: false,
    exit_two_refuses: true,
    unseen: &[],
    also_runs: &[],
    settings: SettingsFile::NONE,
    advice: None,
    can_replace_result: |_| false,
    tool_response: our_result,
    render: |_, _| None,
};

/// An object under construction whose fields are left out when they have no value.
#[derive(Debug, Default)]
pub(crate) struct Object(JsonObject);

impl Object {
    /// Adds a field, or replaces its value.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a field if there is a value for it.
    pub(crate) fn maybe(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds `hookSpecificOutput` with the name that agents check, if there is anything in it.
    pub(crate) fn specific(self, event: &str, specific: Self) -> Self {
        if specific.0.is_empty() {
            return self;
        }
        let mut named = JsonObject::from_iter([("hookEventName".to_owned(), event.into())]);
        named.extend(specific.0);
        self.with("hookSpecificOutput", named)
    }

    /// The object; `None` if it is empty.
    pub(crate) fn into_answer(self) -> Option<JsonObject> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

/// A result that already has our shape, or is a text.
pub(crate) fn our_result(response: &Value) -> JsonObject {
    match response {
        Value::Object(fields) if fields.contains_key("llmContent") => fields.clone(),
        other => text_result(&result_text(other)),
    }
}

/// A result that is one text.
pub(crate) fn text_result(text: &str) -> JsonObject {
    JsonObject::from_iter([("llmContent".to_owned(), text.into()), ("returnDisplay".to_owned(), text.into())])
}

/// The text of a result: a text, the texts of an MCP server's content, or its JSON.
pub(crate) fn result_text(response: &Value) -> String {
    let content = response.get("content").unwrap_or(response);
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
            texts
                .filter(|texts| !texts.is_empty())
                .map_or_else(|| response.to_string(), |texts| texts.join("\n"))
        }
        _ => response.to_string(),
    }
}

/// Claude's decision about a tool call, which Codex and Qwen accept as well.
pub(crate) fn permission(decision: &str, reason: &str) -> Object {
    let reason = Some(reason).filter(|reason| !reason.trim().is_empty());
    Object::default().with("permissionDecision", decision).maybe("permissionDecisionReason", reason)
}

/// `continue: false` with its reason.
pub(crate) fn stopped(object: Object, reason: Option<&str>) -> Object {
    match reason {
        Some(reason) => object.with("continue", false).with("stopReason", reason),
        None => object,
    }
}

/// A top-level decision with its reason.
pub(crate) fn decided(object: Object, word: &str, reason: Option<&str>) -> Object {
    match reason {
        Some(reason) => object.with("decision", word).with("reason", reason),
        None => object,
    }
}

/// The result of a shell command from its streams.
pub(crate) fn streams(stdout: &str, stderr: &str) -> JsonObject {
    match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => text_result(stdout),
        (true, false) => text_result(stderr),
        (false, false) => text_result(&format!("{stdout}\n{stderr}")),
    }
}

/// A failed result with its message.
pub(crate) fn failed(mut result: JsonObject, message: &str) -> JsonObject {
    result.insert("error".to_owned(), json!({"message": message}));
    result
}
