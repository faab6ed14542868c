//! Every tool that an agent has is known: it is in the agent's table, or it is listed here as one that neither runs
//! commands nor touches files. `cargo xtask agents --capture-tools` writes the list of what an agent has, so a tool of a
//! new version fails this test until somebody looked at it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::tools::to_ours;

/// What `payloads/AGENT/tools.json` holds.
#[derive(Deserialize)]
struct Captured {
    version: String,
    tools: Vec<CapturedTool>,
}

/// A tool with its parameters, which are not known of every tool.
#[derive(Deserialize)]
struct CapturedTool {
    name: String,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

/// What is known of an agent's tools beside its table.
struct Reviewed {
    agent: Agent,
    /// They run no command and touch no file that the model chose.
    harmless: &'static [&'static str],
    /// They do, or nobody looked at them, and the table does not have them yet.
    missing: &'static [&'static str],
}

/// The argument of ours that decides what a call does.
const DECIDING: &[(&str, &str)] = &[
    ("run_shell_command", "command"),
    ("read_file", "file_path"),
    ("write_file", "file_path"),
    ("replace", "file_path"),
];

const REVIEWED: &[Reviewed] = &[
    Reviewed {
        agent: Agent::Claude,
        harmless: &[
            "Agent",
            "AskUserQuestion",
            "ClaudeDesign",
            "CronCreate",
            "CronDelete",
            "CronList",
            "EnterPlanMode",
            "ExitPlanMode",
            "ListAgents",
            "ListMcpResources",
            "OfferChromeSetup",
            "ProposeGoal",
            "ProposeSkills",
            "PushNotification",
            "ReadMcpResource",
            "ReadMcpResourceDir",
            "ReadNotifications",
            "RefreshMcpTools",
            "RemoteTrigger",
            "ReportFindings",
            "ScheduleWakeup",
            "SendFeedback",
            "SendMessage",
            "ShowOnboardingRolePicker",
            "Skill",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskStop",
            "TaskUpdate",
            "TodoWrite",
        ],
        missing: &["Artifact", "EnterWorktree", "ExitWorktree", "Monitor", "Projects", "Workflow"],
    },
    Reviewed {
        agent: Agent::Codex,
        harmless: &[
            // Its script calls the other tools, and hooks fire for those calls.
            "exec",
            "wait",
            "sleep",
            "close_agent",
            "create_goal",
            "followup_task",
            "get_goal",
            "interrupt_agent",
            "list_agents",
            "request_user_input",
            "request_user_input_async",
            "resume_agent",
            "send_input",
            "send_message",
            "spawn_agent",
            "update_goal",
            "wait_agent",
        ],
        missing: &["write_stdin"],
    },
    Reviewed {
        agent: Agent::Gemini,
        harmless: &[
            "activate_skill",
            "ask_user",
            "complete_task",
            "enter_plan_mode",
            "exit_plan_mode",
            "invoke_agent",
            "list_background_processes",
            "list_mcp_resources",
            "read_background_output",
            "read_mcp_resource",
            "take_snapshot",
            "tracker_add_dependency",
            "tracker_create_task",
            "tracker_get_task",
            "tracker_list_tasks",
            "tracker_update_task",
            "tracker_visualize",
            "update_topic",
            "write_todos",
        ],
        missing: &["get_internal_docs", "read_many_files"],
    },
    Reviewed {
        agent: Agent::Qwen,
        harmless: &[
            "agent",
            "ask_user_question",
            "create_sub_session",
            "cron_create",
            "cron_delete",
            "cron_list",
            "enter_plan_mode",
            "exit_plan_mode",
            "get_goal",
            "list_agents",
            "loop_wakeup",
            "propose_goal",
            "read_mcp_resource",
            "report_findings",
            "request_shutdown",
            "send_message",
            "skill",
            "structured_output",
            "task_create",
            "task_list",
            "task_stop",
            "task_update",
            "team_create",
            "team_delete",
            "team_plan_approval",
            "todo_write",
            "tool_search",
            "update_goal",
        ],
        missing: &[
            "artifact",
            "display_image",
            "enter_worktree",
            "exec",
            "exit_worktree",
            "image_gen",
            "lsp",
            "monitor",
            "omni_caption_audio",
            "omni_caption_image",
            "omni_clip_audio",
            "omni_clip_image",
            "omni_clip_video",
            "omni_convert_image",
            "omni_downsample_audio",
            "omni_downsample_image",
            "omni_downscale_video",
            "omni_extract_audio",
            "omni_extract_keyframes",
            "omni_ocr_image",
            "omni_recall_media_memory",
            "omni_transcribe_audio",
            "omni_understand_video_segments",
            "record_artifact",
            "record_source",
            "save_memory",
            "tool_call",
            "workflow",
            "zoom_image",
        ],
    },
    Reviewed {
        agent: Agent::Copilot,
        harmless: &[
            "fetch_copilot_cli_documentation",
            "list_agents",
            "list_bash",
            "read_agent",
            "read_bash",
            "session_store_sql",
            "skill",
            "sql",
            "stop_bash",
            "task",
            "write_agent",
        ],
        missing: &["rg"],
    },
    Reviewed { agent: Agent::Opencode, harmless: &["skill", "task", "todowrite"], missing: &[] },
];

fn captured(agent: Agent) -> Captured {
    let file = format!("../hookrail-testkit/payloads/{agent}/tools.json");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&file).expect("the agent's tools");
    serde_json::from_str(&text).expect("a list of tools")
}

#[test]
fn every_tool_of_an_agent_is_in_its_table_or_reviewed() {
    for Reviewed { agent, harmless, missing } in REVIEWED {
        let tools = captured(*agent).tools;
        for tool in &tools {
            let name = tool.name.as_str();
            let places =
                [dialect_of(*agent).tool(name).is_some(), harmless.contains(&name), missing.contains(&name)];
            let found = places.iter().filter(|is_there| **is_there).count();
            assert_eq!(
                found, 1,
                "{agent}: `{name}` is to be in the table or in one of the lists: {places:?}"
            );
        }
        for name in harmless.iter().chain(*missing) {
            assert!(tools.iter().any(|tool| tool.name == *name), "{agent} has no tool `{name}` any more");
        }
    }
}

/// The parameter that the agent's own schema has is the one that the table reads.
#[test]
fn the_deciding_argument_of_an_offered_tool_is_read() {
    for Reviewed { agent, .. } in REVIEWED {
        for tool in captured(*agent).tools.iter().filter(|tool| !tool.parameters.is_empty()) {
            let Some(known) = dialect_of(*agent).tool(&tool.name) else { continue };
            let Some((_, decides)) = DECIDING.iter().find(|(ours, _)| *ours == known.ours) else { continue };
            let input: Value = tool.parameters.keys().map(|name| (name.clone(), json!("x"))).collect();
            let call = to_ours(*agent, &tool.name, &input);
            assert!(
                call.input.contains_key(*decides),
                "{agent}: `{}` gives no `{decides}`: {call:?}",
                tool.name
            );
        }
    }
}

#[test]
fn the_captured_version_is_the_one_that_was_tested() {
    for Reviewed { agent, .. } in REVIEWED {
        assert_eq!(captured(*agent).version, dialect_of(*agent).tested_with, "{agent}");
    }
}
