//! `LLxprt` Code. It uses our protocol and reads our settings, so nothing has to be connected. A bridge that it calls
//! nevertheless answers in our own format.

use std::time::Duration;

use hookrail::{EventName, JsonObject};

use crate::agents::gemini;
use crate::agents::shapes::{Object, decided, our_result, stopped};
use crate::dialect::{
    Capabilities, Dialect, HookOrder, MatcherDialect, McpForm, SettingsFile, SettingsShape, TimeUnit,
};
use crate::effects::NativeEffects;
use crate::event::BridgeEvent;

/// The table of `LLxprt` Code.
pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.11 (read, not run)",
    project_variable: None, // It was not observed.
    events: gemini::EVENTS,
    event_aliases: &[],
    tools: &[],
    mcp: McpForm::DoubleUnderscore,
    unit: TimeUnit::Milliseconds,
    default_timeout: Duration::from_mins(1),
    matchers: MatcherDialect::Pattern,
    order: HookOrder::SideBySide,
    can: Capabilities {
        ask: false,
        change_arguments: true,
        allow: false,
        // Its `systemMessage` is for the model, as ours is.
        show_to_user: &[],
        go_on: true,
        reports_sent_back: true,
        context: &[
            EventName::BeforeTool,
            EventName::AfterTool,
            EventName::BeforeAgent,
            EventName::SessionStart,
        ],
        context_limit: usize::MAX,
        stop: &EventName::ALL,
    },
    carries_stop: &[],
    interrupted_tools: &[],
    fires_without_prompt: false,
    exit_two_refuses: true,
    settings: SettingsFile {
        variables: &[],
        user: ".llxprt/settings.json",
        project: ".llxprt/settings.json",
        shape: SettingsShape::Groups,
        hook_files: &["settings.json"],
        toml: None,
    },
    advice: None,
    // That is an extension of ours which it does not have.
    can_replace_result: |_| false,
    tool_response: our_result,
    render,
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
