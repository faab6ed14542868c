//! Kimi Code. Seconds, at most 600; Claude's names of events and tools.
//!
//! Only three events are waited for: before a tool, at a prompt, and at the end of the work. All of them take the same
//! refusal; a text for the model is taken at prompts alone. One entry that its strict schema does not accept, and all hooks
//! of the file are dropped.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "2.1.0",
    events: include_str!("events/qwen.txt"), // It knows more, which have no counterpart.
    tools: include_str!("tools/kimi.txt"),
    beside: &["description", "disable_timeout", "run_in_background", "timeout"],
    can: Capabilities {
        go_on: true,
        // It does not fire the event again after it was sent back.
        reports_sent_back: false,
        context: &[EventName::BeforeAgent],
        ..Capabilities::NONE
    },
    unseen: &[
        "It does not wait for hooks after a tool: a result reaches the model as it is, and then every further call is refused.",
        "Commands behind `!` that a person types fire no hook.",
    ],
    settings: SettingsFile {
        variables: &[("KIMI_CODE_HOME", "config.toml")],
        user: ".kimi-code/config.toml",
        shape: SettingsShape::TomlList,
        hook_files: &["config.toml"],
        ..SettingsFile::NONE
    },
    render,
    ..PLAIN
};

/// One form for all refusals. What it does not wait for is not answered.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let is_waited_for =
        matches!(event.event, Some(EventName::BeforeTool | EventName::BeforeAgent | EventName::AfterAgent));
    let deny = effects.deny.as_deref().filter(|_| is_waited_for);
    let context = effects.context.as_deref().filter(|_| event.event == Some(EventName::BeforeAgent));
    match (deny, context) {
        (Some(reason), _) => {
            Object::default().specific(&event.native_event, permission("deny", reason)).into_answer()
        }
        (None, context) => Object::default().maybe("message", context.map(Value::from)).into_answer(),
    }
}
