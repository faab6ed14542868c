//! An answer that is lost because other text stands beside it on stdout.
//!
//! Stdout is an answer only if it is one JSON object and nothing else. A script that prints a line of progress before
//! its block has written a message only, and the call is made; without a warning the loss would not be noticed.

use std::fmt;

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::output::HookOutput;
use crate::output::json::{parse_json, parse_json_prefix};

/// The fields by which an object is known as the output of a hook. Other objects are taken for plain text.
const FIELDS: [&str; 7] =
    ["decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"];

/// How many places are tried at which an object over several lines may begin. Each try may read all that follows, so
/// that more of them would cost the square of the output.
const TRIES: usize = 16;

/// An answer that is ignored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LostAnswer {
    /// The line on which it begins, from one.
    line: usize,
    /// What it would have done.
    loss: &'static str,
}

impl fmt::Display for LostAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, loss } = self;
        write!(
            f,
            "line {line} of stdout is {loss} that is ignored, because other text stands beside it: stdout must be the \
             JSON object alone (print everything else to stderr)"
        )
    }
}

/// Finds the first object in a text that would have been an answer by itself; one that blocks or stops goes before
/// all others. It begins on a line of its own and may be followed by anything.
pub(super) fn find(stdout: &str) -> Option<LostAnswer> {
    let mut tries = TRIES;
    let mut at = 0;
    let mut first = None;
    for (index, line) in stdout.split('\n').enumerate() {
        let rest = stdout.get(at..).unwrap_or_default();
        at += line.len() + 1;
        if !line.trim_start().starts_with('{') {
            continue;
        }
        let found = parse_json(line).ok().or_else(|| {
            tries = tries.checked_sub(1)?;
            parse_json_prefix(rest).ok()
        });
        let Some(Value::Object(fields)) = found else { continue };
        if !is_output(&fields) {
            continue;
        }
        let what = loss(fields);
        let lost = LostAnswer { line: index + 1, loss: what };
        if what != ANSWER {
            return Some(lost);
        }
        first.get_or_insert(lost);
    }
    first
}

/// Whether an object would have been the output of a hook, had it stood alone.
pub(super) fn is_output(fields: &JsonObject) -> bool {
    FIELDS.iter().any(|field| fields.contains_key(*field))
}

const ANSWER: &str = "an answer";

fn loss(fields: JsonObject) -> &'static str {
    let (output, _) = HookOutput::from_object(fields);
    if output.is_blocking_decision() || output.is_permission_denied() {
        "a block"
    } else if output.should_stop_execution() {
        "a stop"
    } else {
        ANSWER
    }
}
