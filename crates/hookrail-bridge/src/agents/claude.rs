//! Claude Code. Seconds; file names absolute; a decision about a tool inside `hookSpecificOutput`, any other as
//! top-level `decision: "block"`.
//!
//! `continue: false` before a tool lets the tool run, so a stop is a refusal there, and is carried out after the
//! batch of calls (`PostToolBatch`), which has no counterpart of ours.

mod result;

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "2.1.328",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: include_str!("events/claude.txt"),
    tools: include_str!("tools/claude.txt"),
    beside: &["description", "timeout", "timeout_ms", "run_in_background"],
    marks: &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    default_timeout: Duration::from_mins(10),
    matchers: MatcherDialect::NamesOrPattern,
    can: Capabilities {
        ask: true,
        change_arguments: true,
        allow: true,
        show_to_user: &EventName::ALL,
        go_on: true,
        reports_sent_back: true,
        context: CALLS_PROMPTS_AND_START,
        stop: &[EventName::AfterTool, EventName::BeforeAgent, EventName::AfterAgent],
        ..Capabilities::NONE
    },
    carries_stop: &["PostToolBatch"],
    settings: SettingsFile {
        variables: &[("CLAUDE_CONFIG_DIR", "settings.json")],
        user: ".claude/settings.json",
        project: ".claude/settings.json",
        hook_files: &["settings.json", "settings.local.json"],
        machine: &[
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
        ],
        ..SettingsFile::NONE
    },
    can_replace_result: |event| result::to_native(event, "").is_some(),
    tool_response: result::to_ours,
    render,
    ..PLAIN
};

/// Claude's answer. Copilot under `PascalCase` names and Qwen use nearly the same format.
pub(crate) fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let context = effects.context.clone();
    let base = Object::default().maybe("systemMessage", effects.user_message.clone());
    let answer = match event.event {
        Some(EventName::BeforeTool) => {
            let specific = match (&effects.deny, &effects.ask, &effects.allow) {
                (Some(reason), _, _) => permission("deny", reason),
                (None, Some(reason), _) => permission("ask", reason),
                (None, None, Some(reason)) => permission("allow", reason),
                (None, None, None) => Object::default(),
            };
            let input = effects.input.clone().filter(|_| effects.deny.is_none());
            let specific = specific.maybe("updatedInput", input).maybe("additionalContext", context);
            base.specific(&event.native_event, specific)
        }
        Some(EventName::AfterTool) => {
            let replaced = effects.result.as_deref().and_then(|text| result::to_native(event, text));
            let specific =
                Object::default().maybe("updatedToolOutput", replaced).maybe("additionalContext", context);
            stopped(base, effects.stop.as_deref()).specific(&event.native_event, specific)
        }
        Some(EventName::BeforeAgent | EventName::AfterAgent) => {
            let base = stopped(base, effects.stop.as_deref());
            // A run that ends is not sent back to work.
            let is_over = effects.stop.is_some() && event.event == Some(EventName::AfterAgent);
            let deny = effects.deny.as_deref().filter(|_| !is_over);
            let specific = Object::default().maybe("additionalContext", context);
            decided(base, "block", deny).specific(&event.native_event, specific)
        }
        Some(EventName::SessionStart) => {
            base.specific(&event.native_event, Object::default().maybe("additionalContext", context))
        }
        Some(EventName::SessionEnd) => Object::default(),
        _ => stopped(base, effects.stop.as_deref()),
    };
    answer.into_answer()
}
