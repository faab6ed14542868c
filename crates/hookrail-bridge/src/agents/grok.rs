//! Grok Build. Seconds; Claude's events and answers, with tools and results of its own.
//!
//! Whatever is wrong with a hook lets the call run, a variable in its command that is not set included, so entries name
//! none. In its mode without questions it answers a hook's question itself, so there a question is a refusal. Arguments of
//! more than 128 KiB arrive as a text that was cut off: such a call cannot be read.

use crate::agents::{claude, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "1.0.41",
    project_variable: Some("GROK_WORKSPACE_ROOT"),
    events: include_str!("events/grok.txt"),
    tools: include_str!("tools/grok.txt"),
    beside: &["background", "description", "timeout", "timeout_ms"],
    marks: &["GROK_AGENT", "GROK_HOOK_EVENT", "GROK_SESSION_ID", "GROK_WORKSPACE_ROOT"],
    caller: Some(("use_tool", "tool_name", "tool_input")),
    mcp: McpForm::Bare,
    default_timeout: Duration::from_secs(5),
    matchers: MatcherDialect::NamesOrRustPattern,
    order: HookOrder::OneAfterAnother,
    can: Capabilities {
        ask: true,
        change_arguments: true,
        // It only means that the hook has no objection.
        allow: false,
        go_on: true,
        reports_sent_back: true,
        context: &[EventName::BeforeTool, EventName::AfterTool],
        context_limit: 10_000,
        stop: &[EventName::AfterAgent],
        ..Capabilities::NONE
    },
    unseen: &[
        "Arguments of more than 128 KiB are cut off before hooks see them: where a guard depends on them, the call is refused.",
        "Commands behind `!` that a person types fire no hook.",
        "In its mode without questions a hook's question is a refusal. A refused prompt shows no reason there.",
    ],
    also_runs: &[Agent::Claude, Agent::Cursor],
    settings: SettingsFile {
        variables: &[("GROK_HOME", "hooks/hookrail.json")],
        user: ".grok/hooks/hookrail.json",
        // It has `.grok/hooks`; the entry for projects needs variables, which it does not leave alone.
        hook_files: &["*.json"],
        ..SettingsFile::NONE
    },
    advice: Some(
        "Grok Build also runs the hooks in `~/.claude/settings.json` and `~/.cursor/hooks.json`; a call that arrives through two of them is answered once.",
    ),
    can_replace_result: |event| replaced(event, "").is_some(),
    tool_response,
    render,
    ..PLAIN
};

/// Fields with what the model reads of a result, in the result or in the variant that it holds.
const TEXTS: [&str; 4] = ["output_for_prompt", "tool_output_for_prompt", "content", "OkayOutput"];
/// Fields that repeat it.
const REPEATED: [&str; 4] = ["output", "raw_output", "content_concise", "tool_output_for_prompt_concise"];

/// The field of an object that holds the text.
fn text_field(fields: &JsonObject) -> Option<&'static str> {
    TEXTS.into_iter().find(|key| fields.get(*key).is_some_and(Value::is_string))
}

/// A result is an object that names its type, with the text in it or one level below. A search has bytes.
fn tool_response(response: &Value) -> JsonObject {
    let fields = response.as_object();
    let inner = || fields?.values().filter_map(Value::as_object).find(|inner| text_field(inner).is_some());
    let holder = fields.filter(|fields| text_field(fields).is_some()).or_else(inner);
    if let Some((fields, key)) = holder.and_then(|fields| Some((fields, text_field(fields)?))) {
        return text_result(fields.get(key).and_then(Value::as_str).unwrap_or_default());
    }
    match response.get("stdout").and_then(Value::as_array) {
        Some(bytes) => {
            let bytes = bytes.iter().filter_map(|byte| u8::try_from(byte.as_u64()?).ok());
            text_result(&String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()))
        }
        None => our_result(response),
    }
}

/// The text in the shape of the result that it replaces: Grok ignores any other shape. `None` where that is not known.
fn replaced(event: &BridgeEvent, text: &str) -> Option<Value> {
    let mut response = event.native_response.clone().filter(|_| event.native_event == "PostToolUse")?;
    if response.get("type")? == "MCP" {
        return Some(text.into());
    }
    let fields = response.as_object_mut()?;
    if let Some(bytes) = fields.get_mut("stdout").filter(|value| value.is_array()) {
        *bytes = text.bytes().map(Value::from).collect();
        return Some(response);
    }
    let has_text = |fields: &JsonObject| text_field(fields).is_some();
    let holder = if has_text(fields) {
        fields
    } else {
        fields.values_mut().filter_map(Value::as_object_mut).find(|inner| has_text(inner))?
    };
    let key = text_field(holder)?;
    holder.insert(key.to_owned(), text.into());
    for key in REPEATED {
        match holder.get_mut(key) {
            Some(value) if value.is_string() => *value = "".into(),
            Some(value) if value.is_array() => *value = json!([]),
            _ => {}
        }
    }
    Some(response)
}

/// Grok's answer: Claude's, but for what it drops.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    match event.event {
        Some(EventName::BeforeTool) => {
            let answers_itself =
                event.payload.get("permission_mode").is_some_and(|mode| mode == "bypassPermissions");
            let question = effects.ask.as_ref().filter(|_| answers_itself);
            let Some(reason) = effects.deny.as_ref().or(question) else {
                return claude::render(event, effects);
            };
            // A context beside a refusal is dropped.
            let reason = match &effects.context {
                Some(context) => format!("{reason}\n{context}"),
                None => reason.clone(),
            };
            Object::default().specific(&event.native_event, permission("deny", &reason)).into_answer()
        }
        Some(EventName::AfterTool) => {
            let result = effects.result.as_deref().and_then(|text| replaced(event, text));
            let specific = Object::default().maybe("updatedToolOutput", result);
            let specific = specific.maybe("additionalContext", effects.context.clone());
            Object::default().specific(&event.native_event, specific).into_answer()
        }
        _ => claude::render(event, effects),
    }
}
