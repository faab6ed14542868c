//! The protocol's exit table: how a hook ended and what it wrote, read as what it asks for. Pure.

use serde_json::Value;

use crate::formats::json_object::JsonObject;
use crate::output::json::{JsonProblem, parse_json, parse_json_prefix, trim_output};
use crate::output::{DEFAULT_BLOCK_REASON, HookOutput, first_not_blank, is_answer};
use crate::verdict::failure::HookFailure;
use crate::verdict::hook_run::Exit;

/// How much of stderr goes into the text of a failure, in bytes. The whole of it stays with the run.
const STDERR_IN_FAILURE: usize = 4096;

/// What a finished hook asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Interpreted {
    /// Its answer, if it gave one.
    pub(crate) output: Option<HookOutput>,
    /// Why it gave no verdict; `None` where it gave one, which includes an empty output.
    pub(crate) failure: Option<HookFailure>,
    /// What was odd about its answer.
    pub(crate) warnings: Vec<String>,
}

/// Reads what a finished hook asks for. The exit picks the stream; stdout never overrules it.
pub(crate) fn interpret(exit: &Exit, stdout: &str, stdout_truncated: bool, stderr: &str) -> Interpreted {
    let (stdout, stderr) = (trim_output(stdout), trim_output(stderr));
    match exit {
        // Half a JSON text could lack the half that blocks.
        Exit::Code(0) | Exit::Answered if stdout_truncated => Interpreted::failed(HookFailure::Truncated),
        Exit::Code(0) => read_answer(stdout),
        Exit::Code(2) => {
            let reason = first_not_blank([Some(stderr), Some(stdout)]).unwrap_or(DEFAULT_BLOCK_REASON);
            Interpreted { output: Some(HookOutput::deny(reason)), ..Interpreted::default() }
        }
        Exit::Code(code) => Interpreted::failed_with_stderr(
            HookFailure::ExitCode { code: *code, stderr: shortened(stderr) },
            stderr,
        ),
        Exit::Signal(signal) => Interpreted::failed_with_stderr(
            HookFailure::Signal { signal: *signal, stderr: shortened(stderr) },
            stderr,
        ),
        Exit::TimedOut(after) => Interpreted::failed(HookFailure::TimedOut(*after)),
        Exit::Unknown => Interpreted::failed(HookFailure::StatusUnknown),
        Exit::NoAnswer(why) => {
            let failure = HookFailure::NoAnswer { why: why.clone(), stderr: shortened(stderr) };
            Interpreted {
                warnings: lost_output(stdout).into_iter().collect(),
                ..Interpreted::failed_with_stderr(failure, stderr)
            }
        }
        Exit::Answered => read_service(stdout),
        Exit::NotAnswered(why) => Interpreted::failed(HookFailure::NotAnswered { why: why.clone() }),
        // A rule's answer is read with the settings, not from a stream.
        Exit::Rule => Interpreted::default(),
        Exit::NotStarted(why) => Interpreted::failed(HookFailure::NotStarted { why: why.clone() }),
    }
}

/// The warning about a line that looks like a hook output where outputs are not read.
fn lost_output(stdout: &str) -> Option<String> {
    let is_lost = |line: &&str| {
        line.trim_start().starts_with('{')
            && matches!(parse_json(line), Ok(Value::Object(fields)) if is_answer(&fields))
    };
    let lost = shortened(stdout.lines().find(is_lost)?);
    Some(format!("a line of its output would have been an answer, and is ignored: {lost}"))
}

/// Exit 0: a JSON object is the answer, no output means allow, and anything else is a message for the model.
fn read_answer(stdout: &str) -> Interpreted {
    if stdout.is_empty() {
        return Interpreted::default();
    }
    match parse_object(stdout) {
        Ok(Some(fields)) => {
            let (output, warnings) = HookOutput::from_object(fields);
            Interpreted { output: Some(output), failure: None, warnings }
        }
        Ok(None) => Interpreted::message(stdout),
        Err(JsonProblem::NotJson { offset }) => {
            let warning = lost_answer(stdout).or_else(|| {
                // A script that writes an object with a mistake in it meant something else than a message.
                stdout.starts_with('{').then(|| {
                    format!("stdout starts like a JSON object but is not JSON (byte {offset}): taken as plain text")
                })
            });
            Interpreted { warnings: warning.into_iter().collect(), ..Interpreted::message(stdout) }
        }
        Err(JsonProblem::Beyond(bound)) => Interpreted::failed(HookFailure::Unreadable(bound)),
    }
}

/// A service that says something else than an object is not the service that was meant: a page of a proxy is not a verdict.
fn read_service(body: &str) -> Interpreted {
    match parse_object(body) {
        Err(JsonProblem::Beyond(_)) | Ok(Some(_)) => read_answer(body),
        _ if body.trim().is_empty() => Interpreted::default(),
        _ => Interpreted::failed(HookFailure::NotAnswered {
            why: "answered with something that is not a JSON object".to_owned(),
        }),
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
    fn failed(failure: HookFailure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    fn message(message: &str) -> Self {
        Self { output: Some(HookOutput::allow_with_message(message)), ..Self::default() }
    }

    /// A failure whose stderr is kept as a warning.
    fn failed_with_stderr(failure: HookFailure, stderr: &str) -> Self {
        let warning =
            (!stderr.is_empty()).then(|| HookOutput::allow_with_message(format!("Warning: {stderr}")));
        Self { output: warning, ..Self::failed(failure) }
    }
}

fn shortened(text: &str) -> String {
    match text.get(..text.floor_char_boundary(STDERR_IN_FAILURE)) {
        Some(start) if start.len() < text.len() => {
            format!("{start}… ({} bytes more)", text.len() - start.len())
        }
        _ => text.to_owned(),
    }
}

/// How many places are tried at which an object over several lines may begin. Each try may read all that follows, so
/// that more of them would cost the square of the output.
const TRIES: usize = 16;

/// The warning about an answer that is lost because stdout has other text beside it: a script that prints a line of progress
/// before its block has written a message only, and the call is made. It is about the first object in a text that would have been an answer by itself; one that blocks or stops goes
/// before all others. It begins on a line of its own and may be followed by anything.
fn lost_answer(stdout: &str) -> Option<String> {
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
        if !is_answer(&fields) {
            continue;
        }
        let loss = loss(fields);
        let warning = format!(
            "line {} of stdout is {loss} that is ignored, because there is other text beside it: stdout must be the JSON \
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

#[cfg(test)]
mod tests;
