//! Runs the hooks that requests ask for.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::event::Matching;
use crate::host::bus::message::{BusMessage, ExecutionOutput, HookExecutionRequest, HookExecutionResponse};
use crate::host::bus::publish::{MessageBus, Subscription};
use crate::host::panics::{catch_panic, catch_panic_in_future};
use crate::host::session::HookSession;
use crate::run::{is_long, on_blocking_thread_if};

/// Answers every request on the bus, each in a task of its own, as long as there is a `session`.
pub(crate) fn answer_requests(
    bus: &Arc<MessageBus>,
    session: impl Fn() -> Option<HookSession> + Send + Sync + 'static,
) -> Subscription {
    let bus_for_answers = Arc::downgrade(bus);
    bus.subscribe(move |message| {
        let BusMessage::HookExecutionRequest(message) = message else { return };
        let (Some(bus), Some(session)) = (bus_for_answers.upgrade(), session()) else { return };
        let publish = move |response| bus.publish(&BusMessage::HookExecutionResponse(response));
        let message = message.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { publish(session.execute_request(message).await) });
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

/// The mediated path: events that clients ask for.
impl HookSession {
    /// Whether any hook would run for this request: a lookup, no more.
    pub fn has_hooks_for(&self, request: &HookExecutionRequest) -> bool {
        let event = request.event_name;
        let can_have_result = catch_panic(|| match event.matching() {
            // Matchers are ignored here, and a model payload is translated for hooks that run, not for this lookup.
            Matching::Ignored => self.handler().can_have_result(event, None, &[]),
            Matching::Tool | Matching::Word { .. } => {
                self.handler().would_run(&request.input.event(), &request.input.base)
            }
        });
        // Whatever is wrong will come up again when the request is executed, and is answered there.
        can_have_result.unwrap_or(true)
    }

    /// Answers a message as it would be answered on the bus, whatever is in it.
    pub async fn execute_request(&self, message: Value) -> HookExecutionResponse {
        match HookExecutionRequest::parse(message) {
            Ok(request) => self.execute(request).await,
            Err(refusal) => refusal,
        }
    }

    /// Runs the hooks that a checked request asks for. Never fails: errors are in the response, and a panic is one of them.
    pub async fn execute(&self, request: HookExecutionRequest) -> HookExecutionResponse {
        let HookExecutionRequest { event_name, correlation_id, input } = request;
        let fired = async {
            let event = input.event();
            self.handler().fire_with(&event, &input.base, &input.extra).await
        };
        let (why, block) = match catch_panic_in_future(fired).await {
            Ok(result) => {
                let Some(error) = result.infrastructure_failure() else {
                    let is_long = is_long(&result.runs);
                    let output = on_blocking_thread_if(is_long, move || ExecutionOutput::from(&result)).await;
                    return HookExecutionResponse { correlation_id, outcome: Ok(output) };
                };
                (error.to_string(), result.block)
            }
            Err(panic) => {
                let block = self.own_failure_block(event_name, &panic);
                (panic, block)
            }
        };
        let mut response = HookExecutionResponse::internal_error(correlation_id, &why);
        if let Err(error) = &mut response.outcome {
            // A guard that is set to block on failure blocks here, too.
            error.details = json!({
                "eventName": event_name,
                "blocked": block.is_some(),
                "reason": block.map(|block| block.reason),
            });
        }
        response
    }
}
