//! From an agent's fields to ours. Agents differ in spelling more than in meaning, so every spelling is read
//! from every agent.
//!
//! Nothing that an agent sent is dropped: fields without a name of ours keep their own, and what was translated is
//! still under `agent`.

mod time;

use hookrail::components::CallReading;
use hookrail::{EventName, JsonObject};
use serde_json::{Value, json};

use super::BridgeEvent;
use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::tools::{McpTool, OurCall, to_ours_with_mcp, unnamed};

/// Our spelling of each field, and the others.
/// Where an agent sends both, ours counts.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("session_id", &["sessionId", "sessionID", "conversation_id"]),
    ("transcript_path", &["transcriptPath"]),
    ("tool_name", &["toolName"]),
    ("tool_input", &["toolArgs", "toolInput", "tool_args"]),
    ("tool_response", &["toolResult", "tool_result", "tool_output"]),
    ("tool_use_id", &["toolUseId", "toolCallId", "tool_call_id"]),
    ("prompt_response", &["last_assistant_message", "lastAssistantMessage"]),
    ("stop_hook_active", &["stopHookActive"]),
    ("notification_type", &["notificationType"]),
];

/// Whether a payload without an event's name is a call that is about to be made: a tool, and no result of it.
pub(super) fn is_call(fields: &JsonObject) -> bool {
    let has = |field: &str, is: fn(&Value) -> bool| {
        let spellings = SPELLINGS.iter().filter(|(ours, _)| *ours == field).flat_map(|(_, others)| *others);
        spellings.chain([&field]).any(|key| fields.get(*key).is_some_and(is))
    };
    has("tool_name", Value::is_string) && !has("tool_response", |_| true)
}

/// The event in our terms.
///
/// What the agent itself sent is kept under `agent`, in its own spelling, so that a hook can look at what this
/// translation leaves out.
pub(super) fn translate(agent: Agent, native_event: String, mut fields: JsonObject) -> BridgeEvent {
    for (ours, others) in SPELLINGS {
        for other in *others {
            if let Some(value) = fields.shift_remove(*other)
                && !fields.contains_key(*ours)
            {
                fields.insert((*ours).to_owned(), value);
            }
        }
    }
    name_tool(&native_event, &mut fields);
    let mut event = BridgeEvent {
        agent,
        event: dialect_of(agent).event(&native_event).and_then(|event| event.ours),
        native_event,
        session_id: text(&fields, "session_id").or_else(|| text_in(&fields, "properties", "sessionID")),
        cwd: text(&fields, "cwd").filter(|cwd| !cwd.is_empty()),
        native_tool: None,
        native_input: Value::Null,
        native_response: None,
        also_matches: Vec::new(),
        above: Vec::new(),
        reading: None,
        payload: fields,
    };
    if event.event == Some(EventName::BeforeAgent) {
        if !event.payload.get("prompt").is_some_and(Value::is_string) {
            let text = event.payload.get("prompt").and_then(parts_text).unwrap_or_default();
            set(&mut event.payload, "prompt", &text);
        }
        if dialect_of(agent).fires_without_prompt && is_blank(event.payload.get("prompt")) {
            event.event = None;
        }
    }
    // The end of a session, told once more under the name of the end of the work.
    let is_over = |reason: &Value| reason == "shutdown" || reason == "channel_closed";
    if event.event == Some(EventName::AfterAgent) && event.payload.get("reason").is_some_and(is_over) {
        event.event = None;
    }
    let mut native = json!({"name": agent.as_str(), "event": event.native_event});
    base_fields(&mut event);
    tool_fields(&mut event, &mut native);
    event_specific_fields(&mut event, &mut native);
    if let Some(name) = event.event {
        set(&mut event.payload, "hook_event_name", name.as_str());
    }
    event.payload.insert("agent".to_owned(), native);
    event
}

/// Cursor's events for one kind of call, which name no tool: the tool, and the fields that are its arguments.
const EVENT_TOOLS: [(&str, &str, &[&str]); 3] = [
    ("beforeShellExecution", "Shell", &["command"]),
    ("beforeReadFile", "Read", &["file_path"]),
    ("afterFileEdit", "Edit", &["file_path", "edits"]),
];

/// Names the tool of such an event. Its folder is the workspace unless it says more.
fn name_tool(native_event: &str, fields: &mut JsonObject) {
    if !fields.contains_key("cwd")
        && let Some(root) = fields.get("workspace_roots").and_then(|roots| roots.get(0)).cloned()
    {
        fields.insert("cwd".to_owned(), root);
    }
    let Some((_, tool, keys)) = EVENT_TOOLS.iter().find(|(event, ..)| *event == native_event) else { return };
    let argument = |key: &&str| Some(((*key).to_owned(), fields.get(*key)?.clone()));
    let arguments: JsonObject = keys.iter().filter_map(argument).collect();
    fields.insert("tool_name".to_owned(), (*tool).into());
    fields.insert("tool_input".to_owned(), arguments.into());
}

/// The fields of every event. A timestamp that the agent does not give is left to the engine.
/// What our payloads always have is there afterwards, if need be empty.
fn base_fields(event: &mut BridgeEvent) {
    let payload = &mut event.payload;
    if let Some(id) = &event.session_id {
        set(payload, "session_id", id);
    } else {
        payload.shift_remove("session_id");
    }
    if !payload.get("transcript_path").is_some_and(Value::is_string) {
        set(payload, "transcript_path", "");
    }
    if event.cwd.is_none() {
        payload.shift_remove("cwd");
    }
    match payload.get("timestamp") {
        Some(Value::String(_)) => {}
        Some(Value::Number(number)) => match number.as_i64().and_then(time::iso_timestamp) {
            Some(time) => set(payload, "timestamp", &time),
            None => {
                payload.shift_remove("timestamp");
            }
        },
        _ => {
            payload.shift_remove("timestamp");
        }
    }
}

/// Tool, arguments and result. A tool event without a tool's name cannot be read: a guard that matches on names would
/// not run for it.
fn tool_fields(event: &mut BridgeEvent, native: &mut Value) {
    let Some(name) = text(&event.payload, "tool_name").filter(|name| !name.is_empty()) else {
        if event.event.is_some_and(EventName::has_tool) {
            event.reading = Some(CallReading::Unreadable(unnamed(event.agent, &event.native_event)));
        }
        return;
    };
    let input = event.payload.get("tool_input").cloned().unwrap_or_default();
    let mcp = event.payload.get("mcp_context").and_then(|context| {
        let server = context.get("server_name")?.as_str()?;
        Some(McpTool { server, tool: context.get("tool_name")?.as_str()? })
    });
    let OurCall { name: ours, input: arguments, also_matches, reading } =
        to_ours_with_mcp(event.agent, &name, &input, mcp);
    set(&mut event.payload, "tool_name", &ours);
    event.payload.insert("tool_input".to_owned(), arguments.into());
    add(native, "tool_name", name.as_str().into());
    add(native, "tool_input", input.clone());
    let readings: Vec<&str> =
        also_matches.iter().map(String::as_str).filter(|also| also.starts_with("mcp__")).collect();
    if !ours.starts_with("mcp__") && !readings.is_empty() {
        // Where the border between server and tool is not known, a matcher may name any of them.
        add(native, "mcp_names", readings.into());
    }
    event.native_tool = Some(name);
    event.native_input = input;
    event.also_matches = also_matches;
    event.reading = Some(reading);
    if event.event == Some(EventName::AfterTool) {
        tool_result(event, native);
    }
}

/// A result in our shape; a failure event has an error instead.
/// Hooks read `llmContent` and `error` whatever the agent is.
fn tool_result(event: &mut BridgeEvent, native: &mut Value) {
    let error = match event.payload.get("error") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Object(error)) => error.get("message").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    let response = event.payload.shift_remove("tool_response");
    let mut ours = match &response {
        Some(response) => (dialect_of(event.agent).tool_response)(response),
        None => JsonObject::new(),
    };
    if let Some(error) = error {
        ours.entry("llmContent").or_insert_with(|| error.as_str().into());
        ours.entry("returnDisplay").or_insert_with(|| error.as_str().into());
        ours.insert("error".to_owned(), json!({"message": error}));
    }
    if let Some(response) = response {
        if response.as_object() != Some(&ours) {
            add(native, "tool_response", response.clone());
        }
        event.native_response = Some(response);
    }
    event.payload.insert("tool_response".to_owned(), ours.into());
}

/// The fields that only some events have, in our words. Matchers compare these words exactly, so a word that we do not
/// have becomes the nearest one that we do, and the agent's own is kept beside it.
fn event_specific_fields(event: &mut BridgeEvent, native: &mut Value) {
    let our_word =
        |payload: &mut JsonObject, native: &mut Value, key: &str, word: fn(&str) -> &'static str| {
            let theirs = text(payload, key).unwrap_or_default();
            let ours = word(&theirs);
            if ours != theirs && !theirs.is_empty() {
                add(native, key, theirs.into());
            }
            set(payload, key, ours);
        };
    let payload = &mut event.payload;
    match event.event {
        Some(EventName::SessionStart) => our_word(payload, native, "source", start_source),
        Some(EventName::SessionEnd) => our_word(payload, native, "reason", end_reason),
        Some(EventName::PreCompress) => our_word(payload, native, "trigger", compress_trigger),
        Some(EventName::AfterAgent) => {
            for key in ["prompt", "prompt_response"] {
                if !payload.get(key).is_some_and(Value::is_string) {
                    set(payload, key, "");
                }
            }
            let is_active = payload.get("stop_hook_active") == Some(&Value::Bool(true));
            payload.insert("stop_hook_active".to_owned(), is_active.into());
        }
        Some(EventName::Notification) => notification(event),
        _ => {}
    }
}

/// A question for permission, or any other notification. An agent that has an event for the question itself names the
/// tool and no type, which distinguishes the two.
fn notification(event: &mut BridgeEvent) {
    let payload = &mut event.payload;
    let tool = text(payload, "tool_name");
    let title = text(payload, "title");
    let mut details = match payload.get("details") {
        Some(Value::Object(details)) => details.clone(),
        _ => JsonObject::new(),
    };
    let (kind, message) = if let Some(tool) = tool.filter(|_| !payload.contains_key("notification_type")) {
        let operation = match tool.as_str() {
            "run_shell_command" => "exec",
            "write_file" | "replace" | "apply_patch" => "edit",
            _ => "info",
        };
        details.entry("type").or_insert_with(|| operation.into());
        let native = event.native_tool.as_deref().unwrap_or(&tool);
        let question = format!("{} asks for permission to use {native}", event.agent.title());
        details.entry("title").or_insert_with(|| title.unwrap_or_else(|| question.clone()).into());
        for key in ["tool_name", "tool_input"] {
            if let Some(value) = payload.get(key) {
                details.entry(key).or_insert_with(|| value.clone());
            }
        }
        ("ToolPermission".to_owned(), question)
    } else {
        details.entry("type").or_insert_with(|| "info".into());
        if let Some(title) = title {
            details.entry("title").or_insert_with(|| title.into());
        }
        (text(payload, "notification_type").unwrap_or_else(|| "other".to_owned()), String::new())
    };
    set(payload, "notification_type", &kind);
    if !payload.get("message").is_some_and(Value::is_string) {
        set(payload, "message", &message);
    }
    payload.insert("details".to_owned(), details.into());
}

/// Our word for how a session began. A fork continues another session's conversation, so it counts as resumed.
pub(crate) fn start_source(word: &str) -> &'static str {
    match word {
        "resume" | "fork" => "resume",
        "clear" => "clear",
        "compact" | "compress" => "compress",
        _ => "startup",
    }
}

/// Our word for why a session ended.
/// Matchers compare it exactly, so words that we do not have are `other`.
pub(crate) fn end_reason(word: &str) -> &'static str {
    match word {
        "exit" | "complete" | "user_exit" => "exit",
        "clear" => "clear",
        "logout" => "logout",
        "prompt_input_exit" => "prompt_input_exit",
        _ => "other",
    }
}

/// Our word for who asked for a summary. An unknown word counts as the agent itself.
pub(crate) fn compress_trigger(word: &str) -> &'static str {
    if word == "manual" { "manual" } else { "auto" }
}

/// `None` also for a field that is not a text.
fn text(fields: &JsonObject, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::to_owned)
}

/// The text of a prompt that is a list of parts.
fn parts_text(prompt: &Value) -> Option<String> {
    let texts = prompt.as_array()?.iter().filter_map(|part| part.get("text")?.as_str());
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// For agents that wrap their fields.
fn text_in(fields: &JsonObject, key: &str, inner: &str) -> Option<String> {
    fields.get(key)?.get(inner)?.as_str().map(str::to_owned)
}

/// Missing, no text, or nothing but space.
fn is_blank(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

fn set(fields: &mut JsonObject, key: &str, text: &str) {
    fields.insert(key.to_owned(), text.into());
}

fn add(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value);
    }
}
