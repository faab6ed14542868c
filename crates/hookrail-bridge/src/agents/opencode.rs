//! opencode. It has no command hooks: the plugin file that `connect` writes calls the bridge and carries the answer
//! out, so this dialect is a contract between the two.
//!
//! The plugin refuses by throwing, rewrites arguments and results in place, and appends texts to results and to
//! prompts. Sessions end without an event, and at the end of the work no answer is taken.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = TABLE;

/// The same for its forks to change.
pub(super) const TABLE: Dialect = Dialect {
    tested_with: "1.18.33",
    events: include_str!("events/opencode.txt"),
    tools: include_str!("tools/opencode.txt"),
    beside: &["description", "timeout"],
    marks: &["OPENCODE", "OPENCODE_PID"],
    mcp: McpForm::Plain,
    unit: Duration::from_millis(1),
    default_timeout: Duration::from_mins(1),
    can: Capabilities {
        change_arguments: true,
        context: &[EventName::AfterTool, EventName::BeforeAgent],
        ..Capabilities::NONE
    },
    exit_two_refuses: false,
    settings: SettingsFile {
        variables: &[
            ("OPENCODE_CONFIG_DIR", "plugin/hookrail.js"),
            ("XDG_CONFIG_HOME", "opencode/plugin/hookrail.js"),
        ],
        user: ".config/opencode/plugin/hookrail.js",
        project: ".opencode/plugin/hookrail.js",
        shape: SettingsShape::Plugin,
        ..SettingsFile::NONE
    },
    advice: Some("opencode loads plugins at its start; restart it."),
    can_replace_result: |_| true,
    tool_response,
    render,
    ..PLAIN
};

/// A result whose text is in `output`; any other form is taken as it is.
fn tool_response(response: &Value) -> JsonObject {
    response.get("output").and_then(Value::as_str).map_or_else(|| our_result(response), text_result)
}

/// The answer to our own plugin, which acts on it inside of opencode. Its form is ours to choose, so it is the one that
/// hooks use.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let answer = match event.event {
        Some(EventName::BeforeTool) => {
            let specific = Object::default().maybe("tool_input", effects.input.clone());
            decided(Object::default(), "deny", effects.deny.as_deref())
                .specific(&event.native_event, specific)
        }
        // The reason is what the model reads in place of the result.
        Some(EventName::AfterTool | EventName::BeforeAgent) => {
            let reason = effects.deny.as_deref().or(effects.result.as_deref());
            let specific = Object::default().maybe("additionalContext", effects.context.clone());
            decided(Object::default(), "deny", reason).specific(&event.native_event, specific)
        }
        _ => Object::default(),
    };
    answer.into_answer()
}
