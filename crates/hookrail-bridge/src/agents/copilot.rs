//! GitHub Copilot CLI. Seconds; flat answers; payloads under camelCase names do not contain their event, so the
//! entry names it. Every exit but 0 refuses the call and loses the reason, so every answer is JSON with exit 0.
//!
//! The only stop is `interrupt` at `permissionRequest`, which fires between `preToolUse` and the tool, for some
//! tools, and only if no hook refused before. What is for the user has no channel but stderr.

use crate::agents::{claude, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "1.0.102",
    project_variable: Some("COPILOT_PROJECT_DIR"),
    events: include_str!("events/copilot.txt"),
    event_aliases: &[("UserPromptSubmitted", "userPromptSubmitted"), ("AgentStop", "agentStop")],
    tools: include_str!("tools/copilot.txt"),
    beside: &["description", "initial_wait", "mode", "sessionId", "shellId"],
    marks: &["COPILOT_CLI", "COPILOT_HOOK_DIR", "COPILOT_PROJECT_DIR"],
    mcp: McpForm::Dash,
    matchers: MatcherDialect::WholePattern,
    order: HookOrder::OneAfterAnother,
    can: Capabilities {
        ask: true,
        change_arguments: true,
        allow: true,
        go_on: true,
        reports_sent_back: true,
        context: CALLS_PROMPTS_AND_START,
        context_limit: 10 * 1024,
        ..Capabilities::NONE
    },
    carries_stop: &["permissionRequest"],
    interrupted_tools: &["bash", "create", "edit"],
    exit_two_refuses: false,
    also_runs: &[Agent::Claude],
    settings: SettingsFile {
        variables: &[("COPILOT_HOME", "hooks/hookrail.json")],
        user: ".copilot/hooks/hookrail.json",
        project: ".github/hooks/hookrail.json",
        shape: SettingsShape::Flat,
        hook_files: &["*.json"],
        ..SettingsFile::NONE
    },
    can_replace_result: |event| event.native_event != "postToolUseFailure",
    tool_response,
    render,
    ..PLAIN
};

/// A result of another type than `success` failed, and its text is the reason.
fn tool_response(response: &Value) -> JsonObject {
    let Some(text) = response.get("textResultForLlm").and_then(Value::as_str) else {
        return our_result(response);
    };
    match response.get("resultType").and_then(Value::as_str) {
        Some("success") | None => text_result(text),
        Some(_) => failed(text_result(text), text),
    }
}

/// An answer under a `PascalCase` event has Claude's form, since the event has.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    if event.native_event.starts_with(|first: char| first.is_ascii_uppercase()) {
        return claude::render(event, effects);
    }
    let context = effects.context.clone();
    let base = Object::default();
    let answer = match event.event {
        Some(EventName::BeforeTool) => {
            let (word, reason) = match (&effects.deny, &effects.ask, &effects.allow) {
                (Some(reason), _, _) => ("deny", reason),
                (None, Some(reason), _) => ("ask", reason),
                (None, None, Some(reason)) => ("allow", reason),
                (None, None, None) => return about_call(base, effects).into_answer(),
            };
            let decision = crate::agents::shapes::permission(word, reason);
            if word == "deny" {
                decision.maybe("additionalContext", context)
            } else {
                about_call(decision, effects)
            }
        }
        Some(EventName::AfterTool) => {
            let replaced = effects.result.as_deref().map(|text| {
                let kind = event.native_response.as_ref().and_then(|response| response.get("resultType"));
                json!({"resultType": kind.cloned().unwrap_or("success".into()), "textResultForLlm": text})
            });
            base.maybe("modifiedResult", replaced).maybe("additionalContext", context)
        }
        Some(EventName::BeforeAgent) => {
            decided(base, "block", effects.deny.as_deref()).maybe("additionalContext", context)
        }
        Some(EventName::AfterAgent) => decided(base, "block", effects.deny.as_deref()),
        Some(EventName::SessionStart) => base.maybe("additionalContext", context),
        Some(EventName::Notification) => match &effects.stop {
            Some(reason) => {
                base.with("behavior", "deny").with("message", reason.as_str()).with("interrupt", true)
            }
            None => base,
        },
        _ => base,
    };
    answer.into_answer()
}

/// What accompanies a call that runs.
fn about_call(answer: Object, effects: &NativeEffects) -> Object {
    answer.maybe("modifiedArgs", effects.input.clone()).maybe("additionalContext", effects.context.clone())
}
