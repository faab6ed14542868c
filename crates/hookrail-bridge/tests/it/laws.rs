//! What holds for every verdict, whatever its parts: nothing gets weaker on its way into a dialect.

use hookrail::effects::{EventEffects, SpecificEffects};
use hookrail::{Block, BlockCause, StopReason};
use hookrail_bridge::{Agent, Outcome, SessionMemory, answer};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::codex_schema::complaint;
use crate::support::{event, names, with_payloads};

fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some(String::new())),
        Just(Some("why".to_owned())),
        Just(Some("\"x\"\n".to_owned()))
    ]
}

/// What hooks can ask for, whatever the event, and whether there is a notice for the user.
fn outcome(specific: impl Strategy<Value = SpecificEffects>) -> impl Strategy<Value = Outcome> {
    let parts = (text(), text(), text(), text(), text());
    (parts, specific, any::<(bool, bool)>()).prop_map(
        |((block, ask, stop, additional_context, system_message), specific, (suppress_output, notice))| {
            let effects = EventEffects {
                block: block.map(|reason| Block::new(reason, BlockCause::Policy)),
                ask,
                stop: stop.map(StopReason::new),
                additional_context,
                system_message,
                suppress_output,
                specific,
            };
            let notices = if notice { vec!["hooks are off".to_owned()] } else { Vec::new() };
            Outcome { notices, ..effects.into() }
        },
    )
}

fn before_tool() -> impl Strategy<Value = SpecificEffects> {
    (any::<bool>(), text()).prop_map(|(changes, allow)| {
        let changed = || json!({"command": "CHANGED"}).as_object().cloned().expect("an object");
        let tool_input = changes.then(changed);
        if tool_input.is_none() && allow.is_none() {
            return SpecificEffects::None;
        }
        SpecificEffects::BeforeTool { tool_input, allow }
    })
}

fn after_tool() -> impl Strategy<Value = SpecificEffects> {
    prop_oneof![
        Just(SpecificEffects::None),
        Just(SpecificEffects::AfterTool { tool_response: json!({"llmContent": "REPLACED"}) }),
        Just(SpecificEffects::AfterTool { tool_response: json!("REPLACED") }),
    ]
}

/// What an answer does to a tool call: the word of its decision, and whether it ends the run.
fn decision(output: &Value) -> (Option<&str>, bool) {
    let specific = output.get("hookSpecificOutput").and_then(|specific| specific.get("permissionDecision"));
    let word = specific.or_else(|| output.get("permissionDecision")).or_else(|| output.get("decision"));
    (word.and_then(Value::as_str), output.get("continue") == Some(&Value::Bool(false)))
}

proptest! {
    #[test]
    fn before_a_tool_nothing_gets_weaker(
        outcome in outcome(before_tool()),
        agent in proptest::sample::select(with_payloads()),
        is_lost in any::<bool>(),
    ) {
        let event = event(agent, names(agent).before);
        let memory = if is_lost { SessionMemory::lost() } else { SessionMemory::default() };
        let answer = answer(agent, &event, &outcome, &memory);
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let (word, ends) = decision(&output);
        let verdict = &outcome.effects;
        let (changes, allows) = match &verdict.specific {
            SpecificEffects::BeforeTool { tool_input, allow } => (tool_input.is_some(), allow.is_some()),
            _ => (false, false),
        };
        let refuses = matches!(word, Some("deny" | "block"));
        let waits = answer.stdout.is_empty() && agent == Agent::Copilot && !is_lost
            && answer.memory.as_ref().is_some_and(|memory| memory.stop.is_some());
        prop_assert!(verdict.block.is_none() || refuses, "a block blocks: {output}");
        prop_assert!(verdict.stop.is_none() || refuses || ends || waits, "a stop stops: {output}");
        prop_assert!(verdict.ask.is_none() || refuses || waits || word == Some("ask"), "a question is asked: {output}");
        if changes && !refuses && !waits && !ends {
            prop_assert!(answer.stdout.contains("CHANGED"), "a change is made: {output}");
        }
        let may_allow = allows || (agent == Agent::Codex && changes);
        prop_assert!(word != Some("allow") || may_allow, "no hook allowed it: {output}");
        if agent == Agent::Codex && !answer.stdout.is_empty() {
            prop_assert_eq!(complaint("PreToolUse", &output), None, "{}", output);
        }
        if outcome == Outcome::default() {
            prop_assert_eq!(answer.stdout, "");
        }
    }

    #[test]
    fn after_a_tool_a_replaced_result_is_replaced(
        outcome in outcome(after_tool()),
        agent in proptest::sample::select(with_payloads()),
    ) {
        let event = event(agent, names(agent).after);
        let answer = answer(agent, &event, &outcome, &SessionMemory::default());
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let verdict = &outcome.effects;
        let is_remembered = answer.memory.as_ref().is_some_and(|memory| memory.stop.is_some());
        let is_replaced = answer.stdout.contains("REPLACED")
            || (agent == Agent::Llxprt && decision(&output).1)
            || (agent == Agent::Kimi && is_remembered);
        prop_assert!(verdict.specific == SpecificEffects::None || is_replaced, "{}", answer.stdout);
        prop_assert!(verdict.stop.is_none() || decision(&output).1 || is_remembered, "{output}");
        if agent == Agent::Codex {
            prop_assert_eq!(complaint("PostToolUse", &output), None, "{}", output);
        }
    }

    #[test]
    fn a_prompt_that_is_blocked_or_stopped_does_not_get_through(
        outcome in outcome(Just(SpecificEffects::None)),
        agent in proptest::sample::select(with_payloads()),
    ) {
        let event = event(agent, names(agent).prompt);
        let answer = answer(agent, &event, &outcome, &SessionMemory::default());
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let (word, ends) = decision(&output);
        let refuses = matches!(word, Some("deny" | "block"));
        let verdict = &outcome.effects;
        let is_to_refuse = verdict.block.is_some() || verdict.ask.is_some();
        prop_assert!(!is_to_refuse || refuses, "{agent}: {output}");
        prop_assert!(verdict.stop.is_none() || refuses || ends, "{agent}: {output}");
        if agent == Agent::Codex {
            prop_assert_eq!(complaint("UserPromptSubmit", &output), None, "{}", output);
        }
    }
}
