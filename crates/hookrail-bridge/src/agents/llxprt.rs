//! `LLxprt` Code. It uses our protocol and reads our settings, so nothing has to be connected. A bridge that it calls
//! nevertheless answers in our own format.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.11 (read, not run)",
    events: include_str!("events/gemini.txt"),
    tools: include_str!("tools/llxprt.txt"),
    beside: &["description", "is_background", "timeout_seconds"],
    marks: &["LLXPRT_CLI", "LLXPRT_CODE"],
    unit: Duration::from_millis(1),
    default_timeout: Duration::from_mins(1),
    can: Capabilities {
        change_arguments: true,
        // Its `systemMessage` is for the model, as ours is.
        show_to_user: &[],
        go_on: true,
        reports_sent_back: true,
        context: CALLS_PROMPTS_AND_START,
        stop: &EventName::ALL,
        ..Capabilities::NONE
    },
    settings: SettingsFile {
        user: ".llxprt/settings.json",
        project: ".llxprt/settings.json",
        hook_files: &["settings.json"],
        ..SettingsFile::NONE
    },
    // That is an extension of ours which it does not have.
    can_replace_result: |_| false,
    render,
    ..PLAIN
};

/// The answer is in the format of our own hooks, with every field that `LLxprt` Code reads.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let mut base = decided(Object::default(), "block", effects.deny.as_deref());
    if effects.suppress_output {
        base = base.with("suppressOutput", true);
    }
    let specific = Object::default()
        .maybe("tool_input", effects.input.clone())
        .maybe("additionalContext", effects.context.clone())
        .maybe("clearContext", effects.clear_context.then_some(true))
        .maybe("llm_request", effects.llm_request.clone())
        .maybe("llm_response", effects.llm_response.clone())
        .maybe("toolConfig", effects.tool_config.clone());
    stopped(base, effects.stop.as_deref()).specific(&event.native_event, specific).into_answer()
}
