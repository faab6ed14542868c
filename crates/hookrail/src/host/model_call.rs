//! One model call between its hooks: `BeforeModel`, `BeforeToolSelection`, the host's permission, the call,
//! `AfterModel`.

use std::borrow::Cow;

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::host::effects::{
    AfterModelHookResult, AnswerOrigin, HookResult, ModelGate, ResponseChange, ToolSelection,
};
use crate::host::model_format::{AllowedTools, RequestFormat};
use crate::host::permission::{Decider, Permission, PermissionRequest, PermissionSubject};
use crate::host::session::HookSession;
use crate::verdict::result::{Block, StopReason};

/// A request on its way to the model.
#[derive(Debug)]
#[non_exhaustive]
pub struct OutgoingCall<'a, R = GenerateContentParameters> {
    /// What to send.
    pub request: &'a R,
    /// Whether the answer may be shown while it arrives. Otherwise a hook may still change or hide it, and it is shown
    /// when the call is over.
    pub may_stream: bool,
}

/// Whether the user sees an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// It may have been shown while it arrived: see [`OutgoingCall::may_stream`].
    Streamed,
    /// It is shown now.
    Now,
    /// Hooks hide it.
    Hidden,
}

/// The answer of a model, with its hooks applied.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelAnswer<A = GenerateContentResponse> {
    /// The answer to go on with.
    pub response: A,
    /// Whether it is the model's own.
    pub change: ResponseChange,
    /// Whether the user sees it.
    pub showing: Showing,
    /// Which of its tool calls may run.
    pub allowed_tools: AllowedTools,
}

/// What became of a model call.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelOutcome<A = GenerateContentResponse> {
    /// Whether the model was asked, and what to go on with.
    pub end: ModelEnd<A>,
    /// A message of hooks for the model, to be added to the next request: see [`system_message`](crate::model::system_message).
    pub next_system_message: Option<String>,
    /// What was odd about the hooks or had no effect; for a log.
    pub warnings: Vec<String>,
}

/// How a model call ended. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone)]
pub enum ModelEnd<A = GenerateContentResponse> {
    /// The model answered.
    Answered(ModelAnswer<A>),
    /// Hooks blocked the call: the model was not asked.
    #[non_exhaustive]
    Blocked {
        /// What to go on with: the hooks' answer, or one candidate that says nothing.
        response: A,
        /// Where it comes from.
        origin: AnswerOrigin,
        /// Why the call was blocked; to be shown to the user.
        block: Block,
        /// Whether the user sees the answer.
        showing: Showing,
    },
    /// The host's permission step refused the call.
    Denied {
        /// Why.
        reason: String,
    },
    /// The agent must stop.
    Stopped {
        /// Why.
        reason: StopReason,
        /// How far the call had come.
        at: StopPoint<A>,
    },
}

/// How far a model call had come when the agent was stopped. Exhaustive on purpose: either the model was asked, or not.
#[derive(Debug, Clone)]
pub enum StopPoint<A = GenerateContentResponse> {
    /// The model was not asked.
    BeforeCall {
        /// Set when hooks blocked the call as well.
        block: Option<Block>,
    },
    /// The model had answered.
    AfterCall(Box<ModelAnswer<A>>),
}

impl HookSession {
    /// Makes a model call between its hooks: a block, a stop or a missing permission keeps it from being made, the request
    /// is sent as hooks changed it, and the answer comes back as they changed it.
    ///
    /// `permission` sees every request that the hooks let through; `call` sends it and returns the complete answer. Its
    /// error is returned as it is, and no hook runs for it.
    ///
    /// The request may be Gemini's, one in the stable format that hooks read, or a host's own: see
    /// [`RequestFormat`](crate::model::RequestFormat).
    pub async fn call_model<R: RequestFormat, E>(
        &self,
        request: R,
        permission: impl AsyncFnOnce(PermissionRequest<'_, R>) -> Permission,
        call: impl AsyncFnOnce(OutgoingCall<'_, R>) -> Result<R::Response, E>,
    ) -> Result<ModelOutcome<R::Response>, E> {
        let Prepared { request, hidden, mut so_far } = match self.prepare_model_call(request).await {
            Ok(prepared) => prepared,
            Err(outcome) => return Ok(outcome),
        };
        let subject = PermissionSubject::Model { request: &request };
        match permission(PermissionRequest { subject, decider: Decider::Host }).await {
            Permission::Granted => {}
            Permission::Denied { reason } => return Ok(so_far.end(ModelEnd::Denied { reason })),
            Permission::Stopped { reason } => return Ok(so_far.stopped(reason, None)),
        }
        let may_stream = !hidden && self.listening(EventName::AfterModel).is_none();
        let response = call(OutgoingCall { request: &request, may_stream }).await?;

        let after = self.fire_after_model(&request, response).await;
        let AfterModelHookResult { response, change, stop, notes, .. } = after;
        // The messages so far were in the request.
        so_far.messages.clear();
        so_far.add(notes.system_message, notes.warnings);
        let showing = match (hidden || notes.suppress_output, may_stream) {
            (true, _) => Showing::Hidden,
            (false, true) => Showing::Streamed,
            (false, false) => Showing::Now,
        };
        let answer = ModelAnswer { response, change, showing, allowed_tools: request.allowed_tools() };
        Ok(so_far.end(match stop {
            Some(reason) => ModelEnd::Stopped { reason, at: StopPoint::AfterCall(Box::new(answer)) },
            None => ModelEnd::Answered(answer),
        }))
    }

    /// Asks the hooks before the call and applies what they ask for. `Err` is the outcome of a call that is not made.
    async fn prepare_model_call<R: RequestFormat>(
        &self,
        mut request: R,
    ) -> Result<Prepared<R>, ModelOutcome<R::Response>> {
        let HookResult { gate, notes } = self.fire_before_model(&request).await;
        let mut hidden = notes.suppress_output;
        let message = notes.system_message.clone();
        let mut so_far = SoFar::default();
        so_far.add(notes.system_message, notes.warnings);
        match gate {
            ModelGate::Send { request: Cow::Borrowed(_) } => {}
            ModelGate::Send { request: Cow::Owned(changed) } => request = changed,
            ModelGate::Answer { response, origin, block } => {
                let showing = if hidden { Showing::Hidden } else { Showing::Now };
                return Err(so_far.end(ModelEnd::Blocked { response, origin, block, showing }));
            }
            ModelGate::Stop { reason, block } => return Err(so_far.stopped(reason, block)),
        }
        if let Some(message) = &message {
            request.add_system_message(message);
        }
        if request.offers_tools() {
            let HookResult { gate, notes } = self.fire_before_tool_selection(&request).await;
            if let Some(message) = &notes.system_message {
                request.add_system_message(message);
            }
            hidden |= notes.suppress_output;
            so_far.add(notes.system_message, notes.warnings);
            match gate {
                ToolSelection::Unchanged => {}
                ToolSelection::Restricted { tool_config } => request.set_tools(tool_config),
                ToolSelection::Stop { reason } => return Err(so_far.stopped(reason, None)),
            }
        }
        Ok(Prepared { request, hidden, so_far })
    }
}

/// A request that the hooks before the call let through.
struct Prepared<R> {
    request: R,
    /// The user must not see the answer.
    hidden: bool,
    so_far: SoFar,
}

/// What hooks said so far. The messages are in the request, and wait for the next one if it is not sent.
#[derive(Default)]
struct SoFar {
    messages: Vec<String>,
    warnings: Vec<String>,
}

impl SoFar {
    fn add(&mut self, message: Option<String>, warnings: Vec<String>) {
        self.messages.extend(message);
        self.warnings.extend(warnings);
    }

    fn end<A>(self, end: ModelEnd<A>) -> ModelOutcome<A> {
        let message = (!self.messages.is_empty()).then(|| self.messages.join("\n"));
        ModelOutcome { end, next_system_message: message, warnings: self.warnings }
    }

    /// A stop before the model was asked.
    fn stopped<A>(self, reason: StopReason, block: Option<Block>) -> ModelOutcome<A> {
        self.end(ModelEnd::Stopped { reason, at: StopPoint::BeforeCall { block } })
    }
}
