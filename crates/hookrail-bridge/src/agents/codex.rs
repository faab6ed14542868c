//! Codex CLI. Seconds; a strict schema: one field too many, or a decision that it does not support, and the answer
//! is a failed hook, after which the call runs.
//!
//! Edits arrive as `apply_patch` with one patch text. There is no way to ask, and no stop at a tool.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.169.0",
    events: include_str!("events/codex.txt"),
    tools: include_str!("tools/codex.txt"),
    beside: &["justification", "max_output_tokens", "timeout", "timeout_ms", "yield_time_ms"],
    marks: &[
        "CODEX_CI",
        "CODEX_MANAGED_BY_NPM",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
    ],
    default_timeout: Duration::from_mins(10),
    matchers: MatcherDialect::NamesOrRustPattern,
    order: HookOrder::LastToFinish,
    can: Capabilities {
        change_arguments: true,
        show_to_user: &EventName::ALL,
        go_on: true,
        reports_sent_back: true,
        context: CALLS_PROMPTS_AND_START,
        stop: &[EventName::BeforeAgent, EventName::AfterAgent, EventName::SessionStart],
        ..Capabilities::NONE
    },
    unseen: &[
        "What is typed into a program that its shell left open (`write_stdin`) fires no hook; the command that opened it does.",
    ],
    settings: SettingsFile {
        variables: &[("CODEX_HOME", "hooks.json")],
        user: ".codex/hooks.json",
        project: ".codex/hooks.json",
        hook_files: &["hooks.json", "config.toml"],
        toml: Some("config.toml"),
        machine: &["/etc/codex/requirements.toml"],
        ..SettingsFile::NONE
    },
    can_replace_result: |_| true,
    render,
    ..PLAIN
};

/// Codex's answer. No field is written that its schema does not have for the event: an answer that it cannot read counts as
/// no answer, and the call runs.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let context = effects.context.clone();
    let base = Object::default().maybe("systemMessage", effects.user_message.clone());
    let answer = match event.event {
        Some(EventName::BeforeTool) => {
            // An `allow` is valid only beside changed arguments, and they only beside it.
            let specific = match (&effects.deny, &effects.input) {
                (Some(reason), _) => permission("deny", reason),
                (None, Some(input)) => permission("allow", "").with("updatedInput", input.clone()),
                (None, None) => Object::default(),
            };
            base.specific(&event.native_event, specific.maybe("additionalContext", context))
        }
        Some(EventName::AfterTool) => match effects.result_with_context() {
            Some(result) => decided(base, "block", Some(&result)),
            None => base.specific(&event.native_event, Object::default().maybe("additionalContext", context)),
        },
        Some(EventName::BeforeAgent | EventName::SessionStart) => {
            let specific = Object::default().maybe("additionalContext", context);
            decided(stopped(base, effects.stop.as_deref()), "block", effects.deny.as_deref())
                .specific(&event.native_event, specific)
        }
        Some(EventName::AfterAgent) => {
            let deny = effects.deny.as_deref().filter(|_| effects.stop.is_none());
            decided(stopped(base, effects.stop.as_deref()), "block", deny)
        }
        Some(EventName::SessionEnd) => Object::default(),
        _ => base,
    };
    answer.into_answer()
}
