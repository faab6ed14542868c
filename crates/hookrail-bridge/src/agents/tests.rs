//! What holds for every agent's table.

mod offered;

use std::collections::HashSet;

use hookrail::EventName;
use hookrail::rules::OurTool;
use serde_json::Value;

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::answer::{refusal, time_budget};
use crate::dialect::{Argument, NativeEvent, Registration};

/// The engine has its own list of agents, because it must recognise its own entries without any dialect.
#[test]
fn entries_of_every_agent_are_known_to_the_engine() {
    for agent in Agent::ALL {
        assert!(hookrail::settings::calls_bridge(&format!("/usr/bin/hookrail bridge {agent}")), "{agent}");
    }
}

#[test]
fn names_are_unique_and_known() {
    for agent in Agent::ALL {
        let dialect = dialect_of(agent);
        let events: HashSet<_> = dialect.events().map(|event| event.name).collect();
        assert_eq!(events.len(), dialect.events().count(), "{agent}");
        let tools: HashSet<_> = dialect.tools().map(|tool| tool.name).collect();
        assert_eq!(tools.len(), dialect.tools().count(), "{agent}");
        for tool in dialect.tools() {
            assert!(OurTool::named(tool.ours).is_some(), "{agent} {}", tool.name);
            let arguments: HashSet<_> = tool.arguments.iter().map(|argument| argument.theirs).collect();
            assert_eq!(arguments.len(), tool.arguments.len(), "{agent} {}", tool.name);
            assert!(dialect.plain_tools().all(|plain| plain != tool.name), "{agent} {}", tool.name);
        }
        for name in dialect.carries_stop {
            assert!(events.contains(name), "{agent} {name}");
        }
        for name in dialect.interrupted_tools {
            assert!(tools.contains(name), "{agent} {name}");
        }
        for (_, canonical) in dialect.event_aliases {
            assert!(events.contains(canonical), "{agent} {canonical}");
        }
    }
}

/// A row that is written in another form would be read as something else.
#[test]
fn every_line_about_events_is_a_row_or_a_comment() {
    for agent in Agent::ALL {
        for line in dialect_of(agent).events.lines() {
            let Some((name, row)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
                assert!(line.starts_with('#') && !line.contains(" = "), "{agent} {line}");
                continue;
            };
            let (ours, more) = row.split_once(' ').unwrap_or((row, ""));
            assert!(ours == "-" || ours.parse::<EventName>().is_ok(), "{agent} {line}");
            let time = more.strip_suffix("ms").is_some_and(|number| number.parse::<u64>().is_ok());
            assert!(time || ["", "never", "on-request"].contains(&more), "{agent} {line}");
            assert!(!name.is_empty() && !name.contains(' '), "{agent} {line}");
        }
    }
}

#[test]
fn every_line_about_tools_is_a_row_a_comment_or_names() {
    let is_name = |word: &str| word.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    for agent in Agent::ALL {
        let (comments, lines): (Vec<_>, Vec<_>) =
            dialect_of(agent).tools.lines().partition(|line| line.starts_with('#'));
        assert!(!comments.iter().any(|comment| comment.contains(" = ")), "{agent} {comments:?}");
        for line in lines {
            let mut words = line.split(" = ");
            let (first, row) = (words.next().unwrap_or_default(), words.next());
            assert!(first.split_whitespace().all(is_name) && words.next().is_none(), "{agent} {line}");
            assert!(row.is_none_or(|row| is_name(first) && !row.contains("  ")), "{agent} {line}");
        }
        for argument in dialect_of(agent).tools().flat_map(|tool| tool.arguments) {
            let Argument { theirs, ours, unless, .. } = argument;
            let names = [Some(theirs), Some(ours), unless];
            assert!(names.into_iter().flatten().all(is_name), "{agent} {argument:?}");
        }
    }
}

#[test]
fn what_is_guarded_is_registered_can_be_refused_and_has_time() {
    for agent in Agent::ALL {
        let dialect = dialect_of(agent);
        for ours in [EventName::BeforeTool, EventName::BeforeAgent] {
            let is_registered =
                |event: &NativeEvent| event.ours == Some(ours) && event.registered == Registration::Always;
            // Crush has no event for prompts.
            let has_none = (agent, ours) == (Agent::Crush, EventName::BeforeAgent);
            assert!(dialect.events().any(|event| is_registered(&event)) || has_none, "{agent} {ours}");
        }
        for event in dialect.events() {
            assert!(time_budget(agent, event.name) < event.grant, "{agent} {}", event.name);
            if matches!(
                event.ours,
                Some(EventName::BeforeTool | EventName::BeforeAgent | EventName::BeforeModel)
            ) {
                let answer = Value::Object(refusal(agent, &event, "because"));
                assert_eq!(decision(&answer), Some(refusing_word(agent, &event)), "{agent} {}", event.name);
                assert!(answer.to_string().contains("because"), "{answer}");
            }
        }
    }
}

/// The decision of an answer, wherever the agent expects it.
fn decision(answer: &Value) -> Option<&str> {
    let places =
        ["/hookSpecificOutput/permissionDecision", "/permissionDecision", "/decision", "/permission"];
    let stops = answer.get("continue").and_then(Value::as_bool) == Some(false);
    places.into_iter().find_map(|place| answer.pointer(place)?.as_str()).or(stops.then_some("false"))
}

/// The word by which an agent refuses at an event.
fn refusing_word(agent: Agent, event: &NativeEvent) -> &'static str {
    match agent {
        Agent::Gemini
        | Agent::Opencode
        | Agent::Crush
        | Agent::Kimi
        | Agent::Kilo
        | Agent::Pi
        | Agent::Cline => "deny",
        Agent::Llxprt => "block",
        Agent::Cursor => {
            if event.ours == Some(EventName::BeforeTool) {
                "deny"
            } else {
                "false"
            }
        }
        Agent::Claude | Agent::Codex | Agent::Qwen | Agent::Copilot | Agent::Grok => {
            if event.ours == Some(EventName::BeforeTool) { "deny" } else { "block" }
        }
    }
}
