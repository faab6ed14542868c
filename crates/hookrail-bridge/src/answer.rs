//! A verdict in an agent's dialect.
//!
//! What the agent cannot carry out is first made into something that it can ([`settle`]), and only then written:
//! a dialect never has to drop anything.

mod settle;

use std::time::Duration;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agent::Agent;

use crate::agents::{canonical_event, dialect_of};
use crate::dialect::NativeEvent;
use crate::effects::{NativeEffects, nonblank};
use crate::event::BridgeEvent;
use crate::input::{event_name_in, read};
use crate::memory::SessionMemory;
use crate::outcome::Outcome;

/// What the bridge prints and how it exits, with what is to be logged and remembered.
#[must_use = "a block in an answer that is not printed has no effect"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NativeAnswer {
    /// For the agent; empty where the verdict asks for nothing.
    pub stdout: String,
    /// For the person, where the agent cannot show it.
    pub stderr: String,
    /// Always 0 today: every agent takes its decisions as JSON, and some read other exits as failures.
    pub exit_code: u8,
    /// Why the operation is refused, or the run ended, if it is. For a caller that cannot write `stdout`.
    pub refusal: Option<String>,
    /// What the agent cannot carry out, and what became of it instead. For the log.
    pub strengthened: Vec<String>,
    /// What is to be remembered of the session from now on; `None` if nothing changed.
    pub memory: Option<SessionMemory>,
}

/// Writes what came of an event in the agent's dialect.
pub fn answer(
    agent: Agent,
    event: &BridgeEvent,
    outcome: &Outcome,
    remembered: &SessionMemory,
) -> NativeAnswer {
    let settled = settle::settle(event, outcome, remembered);
    let answer = (dialect_of(agent).render)(event, &settled.effects);
    NativeAnswer {
        stdout: answer.filter(|answer| !answer.is_empty()).map(line).unwrap_or_default(),
        stderr: settled.stderr.iter().flat_map(|text| ["hookrail: ", text, "\n"]).collect(),
        exit_code: 0,
        refusal: settled.effects.deny.or(settled.effects.stop),
        strengthened: settled.strengthened,
        memory: Some(settled.memory.bounded()).filter(|memory| memory != remembered),
    }
}

/// The answer of a guard that does not work: settings that cannot be read, a payload that is not an event, a bug.
///
/// Before a tool, a model call or a prompt the guard's verdict is unknown, so it is refused, with the message as
/// reason. Anywhere else the message goes to stderr and has no effect.
pub fn broken(agent: Agent, event_argument: Option<&str>, stdin: &[u8], message: &str) -> NativeAnswer {
    let message = nonblank(message, "hookrail failed for an unknown reason");
    let event = read(agent, event_argument, stdin).ok().or_else(|| unreadable(agent, event_argument, stdin));
    let guarded = event.filter(|event| is_guarded(event.event));
    let Some(event) = guarded else {
        return NativeAnswer { stderr: format!("hookrail: {message}\n"), ..NativeAnswer::default() };
    };
    let effects = NativeEffects { deny: Some(message.clone()), ..NativeEffects::default() };
    let answer = (dialect_of(agent).render)(&event, &effects);
    NativeAnswer {
        stdout: answer.map(line).unwrap_or_default(),
        stderr: format!("hookrail: {message}\n"),
        refusal: Some(message),
        ..NativeAnswer::default()
    }
}

/// A refusal at a guarded event of which nothing but its name is known.
pub(crate) fn refusal(agent: Agent, event: &NativeEvent, reason: &str) -> JsonObject {
    let effects = NativeEffects { deny: Some(reason.to_owned()), ..NativeEffects::default() };
    (dialect_of(agent).render)(&bare(agent, event), &effects).unwrap_or_default()
}

/// A message to the user at an event of which nothing but its name is known; `None` where the agent shows none.
pub(crate) fn notice(agent: Agent, event: &NativeEvent, text: &str) -> Option<JsonObject> {
    let is_shown = event.ours.is_some_and(|ours| dialect_of(agent).can.show_to_user.contains(&ours));
    let effects = NativeEffects { user_message: Some(text.to_owned()), ..NativeEffects::default() };
    if is_shown { (dialect_of(agent).render)(&bare(agent, event), &effects) } else { None }
}

/// The time that an event may take in all. It is less than what the entry that `connect` writes grants.
pub fn time_budget(agent: Agent, native_event: &str) -> Duration {
    let dialect = dialect_of(agent);
    let event = dialect.event(canonical_event(agent, native_event));
    // An event that is not in the table gets the time of the shortest one.
    let shortest = || dialect.events().map(|event| event.grant).min().unwrap_or(Duration::from_secs(1));
    let grant = event.map_or_else(shortest, |event| event.grant);
    // A fifth of a short grant, two seconds of a long one: for the start, the answer and a busy machine.
    grant.saturating_sub((grant / 5).min(Duration::from_secs(2)))
}

/// Whether a refusal has an effect and a broken guard must refuse.
pub(crate) fn is_guarded(event: Option<EventName>) -> bool {
    event.is_some_and(EventName::is_guarded)
}

/// The event of a payload that cannot be read, if its name is found.
fn unreadable(agent: Agent, event_argument: Option<&str>, stdin: &[u8]) -> Option<BridgeEvent> {
    let found = event_name_in(stdin);
    let names = [event_argument, found.as_deref()];
    let known =
        names.into_iter().flatten().filter_map(|name| dialect_of(agent).event(canonical_event(agent, name)));
    known.max_by_key(|native| is_guarded(native.ours)).map(|native| bare(agent, &native))
}

/// An event without a payload.
fn bare(agent: Agent, native: &NativeEvent) -> BridgeEvent {
    BridgeEvent {
        agent,
        event: native.ours,
        native_event: native.name.to_owned(),
        payload: JsonObject::new(),
        session_id: None,
        cwd: None,
        native_tool: None,
        native_input: Value::Null,
        native_response: None,
        also_matches: Vec::new(),
        above: Vec::new(),
        reading: None,
    }
}

fn line(answer: JsonObject) -> String {
    format!("{}\n", Value::Object(answer))
}
