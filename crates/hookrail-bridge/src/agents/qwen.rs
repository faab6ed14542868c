//! Qwen Code. Milliseconds; Claude's event names with Gemini's tool names.
//!
//! Changed arguments are ignored, although documented. After a tool, `continue: false` does not end the run: its
//! reason stands in for the result, which is how a result is replaced here. Its prompt event fires before every
//! model call, without a prompt after the first, which is where a remembered stop can take effect.

use crate::agents::{claude, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.24.4",
    project_variable: Some("QWEN_PROJECT_DIR"),
    events: include_str!("events/qwen.txt"),
    tools: include_str!("tools/qwen.txt"),
    beside: &["description", "is_background", "timeout"],
    marks: &["QWEN_CODE", "QWEN_PROJECT_DIR"],
    caller: Some(("tool_call", "name", "arguments")),
    unit: Duration::from_millis(1),
    default_timeout: Duration::from_mins(1),
    can: Capabilities {
        ask: true,
        allow: true,
        // Elsewhere they go to its debug log.
        show_to_user: &[EventName::AfterAgent],
        go_on: true,
        // It is `true` from the first time on.
        reports_sent_back: false,
        // It fires SessionStart, and drops the answers of hooks there.
        context: &[EventName::AfterTool, EventName::BeforeAgent],
        stop: &[EventName::BeforeAgent],
        ..Capabilities::NONE
    },
    carries_stop: &["UserPromptSubmit"],
    fires_without_prompt: true,
    settings: SettingsFile {
        variables: &[("QWEN_HOME", "settings.json")],
        user: ".qwen/settings.json",
        project: ".qwen/settings.json",
        hook_files: &["settings.json"],
        machine: &["/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json"],
        ..SettingsFile::NONE
    },
    advice: Some("Hooks of a project's own settings run only in folders that you trusted in the agent."),
    can_replace_result: |_| true,
    render,
    ..PLAIN
};

/// Qwen's answer: Claude's, but for the two events where it acts otherwise.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let base = Object::default().maybe("systemMessage", effects.user_message.clone());
    match event.event {
        Some(EventName::AfterTool) => {
            if let Some(result) = effects.result_with_context() {
                return stopped(base, Some(&result)).into_answer();
            }
            let specific = Object::default().maybe("additionalContext", effects.context.clone());
            base.specific(&event.native_event, specific).into_answer()
        }
        // The prompt event without a prompt, before a model call that a remembered stop forbids.
        None => {
            decided(stopped(Object::default(), effects.stop.as_deref()), "block", effects.stop.as_deref())
                .into_answer()
        }
        _ => claude::render(event, effects),
    }
}
