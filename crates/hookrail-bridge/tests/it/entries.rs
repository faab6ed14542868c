//! The entries that `connect` writes, run by a real shell.

use std::path::Path;
use std::process::{Command, Stdio};

use hookrail_bridge::{Agent, ConnectOptions, connect};
use serde_json::Value;

/// Events at which nothing may get past a guard that does not work.
const GUARDED: &[&str] = &[
    "PreToolUse",
    "UserPromptSubmit",
    "BeforeTool",
    "BeforeAgent",
    "BeforeModel",
    "preToolUse",
    "userPromptSubmitted",
];

/// The agents that run shell lines.
const WITH_COMMANDS: [Agent; 5] = [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Qwen, Agent::Copilot];

/// The events and commands that `connect` writes for a program.
fn entries(agent: Agent, program: &str) -> Vec<(String, String)> {
    let edit = connect(agent, None, Path::new(program), ConnectOptions::default()).expect("an edit");
    let settings: Value = serde_json::from_str(&edit.new_text.expect("a text")).expect("JSON");
    let events =
        settings.get("hooks").and_then(Value::as_object).expect("events").iter().map(|(event, groups)| {
            let entry = groups.pointer("/0/hooks/0/command").or_else(|| groups.pointer("/0/bash"));
            (event.clone(), entry.and_then(Value::as_str).expect("a command").to_owned())
        });
    events.collect()
}

/// What the agent's shell makes of a command: exit code, stdout, stderr. Codex takes the user's login shell.
fn run(agent: Agent, command: &str) -> (Option<i32>, String, String) {
    let (shell, option) = if agent == Agent::Codex { ("bash", "-lc") } else { ("/bin/sh", "-c") };
    let output = Command::new(shell).arg(option).arg(command).stdin(Stdio::null()).output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Gone, crashing, or nothing that can be executed: it is all the same to who is to be guarded.
#[test]
fn a_program_that_does_not_work_refuses_with_words_where_it_guards() {
    for agent in WITH_COMMANDS {
        for program in ["/nowhere/hook rail's $x/hookrail", "/bin/false", "/etc/passwd"] {
            let entries = entries(agent, program);
            assert!(entries.iter().any(|(event, _)| GUARDED.contains(&event.as_str())), "{agent}");
            for (event, command) in entries {
                let (code, stdout, stderr) = run(agent, &command);
                let at = format!("{agent} {event} {program}: {code:?} {stdout} {stderr}");
                if !GUARDED.contains(&event.as_str()) {
                    assert!(code != Some(2) && stdout.is_empty(), "{at}");
                } else if agent == Agent::Copilot {
                    let output: Value = serde_json::from_str(&stdout).expect(&at);
                    let words = output.get("permissionDecisionReason").or_else(|| output.get("reason"));
                    assert!(words.is_some_and(|words| words.to_string().contains("hookrail doctor")), "{at}");
                    assert_eq!(code, Some(0), "{at}");
                } else {
                    assert_eq!(code, Some(2), "{at}");
                    assert!(stderr.contains("hookrail doctor"), "{at}");
                }
            }
        }
    }
}

#[test]
fn a_program_that_works_is_called_with_agent_and_event() {
    for agent in WITH_COMMANDS {
        for (event, command) in entries(agent, "/bin/echo") {
            let (code, stdout, _) = run(agent, &command);
            assert_eq!((code, stdout.trim()), (Some(0), format!("bridge {agent} {event}").as_str()));
        }
    }
}
