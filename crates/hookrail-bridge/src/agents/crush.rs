//! Crush. Read in its sources and documents, and not run: its npm package fetches the program from elsewhere.
//!
//! Seconds; one event, before a tool of the agent itself. Calls of subagents fire none.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.90 (read, not run)",
    project_variable: Some("CRUSH_PROJECT_DIR"),
    events: EVENTS,
    tools: TOOLS,
    beside: &["auto_background_after", "description", "run_in_background", "timeout"],
    marks: &["CRUSH", "CRUSH_EVENT", "CRUSH_PROJECT_DIR", "CRUSH_SESSION_ID"],
    plain_tools: PLAIN_TOOLS,
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

const EVENTS: &[NativeEvent] = &[event("PreToolUse", EventName::BeforeTool)];

/// Tools that run no command and touch no file that the model chose.
const PLAIN_TOOLS: &str = "
    agent crush_info crush_logs job_kill job_output list_mcp_resources lsp_restart question
    read_mcp_resource sourcegraph todos
";

const TOOLS: &[NativeTool] = &[
    tool("bash", "run_shell_command", &[must("command", "command"), may("working_dir", "directory")]),
    tool("view", "read_file", FILE),
    tool("write", "write_file", FILE),
    tool("download", "write_file", FILE),
    tool("edit", "replace", FILE),
    tool("multiedit", "replace", FILE),
    tool("ls", "list_directory", &[may("path", "path")]),
    tool("glob", "glob", &[may("path", "path"), must("pattern", "pattern")]),
    tool("grep", "search_file_content", SEARCH),
    tool("fetch", "web_fetch", &[]),
    tool("web_fetch", "web_fetch", &[]),
    tool("agentic_fetch", "web_fetch", &[]),
    tool("web_search", "google_web_search", &[]),
];

const SEARCH: &[Argument] = &[may("path", "path"), may("include", "include")];

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
