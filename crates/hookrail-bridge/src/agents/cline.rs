//! Cline. Files in its hooks folder can only end a whole task, and are not waited for at prompts, so `connect` writes a
//! plugin, which calls the bridge and carries the answer out: this dialect is a contract between the two.
//!
//! The plugin skips a call with a reason or ends the run, changes arguments, replaces results and adds texts for the model.
//! Cline grants it three seconds at a time and ends the run when they are over.

use crate::agents::{opencode, pi, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "3.0.65",
    events: EVENTS,
    tools: TOOLS,
    beside: &[],
    marks: &[],
    plain_tools: PLAIN_TOOLS,
    mcp: McpForm::Bare,
    can: Capabilities {
        change_arguments: true,
        context: &[EventName::BeforeTool, EventName::AfterTool, EventName::BeforeAgent],
        stop: &[EventName::BeforeTool, EventName::AfterTool],
        ..Capabilities::NONE
    },
    unseen: &[
        "If its plugins do not load within four seconds, it goes on without them, unless `CLINE_PLUGIN_IMPORT_TIMEOUT_MS` is higher.",
    ],
    settings: SettingsFile {
        variables: &[("CLINE_DIR", "plugins/hookrail.js")],
        user: ".cline/plugins/hookrail.js",
        project: ".cline/plugins/hookrail.js",
        shape: SettingsShape::Plugin,
        ..SettingsFile::NONE
    },
    advice: Some(
        "Cline loads plugins at its start; restart it. It goes on without plugins that take longer than four seconds to \
         load: set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 where you start it.",
    ),
    tool_response,
    render: pi::render,
    ..opencode::TABLE
};

/// The names are those of the plugin's functions, which the plugin passes on. It waits longer than Cline does for a call's
/// verdict only. The start of the session and the first prompt share three seconds.
const EVENTS: &[NativeEvent] = &[
    event("beforeTool", EventName::BeforeTool),
    event("afterTool", EventName::AfterTool).granted(Duration::from_secs(3)),
    event("beforeRun", EventName::BeforeAgent).granted(Duration::from_secs(2)),
    event("afterRun", EventName::AfterAgent).granted(Duration::from_secs(3)),
    event("setup", EventName::SessionStart).granted(Duration::from_millis(1200)),
];

/// Tools that run no command and touch no file that the model chose.
const PLAIN_TOOLS: &str = "
    ask_question skills spawn_agent submit_and_exit team_attach_outcome_fragment team_await_runs
    team_broadcast team_cancel_run team_cleanup team_create_outcome team_finalize_outcome team_list_outcomes
    team_list_runs team_mission_log team_read_mailbox team_review_outcome_fragment team_run_task
    team_send_message team_shutdown_teammate team_spawn_teammate team_status team_task
";

const TOOLS: &[NativeTool] = &[
    tool("run_commands", "run_shell_command", &[lines("commands", "command")]),
    tool("read_files", "read_many_files", &[paths("files", "paths")]),
    tool(
        "editor",
        "replace",
        &[must("path", "file_path"), may("old_text", "old_string"), may("new_text", "new_string")],
    ),
    tool("apply_patch", "apply_patch", &[must("input", "patch")]),
    tool("search_codebase", "search_file_content", &[]),
    tool("fetch_web_content", "web_fetch", &[]),
    tool("web_search", "google_web_search", &[]),
];

/// A result whose text is in `output`, or the results of several commands, each with its own.
fn tool_response(response: &Value) -> JsonObject {
    match response.get("output") {
        Some(Value::Array(results)) => {
            let texts = results.iter().map(|each| match each.get("result") {
                Some(Value::String(text)) => text.clone(),
                _ => each.to_string(),
            });
            text_result(&texts.collect::<Vec<_>>().join("\n"))
        }
        Some(output) => our_result(output),
        None => our_result(response),
    }
}
