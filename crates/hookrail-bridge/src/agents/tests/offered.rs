//! Every tool that an agent has is known: it is in one of the lists of the agent's file, or was looked at and is listed
//! here. `cargo xtask agents --capture-tools` writes the list of what an agent has, so a tool of a
//! new version fails this test until somebody looked at it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookrail::rules::OurTool;
use serde::Deserialize;

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::Argument;

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
    #[serde(default)]
    required: Vec<String>,
}

/// The tools of an agent that are in neither of its lists, on purpose.
struct Unlisted {
    agent: Agent,
    /// They may touch files, and are read by the names of their arguments.
    by_arguments: &'static [&'static str],
    /// No hook fires for them; what that means is in `docs/agents.md`.
    without_hooks: &'static [&'static str],
}

const UNLISTED: &[Unlisted] = &[
    Unlisted {
        agent: Agent::Claude,
        by_arguments: &["Artifact", "EnterWorktree", "ExitWorktree", "Projects"],
        without_hooks: &[],
    },
    Unlisted { agent: Agent::Codex, by_arguments: &["multi_env_copy_file"], without_hooks: &["write_stdin"] },
    Unlisted { agent: Agent::Gemini, by_arguments: &[], without_hooks: &[] },
    Unlisted {
        agent: Agent::Qwen,
        by_arguments: &[
            "artifact",
            "display_image",
            "enter_worktree",
            "exec",
            "exit_worktree",
            "image_gen",
            "lsp",
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
            "workflow",
        ],
        without_hooks: &[],
    },
    Unlisted { agent: Agent::Copilot, by_arguments: &[], without_hooks: &[] },
    Unlisted { agent: Agent::Opencode, by_arguments: &[], without_hooks: &[] },
    Unlisted {
        agent: Agent::Grok,
        by_arguments: &["image_edit", "image_gen", "image_to_video", "reference_to_video", "workflow"],
        without_hooks: &[],
    },
    Unlisted { agent: Agent::Kimi, by_arguments: &[], without_hooks: &[] },
    Unlisted { agent: Agent::Kilo, by_arguments: &[], without_hooks: &[] },
    Unlisted { agent: Agent::Pi, by_arguments: &[], without_hooks: &[] },
    Unlisted { agent: Agent::Cline, by_arguments: &[], without_hooks: &[] },
];

fn captured(agent: Agent) -> Captured {
    let file = format!("../hookrail-testkit/payloads/{agent}/tools.json");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&file).expect("the agent's tools");
    serde_json::from_str(&text).expect("a list of tools")
}

#[test]
fn every_tool_of_an_agent_is_in_one_of_the_lists() {
    for Unlisted { agent, by_arguments, without_hooks } in UNLISTED {
        let dialect = dialect_of(*agent);
        let tools = captured(*agent).tools;
        for CapturedTool { name, .. } in &tools {
            let places = [
                dialect.tool(name).is_some(),
                dialect.plain_tools().any(|plain| plain == name),
                dialect.caller.is_some_and(|(caller, ..)| caller == name),
                by_arguments.contains(&name.as_str()),
                without_hooks.contains(&name.as_str()),
            ];
            let found = places.iter().filter(|is_there| **is_there).count();
            assert_eq!(found, 1, "{agent}: `{name}` is to be in one of the lists: {places:?}");
        }
        for name in by_arguments.iter().chain(*without_hooks) {
            assert!(tools.iter().any(|tool| tool.name == *name), "{agent} has no tool `{name}` any more");
        }
    }
}

/// What the agent's own schema has is what the table reads, and what the schema requires is what the table requires.
#[test]
fn the_deciding_arguments_of_an_offered_tool_are_those_of_its_schema() {
    for Unlisted { agent, .. } in UNLISTED {
        for tool in captured(*agent).tools.iter().filter(|tool| !tool.parameters.is_empty()) {
            let Some(known) = dialect_of(*agent).tool(&tool.name) else { continue };
            let ours = OurTool::named(known.ours).expect("a tool of ours");
            for argument in known.arguments.iter().filter(|argument| ours.role_of(argument.ours).is_some()) {
                let Argument { theirs, needed, unless, .. } = argument;
                let is_alternative =
                    known.arguments.iter().filter(|other| other.ours == argument.ours).count() > 1;
                assert!(
                    is_alternative || tool.parameters.contains_key(*theirs),
                    "{agent}: `{}` has no `{theirs}`",
                    tool.name
                );
                let is_required = tool.required.iter().any(|required| required == theirs);
                let expected = is_required || unless.is_some();
                assert!(is_alternative || *needed == expected, "{agent}: `{theirs}` of `{}`", tool.name);
            }
            // A folder or a file that the schema has and the table does not read would be a way around a rule.
            let paths = [
                "command",
                "cmd",
                "path",
                "paths",
                "file_path",
                "filePath",
                "dir_path",
                "directory",
                "workdir",
            ];
            let paths =
                paths.into_iter().chain(["notebook_path", "glob", "include", "include_pattern", "patchText"]);
            for name in paths.filter(|name| tool.parameters.contains_key(*name)) {
                let is_read = known.arguments.iter().any(|argument| argument.theirs == name);
                assert!(is_read, "{agent}: `{name}` of `{}` is not read", tool.name);
            }
        }
    }
}

#[test]
fn the_captured_version_is_the_one_that_was_tested() {
    for Unlisted { agent, .. } in UNLISTED {
        assert_eq!(captured(*agent).version, dialect_of(*agent).tested_with, "{agent}");
    }
}
