//! Kimi Code. Seconds, at most 600; Claude's names of events and tools.
//!
//! Only three events are waited for: before a tool, at a prompt, and at the end of the work. All of them take the same
//! refusal; a text for the model is taken at prompts alone. One entry that its strict schema does not accept, and all hooks
//! of the file are dropped.

use std::time::Duration;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agents::shapes::{Object, our_result, permission};
use crate::dialect::{
    Argument, Capabilities, Dialect, HookOrder, MatcherDialect, McpForm, NativeEvent, NativeTool,
    SettingsFile, SettingsShape, TimeUnit, event, may, must, tool,
};
use crate::effects::NativeEffects;
use crate::event::BridgeEvent;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "2.1.0",
    project_variable: None,
    events: EVENTS,
    event_aliases: &[],
    tools: TOOLS,
    beside: &["description", "disable_timeout", "run_in_background", "timeout"],
    marks: &[],
    plain_tools: PLAIN_TOOLS,
    caller: None,
    mcp: McpForm::DoubleUnderscore,
    unit: TimeUnit::Seconds,
    default_timeout: Duration::from_secs(30),
    matchers: MatcherDialect::Pattern,
    order: HookOrder::SideBySide,
    can: Capabilities {
        ask: false,
        change_arguments: false,
        allow: false,
        show_to_user: &[],
        go_on: true,
        // It does not fire the event again after it was sent back.
        reports_sent_back: false,
        context: &[EventName::BeforeAgent],
        context_limit: usize::MAX,
        stop: &[],
    },
    carries_stop: &[],
    interrupted_tools: &[],
    fires_without_prompt: false,
    exit_two_refuses: true,
    settings: SettingsFile {
        variables: &[("KIMI_CODE_HOME", "config.toml")],
        user: ".kimi-code/config.toml",
        shape: SettingsShape::TomlList,
        hook_files: &["config.toml"],
        ..SettingsFile::NONE
    },
    advice: None,
    can_replace_result: |_| false,
    tool_response: our_result,
    render,
};

/// It knows more events, which have no counterpart.
const EVENTS: &[NativeEvent] = &[
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
const PLAIN_TOOLS: &[&str] = &[
    "Agent",
    "AgentSwarm",
    "AskUserQuestion",
    "CreateGoal",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "ExitPlanMode",
    "GetGoal",
    "SetGoalBudget",
    "Skill",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TodoList",
    "UpdateGoal",
    "WaitFor",
];

/// Claude's names, and `path` for every file.
const TOOLS: &[NativeTool] = &[
    tool("Bash", "run_shell_command", &[must("command", "command"), may("cwd", "directory")]),
    tool("Read", "read_file", PATH),
    tool("Write", "write_file", PATH),
    tool("Edit", "replace", PATH),
    tool("Glob", "glob", &[may("path", "path"), must("pattern", "pattern")]),
    tool("Grep", "search_file_content", &[may("path", "path"), may("glob", "include")]),
    tool("FetchURL", "web_fetch", &[]),
];

const PATH: &[Argument] = &[must("path", "file_path")];

/// One form for all refusals. What it does not wait for is not answered.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let is_waited_for =
        matches!(event.event, Some(EventName::BeforeTool | EventName::BeforeAgent | EventName::AfterAgent));
    let deny = effects.deny.as_deref().filter(|_| is_waited_for);
    let context = effects.context.as_deref().filter(|_| event.event == Some(EventName::BeforeAgent));
    match (deny, context) {
        (Some(reason), _) => {
            Object::default().specific(&event.native_event, permission("deny", reason)).into_answer()
        }
        (None, context) => Object::default().maybe("message", context.map(Value::from)).into_answer(),
    }
}
