//! Gemini CLI. Milliseconds; our events under our names, model events included; nearly our answers.
//!
//! A text beside a tool call is not taken before the tool, only after it. A synthetic model answer counts only
//! beside a refusal, and a restriction of tools is passed to the model without being enforced.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.61.0",
    project_variable: Some("GEMINI_PROJECT_DIR"),
    events: include_str!("events/gemini.txt"),
    tools: include_str!("tools/gemini.txt"),
    beside: &["description", "instruction", "is_background"],
    marks: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
    mcp: McpForm::SingleUnderscore,
    unit: Duration::from_millis(1),
    default_timeout: Duration::from_mins(1),
    can: Capabilities {
        ask: true,
        change_arguments: true,
        show_to_user: &EventName::ALL,
        go_on: true,
        reports_sent_back: true,
        context: &[EventName::AfterTool, EventName::BeforeAgent, EventName::SessionStart],
        stop: &[
            EventName::BeforeTool,
            EventName::AfterTool,
            EventName::BeforeAgent,
            EventName::AfterAgent,
            EventName::BeforeModel,
            EventName::AfterModel,
        ],
        ..Capabilities::NONE
    },
    settings: SettingsFile {
        variables: &[("GEMINI_CLI_HOME", ".gemini/settings.json")],
        user: ".gemini/settings.json",
        project: ".gemini/settings.json",
        hook_files: &["settings.json"],
        machine: &["/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json"],
        ..SettingsFile::NONE
    },
    advice: Some("Hooks of a project's own settings run only in folders that you trusted in the agent."),
    can_replace_result: |_| true,
    render,
    ..PLAIN
};

/// Gemini's answer. A stop before a tool is a refusal of that tool besides, so that nothing depends on which of the two
/// is looked at first.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let mut base = Object::default().maybe("systemMessage", effects.user_message.clone());
    if effects.suppress_output {
        base = base.with("suppressOutput", true);
    }
    let base = stopped(base, effects.stop.as_deref());
    let stop = effects.stop.as_deref();
    let context = Object::default().maybe("additionalContext", effects.context.clone());
    let name = event.native_event.as_str();
    let answer = match event.event {
        Some(EventName::BeforeTool) => {
            let specific = Object::default().maybe("tool_input", effects.input.clone());
            match (effects.deny.as_deref().or(stop), effects.ask.as_deref()) {
                (Some(reason), _) => decided(base, "deny", Some(reason)),
                (None, ask) => decided(asking(base, effects), "ask", ask).specific(name, specific),
            }
        }
        Some(EventName::AfterTool) => match effects.result_with_context() {
            Some(result) => decided(base, "deny", Some(&result)),
            None => base.specific(name, context),
        },
        Some(EventName::BeforeAgent) => {
            decided(base, "deny", effects.deny.as_deref()).specific(name, context)
        }
        Some(EventName::AfterAgent) => {
            let deny = effects.deny.as_deref().filter(|_| stop.is_none());
            let forget = effects.clear_context.then_some(true);
            decided(base, "deny", deny).specific(name, Object::default().maybe("clearContext", forget))
        }
        Some(EventName::BeforeModel) => {
            let invented = effects.llm_response.as_ref().map(|_| "A hook answered in place of the model.");
            let specific = Object::default()
                .maybe("llm_request", effects.llm_request.clone())
                .maybe("llm_response", effects.llm_response.clone());
            decided(base, "deny", effects.deny.as_deref().or(invented)).specific(name, specific)
        }
        Some(EventName::AfterModel) => {
            base.specific(name, Object::default().maybe("llm_response", effects.llm_response.clone()))
        }
        Some(EventName::BeforeToolSelection) => {
            base.specific(name, Object::default().maybe("toolConfig", effects.tool_config.clone()))
        }
        Some(EventName::SessionStart) => base.specific(name, context),
        Some(EventName::SessionEnd) => Object::default(),
        _ => base,
    };
    answer.into_answer()
}

/// With the question where its dialog shows it: it leaves the reason of an `ask` out.
fn asking(base: Object, effects: &NativeEffects) -> Object {
    let Some(question) = &effects.ask else { return base };
    let texts: Vec<&str> =
        [Some(question), effects.user_message.as_ref()].into_iter().flatten().map(String::as_str).collect();
    base.with("systemMessage", texts.join("\n"))
}
