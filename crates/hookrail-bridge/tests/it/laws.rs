//! What holds for every verdict, whatever its parts: nothing gets weaker on its way into a dialect.

use hookrail::{Block, BlockCause};
use hookrail_bridge::{Agent, SessionMemory, Verdict, answer};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::codex_schema::complaint;
use crate::support::{event, names};

fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some(String::new())),
        Just(Some("why".to_owned())),
        Just(Some("\"x\"\n".to_owned()))
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    let parts = (text(), text(), text(), text(), text(), text());
    (parts, any::<(bool, bool, bool, bool)>()).prop_map(
        |((block, ask, stop, allow, context, message), (input, response, hidden, notice))| Verdict {
            block: block.map(|reason| Block::new(reason, BlockCause::Policy)),
            ask,
            stop,
            permission_allow: allow,
            additional_context: context,
            system_message: message,
            tool_input: input.then(|| json!({"command": "CHANGED"}).as_object().cloned().expect("an object")),
            tool_response: response
                .then(|| json!({"llmContent": "REPLACED"}).as_object().cloned().expect("an object")),
            suppress_output: hidden,
            notices: if notice { vec!["hooks are off".to_owned()] } else { Vec::new() },
            ..Verdict::default()
        },
    )
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
        verdict in verdict(),
        agent in proptest::sample::select(Agent::ALL.to_vec()),
        is_lost in any::<bool>(),
    ) {
        let event = event(agent, names(agent).before);
        let memory = if is_lost { SessionMemory::lost() } else { SessionMemory::default() };
        let answer = answer(agent, &event, &verdict, &memory);
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let (word, ends) = decision(&output);
        let refuses = matches!(word, Some("deny" | "block"));
        let waits = answer.stdout.is_empty() && agent == Agent::Copilot && !is_lost
            && answer.memory.as_ref().is_some_and(|memory| memory.stop.is_some());
        prop_assert!(verdict.block.is_none() || refuses, "a block blocks: {output}");
        prop_assert!(verdict.stop.is_none() || refuses || ends || waits, "a stop stops: {output}");
        prop_assert!(verdict.ask.is_none() || refuses || waits || word == Some("ask"), "a question is asked: {output}");
        if verdict.tool_input.is_some() && !refuses && !waits && !ends {
            prop_assert!(answer.stdout.contains("CHANGED"), "a change is made: {output}");
        }
        let may_allow = verdict.permission_allow.is_some() || (agent == Agent::Codex && verdict.tool_input.is_some());
        prop_assert!(word != Some("allow") || may_allow, "no hook allowed it: {output}");
        if agent == Agent::Codex && !answer.stdout.is_empty() {
            prop_assert_eq!(complaint("PreToolUse", &output), None, "{}", output);
        }
        if verdict == Verdict::default() {
            prop_assert_eq!(answer.stdout, "");
        }
    }

    #[test]
    fn after_a_tool_a_replaced_result_is_replaced(
        verdict in verdict(),
        agent in proptest::sample::select(Agent::ALL.to_vec()),
    ) {
        let event = event(agent, names(agent).after);
        let answer = answer(agent, &event, &verdict, &SessionMemory::default());
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let is_replaced = answer.stdout.contains("REPLACED") || (agent == Agent::Llxprt && decision(&output).1);
        prop_assert!(verdict.tool_response.is_none() || is_replaced, "{}", answer.stdout);
        let is_remembered = answer.memory.as_ref().is_some_and(|memory| memory.stop.is_some());
        prop_assert!(verdict.stop.is_none() || decision(&output).1 || is_remembered, "{output}");
        if agent == Agent::Codex {
            prop_assert_eq!(complaint("PostToolUse", &output), None, "{}", output);
        }
    }

    #[test]
    fn a_prompt_that_is_blocked_or_stopped_does_not_get_through(
        verdict in verdict(),
        agent in proptest::sample::select(Agent::ALL.to_vec()),
    ) {
        let event = event(agent, names(agent).prompt);
        let answer = answer(agent, &event, &verdict, &SessionMemory::default());
        let output: Value = if answer.stdout.is_empty() { json!({}) } else { serde_json::from_str(&answer.stdout).expect("JSON") };
        let (word, ends) = decision(&output);
        let refuses = matches!(word, Some("deny" | "block"));
        let is_to_refuse = verdict.block.is_some() || verdict.ask.is_some();
        prop_assert!(!is_to_refuse || refuses, "{agent}: {output}");
        prop_assert!(verdict.stop.is_none() || refuses || ends, "{agent}: {output}");
        if agent == Agent::Codex {
            prop_assert_eq!(complaint("UserPromptSubmit", &output), None, "{}", output);
        }
    }
}
