//! The captured payloads, and short ways to ask about them.

use std::fs;
use std::path::PathBuf;

use hookrail_bridge::{Agent, BridgeEvent, NativeAnswer, Outcome, SessionMemory, answer, read};

/// All payloads of an agent: file name without extension, native event, text. A file is named by its event, and by
/// the tool behind a dash.
pub(crate) fn payloads(agent: Agent) -> Vec<(String, String, String)> {
    // LLxprt uses our protocol, of which Gemini's payloads are an example.
    let sender = if agent == Agent::Llxprt { Agent::Gemini } else { agent };
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../hookrail-testkit/payloads").join(sender.as_str());
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the agent's payloads")
        .map(|entry| entry.expect("an entry").path())
        // It lists the agent's tools.
        .filter(|path| path.file_name().is_some_and(|name| name != "tools.json"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let event = name.split('-').next().unwrap_or(&name).to_owned();
            (name, event, fs::read_to_string(&path).expect("a payload"))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{agent} has payloads");
    found
}

/// A captured payload as an event.
pub(crate) fn event(agent: Agent, name: &str) -> BridgeEvent {
    let (_, event, text) = payloads(agent)
        .into_iter()
        .find(|(file, ..)| file == name)
        .unwrap_or_else(|| panic!("{agent} has no payload {name}"));
    read(agent, Some(&event), text.as_bytes()).expect("a payload that reads")
}

/// The answer to a captured payload in a new session.
pub(crate) fn answered(agent: Agent, name: &str, outcome: &Outcome) -> NativeAnswer {
    answer(agent, &event(agent, name), outcome, &SessionMemory::default())
}

/// Native names of the payloads that every agent has, in its own words: before and after a shell call, prompt,
/// end of the work, start of the session.
pub(crate) struct PayloadNames {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) end: &'static str,
    pub(crate) start: Option<&'static str>,
}

pub(crate) fn names(agent: Agent) -> PayloadNames {
    let claude = |before, after| PayloadNames {
        before,
        after,
        prompt: "UserPromptSubmit",
        end: "Stop",
        start: Some("SessionStart"),
    };
    match agent {
        Agent::Claude | Agent::Codex => claude("PreToolUse-Bash", "PostToolUse-Bash"),
        Agent::Qwen => PayloadNames {
            start: None,
            ..claude("PreToolUse-run_shell_command", "PostToolUse-run_shell_command")
        },
        Agent::Grok => PayloadNames {
            start: None,
            ..claude("PreToolUse-run_terminal_command", "PostToolUse-run_terminal_command")
        },
        Agent::Crush | Agent::Cursor => panic!("{agent} was not run"),
        Agent::Kimi => PayloadNames { start: None, ..claude("PreToolUse-Bash", "PostToolUse-Bash") },
        Agent::Gemini | Agent::Llxprt => PayloadNames {
            before: "BeforeTool-run_shell_command",
            after: "AfterTool-run_shell_command",
            prompt: "BeforeAgent",
            end: "AfterAgent",
            start: Some("SessionStart"),
        },
        Agent::Copilot => PayloadNames {
            before: "preToolUse-bash",
            after: "postToolUse-bash",
            prompt: "userPromptSubmitted",
            end: "agentStop",
            start: Some("sessionStart"),
        },
        Agent::Opencode | Agent::Kilo => PayloadNames {
            before: "tool.execute.before-bash",
            after: "tool.execute.after-bash",
            prompt: "chat.message",
            end: "session.idle",
            start: Some("session.created"),
        },
        Agent::Cline => PayloadNames {
            before: "beforeTool-run_commands",
            after: "afterTool-run_commands",
            prompt: "beforeRun",
            end: "afterRun",
            start: Some("setup"),
        },
        Agent::Pi => PayloadNames {
            before: "tool_call-bash",
            after: "tool_result-bash",
            prompt: "input",
            end: "agent_before_settle",
            start: Some("session_start"),
        },
    }
}

/// The agents whose payloads were captured. `LLxprt` uses our protocol and was not run.
pub(crate) const OBSERVED: [Agent; 11] = [
    Agent::Claude,
    Agent::Codex,
    Agent::Gemini,
    Agent::Qwen,
    Agent::Copilot,
    Agent::Opencode,
    Agent::Grok,
    Agent::Kimi,
    Agent::Kilo,
    Agent::Pi,
    Agent::Cline,
];

/// Every agent of which there are payloads, `LLxprt` included.
pub(crate) fn with_payloads() -> Vec<Agent> {
    OBSERVED.into_iter().chain([Agent::Llxprt]).collect()
}
