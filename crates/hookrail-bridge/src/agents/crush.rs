//! Crush. Read in its sources and documents, and not run: its npm package fetches the program from elsewhere.
//!
//! Seconds; one event, before a tool of the agent itself. Calls of subagents fire none.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.90 (read, not run)",
    project_variable: Some("CRUSH_PROJECT_DIR"),
    events: include_str!("events/crush.txt"),
    tools: include_str!("tools/crush.txt"),
    beside: &["auto_background_after", "description", "run_in_background", "timeout"],
    marks: &["CRUSH", "CRUSH_EVENT", "CRUSH_PROJECT_DIR", "CRUSH_SESSION_ID"],
    mcp: McpForm::SingleUnderscore,
    can: Capabilities {
        change_arguments: true,
        allow: true,
        // Behind the result of the call.
        context: &[EventName::BeforeTool],
        stop: &[EventName::BeforeTool],
        ..Capabilities::NONE
    },
    unseen: &["Calls of subagents fire no hook; the call that starts one does."],
    settings: SettingsFile {
        variables: &[("CRUSH_GLOBAL_CONFIG", "crush.json"), ("XDG_CONFIG_HOME", "crush/crush.json")],
        user: ".config/crush/crush.json",
        project: ".crush.json",
        shape: SettingsShape::Commands,
        hook_files: &["crush.json", ".crush.json"],
        ..SettingsFile::NONE
    },
    advice: Some("This follows the sources of Crush 0.90 and was not run."),
    render,
    ..PLAIN
};

/// Changed arguments are merged into those of the call.
fn render(_: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let base = Object::default();
    let answer = match (&effects.stop, &effects.deny, &effects.allow) {
        (Some(reason), ..) => decided(base, "deny", Some(reason)).with("halt", true),
        (None, Some(reason), _) => decided(base, "deny", Some(reason)),
        (None, None, Some(_)) => base.with("decision", "allow"),
        (None, None, None) => base,
    };
    let input = effects.input.clone().filter(|_| effects.stop.is_none() && effects.deny.is_none());
    answer.maybe("updated_input", input).maybe("context", effects.context.clone()).into_answer()
}
