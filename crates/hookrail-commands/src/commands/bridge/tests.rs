//! What an agent reads when the bridge itself fails.

use super::*;

/// Each agent's names of a tool event, a prompt event and one at which nothing is guarded.
const EVENTS: [(Agent, &str, &str, &str); 10] = [
    (Agent::Claude, "PreToolUse", "UserPromptSubmit", "Stop"),
    (Agent::Codex, "PreToolUse", "UserPromptSubmit", "Stop"),
    (Agent::Gemini, "BeforeTool", "BeforeAgent", "AfterAgent"),
    (Agent::Qwen, "PreToolUse", "UserPromptSubmit", "Stop"),
    (Agent::Copilot, "preToolUse", "userPromptSubmitted", "agentStop"),
    (Agent::Llxprt, "BeforeTool", "BeforeAgent", "AfterAgent"),
    (Agent::Opencode, "tool.execute.before", "chat.message", "session.idle"),
    (Agent::Kilo, "tool.execute.before", "chat.message", "session.idle"),
    (Agent::Pi, "tool_call", "input", "agent_before_settle"),
    (Agent::Cline, "beforeTool", "beforeRun", "afterRun"),
];

fn failing(agent: Agent, event: &str, stdin: &[u8], is_panic: bool) -> NativeAnswer {
    let args = BridgeArgs { agent, event: Some(event.to_owned()), project: false };
    let home = tempfile::tempdir().unwrap();
    let places = Places { home: Some(home.path().to_owned()), ..Places::default() };
    let native = answer_or_refuse(&args, &places, &mut stdin.to_vec(), |_| {
        assert!(!is_panic, "a fault of the bridge itself");
        Err(anyhow::anyhow!("something is broken").into())
    });
    let log = std::fs::read_to_string(home.path().join(".hookrail/log.jsonl")).unwrap_or_default();
    assert_eq!(log.contains("\"decision\":\"block\""), native.refusal.is_some(), "{agent} {event}: {log}");
    native
}

/// Whether every word of a refusal in any dialect is there: a decision and a reason that names what helps.
fn is_refusal(native: &NativeAnswer) -> bool {
    let answer: Value = serde_json::from_str(&native.stdout).unwrap_or_default();
    let words = answer.to_string();
    (words.contains("\"deny\"") || words.contains("\"block\"")) && words.contains("hookrail doctor")
}

#[test]
fn a_panic_and_an_error_refuse_what_is_guarded_and_nothing_else() {
    for (agent, tool, prompt, other) in EVENTS {
        for is_panic in [true, false] {
            for stdin in [&b""[..], b"{\"prompt\":\"p\"}", b"\xff"] {
                for guarded in [tool, prompt] {
                    let native = failing(agent, guarded, stdin, is_panic);
                    assert!(is_refusal(&native), "{agent} {guarded}: {native:?}");
                    assert_eq!(native.exit_code, 0, "{agent} {guarded}");
                }
                let native = failing(agent, other, stdin, is_panic);
                assert_eq!((native.stdout.as_str(), native.exit_code), ("", 0), "{agent} {other}");
                assert!(native.stderr.contains("hookrail doctor"), "{agent} {other}: {native:?}");
            }
        }
    }
}
