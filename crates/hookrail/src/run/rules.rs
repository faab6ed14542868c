//! Rules and conditions among the hooks of a plan. They are asked before anything is started: a rule needs no
//! process, and a command whose `when` does not hold is not started.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::formats::llm::response_text;
use crate::hook::{Hook, HookKind};
use crate::output::HookOutput;
use crate::rules::{Facts, Subject, Truth};
use crate::verdict::failure::HookFailure;
use crate::verdict::hook_run::{Exit, HookRun};

/// What is known of a hook before anything is started.
#[derive(Debug)]
pub(crate) enum RuleCheck {
    /// It is a command that has to be started.
    Start,
    /// It is a rule, and this is what it says.
    Answered(Box<HookRun>),
    /// Its condition does not hold: it says nothing and starts nothing.
    DoesNotHold,
}

/// Asks a rule, or the condition of a command.
pub(crate) fn ask(hook: &Arc<Hook>, facts: &Facts<'_>) -> RuleCheck {
    match &hook.kind {
        HookKind::Rule(rule) => {
            let start = Instant::now();
            match rule.answer(facts) {
                Some(output) => {
                    RuleCheck::Answered(Box::new(answered(hook, output.clone(), start.elapsed())))
                }
                None => RuleCheck::DoesNotHold,
            }
        }
        HookKind::UnreadableRule { why } => RuleCheck::Answered(Box::new(unreadable(hook, why))),
        HookKind::Command(_) | HookKind::Plugin => match &hook.when {
            // *Cannot tell* starts a hook: it can check more than a condition.
            Some(when) if when.evaluate(facts) == Truth::No => RuleCheck::DoesNotHold,
            _ => RuleCheck::Start,
        },
    }
}

fn answered(hook: &Arc<Hook>, output: HookOutput, duration: Duration) -> HookRun {
    HookRun { output: Some(output), duration, ..unfinished(hook, Exit::Rule) }
}

/// A failure that blocks guarded events, whatever `onFailure` says: what the rule would have forbidden is not known.
fn unreadable(hook: &Arc<Hook>, why: &str) -> HookRun {
    let failure = HookFailure::UnreadableRule { why: why.to_owned() };
    HookRun { failure: Some(failure), ..unfinished(hook, Exit::NotStarted(why.to_owned())) }
}

fn unfinished(hook: &Arc<Hook>, exit: Exit) -> HookRun {
    HookRun {
        hook: Arc::clone(hook),
        exit,
        stdout: String::new(),
        stderr: String::new(),
        duration: Duration::ZERO,
        output: None,
        failure: None,
        warnings: Vec::new(),
    }
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
    }
}

/// The agent that a payload comes from, where another agent asks.
pub(crate) fn agent_of(payload: &JsonObject) -> Option<&str> {
    payload.get("agent")?.get("name")?.as_str()
}
