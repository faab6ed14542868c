//! Checks requests before anything runs for them.
#![expect(
    clippy::result_large_err,
    reason = "a refusal is a response like any other and as large; it is made once and handed on"
)]

use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::event::{Caller, EventName};
use crate::host::bus::message::{ExecutionOutput, HookExecutionRequest, HookExecutionResponse, fallback_id};
use crate::host::panics::catch_panic;
use crate::output::json::{JsonProblem, parse_json};
use crate::payload::{TypedInput, parse_input};

/// A longer message is read by the reader that bounds the number of its values.
pub(super) const LONG_MESSAGE: usize = 1024 * 1024;

/// A request that can be executed: its message and its event's payload have both been checked.
///
/// A server that answers many requests checks them one by one, answers those that no hook matches at once, and starts
/// a task only for the others: see [`HookSystem::has_hooks_for`](crate::components::HookSystem::has_hooks_for).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRequest {
    pub(super) event_name: EventName,
    pub(super) correlation_id: String,
    pub(super) input: TypedInput,
}

impl CheckedRequest {
    /// Checks a message and the payload in it. The error is the answer.
    pub fn parse(message: Value) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| HookExecutionRequest::parse(message)?.check())
    }

    /// Reads a message from text and checks it. What `JSON.parse` reads is read here, too: a client in JavaScript
    /// may well send half of a surrogate pair, and must not lose its guards by that.
    pub fn parse_text(text: &[u8]) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| read_request(text)?.check())
    }

    /// Reads a message of another machine, which says about itself where the call is made: no file of this machine does.
    pub fn parse_remote(text: &[u8]) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| {
            let text = std::str::from_utf8(text)
                .map_err(|_| HookExecutionResponse::invalid_request("the message is not UTF-8"))?;
            let mut message = read_message(text)?;
            let caller = message.as_object_mut().and_then(|fields| fields.shift_remove("caller"));
            let mut request = HookExecutionRequest::parse(message)?.check()?;
            let base = &mut request.input.base;
            let caller: Caller = if let Some(caller) = caller {
                serde_json::from_value(caller).map_err(|error| {
                    HookExecutionResponse::invalid_request(&format!("`caller` cannot be read: {error}"))
                })?
            } else {
                let cwd = base.cwd.as_deref().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
                Caller { project: cwd.clone(), directory: cwd, ..Caller::default() }
            };
            base.call_directory = Some(caller.directory.clone().into());
            base.also_matches.clone_from(&caller.also_matches);
            base.reading.clone_from(&caller.reading);
            base.caller = Some(Box::new(caller));
            Ok(request)
        })
    }

    /// Which event it asks for.
    pub fn event_name(&self) -> EventName {
        self.event_name
    }

    /// The answer when there is no hook to run.
    pub fn answer_without_hooks(self) -> HookExecutionResponse {
        HookExecutionResponse { correlation_id: self.correlation_id, outcome: Ok(ExecutionOutput::EMPTY) }
    }
}

impl HookExecutionRequest {
    /// Checks the event's payload. The error is the answer.
    pub fn check(self) -> Result<CheckedRequest, HookExecutionResponse> {
        let Self { event_name, input, correlation_id } = self;
        match parse_input(event_name, Value::Object(input)) {
            Ok(input) => Ok(CheckedRequest { event_name, correlation_id, input }),
            Err(error) => Err(HookExecutionResponse { correlation_id, outcome: Err(error.into()) }),
        }
    }
}

fn read_request(text: &[u8]) -> Result<HookExecutionRequest, HookExecutionResponse> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(HookExecutionResponse::invalid_request("the message is not UTF-8"));
    };
    let usual = if text.len() <= LONG_MESSAGE { HookExecutionRequest::parse_usual(text) } else { None };
    match usual {
        Some(request) => Ok(request),
        None => HookExecutionRequest::parse(read_message(text)?),
    }
}

fn read_message(text: &str) -> Result<Value, HookExecutionResponse> {
    let problem = if text.len() <= LONG_MESSAGE {
        match serde_json::from_str(text) {
            Ok(message) => return Ok(message),
            Err(problem) => Some(problem),
        }
    } else {
        None
    };
    parse_json(text).map_err(|tolerant| match (tolerant, problem) {
        (JsonProblem::TooManyValues, _) => {
            HookExecutionResponse::invalid_request("the message holds more values than are read")
        }
        // The stricter reader says more about what is wrong.
        (JsonProblem::NotJson { .. }, Some(problem)) => not_json(&problem),
        (tolerant, _) => not_json(&tolerant),
    })
}

/// A panic is answered like any other failure. The request's own id is lost with it.
fn answering_panics<T>(
    check: impl FnOnce() -> Result<T, HookExecutionResponse>,
) -> Result<T, HookExecutionResponse> {
    catch_panic(check)
        .unwrap_or_else(|panic| Err(HookExecutionResponse::internal_error(fallback_id(), &panic)))
}

fn not_json(problem: &dyn fmt::Display) -> HookExecutionResponse {
    HookExecutionResponse::invalid_request(&format!("the message is not JSON: {problem}"))
}
