//! Gemini CLI. Milliseconds; our events under our names, model events included; nearly our answers.
//!
//! A text beside a tool call is not taken before the tool, only after it. A synthetic model answer counts only
//! beside a refusal, and a restriction of tools is passed to the model without being enforced.

use crate::agents::prelude::*;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "0.61.0",
    project_variable: Some("GEMINI_PROJECT_DIR"),
    events: EVENTS,
    tools: TOOLS,
    beside: &["description", "instruction", "is_background"],
    marks: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
    plain_tools: PLAIN_TOOLS,
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

/// The events of ours, which `LLxprt` has too.
pub(crate) const EVENTS: &[NativeEvent] = &[
    event("BeforeTool", EventName::BeforeTool),
    event("AfterTool", EventName::AfterTool),
    event("BeforeAgent", EventName::BeforeAgent),
    event("AfterAgent", EventName::AfterAgent),
    event("BeforeModel", EventName::BeforeModel),
    // Once for every piece of a streamed answer.
    event("AfterModel", EventName::AfterModel).on_request(),
    event("BeforeToolSelection", EventName::BeforeToolSelection),
    event("SessionStart", EventName::SessionStart),
    event("SessionEnd", EventName::SessionEnd),
    event("PreCompress", EventName::PreCompress),
    event("Notification", EventName::Notification),
];

/// Tools that run no command and touch no file that the model chose.
const PLAIN_TOOLS: &str = "
    activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs invoke_agent
    list_background_processes list_mcp_resources read_background_output read_mcp_resource take_snapshot
    tracker_add_dependency tracker_create_task tracker_get_task tracker_list_tasks tracker_update_task
    tracker_visualize update_topic write_todos
";

/// Most names are ours; what differs is the spelling of folders.
const TOOLS: &[NativeTool] = &[
    tool(
        "run_shell_command",
        "run_shell_command",
        &[must("command", "command"), may("dir_path", "directory")],
    ),
    tool("read_file", "read_file", FILE),
    tool("read_many_files", "read_many_files", &[must("include", "include"), may("paths", "paths")]),
    tool("write_file", "write_file", FILE),
    tool("replace", "replace", FILE),
    tool("list_directory", "list_directory", &[must("dir_path", "path")]),
    tool("glob", "glob", &[may("dir_path", "path"), must("pattern", "pattern")]),
    tool("grep_search", "search_file_content", &[may("dir_path", "path"), may("include_pattern", "include")]),
    // Its old name: newer versions take it for `grep_search` and read that one's arguments.
    tool(
        "search_file_content",
        "search_file_content",
        &[may("dir_path", "path"), may("include_pattern", "include"), may("include", "include")],
    ),
    tool("web_fetch", "web_fetch", &[]),
    tool("google_web_search", "google_web_search", &[]),
];

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
