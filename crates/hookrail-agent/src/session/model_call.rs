//! One model call with its hooks applied, shown and logged.
//!
//! The engine decides in which order hooks and model are called. What is added here is the agent's part: the log, what a
//! person sees while the answer comes, and messages for the next request.

use hookrail::genai::{GenerateContentParameters, GenerateContentResponse};
use hookrail::model::{AllowedTools, ModelAnswer, ModelEnd, ResponseChange, Showing, StopPoint};
use hookrail::{StopReason, permit_unless_asked};

use super::{Interrupt, Session};
use crate::log::LogLine;
use crate::ui::{AgentEvent, Ui};

/// Who reads the model's answer. A summary is for the agent itself: it is not shown, and its request takes no messages
/// that were meant for the user's next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    User,
    Agent,
}

/// What came out of one model call.
/// A reply of hooks has the same form as one of the model, so the turn loop treats both alike.
pub(super) struct Reply {
    /// The response as hooks changed it.
    pub(super) response: GenerateContentResponse,
    /// The tools that its calls may use.
    pub(super) allowed: AllowedTools,
    /// Whether the user must not see it.
    pub(super) suppressed: bool,
    /// The model or hooks.
    pub(super) source: ReplySource,
}

/// Who wrote a reply.
pub(super) enum ReplySource {
    /// The model, whatever hooks made of it.
    Model,
    /// Hooks, instead of the model.
    Hooks {
        /// Why the model was not asked.
        reason: String,
    },
}

impl Session {
    /// Makes one model call, unless the user gives up first.
    pub(super) async fn call_model(
        &mut self,
        request: GenerateContentParameters,
        audience: Audience,
    ) -> Result<Reply, Interrupt> {
        let cancel = self.parts.context.cancel.clone();
        // Dropping the call ends its hooks and its stream.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Interrupt::Cancelled),
            reply = self.call_model_to_its_end(request, audience) => reply,
        }
    }

    /// The call without regard to cancelling. Messages for the next request are taken when it is sent, whether or not it
    /// succeeds.
    async fn call_model_to_its_end(
        &mut self,
        request: GenerateContentParameters,
        audience: Audience,
    ) -> Result<Reply, Interrupt> {
        let Self { parts, pending_messages, .. } = self;
        let outcome = parts
            .hooks
            .call_model(request, permit_unless_asked, async |call| {
                // Messages for the next request wait for one that is sent.
                if audience == Audience::User {
                    pending_messages.clear();
                }
                parts.log.write(&LogLine::ModelRequest { request: call.request });
                parts.ui.notify(&AgentEvent::ModelStarted { model: &call.request.model });
                let streams = call.may_stream && audience == Audience::User;
                let show = |chunk: &GenerateContentResponse| {
                    if streams {
                        show_text(parts.ui.as_ref(), chunk);
                    }
                };
                let response = parts.model.stream(call.request).complete(show).await?;
                parts.ui.notify(&AgentEvent::ModelFinished);
                if let Some(usage) = &response.usage_metadata {
                    parts.ui.notify(&AgentEvent::Usage(usage));
                }
                Ok(response)
            })
            .await
            .map_err(Interrupt::ModelFailed)?;
        match outcome.end {
            ModelEnd::Answered(answer) => {
                self.pending_messages.extend(outcome.next_system_message);
                Ok(self.model_answered(answer, audience))
            }
            ModelEnd::Blocked { response, block, showing, .. } => {
                self.pending_messages.extend(outcome.next_system_message);
                self.parts.ui.notify(&AgentEvent::Blocked { what: "model call", reason: &block.reason });
                self.log_response(&response, true, false);
                let showing = if audience == Audience::Agent { Showing::Hidden } else { showing };
                if showing == Showing::Now {
                    show_text(self.parts.ui.as_ref(), &response);
                }
                Ok(Reply {
                    response,
                    allowed: AllowedTools::All,
                    suppressed: showing == Showing::Hidden,
                    source: ReplySource::Hooks { reason: block.reason },
                })
            }
            // The agent's permission step refuses no model call.
            ModelEnd::Denied { reason } => Err(self.stopped(StopReason::new(reason))),
            ModelEnd::Stopped { reason, at } => {
                match at {
                    StopPoint::BeforeCall { block } => {
                        if let Some(block) = block.filter(|block| block.reason != reason.as_str()) {
                            let blocked = AgentEvent::Blocked { what: "model call", reason: &block.reason };
                            self.parts.ui.notify(&blocked);
                        }
                    }
                    StopPoint::AfterCall(answer) => {
                        let modified = answer.change != ResponseChange::Unchanged;
                        self.log_response(&answer.response, false, modified);
                    }
                }
                Err(self.stopped(reason))
            }
        }
    }

    /// Logs and shows the model's answer, as far as hooks let it be shown.
    fn model_answered(&mut self, answer: ModelAnswer, audience: Audience) -> Reply {
        self.log_response(&answer.response, false, answer.change != ResponseChange::Unchanged);
        if let ResponseChange::Replaced { dropped_tool_calls: dropped @ 1.. } = answer.change {
            self.notice(&format!(
                "an AfterModel hook replaced the response: {dropped} tool call(s) of the model are gone"
            ));
        }
        let showing = if audience == Audience::Agent { Showing::Hidden } else { answer.showing };
        if showing == Showing::Now {
            show_text(self.parts.ui.as_ref(), &answer.response);
        }
        Reply {
            response: answer.response,
            allowed: answer.allowed_tools,
            suppressed: showing == Showing::Hidden,
            source: ReplySource::Model,
        }
    }

    /// `synthetic` marks an answer that hooks gave in the model's place, `modified` one that they changed.
    fn log_response(&self, response: &GenerateContentResponse, synthetic: bool, modified: bool) {
        self.parts.log.write(&LogLine::ModelResponse { response, synthetic, modified });
    }
}

/// Shows the text of a chunk or a response; one without text is not shown at all.
fn show_text(ui: &dyn Ui, response: &GenerateContentResponse) {
    let text = response.text();
    if !text.is_empty() {
        ui.notify(&AgentEvent::AnswerText(&text));
    }
}
