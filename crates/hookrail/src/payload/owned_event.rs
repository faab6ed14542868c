//! An event that owns its data, because what it was read from does not outlive the parser.

use super::{ModelRequest, ModelResponse};
use crate::event::{Event, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::formats::json_object::JsonObject;

/// An [`Event`] that owns its data.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
pub enum OwnedEvent {
    BeforeTool { tool_name: String, tool_input: JsonObject },
    AfterTool { tool_name: String, tool_input: JsonObject, tool_response: JsonObject },
    BeforeAgent { prompt: String },
    AfterAgent { prompt: String, prompt_response: String, stop_hook_active: bool },
    BeforeModel { llm_request: ModelRequest },
    AfterModel { llm_request: ModelRequest, llm_response: ModelResponse },
    BeforeToolSelection { llm_request: ModelRequest },
    SessionStart { source: SessionStartSource },
    SessionEnd { reason: SessionEndReason },
    PreCompress { trigger: PreCompressTrigger },
    Notification { notification_type: NotificationType, message: String, details: JsonObject },
}

impl OwnedEvent {
    /// The event, borrowing its data.
    pub fn as_event(&self) -> Event<'_> {
        match self {
            Self::BeforeTool { tool_name, tool_input } => Event::BeforeTool { tool_name, tool_input },
            Self::AfterTool { tool_name, tool_input, tool_response } => {
                Event::AfterTool { tool_name, tool_input, tool_response }
            }
            Self::BeforeAgent { prompt } => Event::BeforeAgent { prompt },
            Self::AfterAgent { prompt, prompt_response, stop_hook_active } => {
                Event::AfterAgent { prompt, prompt_response, stop_hook_active: *stop_hook_active }
            }
            Self::BeforeModel { llm_request } => {
                Event::BeforeModel { llm_request: llm_request.as_llm_request() }
            }
            Self::AfterModel { llm_request, llm_response } => Event::AfterModel {
                llm_request: llm_request.as_llm_request(),
                llm_response: llm_response.as_llm_response(),
            },
            Self::BeforeToolSelection { llm_request } => {
                Event::BeforeToolSelection { llm_request: llm_request.as_llm_request() }
            }
            Self::SessionStart { source } => Event::SessionStart { source: *source },
            Self::SessionEnd { reason } => Event::SessionEnd { reason: *reason },
            Self::PreCompress { trigger } => Event::PreCompress { trigger: *trigger },
            Self::Notification { notification_type, message, details } => {
                Event::Notification { notification_type, message, details }
            }
        }
    }
}
