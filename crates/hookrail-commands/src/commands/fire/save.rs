//! `fire --save-test`: the call that was tried, kept as a test of the project.
//!
//! The verdict is printed before the test is written, and counts if writing fails.

use std::time::Duration;

use hookrail::EventName;
use hookrail::components::Event;
use serde_json::{Value, json};

use super::Fired;
use crate::commands::test::case::DecisionWord;
use crate::commands::test::load::TESTS_FOLDER;
use crate::commands::test::save;
use crate::commands::test::seen::SeenOutcome;
use crate::context::Context;
use crate::display::shown;
use crate::terminal::printer::{Printer, escape_line};

/// The file in which tried calls are kept.
const FILE: &str = "fired.json";

/// Adds the call to the project's tests, with what came of it as what is expected.
pub(super) fn save(
    name: &str,
    fired: &Fired<'_>,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let file = context.project().join(TESTS_FOLDER).join(FILE);
    save::add(&file, &[test(name, fired)], context)?;
    printer.message(format_args!("kept as the test `{}` in {}", escape_line(name), shown(&file, context)));
    Ok(())
}

/// The call as a test.
/// A plain tool call is kept by its tool and arguments, which people can read and change; other events by their
/// payload.
fn test(name: &str, fired: &Fired<'_>) -> Value {
    let event = fired.input.event();
    let mut test = json!({ "name": name, "event": event.name().as_str() });
    let has_own_fields =
        fired.input.base != hookrail::components::BaseOverrides::default() || !fired.input.extra.is_empty();
    match &event {
        Event::BeforeTool { tool_name, tool_input } if !has_own_fields => {
            set(&mut test, "tool", (*tool_name).into());
            set(&mut test, "input", Value::Object((*tool_input).clone()));
        }
        _ => set(&mut test, "payload", payload(fired)),
    }
    let seen = SeenOutcome::new(&fired.input.event, &fired.result, Duration::ZERO);
    let mut expect = json!({ "decision": seen.decision.as_str() });
    if let Some(reason) = seen.reasons.first().filter(|_| seen.decision != DecisionWord::Allow) {
        set(&mut expect, "reason", reason.as_str().into());
    }
    let ran: Vec<&str> = seen.ran.iter().map(|ran| ran.name.as_str()).collect();
    set(&mut expect, "ran", ran.into());
    if event.name() == EventName::BeforeTool
        && let (Some(after), Event::BeforeTool { tool_input, .. }) = (&seen.input, &event)
        && after != *tool_input
    {
        set(&mut expect, "input", Value::Object(after.clone()));
    }
    // Of other events the output is what matters: a message, a changed request, a replaced result.
    if event.name() != EventName::BeforeTool
        && let Some(Value::Object(mut output)) = seen.output.clone()
    {
        output.retain(|key, _| !matches!(key.as_str(), "decision" | "reason"));
        if !output.is_empty() {
            set(&mut expect, "output", Value::Object(output));
        }
    } else if let Some(message) = fired.result.system_message.as_deref() {
        set(&mut expect, "output", json!({ "systemMessage": message }));
    }
    if !seen.failures.is_empty() {
        set(&mut expect, "errors", true.into());
    }
    set(&mut test, "expect", expect);
    test
}

/// Everything that the event was given.
/// Fields of the session are kept only where they were given.
fn payload(fired: &Fired<'_>) -> Value {
    let mut fields = serde_json::to_value(fired.input.event()).unwrap_or_default();
    if let Value::Object(fields) = &mut fields {
        fields.shift_remove("hook_event_name");
        let base = &fired.input.base;
        let given = [
            ("session_id", base.session_id.clone()),
            ("transcript_path", base.transcript_path.clone()),
            ("cwd", base.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned())),
            ("timestamp", base.timestamp.clone()),
        ];
        let given = given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
        fields.extend(given);
        fields.extend(fired.input.extra.clone());
    }
    fields
}

/// Adds a key; every value it is used with is an object.
fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(object) = object {
        object.insert(key.to_owned(), value);
    }
}
