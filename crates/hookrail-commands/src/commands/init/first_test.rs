//! The first test beside a first hook: what the starter does with the event's sample, and what it refuses.

use std::collections::BTreeMap;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::commands::test::case::{DecisionWord, Expect};
use crate::commands::test::load::TESTS_FOLDER;
use crate::commands::test::save;
use crate::context::Context;
use crate::display::shown;
use crate::terminal::printer::{Printer, escape_line};

/// Writes the tests of a project's new hook into a file of their own. An existing file is left alone: it may be the
/// test of a hook that had this name before.
pub(super) fn write(
    hook: &str,
    tests: &[Value],
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let file = context.project().join(TESTS_FOLDER).join(format!("{hook}.json"));
    if std::fs::symlink_metadata(&file).is_ok() {
        printer.message(format_args!("note: {} is there already, and was left alone", shown(&file, context)));
        return Ok(());
    }
    match save::add(&file, tests, context) {
        Ok(()) => printer
            .data(format_args!("wrote {}, its first test: `hookrail test` runs it", shown(&file, context))),
        // The hook is there and works without its test.
        Err(error) => {
            let error = escape_line(&error.to_string());
            printer.message(format_args!("warning: the first test was not written: {error}"));
            Ok(())
        }
    }
}

/// The tests of an event's starter.
/// The first one fires the sample of the event and expects that it goes on; where the starter refuses something, a
/// second one shows that.
pub(super) fn of_starter(event: EventName, hook: &str) -> Vec<Value> {
    let tool = event.has_tool().then(|| ("tool".to_owned(), "write_file".into()));
    let expect =
        Expect { decision: Some(DecisionWord::Allow), ran: vec![hook.to_owned()], ..Expect::default() };
    let name = format!("{hook}: {event} goes on");
    let mut tests = vec![save::test(&name, event.as_str(), JsonObject::from_iter(tool), &expect)];
    tests.extend(prepared(event.as_str(), hook));
    tests
}

/// The tests of the starter rule.
/// The last one expects that the rule is not involved at all.
pub(super) fn of_rule(rule: &str) -> Vec<Value> {
    prepared("rule", rule)
}

/// The tests in the file beside this one, with the name of the hook, which holds nothing that JSON would escape.
fn prepared(of: &str, hook: &str) -> Vec<Value> {
    let text = include_str!("first_tests.json").replace("HOOK", hook);
    let mut all: BTreeMap<String, Vec<Value>> = serde_json::from_str(&text).unwrap_or_default();
    all.remove(of).unwrap_or_default()
}
