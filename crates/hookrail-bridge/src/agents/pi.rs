//! pi. It has no command hooks: the extension file that `connect` writes calls the bridge and carries the answer out, so
//! this dialect is a contract between the two.
//!
//! The extension blocks a call or asks a person about it, changes arguments in place, replaces results, keeps prompts from
//! the model, and ends a run. pi itself has neither subagents nor MCP servers; extensions that add them call their tools
//! as all others are called.

use crate::agents::{opencode, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.87.1",
    events: include_str!("events/pi.txt"),
    tools: include_str!("tools/pi.txt"),
    beside: &["timeout", "limit", "offset"],
    marks: &["PI_CODING_AGENT"],
    can: Capabilities {
        ask: true,
        change_arguments: true,
        go_on: true,
        context: &[EventName::AfterTool, EventName::BeforeAgent],
        stop: &[EventName::BeforeTool, EventName::AfterTool],
        ..Capabilities::NONE
    },
    unseen: &["Commands behind `!` that a person types fire no hook."],
    settings: SettingsFile {
        variables: &[("PI_CODING_AGENT_DIR", "extensions/hookrail.js")],
        user: ".pi/agent/extensions/hookrail.js",
        project: ".pi/extensions/hookrail.js",
        shape: SettingsShape::Plugin,
        ..SettingsFile::NONE
    },
    advice: Some("pi loads extensions at its start; restart it, or type /reload."),
    tool_response: our_result,
    render,
    ..opencode::TABLE
};

/// The answer to our own extension, in the form that hooks use. The plugin for Cline takes the same.
pub(super) fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    // A call is refused by a stop, whether or not the run ends.
    let instead = match event.event {
        Some(EventName::AfterTool) => effects.result.as_deref(),
        Some(EventName::BeforeTool) => effects.stop.as_deref(),
        _ => None,
    };
    let base = match effects.deny.as_deref().or(instead) {
        Some(reason) => decided(Object::default(), "deny", Some(reason)),
        None => decided(Object::default(), "ask", effects.ask.as_deref()),
    };
    let specific = Object::default()
        .maybe("tool_input", effects.input.clone())
        .maybe("additionalContext", effects.context.clone());
    stopped(base, effects.stop.as_deref()).specific(&event.native_event, specific).into_answer()
}
