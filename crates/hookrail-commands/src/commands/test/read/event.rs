//! The event of a test: in our own terms, or as another agent sends it.

use std::ops::Range;

use hookrail::components::{TypedInput, parse_input};
use hookrail::{EventName, JsonObject};
use hookrail_bridge::Agent;
use jsonc_parser::ast::Value as Ast;
use serde_json::Value;

use super::{Keys, TestFileReader, span};
use crate::event_input::sample_fields;

impl<'a> TestFileReader<'a> {
    /// An event in our own terms.
    /// Without `payload`, a sample is completed with `tool` and `input`: a test names only what it is about.
    pub(super) fn event(&mut self, keys: &mut Keys<'a>) -> Option<TypedInput> {
        let place = keys.range.start..keys.range.start + 1;
        let Some(word) = keys.take("event") else {
            return self.source.problem(place, "this test has no `event`", None);
        };
        let range = span(&word);
        let event = match &word {
            Ast::StringLit(literal) => match literal.value.parse::<EventName>() {
                Ok(event) => event,
                Err(error) => {
                    return self.source.problem(range, error.to_string(), None);
                }
            },
            other => return self.mistyped("`event`", "the name of an event", other),
        };
        let tool = self.text(keys, "tool");
        let input = keys.take("input").and_then(|input| self.object("`input`", input));
        let payload = keys.take("payload");
        let fields = match payload {
            Some(payload) if tool.is_some() || input.is_some() => {
                let message = "`payload` beside `tool` and `input`: only one of them can count";
                return self.source.problem(span(&payload), message, None);
            }
            Some(payload) => {
                let at = span(&payload);
                let fields = self.object("`payload`", payload)?;
                return self.typed(event, fields, at);
            }
            None if (tool.is_some() || input.is_some()) && !event.has_tool() => {
                let message = format!("`tool` and `input` are for tool events, not for {event}");
                let help = Some("`payload` takes the event's own fields".to_owned());
                return self.source.problem(range, message, help);
            }
            None if event.has_tool() && tool.is_none() => {
                let message = format!("a test of {event} needs a `tool`, or a `payload`");
                return self.source.problem(range, message, None);
            }
            None => sample_fields(event, tool.as_deref(), input),
        };
        self.typed(event, fields, range)
    }

    /// Another agent's payload, read as the bridge reads it.
    /// Such a test shows what a real payload of that agent leads to, tool names and all.
    pub(super) fn agents_event(&mut self, keys: &mut Keys<'a>) -> Option<TypedInput> {
        let place = keys.range.start..keys.range.start + 1;
        for key in ["tool", "input", "payload"] {
            if let Some(extra) = keys.take(key) {
                let message = format!("`{key}` beside `agent`: `stdin` has everything");
                return self.source.problem(span(&extra), message, None);
            }
        }
        let event = self.text(keys, "event");
        let (Some(agent), Some(stdin)) = (keys.take("agent"), keys.take("stdin")) else {
            let message = "`agent` and `stdin` belong together, and one of them is missing";
            return self.source.problem(place, message, None);
        };
        let agent: Agent = match &agent {
            Ast::StringLit(word) => match word.value.parse() {
                Ok(agent) => agent,
                Err(error) => {
                    return self.source.problem(span(&agent), format!("{error}"), None);
                }
            },
            other => return self.mistyped("`agent`", "the name of an agent", other),
        };
        let at = span(&stdin);
        let bytes = match stdin {
            Ast::StringLit(text) => text.value.into_owned().into_bytes(),
            Ast::Object(_) => Value::from(stdin).to_string().into_bytes(),
            other => return self.mistyped("`stdin`", "the agent's payload, an object or its text", &other),
        };
        // Our own name of the event is not in the agent's table, and is compared below.
        let ours = event.as_deref().and_then(|event| event.parse::<EventName>().ok());
        let mut read = match hookrail_bridge::read(agent, event.as_deref(), &bytes) {
            Ok(read) => read,
            Err(error) => {
                return self.source.problem(
                    at,
                    format!("`stdin` is not a payload of {}: {error}", agent.title()),
                    None,
                );
            }
        };
        let Some(mapped) = read.event else {
            let message =
                format!("{}'s event `{}` has no counterpart here", agent.title(), read.native_event);
            return self.source.problem(at, message, None);
        };
        if ours.is_some_and(|ours| ours != mapped) {
            let message = format!("`stdin` is a payload of {mapped}, not of the `event` above");
            return self.source.problem(at, message, None);
        }
        // The folder of the machine where the payload was taken is not the project that is tested.
        read.payload.shift_remove("cwd");
        let mut input = self.typed(mapped, read.payload, at)?;
        input.base.also_matches = read.also_matches;
        input.base.reading = read.reading;
        Some(input)
    }

    /// Reads fields as the event's payload. The help names the schema, because the engine's error names one field only.
    fn typed(&mut self, event: EventName, fields: JsonObject, at: Range<usize>) -> Option<TypedInput> {
        match parse_input(event, Value::Object(fields)) {
            Ok(input) => Some(input),
            Err(error) => {
                let help = Some(format!("`hookrail schema input {event}` prints what belongs in it"));
                self.source.problem(at, format!("the payload does not fit {event}: {error}"), help)
            }
        }
    }
}
