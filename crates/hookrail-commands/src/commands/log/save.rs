//! `log --save-test`: a call that was logged, kept as a test of the project, with what came of it then.
//!
//! The engine's own log identifies the call; what the hooks were given is in the session log alone.
//!
//! The test expects what happened then, and not what today's hooks would answer: it fails when they differ.

use std::path::{Path, PathBuf};

use hookrail::{EventName, JsonObject};
use serde_json::{Value, json};

use crate::cli::LogArgs;
use crate::commands::test::case::{DecisionWord, Expect};
use crate::commands::test::load::TESTS_FOLDER;
use crate::commands::test::save;
use crate::context::Context;
use crate::display::{short_home, shown};
use crate::exit::{ExitStatus, Hinted, fail};
use crate::hook_log::{LoggedCall, OpenLogs, SHORT_ID, open_named};
use crate::terminal::printer::{Printer, escape_line};

/// The file in which logged calls are kept.
const FILE: &str = "logged.json";

/// Keeps the call as a test.
/// An id that fits several calls is refused and not resolved by a guess.
pub(super) fn run(
    id: &str,
    args: &LogArgs,
    logs: OpenLogs,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let is_it = |call: &LoggedCall| call.id().is_some_and(|known| known.starts_with(id));
    let found = matching(logs, is_it)?;
    let Some(first) = found.first() else {
        let named = args.files.is_empty();
        let (place, hint) = if named {
            ("the log", "`hookrail log` prints the ids of calls; `hookrail log FILE` those of a session log")
        } else {
            ("these logs", "`hookrail log FILE` prints the ids of calls")
        };
        return fail(format!("there is no call `{}` in {place}", escape_line(id)), hint);
    };
    if let Some(other) = found.iter().find(|line| line.id() != first.id()) {
        let [one, other] = [first, other].map(|line| line.id().unwrap_or_default());
        let message = format!("`{}` matches more than one call: `{one}` and `{other}`", escape_line(id));
        return fail(message, "give more of the id; `--format json` prints all of it");
    }
    let id = first.id().unwrap_or_default();
    let logs = if args.files.is_empty() { session_log(first, context)? } else { open_named(&args.files)? };
    let event = event_of(logs, &id)?;
    let Some(payload) = event.first().and_then(LoggedCall::input) else {
        return Err(no_payload(&id, "this log does not have what the hooks were given").into());
    };
    let test = test(&id, &event, payload, context, printer);
    let file = context.project().join(TESTS_FOLDER).join(FILE);
    save::add(&file, std::slice::from_ref(&test), context)?;
    let name = test.get("name").and_then(Value::as_str).unwrap_or_default();
    printer.message(format_args!("kept as the test `{}` in {}", escape_line(name), shown(&file, context)));
    Ok(ExitStatus::Success)
}

/// The error for a call without a payload: which calls have one, and what to do about the others.
fn no_payload(id: &str, why: &str) -> Hinted {
    let short = id.get(..SHORT_ID).unwrap_or(id);
    Hinted::new(
        format!("the call `{short}` cannot be repeated: {why}"),
        "`hookrail agent` keeps payloads in session logs (`hookrail log FILE --save-test ID` reads one that is \
elsewhere); for calls of other agents there is `hookrail replay --save-tests FILE`, and `hookrail fire … --save-test NAME`",
    )
}

/// The log of the session that a call belongs to.
/// A session id of another agent is not trusted as a name of a file.
fn session_log(line: &LoggedCall, context: &Context) -> anyhow::Result<OpenLogs> {
    let session = &line.session_id;
    // Other agents choose the ids of their sessions.
    let is_name =
        !session.is_empty() && session.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let path = context.state_dir().join("sessions").join(format!("{session}.jsonl"));
    if !is_name || !path.exists() {
        let id = line.id().unwrap_or_default();
        let session = escape_line(session);
        let path = short_home(&path.to_string_lossy(), context);
        let why = if is_name {
            format!("the log of its session is not there: {path}")
        } else {
            format!("there is no session log of `{session}`")
        };
        return Err(no_payload(&id, &why).into());
    }
    open_named(&[path])
}

/// The calls that are wanted, in the order of the files.
fn matching(logs: OpenLogs, wanted: impl Fn(&LoggedCall) -> bool) -> anyhow::Result<Vec<LoggedCall>> {
    logs.lines().filter(|call| call.as_ref().map_or(true, &wanted)).collect()
}

/// All calls of the event that a call was made for, the first one first. Hooks in a chain are given what the ones before
/// them changed, so that they have ids of their own; the moment of the event is the same for all.
fn event_of(logs: OpenLogs, id: &str) -> anyhow::Result<Vec<LoggedCall>> {
    let moment = |line: &LoggedCall| {
        let input = line.input()?;
        Some(["session_id", "timestamp", "hook_event_name", "tool_name"].map(|key| input.get(key).cloned()))
    };
    let lines = matching(logs, |call| call.input().is_some())?;
    let Some(at) = lines.iter().find(|line| line.id().as_deref() == Some(id)).map(&moment) else {
        return Ok(Vec::new());
    };
    let is_same = |line: &LoggedCall| line.id().as_deref() == Some(id);
    let names: Vec<String> =
        lines.iter().filter(|line| is_same(line)).map(|line| line.name.clone()).collect();
    // Two calls of one tool in one millisecond are distinguished by their hooks, which are the same for both.
    let belongs = |line: &LoggedCall| is_same(line) || (moment(line) == at && !names.contains(&line.name));
    Ok(lines.into_iter().filter(belongs).collect())
}

/// The event as a test.
/// Fields that belong to the session of then are left out; `cwd` stays where it lies in this project.
fn test(
    id: &str,
    event: &[LoggedCall],
    mut payload: JsonObject,
    context: &Context,
    printer: &mut Printer,
) -> Value {
    let name = payload.shift_remove("hook_event_name").unwrap_or_default();
    for key in ["session_id", "transcript_path", "timestamp"] {
        payload.shift_remove(key);
    }
    let cwd = payload.get("cwd").and_then(Value::as_str).map(PathBuf::from);
    if cwd.as_deref().is_none_or(|cwd| !is_below(cwd, context.project())) {
        payload.shift_remove("cwd");
    }
    if let Some(cwd) = cwd.filter(|cwd| !cwd.starts_with(context.project())) {
        let cwd = shown(&cwd, context);
        printer.message(format_args!(
            "note: this call was made in {cwd}, and is kept as a test of this project"
        ));
    }
    let tool = payload.get("tool_name").and_then(Value::as_str).map(str::to_owned);
    let what = tool.as_deref().or(name.as_str()).unwrap_or_default();
    let test_name = format!("{what}, logged {}", id.get(..SHORT_ID).unwrap_or(id));
    let is_plain = name == json!(EventName::BeforeTool.as_str()) && payload.len() == 2;
    let given = match (payload.get("tool_name").and_then(Value::as_str), payload.get("tool_input")) {
        (Some(tool), Some(Value::Object(input))) if is_plain => save::tool_call(tool, input),
        _ => save::payload(payload.clone()),
    };
    save::test(&test_name, name.as_str().unwrap_or_default(), given, &expected(event))
}

/// The project itself is the default and is left out.
fn is_below(folder: &Path, project: &Path) -> bool {
    folder != project && folder.starts_with(project)
}

/// What came of the event.
/// A block outranks a stop and a stop a question, as in the engine's merge.
fn expected(event: &[LoggedCall]) -> Expect {
    let failed = event.iter().any(|line| line.error.is_some());
    let first = |is: fn(&LoggedCall) -> bool| event.iter().find(|line| is(line));
    let decided = first(LoggedCall::blocked).map(|line| (DecisionWord::Block, line));
    let decided = decided.or_else(|| Some((DecisionWord::Stop, first(LoggedCall::stopped)?)));
    let decided = decided.or_else(|| Some((DecisionWord::Ask, first(LoggedCall::asked)?)));
    let (decision, reason) = match decided {
        Some((word, line)) => (Some(word), line.reason().map(str::to_owned)),
        // Whether a failure blocks is the hook's own setting, which the log does not contain.
        None => ((!failed).then_some(DecisionWord::Allow), None),
    };
    let mut input = JsonObject::new();
    for line in event {
        let changed =
            line.output.as_ref().and_then(|output| output.pointer("/hookSpecificOutput/tool_input"));
        input.extend(changed.and_then(Value::as_object).cloned().unwrap_or_default());
    }
    Expect {
        decision,
        reason,
        ran: event.iter().map(|line| line.name.clone()).collect(),
        input: Some(input).filter(|input| !input.is_empty()),
        errors: failed.then_some(true),
        ..Expect::default()
    }
}
