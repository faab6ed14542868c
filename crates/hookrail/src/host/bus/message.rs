//! The messages on the bus, their wire form, and the check of requests before anything runs for them.
#![expect(
    clippy::result_large_err,
    reason = "a refusal is a response like any other and as large; it is made once and handed on"
)]

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::event::{Caller, EventName};
use crate::formats::json_object::JsonObject;
use crate::host::panics::catch_panic;
use crate::output::json::{AnswerBound, JsonProblem, parse_json};
use crate::payload::{InputError, TypedInput, parse_input};
use crate::verdict::result::{BlockCause, HookError, ProcessedHookResult};

/// The `type` of a request.
pub const HOOK_EXECUTION_REQUEST: &str = "hook-execution-request";
/// The `type` of a response.
pub const HOOK_EXECUTION_RESPONSE: &str = "hook-execution-response";

/// A message on the bus.
#[derive(Debug, Clone)]
pub enum BusMessage {
    /// A request to run hooks, not yet validated.
    HookExecutionRequest(Value),
    /// What came of it.
    HookExecutionResponse(HookExecutionResponse),
}

/// A request that can be executed: its message and its event's payload have both been checked.
///
/// A server that answers many requests checks them one by one, answers those that no hook matches at once, and starts
/// a task only for the others: see [`HookSession::has_hooks_for`](crate::HookSession::has_hooks_for).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HookExecutionRequest {
    /// Which event.
    pub event_name: EventName,
    /// Echoed in the response.
    pub correlation_id: String,
    /// The event's fields.
    pub input: TypedInput,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HookExecutionResponse {
    /// The request's, or a generated one.
    pub correlation_id: String,
    /// What came of it.
    pub outcome: Result<ExecutionOutput, BusError>,
}

/// The result of an event in the shape that clients rely on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the contract's; see the protocol page")]
#[expect(clippy::struct_excessive_bools, reason = "the fields are the contract's")]
#[non_exhaustive]
pub struct ExecutionOutput {
    pub success: bool,
    pub final_output: Option<Value>,
    pub all_outputs: Vec<Value>,
    pub errors: Vec<HookError>,
    /// Milliseconds.
    pub total_duration: u64,
    pub blocked: bool,
    pub block_cause: Option<BlockCause>,
    pub ask: bool,
    /// Why it is blocked, or why a person is to decide.
    pub reason: Option<String>,
    pub should_stop: bool,
    pub stop_reason: Option<String>,
    pub system_message: Option<String>,
    pub suppress_output: bool,
    pub warnings: Vec<String>,
}

/// Why hooks did not run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BusError {
    /// What kind of error.
    pub code: BusErrorCode,
    /// What is wrong, and where.
    pub message: String,
    /// For programs.
    pub details: Value,
}

/// The kinds of errors that a request may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BusErrorCode {
    /// The message is not a request.
    InvalidRequest,
    /// The event is not one of the eleven.
    UnsupportedEvent,
    /// The event's fields are not what they must be.
    ValidationFailure,
    /// A model payload could not be read.
    TranslationFailure,
    /// The hook system itself failed.
    InternalError,
}

impl BusMessage {
    /// A request to run the hooks of an event.
    pub fn request(event_name: EventName, input: &JsonObject, correlation_id: &str) -> Self {
        Self::HookExecutionRequest(json!({
            "type": HOOK_EXECUTION_REQUEST,
            "eventName": event_name,
            "input": input,
            "correlationId": correlation_id,
        }))
    }
}

impl HookExecutionRequest {
    /// Checks a message and the payload in it. The error is the answer, with the correlation id that it must have.
    pub fn parse(message: Value) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| Self::read(message))
    }

    /// Reads a message from text and checks it. What `JSON.parse` reads is read here, too: a client in JavaScript
    /// may well send half of a surrogate pair, and must not lose its guards by that.
    pub fn parse_text(text: &[u8]) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| Self::read(read_message(text)?))
    }

    /// Reads a message of another machine, which says about itself where the call is made: no file of this machine does.
    pub fn parse_remote(text: &[u8]) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| {
            let mut message = read_message(text)?;
            let caller = message.as_object_mut().and_then(|fields| fields.shift_remove("caller"));
            let mut request = Self::read(message)?;
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

    fn read(message: Value) -> Result<Self, HookExecutionResponse> {
        let Value::Object(mut fields) = message else {
            return Err(HookExecutionResponse::invalid_request("a request must be a JSON object"));
        };
        // An older spelling nests the fields in `payload`.
        if let Some(Value::Object(payload)) = fields.remove("payload") {
            for (key, value) in payload {
                fields.entry(key).or_insert(value);
            }
        }
        let given_id = match fields.get("correlationId") {
            None | Some(Value::Null) => Ok(fallback_id()),
            Some(Value::String(id)) => Ok(id.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            Some(_) => Err(BusError::field("correlationId", "`correlationId` must be a string", "string")),
        };
        let correlation_id = given_id.clone().unwrap_or_else(|_| fallback_id());
        match given_id.and_then(|_| read_event(fields)) {
            Ok((event_name, input)) => Ok(Self { event_name, correlation_id, input }),
            Err(error) => Err(HookExecutionResponse { correlation_id, outcome: Err(error) }),
        }
    }

    /// The answer when there is no hook to run.
    pub fn answer_without_hooks(self) -> HookExecutionResponse {
        let nothing = ProcessedHookResult::empty(self.event_name);
        HookExecutionResponse { correlation_id: self.correlation_id, outcome: Ok((&nothing).into()) }
    }
}

/// The event of a request, and its payload.
fn read_event(mut fields: JsonObject) -> Result<(EventName, TypedInput), BusError> {
    let kind = fields.get("type").and_then(Value::as_str);
    if !matches!(kind, Some(HOOK_EXECUTION_REQUEST | "HOOK_EXECUTION_REQUEST")) {
        let found = kind.map_or_else(|| "nothing".to_owned(), |word| format!("`{word}`"));
        let message = format!("`type` must be `{HOOK_EXECUTION_REQUEST}`, found {found}");
        return Err(BusError::field("type", &message, HOOK_EXECUTION_REQUEST));
    }
    let word = fields.get("eventName").and_then(Value::as_str);
    let word =
        word.ok_or_else(|| BusError::field("eventName", "`eventName` is missing or not a string", "string"))?;
    let event_name = word.parse::<EventName>().map_err(|error| BusError {
        code: BusErrorCode::UnsupportedEvent,
        message: error.to_string(),
        details: json!({ "eventName": word, "supported": EventName::ALL }),
    })?;
    match fields.remove("input") {
        Some(input @ Value::Object(_)) => Ok((event_name, parse_input(event_name, input)?)),
        _ => Err(BusError::field("input", "`input` is missing or not an object", "object")),
    }
}

impl BusError {
    /// A field of the message itself that is not what it must be.
    fn field(field: &str, message: &str, expected: &str) -> Self {
        let details = json!({ "field": field, "expected": expected });
        Self { code: BusErrorCode::InvalidRequest, message: message.to_owned(), details }
    }
}

impl HookExecutionResponse {
    /// Whether hooks ran and all of them were healthy.
    pub fn success(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|output| output.success)
    }

    /// The answer to something that is not a request; its correlation id is a new one.
    pub fn invalid_request(message: &str) -> Self {
        Self::failed(fallback_id(), BusErrorCode::InvalidRequest, message)
    }

    /// The failure of the hook system itself.
    pub fn internal_error(correlation_id: String, message: &str) -> Self {
        Self::failed(correlation_id, BusErrorCode::InternalError, message)
    }

    fn failed(correlation_id: String, code: BusErrorCode, message: &str) -> Self {
        let error = BusError { code, message: message.to_owned(), details: json!({}) };
        Self { correlation_id, outcome: Err(error) }
    }
}

impl Serialize for HookExecutionResponse {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("type", HOOK_EXECUTION_RESPONSE)?;
        map.serialize_entry("correlationId", &self.correlation_id)?;
        map.serialize_entry("success", &self.success())?;
        match &self.outcome {
            Ok(output) => map.serialize_entry("output", output)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        map.end()
    }
}

impl From<&ProcessedHookResult> for ExecutionOutput {
    fn from(result: &ProcessedHookResult) -> Self {
        let as_value = |output| serde_json::to_value(output).unwrap_or(Value::Null);
        let aggregated = &result.aggregated;
        Self {
            success: aggregated.success,
            final_output: aggregated.final_output.as_ref().map(as_value),
            all_outputs: aggregated.all_outputs.iter().map(as_value).collect(),
            errors: aggregated.errors.clone(),
            total_duration: u64::try_from(aggregated.total_duration.as_millis()).unwrap_or(u64::MAX),
            blocked: result.block.is_some(),
            block_cause: result.block.as_ref().map(|block| block.cause),
            ask: result.ask.is_some(),
            reason: result.verdict_reason().map(str::to_owned),
            should_stop: result.stop.is_some(),
            stop_reason: result.stop.as_ref().map(|stop| stop.as_str().to_owned()),
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
            warnings: result.all_warnings(),
        }
    }
}

/// An id for the response to a message that has none.
fn fallback_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

impl From<InputError> for BusError {
    fn from(error: InputError) -> Self {
        let code = match error {
            InputError::Validation(_) => BusErrorCode::ValidationFailure,
            InputError::Translation(_) => BusErrorCode::TranslationFailure,
        };
        let details = json!({ "field": error.field() });
        Self { code, message: error.to_string(), details }
    }
}

/// A longer message is read by the reader that bounds the number of its values.
pub(super) const LONG_MESSAGE: usize = 1024 * 1024;

/// A panic is answered like any other failure. The request's own id is lost with it.
fn answering_panics<T>(
    check: impl FnOnce() -> Result<T, HookExecutionResponse>,
) -> Result<T, HookExecutionResponse> {
    catch_panic(check)
        .unwrap_or_else(|panic| Err(HookExecutionResponse::internal_error(fallback_id(), &panic)))
}

fn read_message(text: &[u8]) -> Result<Value, HookExecutionResponse> {
    let text = std::str::from_utf8(text)
        .map_err(|_| HookExecutionResponse::invalid_request("the message is not UTF-8"))?;
    let problem = if text.len() <= LONG_MESSAGE {
        match serde_json::from_str(text) {
            Ok(message) => return Ok(message),
            Err(problem) => Some(problem),
        }
    } else {
        None
    };
    parse_json(text).map_err(|tolerant| match (tolerant, problem) {
        (JsonProblem::Beyond(AnswerBound::Values), _) => {
            HookExecutionResponse::invalid_request("the message has more values than hookrail reads")
        }
        // The stricter reader says more about what is wrong.
        (JsonProblem::NotJson { .. }, Some(problem)) => not_json(&problem),
        (tolerant, _) => not_json(&tolerant),
    })
}

fn not_json(problem: &dyn fmt::Display) -> HookExecutionResponse {
    HookExecutionResponse::invalid_request(&format!("the message is not JSON: {problem}"))
}
