//! The message bus: execution requests in, execution responses out.
//!
//! In one process, publish and subscribe; over `hookrail serve`, the same messages as JSON Lines.
//! Requests arrive unchecked. What is wrong with one is answered, never thrown.
#![expect(
    clippy::result_large_err,
    reason = "a refusal is an answer like any other and as large; it is made once and handed on"
)]

#[cfg(test)]
mod tests;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde::Serialize;
use serde_json::{Value, json};

use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::formats::payload::{InputError, TypedInput, parse_input};
use crate::host::event_handler::{catch_panic, panic_message};
use crate::host::system::Inner;
use crate::run::{apart, is_long};
use crate::verdict::json::{JsonProblem, parse_json};
use crate::verdict::result::{HookError, ProcessedHookResult};

/// The `type` of a request.
pub const HOOK_EXECUTION_REQUEST: &str = "hook-execution-request";
/// The `type` of a response.
pub const HOOK_EXECUTION_RESPONSE: &str = "hook-execution-response";

/// A longer message is read by the reader that bounds the number of its values.
const LONG_MESSAGE: usize = 1024 * 1024;

/// A message on the bus.
#[derive(Debug, Clone)]
pub enum BusMessage {
    /// Somebody wants hooks to run. Still to be checked.
    HookExecutionRequest(Value),
    /// What came of it.
    HookExecutionResponse(HookExecutionResponse),
}

/// A checked request.
#[derive(Debug, Clone, PartialEq)]
pub struct HookExecutionRequest {
    /// Which event.
    pub event_name: EventName,
    /// The event's own fields; base fields may be among them.
    pub input: JsonObject,
    /// Echoed in the response.
    pub correlation_id: String,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
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
pub struct ExecutionOutput {
    pub success: bool,
    pub final_output: Option<Value>,
    pub all_outputs: Vec<Value>,
    pub errors: Vec<HookError>,
    /// Milliseconds.
    pub total_duration: u64,
    pub blocked: bool,
    pub reason: Option<String>,
    pub should_stop: bool,
    pub stop_reason: Option<String>,
    pub system_message: Option<String>,
    pub suppress_output: bool,
}

/// Why hooks did not run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BusError {
    /// What kind of trouble.
    pub code: BusErrorCode,
    /// What is wrong, and where.
    pub message: String,
    /// For programs.
    pub details: Value,
}

/// The kinds of trouble a request may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BusErrorCode {
    /// The message is no request.
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

impl HookExecutionRequest {
    /// Checks a message. The error is the answer to it and carries the correlation id that the answer must have.
    #[expect(clippy::result_large_err, reason = "the refusal is the response that is sent next")]
    pub fn parse(message: Value) -> Result<Self, HookExecutionResponse> {
        let Value::Object(mut object) = message else {
            return Err(invalid(fallback_id(), "a request must be a JSON object", json!({})));
        };
        // An older spelling nests the fields in `payload`.
        if let Some(Value::Object(payload)) = object.remove("payload") {
            for (key, value) in payload {
                object.entry(key).or_insert(value);
            }
        }
        let correlation_id = match object.get("correlationId") {
            None | Some(Value::Null) => fallback_id(),
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            Some(_) => {
                return Err(invalid(
                    fallback_id(),
                    "`correlationId` must be a string",
                    json!({ "field": "correlationId", "expected": "string" }),
                ));
            }
        };
        match object.get("type").and_then(Value::as_str) {
            Some(HOOK_EXECUTION_REQUEST | "HOOK_EXECUTION_REQUEST") => {}
            other => {
                let found = other.map_or_else(|| "nothing".to_owned(), |word| format!("`{word}`"));
                return Err(invalid(
                    correlation_id,
                    &format!("`type` must be `{HOOK_EXECUTION_REQUEST}`, found {found}"),
                    json!({ "field": "type", "expected": HOOK_EXECUTION_REQUEST }),
                ));
            }
        }
        let event_name = match object.get("eventName") {
            Some(Value::String(word)) => match word.parse::<EventName>() {
                Ok(event) => event,
                Err(error) => {
                    let known: Vec<_> = EventName::ALL.iter().map(|event| event.as_str()).collect();
                    let details = json!({ "eventName": word, "supported": known });
                    let error = BusError {
                        code: BusErrorCode::UnsupportedEvent,
                        message: error.to_string(),
                        details,
                    };
                    return Err(HookExecutionResponse { correlation_id, outcome: Err(error) });
                }
            },
            _ => {
                return Err(invalid(
                    correlation_id,
                    "`eventName` is missing or not a string",
                    json!({ "field": "eventName", "expected": "string" }),
                ));
            }
        };
        match object.remove("input") {
            Some(Value::Object(input)) => Ok(Self { event_name, input, correlation_id }),
            _ => Err(invalid(
                correlation_id,
                "`input` is missing or not an object",
                json!({ "field": "input", "expected": "object" }),
            )),
        }
    }
}

impl From<HookExecutionRequest> for BusMessage {
    fn from(request: HookExecutionRequest) -> Self {
        Self::HookExecutionRequest(json!({
            "type": HOOK_EXECUTION_REQUEST,
            "eventName": request.event_name,
            "input": request.input,
            "correlationId": request.correlation_id,
        }))
    }
}

impl HookExecutionResponse {
    /// Whether hooks ran and all of them were healthy.
    pub fn success(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|output| output.success)
    }

    /// The answer to something that is no request; its correlation id is a new one.
    pub fn invalid_request(message: &str) -> Self {
        invalid(fallback_id(), message, json!({}))
    }

    /// The failure of the hook system itself.
    pub fn internal_error(correlation_id: String, message: &str) -> Self {
        let error =
            BusError { code: BusErrorCode::InternalError, message: message.to_owned(), details: json!({}) };
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

impl ExecutionOutput {
    /// What comes of an event to which no hook listens.
    const EMPTY: Self = Self {
        success: true,
        final_output: None,
        all_outputs: Vec::new(),
        errors: Vec::new(),
        total_duration: 0,
        blocked: false,
        reason: None,
        should_stop: false,
        stop_reason: None,
        system_message: None,
        suppress_output: false,
    };
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
            reason: result.block.as_ref().map(|block| block.reason.clone()),
            should_stop: result.should_stop,
            stop_reason: result.stop_reason.clone(),
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
        }
    }
}

fn invalid(correlation_id: String, message: &str, details: Value) -> HookExecutionResponse {
    let error = BusError { code: BusErrorCode::InvalidRequest, message: message.to_owned(), details };
    HookExecutionResponse { correlation_id, outcome: Err(error) }
}

fn fallback_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// An in-process bus. Subscribers are called on the publisher's thread and must not block.
#[derive(Default)]
pub struct MessageBus {
    subscribers: Mutex<Subscribers>,
}

#[derive(Default)]
struct Subscribers {
    next_id: u64,
    list: Vec<(u64, Subscriber)>,
}

type Subscriber = Arc<dyn Fn(&BusMessage) + Send + Sync>;

impl MessageBus {
    /// An empty bus.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Delivers a message to all subscribers.
    pub fn publish(&self, message: &BusMessage) {
        // Cloned out of the lock, so that a subscriber may publish or unsubscribe.
        let list: Vec<_> = self.lock().list.iter().map(|(_, subscriber)| Arc::clone(subscriber)).collect();
        for subscriber in list {
            subscriber(message);
        }
    }

    /// Calls `subscriber` for every message until the subscription is dropped.
    pub fn subscribe(
        self: &Arc<Self>,
        subscriber: impl Fn(&BusMessage) + Send + Sync + 'static,
    ) -> Subscription {
        let mut subscribers = self.lock();
        let id = subscribers.next_id;
        subscribers.next_id += 1;
        subscribers.list.push((id, Arc::new(subscriber)));
        Subscription { bus: Arc::downgrade(self), id }
    }

    /// How many subscribers there are.
    pub fn subscriber_count(&self) -> usize {
        self.lock().list.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MessageBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageBus").field("subscribers", &self.subscriber_count()).finish()
    }
}

/// Ends when it is dropped.
#[must_use = "a dropped subscription ends at once"]
#[derive(Debug)]
pub struct Subscription {
    bus: Weak<MessageBus>,
    id: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(bus) = self.bus.upgrade() {
            bus.lock().list.retain(|(id, _)| *id != self.id);
        }
    }
}

/// Answers every request on the bus, each in a task of its own.
pub(crate) fn answer_requests(bus: &Arc<MessageBus>, system: &Arc<Inner>) -> Subscription {
    let (bus_for_answers, system) = (Arc::downgrade(bus), Arc::downgrade(system));
    bus.subscribe(move |message| {
        let BusMessage::HookExecutionRequest(message) = message else { return };
        let (Some(bus), Some(system)) = (bus_for_answers.upgrade(), system.upgrade()) else { return };
        let publish = move |response| bus.publish(&BusMessage::HookExecutionResponse(response));
        let message = message.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { publish(answer(&system, message).await) });
            return;
        }
        publish(match HookExecutionRequest::parse(message) {
            Err(refusal) => refusal,
            Ok(request) => HookExecutionResponse::internal_error(
                request.correlation_id,
                "hooks can only run inside a tokio runtime",
            ),
        });
    })
}

/// A request that can be executed: its message and its event's payload have both been checked.
///
/// A server that answers many requests checks them one by one, answers those that no hook hears at once, and starts
/// a task only for the others: see [`HookSystem::hears`](crate::HookSystem::hears).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRequest {
    event_name: EventName,
    correlation_id: String,
    input: TypedInput,
}

impl CheckedRequest {
    /// Checks a message and the payload in it. The error is the answer.
    pub fn parse(message: Value) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| HookExecutionRequest::parse(message)?.check())
    }

    /// Reads a message from text and checks it. What `JSON.parse` reads is read here, too: a client in JavaScript
    /// may well send half of a surrogate pair, and must not lose its guards by that.
    pub fn parse_text(text: &[u8]) -> Result<Self, HookExecutionResponse> {
        answering_panics(|| HookExecutionRequest::parse(read_message(text)?)?.check())
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

fn read_message(text: &[u8]) -> Result<Value, HookExecutionResponse> {
    let problem = if text.len() <= LONG_MESSAGE {
        match serde_json::from_slice(text) {
            Ok(message) => return Ok(message),
            Err(problem) => Some(problem),
        }
    } else {
        None
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(HookExecutionResponse::invalid_request("the message is not UTF-8"));
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
    std::panic::catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        Err(HookExecutionResponse::internal_error(fallback_id(), &panic_message(panic.as_ref())))
    })
}

fn not_json(problem: &dyn fmt::Display) -> HookExecutionResponse {
    HookExecutionResponse::invalid_request(&format!("the message is not JSON: {problem}"))
}

/// Whether any hook would run for a request: a lookup, no more.
pub(crate) fn hears(system: &Inner, request: &CheckedRequest) -> bool {
    let silent = std::panic::catch_unwind(AssertUnwindSafe(|| match request.event_name {
        // Matchers have no say, and a model payload is translated for hooks that run, not for this question.
        event @ (EventName::BeforeModel | EventName::AfterModel | EventName::BeforeToolSelection) => {
            system.handler().is_silent(event, None)
        }
        event => system.handler().is_silent(event, request.input.event().match_target()),
    }));
    // Whatever is wrong will come up again when the request is executed, and is answered there.
    !silent.unwrap_or(false)
}

/// Checks a message and runs the hooks that it asks for. A panic is answered like any other failure.
pub(crate) async fn answer(system: &Inner, message: Value) -> HookExecutionResponse {
    match CheckedRequest::parse(message) {
        Ok(request) => execute(system, request).await,
        Err(refusal) => refusal,
    }
}

/// Runs the hooks that a checked request asks for.
pub(crate) async fn execute(system: &Inner, request: CheckedRequest) -> HookExecutionResponse {
    let CheckedRequest { event_name, correlation_id, input } = request;
    let fired = async {
        let event = input.event();
        system.handler().fire_with(&event, &input.base, &input.extra).await
    };
    let result = match catch_panic(fired).await {
        Ok(result) => result,
        Err(panic) => return HookExecutionResponse::internal_error(correlation_id, &panic),
    };
    match result.infrastructure_failure() {
        Some(error) => {
            let mut response = HookExecutionResponse::internal_error(correlation_id, error);
            if let Err(error) = &mut response.outcome {
                // A guard that is set to block on failure blocks here, too.
                error.details = json!({
                    "eventName": event_name,
                    "blocked": result.block.is_some(),
                    "reason": result.block.as_ref().map(|block| &block.reason),
                });
            }
            response
        }
        None => {
            let output = apart(is_long(&result.runs), move || ExecutionOutput::from(&result)).await;
            HookExecutionResponse { correlation_id, outcome: Ok(output) }
        }
    }
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
