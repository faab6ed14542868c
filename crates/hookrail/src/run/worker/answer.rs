//! What a line of a worker means. Pure.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::output::json::{parse_json, trim_output};
use crate::run::process::{Captured, Finished};
use crate::verdict::failure::AnswerFault;
use crate::verdict::hook_run::Exit;

/// The most questions at once that a worker is sent, whatever it announces.
const MOST_AT_ONCE: u8 = 64;

/// One line of a worker.
#[expect(clippy::large_enum_variant, reason = "most lines are answers, and there is one at a time")]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The announcement that may be the first line: how many questions at once.
    Ready(usize),
    /// An answer to the question of this id, in the form of what a process would have left behind; or how it breaks the
    /// protocol.
    Answer(String, Result<Finished, AnswerFault>),
    /// Anything else.
    NoAnswer,
}

/// Reads a line without its line feed, keeping at most `keep` bytes of each stream.
pub(super) fn read_line(bytes: &[u8], keep: usize) -> Line {
    let text = String::from_utf8_lossy(bytes);
    let Ok(fields) = serde_json::from_str::<AnswerFields<'_>>(trim_output(&text)) else {
        return Line::NoAnswer;
    };
    let Some(id) = fields.get(&Field::Id) else {
        let is_ready = fields.get(&Field::Ready).is_some_and(|ready| ready.get() == "true");
        let at_once = || concurrency(fields.get(&Field::Concurrent).copied());
        return if is_ready { Line::Ready(at_once()) } else { Line::NoAnswer };
    };
    text_of(id).map_or(Line::NoAnswer, |id| Line::Answer(id, answer(&fields, keep)))
}

/// The fields of a line; of repeated ones the last counts, as everywhere. Their values are checked to be JSON and otherwise
/// left as they are: an output may be large, and is read later, outside of the lock on the connection.
type AnswerFields<'l> = HashMap<Field, &'l RawValue>;

#[derive(Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "camelCase")]
enum Field {
    Id,
    Ready,
    Concurrent,
    Output,
    ExitCode,
    Stdout,
    Stderr,
    #[serde(other)]
    Unknown,
}

fn answer(fields: &AnswerFields<'_>, keep: usize) -> Result<Finished, AnswerFault> {
    let (code, stdout, stderr) = match (fields.get(&Field::Output), fields.get(&Field::ExitCode)) {
        (Some(_), Some(_)) => return Err(AnswerFault::Both),
        (None, None) => return Err(AnswerFault::Neither),
        (Some(output), None) => {
            // A string is the text that a process would have written, whatever is in it.
            let text = text_of(output).map_or(Cow::Borrowed(output.get()), Cow::Owned);
            (0, text, String::new())
        }
        (None, Some(code)) => {
            let code: u8 = code.get().parse().map_err(|_| AnswerFault::ExitCode)?;
            let stream = |field| fields.get(&field).map_or(Some(String::new()), |value| text_of(value));
            let stdout = stream(Field::Stdout).ok_or(AnswerFault::Stdout)?;
            let stderr = stream(Field::Stderr).ok_or(AnswerFault::Stderr)?;
            (i32::from(code), Cow::Owned(stdout), stderr)
        }
    };
    let (stdout, stderr) = (kept(stdout, keep), kept(Cow::Owned(stderr), keep));
    Ok(Finished { exit: Exit::Code(code), stdout, stderr, duration: Duration::ZERO })
}

/// The text that a JSON string holds; `None` for any other value.
fn text_of(value: &RawValue) -> Option<String> {
    if !value.get().starts_with('"') {
        return None;
    }
    match parse_json(value.get()) {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// How many questions at once a worker announces; one where the value is not a number.
fn concurrency(value: Option<&RawValue>) -> usize {
    let number = value.and_then(|value| value.get().parse::<f64>().ok()).unwrap_or(1.0);
    // A number below one counts as one.
    (1..=MOST_AT_ONCE).rev().find(|whole| number >= f64::from(*whole)).map_or(1, usize::from)
}

/// The beginning of a text, as the bytes of a stream would have been kept.
fn kept(text: Cow<'_, str>, keep: usize) -> Captured {
    let truncated = text.len() > keep;
    let mut bytes = text.into_owned().into_bytes();
    bytes.truncate(keep);
    Captured { bytes, truncated }
}

#[cfg(test)]
mod tests;
