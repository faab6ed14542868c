//! Rules and conditions among the hooks of a plan. They are checked before anything is started: a rule needs no
//! process, and a command whose `when` does not hold is not started.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::formats::llm::response_text;
use crate::hook::{Hook, HookKind};
use crate::rules::{Facts, Subject, Truth};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;

/// What is known of a hook before anything is started.
#[derive(Debug)]
pub(crate) enum RuleCheck {
    /// It is a command that has to be started.
    Start,
    /// It is a rule, and this is its result.
    Answered(Box<HookRun>),
    /// Its condition does not hold: it has no result and starts nothing.
    DoesNotHold,
}

/// Checks a rule, or the condition of a command.
pub(crate) fn check(hook: &Arc<Hook>, facts: &Facts<'_>) -> RuleCheck {
    match &hook.kind {
        HookKind::Rule(rule) => {
            let start = Instant::now();
            match rule.answer(facts) {
                Some(output) => {
                    RuleCheck::Answered(Box::new(HookRun::of_rule(hook, output.clone(), start.elapsed())))
                }
                None => RuleCheck::DoesNotHold,
            }
        }
        // A failure that blocks guarded events, whatever `onFailure` says: what the rule would have forbidden is not
        // known.
        HookKind::UnreadableRule(why) => {
            let why = StartFailure::UnreadableRule(why.clone());
            RuleCheck::Answered(Box::new(HookRun::not_started(hook, why)))
        }
        HookKind::Command(_) | HookKind::Http(_) | HookKind::Remote(_) | HookKind::Plugin => match &hook.when
        {
            // Where it cannot be determined, the hook is started: it can check more than a condition.
            Some(when) if when.evaluate(facts) == Truth::No => RuleCheck::DoesNotHold,
            _ => RuleCheck::Start,
        },
    }
}

/// Whether it cannot be determined if a rule, or the condition of a command, holds.
pub(crate) fn is_undecided(hook: &Hook, facts: &Facts<'_>) -> bool {
    let truth = match (&hook.kind, &hook.when) {
        (HookKind::Rule(rule), _) => Some(rule.evaluate(facts)),
        (_, Some(when)) => Some(when.evaluate(facts)),
        (_, None) => None,
    };
    truth == Some(Truth::Unknown)
}

/// What rules can ask about an event whose payload the hooks before them may have changed.
pub(crate) fn subject_of_payload(payload: &JsonObject) -> Subject<'_> {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let response = payload.get("llm_response");
    Subject {
        tool_name: text("tool_name"),
        tool_input: payload.get("tool_input").and_then(Value::as_object),
        prompt: text("prompt"),
        model: payload.get("llm_request").and_then(|request| request.get("model")).and_then(Value::as_str),
        text: text("prompt_response").map(Cow::Borrowed).or_else(|| response.map(response_text)),
        agent: agent_of(payload),
        reading: None,
    }
}

/// The agent that a payload comes from, where another agent asks.
pub(crate) fn agent_of(payload: &JsonObject) -> Option<&str> {
    payload.get("agent")?.get("name")?.as_str()
}
