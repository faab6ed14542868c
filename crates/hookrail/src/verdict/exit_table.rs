//! The protocol's exit table: how a hook ended and what it wrote, read as what it asks for. Pure.

mod lost_answer;

use std::borrow::Cow;

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::output::json::{JsonProblem, parse_json, trim_output};
use crate::output::{DEFAULT_BLOCK_REASON, HookOutput, first_not_blank};
use crate::verdict::hook_run::Exit;

/// How much of stderr goes into the text of a failure, in bytes. The whole of it stays with the run.
const STDERR_IN_FAILURE: usize = 4096;

/// What a finished hook asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Interpreted {
    /// Its answer, if it gave one.
    pub(crate) output: Option<HookOutput>,
    /// Why it gave no verdict; `None` where it gave one, be it by silence.
    pub(crate) failure: Option<String>,
    /// What was odd about its answer.
    pub(crate) warnings: Vec<String>,
}

/// Reads what a finished hook asks for. The exit picks the stream; stdout never overrules it.
pub(crate) fn interpret(exit: &Exit, stdout: &str, stdout_truncated: bool, stderr: &str) -> Interpreted {
    let (stdout, stderr) = (trim_output(stdout), trim_output(stderr));
    match exit {
        // Half a JSON text could lack the half that blocks.
        Exit::Code(0) if stdout_truncated => Interpreted::failed(
            "wrote more to stdout than is kept, so that its answer could not be read".to_owned(),
        ),
        Exit::Code(0) => read_answer(stdout),
        Exit::Code(2) => {
            let reason = first_not_blank([Some(stderr), Some(stdout)]).unwrap_or(DEFAULT_BLOCK_REASON);
            Interpreted { output: Some(HookOutput::deny(reason)), ..Interpreted::default() }
        }
        Exit::Code(code) => Interpreted::complained(&format!("exited with code {code}"), stderr),
        Exit::Signal(signal) => Interpreted::complained(&format!("was ended by signal {signal}"), stderr),
        Exit::TimedOut(after) => Interpreted::failed(format!("timed out after {} ms", after.as_millis())),
        Exit::NoAnswer(why) => {
            Interpreted { warnings: lost_outputs(stdout), ..Interpreted::complained(why, stderr) }
        }
        // A rule's answer is read with the settings, not from a stream.
        Exit::Rule => Interpreted::default(),
        Exit::NotStarted(why) => Interpreted::failed(format!("could not be started: {why}")),
    }
}

/// What to say of lines that would have been hook outputs, had they not stood where none counts.
fn lost_outputs(stdout: &str) -> Vec<String> {
    const TELLING: [&str; 5] = ["decision", "continue", "stopReason", "systemMessage", "hookSpecificOutput"];
    let is_output = |line: &&str| {
        line.trim_start().starts_with('{')
            && matches!(parse_json(line), Ok(Value::Object(fields)) if TELLING.iter().any(|key| fields.contains_key(*key)))
    };
    let lost = stdout.lines().filter(is_output).take(1);
    lost.map(|line| {
        format!("a line of its output would have been an answer, and does not count: {}", shortened(line))
    })
    .collect()
}

/// Exit 0: a JSON object is the answer, silence is consent, and anything else is a message for the model.
fn read_answer(stdout: &str) -> Interpreted {
    if stdout.is_empty() {
        return Interpreted::default();
    }
    match parse_object(stdout) {
        Ok(Some(fields)) => {
            let (output, warnings) = HookOutput::from_object(fields);
            Interpreted { output: Some(output), failure: None, warnings }
        }
        Ok(None) => Interpreted::said(stdout),
        Err(JsonProblem::NotJson { offset }) => {
            let warning = lost_answer::find(stdout).map(|lost| lost.to_string()).or_else(|| {
                // A script that writes an object with a mistake in it meant something else than a message.
                stdout.starts_with('{').then(|| {
                    format!("stdout starts like a JSON object but is not JSON (byte {offset}): taken as plain text")
                })
            });
            Interpreted { warnings: warning.into_iter().collect(), ..Interpreted::said(stdout) }
        }
        Err(problem @ (JsonProblem::TooDeep | JsonProblem::TooManyValues)) => {
            Interpreted::failed(format!("wrote an answer that could not be read: {problem}"))
        }
    }
}

/// The object that a text holds, directly or in a JSON string; `None` for JSON that holds none.
fn parse_object(text: &str) -> Result<Option<JsonObject>, JsonProblem> {
    match parse_json(text)? {
        Value::Object(fields) => Ok(Some(fields)),
        Value::String(inner) => match parse_json(&inner) {
            Ok(Value::Object(fields)) => Ok(Some(fields)),
            Err(problem) if !problem.is_plain_text() => Err(problem),
            Ok(_) | Err(_) => Ok(None),
        },
        _ => Ok(None),
    }
}

impl Interpreted {
    fn failed(why: String) -> Self {
        Self { failure: Some(why), ..Self::default() }
    }

    fn said(message: &str) -> Self {
        Self { output: Some(HookOutput::allow_saying(message)), ..Self::default() }
    }

    /// A failure whose stderr is kept as a warning.
    fn complained(what: &str, stderr: &str) -> Self {
        if stderr.is_empty() {
            return Self::failed(what.to_owned());
        }
        Self {
            output: Some(HookOutput::allow_saying(format!("Warning: {stderr}"))),
            failure: Some(format!("{what}: {}", shortened(stderr))),
            warnings: Vec::new(),
        }
    }
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(STDERR_IN_FAILURE)) {
        Some(start) if start.len() < text.len() => {
            Cow::Owned(format!("{start}… ({} bytes more)", text.len() - start.len()))
        }
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests;
