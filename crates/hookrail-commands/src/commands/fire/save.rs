//! `fire --save-test`: the call that was tried, kept as a test of the project.
//!
//! The verdict is printed before the test is written, and counts if writing fails.

use std::time::Duration;

use hookrail::components::Event;
use hookrail::{EventName, JsonObject};
use serde_json::Value;

use super::Fired;
use crate::commands::test::case::{DecisionWord, Expect};
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
/// A plain tool call is kept by its tool and arguments, other events by their payload.
fn test(name: &str, fired: &Fired<'_>) -> Value {
    let event = fired.input.event();
    let has_own_fields =
        fired.input.base != hookrail::components::BaseOverrides::default() || !fired.input.extra.is_empty();
    let given = match &event {
        Event::BeforeTool { tool_name, tool_input } if !has_own_fields => {
            save::tool_call(tool_name, tool_input)
        }
        _ => save::payload(payload(fired)),
    };
    let seen = SeenOutcome::new(&fired.input.event, &fired.result, Duration::ZERO);
    let changed = match &event {
        Event::BeforeTool { tool_input, .. } => seen.input.filter(|after| after != *tool_input),
        _ => None,
    };
    // Of other events the output is what matters: a message, a changed request, a replaced result.
    let output = match seen.output {
        Some(Value::Object(mut output)) if event.name() != EventName::BeforeTool => {
            output.retain(|key, _| !matches!(key.as_str(), "decision" | "reason"));
            Some(output).filter(|output| !output.is_empty())
        }
        _ => fired
            .result
            .system_message
            .as_deref()
            .map(|message| JsonObject::from_iter([("systemMessage".to_owned(), message.into())])),
    };
    let is_allowed = seen.decision == DecisionWord::Allow;
    let expect = Expect {
        decision: Some(seen.decision),
        reason: seen.reasons.into_iter().next().filter(|_| !is_allowed),
        ran: seen.ran.into_iter().map(|ran| ran.name).collect(),
        input: changed,
        output,
        errors: (!seen.failures.is_empty()).then_some(true),
        ..Expect::default()
    };
    save::test(name, event.name().as_str(), given, &expect)
}

/// Everything that the event was given.
/// Fields of the session are kept only where they were given.
fn payload(fired: &Fired<'_>) -> JsonObject {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(fired.input.event()) else {
        return JsonObject::new();
    };
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
    fields
}
