//! The first test beside a first hook: what the starter does with the event's sample, and what it refuses.

use hookrail::EventName;
use serde_json::{Value, json};

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
    let mut sample = json!({ "name": format!("{hook}: {event} goes on"), "event": event.as_str() });
    if let Value::Object(sample) = &mut sample {
        if event.has_tool() {
            sample.insert("tool".to_owned(), "write_file".into());
        }
        sample.insert("expect".to_owned(), json!({ "decision": "allow", "ran": [hook] }));
    }
    let refused = match event {
        EventName::BeforeTool => json!({
            "tool": "write_file",
            "input": { "file_path": ".env", "content": "KEY=1" },
            "expect": { "decision": "block", "reason": ".env", "ran": [hook] },
        }),
        EventName::BeforeModel => json!({
            "payload": { "llm_request": { "model": "m", "messages": [
                { "role": "user", "content": "-----BEGIN RSA PRIVATE KEY-----\nabc" }] } },
            "expect": { "decision": "block", "ran": [hook] },
        }),
        EventName::AfterAgent => json!({
            "payload": { "prompt": "p", "prompt_response": "A TODO stays", "stop_hook_active": false },
            "expect": { "decision": "block", "ran": [hook] },
        }),
        _ => return vec![sample],
    };
    let mut named = json!({ "name": format!("{hook}: what it blocks"), "event": event.as_str() });
    if let (Value::Object(named), Value::Object(refused)) = (&mut named, refused) {
        named.extend(refused);
    }
    vec![sample, named]
}

/// The tests of the starter rule.
/// The last one expects that the rule is not involved at all.
pub(super) fn of_rule(rule: &str) -> Vec<Value> {
    let push = |name: &str, command: &str, expect: Value| {
        json!({
            "name": format!("{rule}: {name}"),
            "event": "BeforeTool",
            "tool": "run_shell_command",
            "input": { "command": command },
            "expect": expect,
        })
    };
    vec![
        push("a force push", "git push -f", json!({ "decision": "block", "ran": [rule] })),
        push("behind sudo", "sudo git push origin --force", json!({ "decision": "block", "ran": [rule] })),
        push("a plain push", "git push", json!({ "notRan": [rule] })),
    ]
}
