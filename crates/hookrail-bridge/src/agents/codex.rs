//! Codex CLI. Seconds; a strict schema: one field too many, or a decision that it does not support, and the answer
//! is a failed hook, after which the call runs.
//!
//! Edits arrive as `apply_patch` with one patch text. There is no way to ask, and no stop at a tool.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.169.0",
    events: EVENTS,
    tools: TOOLS,
    beside: &["justification", "max_output_tokens", "timeout", "timeout_ms", "yield_time_ms"],
    marks: &[
        "CODEX_CI",
        "CODEX_MANAGED_BY_NPM",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
    ],
    plain_tools: PLAIN_TOOLS,
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

/// A question for permission can be observed and not answered, so it is a notification.
const EVENTS: &[NativeEvent] = &[
    event("PreToolUse", EventName::BeforeTool),
    event("PostToolUse", EventName::AfterTool),
    event("UserPromptSubmit", EventName::BeforeAgent),
    event("Stop", EventName::AfterAgent),
    event("SessionStart", EventName::SessionStart),
    // More than three seconds are not granted, and one second is the default.
    event("SessionEnd", EventName::SessionEnd).granted(Duration::from_secs(1)),
    event("PreCompact", EventName::PreCompress),
    event("PermissionRequest", EventName::Notification),
];

/// Tools that run no command and touch no file that the model chose.
/// The script of `exec` calls the other tools, and hooks fire for those calls.
const PLAIN_TOOLS: &str = "
    exec wait sleep close_agent create_goal curr_time followup_task get_context_remaining get_goal
    interrupt_agent list_agents new_context request_permissions request_user_input request_user_input_async
    resume_agent send_input send_message send_message_to_user_async spawn_agent update_goal update_plan
    wait_agent wait_for_environment
";

/// What hooks see (`Bash`, `apply_patch`), and what the model itself calls its tools, which is what transcripts hold.
/// Text that `write_stdin` types into a shell that is open reaches no hook.
const TOOLS: &[NativeTool] = &[
    tool("Bash", "run_shell_command", &[must("command", "command"), may("workdir", "directory")]),
    tool("exec_command", "run_shell_command", &[must("cmd", "command"), may("workdir", "directory")]),
    tool("shell", "run_shell_command", &[must("command", "command"), may("workdir", "directory")]),
    tool("shell_command", "run_shell_command", &[must("command", "command"), may("workdir", "directory")]),
    tool("local_shell", "run_shell_command", &[must("command", "command"), may("workdir", "directory")]),
    tool("local_shell_call", "run_shell_command", LOCAL_SHELL),
    tool(
        "apply_patch",
        "apply_patch",
        &[must("command", "patch"), must("input", "patch"), must("patch", "patch")],
    ),
    tool("view_image", "read_file", &[must("path", "file_path")]),
    tool("web_search", "google_web_search", &[]),
];

/// As transcripts of the model's own shell tool spell it.
const LOCAL_SHELL: &[Argument] = &[must("command", "command"), may("working_directory", "directory")];

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
