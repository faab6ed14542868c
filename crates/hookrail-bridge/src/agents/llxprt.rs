//! `LLxprt` Code. It uses our protocol and reads our settings, so nothing has to be connected. A bridge that it calls
//! nevertheless answers in our own format.

use crate::agents::{gemini, prelude::*};

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.11 (read, not run)",
    events: gemini::EVENTS,
    tools: TOOLS,
    beside: &["description", "is_background", "timeout_seconds"],
    marks: &["LLXPRT_CLI", "LLXPRT_CODE"],
    plain_tools: PLAIN_TOOLS,
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

/// Tools that run no command and touch no file that the model chose.
const PLAIN_TOOLS: &str = "
    todo_read todo_write todo_pause task list_subagents activate_skill activate_mcp_server codesearch
    check_async_tasks
";

/// Our tools, and more that edit. Files have two names, and the first one counts. Its `apply_patch` changes the one file
/// that it names, whatever the headers of the patch say.
const TOOLS: &[NativeTool] = &[
    tool("run_shell_command", "run_shell_command", SHELL),
    tool("read_file", "read_file", FILE),
    tool("read_line_range", "read_file", FILE),
    tool("ast_read_file", "read_file", &[must("file_path", "file_path")]),
    tool("read_many_files", "read_many_files", &[must("paths", "paths"), may("include", "include")]),
    tool("write_file", "write_file", FILE),
    tool("replace", "replace", FILE),
    tool("insert_at_line", "replace", FILE),
    tool("delete_line_range", "replace", FILE),
    tool("ast_edit", "replace", &[must("file_path", "file_path")]),
    tool("apply_patch", "replace", FILE),
    tool("list_directory", "list_directory", FOLDER),
    tool("glob", "glob", &[may("dir_path", "path"), may("path", "path"), must("pattern", "pattern")]),
    tool("search_file_content", "search_file_content", SEARCH),
    tool("ast_grep", "search_file_content", &[may("path", "path"), may("globs", "include")]),
    tool("structural_analysis", "search_file_content", &[may("path", "path")]),
    tool("web_fetch", "web_fetch", &[]),
    tool("direct_web_fetch", "web_fetch", &[]),
    tool("google_web_search", "google_web_search", &[]),
    tool("exa_web_search", "google_web_search", &[]),
];

const SHELL: &[Argument] =
    &[must("command", "command"), may("dir_path", "directory"), may("directory", "directory")];
const FILE: &[Argument] = &[must("absolute_path", "file_path"), must("file_path", "file_path")];
const FOLDER: &[Argument] = &[may("dir_path", "path"), may("path", "path")];
const SEARCH: &[Argument] = &[may("dir_path", "path"), may("path", "path"), may("include", "include")];

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
