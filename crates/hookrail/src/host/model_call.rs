//! One model call between its hooks: `BeforeModel`, `BeforeToolSelection`, the host's permission, the call,
//! `AfterModel`.

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::host::effects::{AfterModelHookResult, AnswerOrigin, ModelGate, ResponseChange, ToolSelection};
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
    /// A message of hooks for the model, to be added to the next request: see [`system_message`](crate::model::system_message).
    pub next_system_message: Option<String>,
    /// What was odd about the hooks or had no effect; for a log.
    pub warnings: Vec<String>,
}

/// What became of a model call.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone)]
pub enum ModelOutcome<A = GenerateContentResponse> {
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
        /// A message of hooks for the model, to be added to the next request: see [`system_message`](crate::model::system_message).
        next_system_message: Option<String>,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// The host's permission step refused the call.
    #[non_exhaustive]
    Denied {
        /// Why.
        reason: String,
        /// A message of hooks for the model, to be added to the next request: see [`system_message`](crate::model::system_message).
        next_system_message: Option<String>,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// The agent must stop.
    #[non_exhaustive]
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
    #[non_exhaustive]
    BeforeCall {
        /// Set when hooks blocked the call as well.
        block: Option<Block>,
        /// A message of hooks for the model, to be added to the next request: see [`system_message`](crate::model::system_message).
        next_system_message: Option<String>,
        /// What was odd about the hooks or had no effect; for a log.
        warnings: Vec<String>,
    },
    /// The model had answered.
    AfterCall(Box<ModelAnswer<A>>),
}

impl<A> ModelOutcome<A> {
    /// What was odd about the hooks of the call or had no effect, whatever became of it.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::Answered(answer) => &answer.warnings,
            Self::Stopped { at: StopPoint::AfterCall(answer), .. } => &answer.warnings,
            Self::Blocked { warnings, .. }
            | Self::Denied { warnings, .. }
            | Self::Stopped { at: StopPoint::BeforeCall { warnings, .. }, .. } => warnings,
        }
    }
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
        let Prepared { request, hidden, messages, mut warnings } =
            match self.prepare_model_call(request).await {
                Ok(prepared) => prepared,
                Err(outcome) => return Ok(outcome),
            };
        let subject = PermissionSubject::Model { request: &request };
        match permission(PermissionRequest { subject, decider: Decider::Host }).await {
            Permission::Granted => {}
            Permission::Denied { reason } => {
                return Ok(ModelOutcome::Denied { reason, next_system_message: joined(&messages), warnings });
            }
            Permission::Stopped { reason } => return Ok(stopped(reason, None, &messages, warnings)),
        }
        let may_stream = !hidden && self.listening(EventName::AfterModel).is_none();
        let response = call(OutgoingCall { request: &request, may_stream }).await?;

        let after = self.fire_after_model(&request, response).await;
        let AfterModelHookResult { response, change, stop, notes, .. } = after;
        warnings.extend(notes.warnings);
        let answer = ModelAnswer {
            response,
            change,
            showing: if hidden || notes.suppress_output {
                Showing::Hidden
            } else if may_stream {
                Showing::Streamed
            } else {
                Showing::Now
            },
            allowed_tools: request.allowed_tools(),
            next_system_message: notes.system_message,
            warnings,
        };
        Ok(match stop {
            Some(reason) => ModelOutcome::Stopped { reason, at: StopPoint::AfterCall(Box::new(answer)) },
            None => ModelOutcome::Answered(answer),
        })
    }

    /// Asks the hooks before the call and applies what they ask for. `Err` is the outcome of a call that is not made.
    async fn prepare_model_call<R: RequestFormat>(
        &self,
        mut request: R,
    ) -> Result<Prepared<R>, ModelOutcome<R::Response>> {
        let before = self.fire_before_model(&request).await;
        let notes = before.notes;
        match before.gate {
            ModelGate::Send { request: std::borrow::Cow::Borrowed(_) } => {}
            ModelGate::Send { request: std::borrow::Cow::Owned(changed) } => request = changed,
            ModelGate::Answer { response, origin, block } => {
                let showing = if notes.suppress_output { Showing::Hidden } else { Showing::Now };
                let (next_system_message, warnings) = (notes.system_message, notes.warnings);
                return Err(ModelOutcome::Blocked {
                    response,
                    origin,
                    block,
                    showing,
                    next_system_message,
                    warnings,
                });
            }
            ModelGate::Stop { reason, block } => {
                return Err(stopped(reason, block, notes.system_message.as_slice(), notes.warnings));
            }
        }
        if let Some(message) = &notes.system_message {
            request.add_system_message(message);
        }
        let mut prepared = Prepared {
            request,
            hidden: notes.suppress_output,
            messages: notes.system_message.into_iter().collect(),
            warnings: notes.warnings,
        };
        if prepared.request.offers_tools() {
            let result = self.fire_before_tool_selection(&prepared.request).await;
            let notes = result.notes;
            if let Some(message) = &notes.system_message {
                prepared.request.add_system_message(message);
            }
            prepared.hidden |= notes.suppress_output;
            prepared.messages.extend(notes.system_message);
            prepared.warnings.extend(notes.warnings);
            match result.selection {
                ToolSelection::Unchanged => {}
                ToolSelection::Restricted { tool_config } => {
                    prepared.request.set_tools(tool_config);
                }
                ToolSelection::Stop { reason } => {
                    return Err(stopped(reason, None, &prepared.messages, prepared.warnings));
                }
            }
        }
        Ok(prepared)
    }
}

/// A request that the hooks before the call let through.
struct Prepared<R> {
    request: R,
    /// The user must not see the answer.
    hidden: bool,
    /// The messages of hooks that are in the request, in case it is not sent.
    messages: Vec<String>,
    warnings: Vec<String>,
}

/// A stop before the model was asked.
fn stopped<A>(
    reason: StopReason,
    block: Option<Block>,
    messages: &[String],
    warnings: Vec<String>,
) -> ModelOutcome<A> {
    let at = StopPoint::BeforeCall { block, next_system_message: joined(messages), warnings };
    ModelOutcome::Stopped { reason, at }
}

/// Messages of several events as one.
fn joined(messages: &[String]) -> Option<String> {
    (!messages.is_empty()).then(|| messages.join("\n"))
}
