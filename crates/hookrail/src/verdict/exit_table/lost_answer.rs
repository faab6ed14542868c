//! An answer that is lost because stdout has other text beside it.
//!
//! Stdout is an answer only if it is one JSON object and nothing else. A script that prints a line of progress before
//! its block has written a message only, and the call is made; without a warning the loss would not be noticed.

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::output::json::{parse_json, parse_json_prefix};
use crate::output::{FIELDS, HookOutput};

/// How many places are tried at which an object over several lines may begin. Each try may read all that follows, so
/// that more of them would cost the square of the output.
const TRIES: usize = 16;

/// The warning about the first object in a text that would have been an answer by itself; one that blocks or stops goes
/// before all others. It begins on a line of its own and may be followed by anything.
pub(super) fn warning(stdout: &str) -> Option<String> {
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
        let loss = loss(fields);
        let warning = format!(
            "line {} of stdout is {loss} that is ignored, because other text stands beside it: stdout must be the JSON \
             object alone (print everything else to stderr)",
            index + 1
        );
        if loss != ANSWER {
            return Some(warning);
        }
        first.get_or_insert(warning);
    }
    first
}

/// Whether an object would have been the output of a hook, if it were alone.
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
