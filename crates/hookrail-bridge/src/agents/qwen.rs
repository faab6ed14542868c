//! Qwen Code. Milliseconds; Claude's event names with Gemini's tool names.
//!
//! Changed arguments are ignored, although documented. After a tool, `continue: false` does not end the run: its
//! reason stands in for the result, which is how a result is replaced here. Its prompt event fires before every
//! model call, without a prompt after the first, which is where a remembered stop can take effect.

use crate::agents::{claude, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.24.4",
    project_variable: Some("QWEN_PROJECT_DIR"),
    events: EVENTS,
    tools: TOOLS,
    beside: &["description", "is_background", "timeout"],
    marks: &["QWEN_CODE", "QWEN_PROJECT_DIR"],
    plain_tools: PLAIN_TOOLS,
    caller: Some(("tool_call", "name", "arguments")),
    unit: Duration::from_millis(1),
    default_timeout: Duration::from_mins(1),
    can: Capabilities {
        ask: true,
        allow: true,
        // Elsewhere they go to its debug log.
        show_to_user: &[EventName::AfterAgent],
        go_on: true,
        // It is `true` from the first time on.
        reports_sent_back: false,
        // It fires SessionStart, and drops the answers of hooks there.
        context: &[EventName::AfterTool, EventName::BeforeAgent],
        stop: &[EventName::BeforeAgent],
        ..Capabilities::NONE
    },
    carries_stop: &["UserPromptSubmit"],
    fires_without_prompt: true,
    settings: SettingsFile {
        variables: &[("QWEN_HOME", "settings.json")],
        user: ".qwen/settings.json",
        project: ".qwen/settings.json",
        hook_files: &["settings.json"],
        machine: &["/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json"],
        ..SettingsFile::NONE
    },
    advice: Some("Hooks of a project's own settings run only in folders that you trusted in the agent."),
    can_replace_result: |_| true,
    render,
    ..PLAIN
};

/// It has Claude's names for its events, unlike Gemini CLI, of which it is a fork. Kimi Code has the same.
pub(super) const EVENTS: &[NativeEvent] = &[
    event("PreToolUse", EventName::BeforeTool),
    event("PostToolUse", EventName::AfterTool),
    event("PostToolUseFailure", EventName::AfterTool),
    event("UserPromptSubmit", EventName::BeforeAgent),
    event("Stop", EventName::AfterAgent),
    event("SessionStart", EventName::SessionStart),
    event("SessionEnd", EventName::SessionEnd),
    event("PreCompact", EventName::PreCompress),
    event("Notification", EventName::Notification),
    event("PermissionRequest", EventName::Notification),
];

/// Tools that run no command and touch no file that the model chose.
const PLAIN_TOOLS: &str = "
    agent ask_user_question create_sub_session cron_create cron_delete cron_list enter_plan_mode
    exit_plan_mode get_goal list_agents loop_wakeup propose_goal read_mcp_resource report_findings
    request_shutdown send_message skill structured_output task_create task_list task_stop task_update
    team_create team_delete team_plan_approval todo_write tool_search update_goal
";

/// `monitor` runs its command in the background. `tool_call` calls another tool, which is what hooks see.
const TOOLS: &[NativeTool] = &[
    tool("run_shell_command", "run_shell_command", SHELL),
    tool("monitor", "run_shell_command", SHELL),
    tool("read_file", "read_file", FILE),
    tool("zoom_image", "read_file", FILE),
    tool("read_many_files", "read_many_files", &[must("paths", "paths"), may("include", "include")]),
    tool("write_file", "write_file", FILE),
    tool("edit", "replace", FILE),
    tool("notebook_edit", "replace", NOTEBOOK),
    tool("list_directory", "list_directory", &[must("path", "path")]),
    tool("glob", "glob", &[may("path", "path"), must("pattern", "pattern")]),
    tool("grep_search", "search_file_content", &[may("path", "path"), may("glob", "include")]),
    tool("web_fetch", "web_fetch", &[]),
    tool("web_search", "google_web_search", &[]),
];

const SHELL: &[Argument] = &[must("command", "command"), may("directory", "directory")];

/// Qwen's answer: Claude's, but for the two events where it acts otherwise.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let base = Object::default().maybe("systemMessage", effects.user_message.clone());
    match event.event {
        Some(EventName::AfterTool) => {
            if let Some(result) = effects.result_with_context() {
                return stopped(base, Some(&result)).into_answer();
            }
            let specific = Object::default().maybe("additionalContext", effects.context.clone());
            base.specific(&event.native_event, specific).into_answer()
        }
        // The prompt event without a prompt, before a model call that a remembered stop forbids.
        None => {
            decided(stopped(Object::default(), effects.stop.as_deref()), "block", effects.stop.as_deref())
                .into_answer()
        }
        _ => claude::render(event, effects),
    }
}
