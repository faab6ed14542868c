//! Cursor. From its documents, and not observed: there is no program of it that can be run here.
//!
//! Each kind of call has an event of its own, without the name of a tool. Files that the agent writes fire an event only
//! afterwards.

use std::time::Duration;

use hookrail::{EventName, JsonObject};

use crate::agents::shapes::{COMMAND, FILE, Object, our_result};
use crate::dialect::{
    Argument, Capabilities, Dialect, HookOrder, MatcherDialect, McpForm, NativeEvent, NativeTool,
    SettingsFile, SettingsShape, TimeUnit, event, may, must, tool,
};
use crate::effects::NativeEffects;
use crate::event::BridgeEvent;

pub(crate) static DIALECT: Dialect = Dialect {
    tested_with: "its documents (not observed)",
    project_variable: None,
    events: EVENTS,
    event_aliases: &[],
    tools: TOOLS,
    beside: &[],
    marks: &[],
    plain_tools: &[],
    caller: None,
    mcp: McpForm::DoubleUnderscore,
    unit: TimeUnit::Seconds,
    default_timeout: GRANT,
    matchers: MatcherDialect::Pattern,
    order: HookOrder::SideBySide,
    can: Capabilities {
        ask: true,
        change_arguments: false,
        allow: true,
        show_to_user: &[],
        go_on: true,
        reports_sent_back: false,
        context: &[],
        context_limit: 0,
        stop: &[],
    },
    carries_stop: &[],
    interrupted_tools: &[],
    fires_without_prompt: false,
    exit_two_refuses: true,
    settings: SettingsFile {
        user: ".cursor/hooks.json",
        project: ".cursor/hooks.json",
        shape: SettingsShape::VersionedCommands,
        hook_files: &["hooks.json"],
        ..SettingsFile::NONE
    },
    advice: Some(
        "This follows Cursor's documents and was not observed. Cursor also runs the hooks in `.claude/settings.json`.",
    ),
    can_replace_result: |_| false,
    tool_response: our_result,
    render,
};

/// Entries name no timeout, because documents differ in its unit.
const GRANT: Duration = Duration::from_secs(30);

const EVENTS: &[NativeEvent] = &[
    event("beforeShellExecution", EventName::BeforeTool).granted(GRANT),
    event("beforeMCPExecution", EventName::BeforeTool).granted(GRANT),
    event("beforeReadFile", EventName::BeforeTool).granted(GRANT),
    event("afterFileEdit", EventName::AfterTool).granted(GRANT),
    event("beforeSubmitPrompt", EventName::BeforeAgent).granted(GRANT),
    event("stop", EventName::AfterAgent).granted(GRANT),
];

/// The names under which the calls of its events are known here.
const TOOLS: &[NativeTool] = &[
    tool("Shell", "run_shell_command", COMMAND),
    tool("Read", "read_file", FILE),
    tool("Edit", "replace", EDIT),
];

const EDIT: &[Argument] = &[must("file_path", "file_path"), may("edits", "edits")];

/// The messages have two spellings, of earlier and of later versions.
fn render(event: &BridgeEvent, effects: &NativeEffects) -> Option<JsonObject> {
    let told = |answer: Object, reason: &str| {
        let keys = ["user_message", "agent_message", "userMessage", "agentMessage"];
        keys.into_iter().fold(answer, |answer, key| answer.with(key, reason))
    };
    let answer = match (event.event, &effects.deny, &effects.ask, &effects.allow) {
        (Some(EventName::BeforeTool), Some(reason), ..) => {
            told(Object::default().with("permission", "deny"), reason)
        }
        (Some(EventName::BeforeTool), None, Some(reason), _) => {
            told(Object::default().with("permission", "ask"), reason)
        }
        (Some(EventName::BeforeTool), None, None, Some(_)) => Object::default().with("permission", "allow"),
        (Some(EventName::BeforeAgent), Some(reason), ..) => {
            told(Object::default().with("continue", false), reason)
        }
        (Some(EventName::AfterAgent), Some(reason), ..) => {
            Object::default().with("followup_message", reason.as_str())
        }
        _ => Object::default(),
    };
    answer.into_answer()
}
