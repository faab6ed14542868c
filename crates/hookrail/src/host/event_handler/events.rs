//! One method for each event, with exactly the data that the event carries.

use super::HookEventHandler;
use crate::event::{
    Event, EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource,
};
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::json_object::JsonObject;
use crate::formats::translator::{to_hook_llm_request, to_hook_llm_response};
use crate::verdict::result::ProcessedHookResult;

impl HookEventHandler {
    /// A tool is about to run.
    pub async fn fire_before_tool_event(
        &self,
        tool_name: &str,
        tool_input: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::BeforeTool { tool_name, tool_input }).await
    }

    /// A tool has run.
    pub async fn fire_after_tool_event(
        &self,
        tool_name: &str,
        tool_input: &JsonObject,
        tool_response: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::AfterTool { tool_name, tool_input, tool_response }).await
    }

    /// A prompt is about to be worked on.
    pub async fn fire_before_agent_event(&self, prompt: &str) -> ProcessedHookResult {
        self.fire(&Event::BeforeAgent { prompt }).await
    }

    /// The work on a prompt has ended.
    pub async fn fire_after_agent_event(
        &self,
        prompt: &str,
        prompt_response: &str,
        stop_hook_active: bool,
    ) -> ProcessedHookResult {
        self.fire(&Event::AfterAgent { prompt, prompt_response, stop_hook_active }).await
    }

    /// A model call is about to be made.
    pub async fn fire_before_model_event(&self, request: &GenerateContentParameters) -> ProcessedHookResult {
        let event = || Event::BeforeModel { llm_request: to_hook_llm_request(request) };
        self.fire_translated(EventName::BeforeModel, event).await
    }

    /// A model call has been answered completely.
    pub async fn fire_after_model_event(
        &self,
        request: &GenerateContentParameters,
        response: &GenerateContentResponse,
    ) -> ProcessedHookResult {
        let event = || Event::AfterModel {
            llm_request: to_hook_llm_request(request),
            llm_response: to_hook_llm_response(response),
        };
        self.fire_translated(EventName::AfterModel, event).await
    }

    /// A model call that carries tool definitions is about to be made.
    pub async fn fire_before_tool_selection_event(
        &self,
        request: &GenerateContentParameters,
    ) -> ProcessedHookResult {
        let event = || Event::BeforeToolSelection { llm_request: to_hook_llm_request(request) };
        self.fire_translated(EventName::BeforeToolSelection, event).await
    }

    /// Fires a model event. The request is translated only if the event can have a result; where it cannot, a host that
    /// calls this directly spends one lookup.
    async fn fire_translated<'a>(
        &self,
        name: EventName,
        event: impl FnOnce() -> Event<'a>,
    ) -> ProcessedHookResult {
        if !self.can_have_result(name, None, &[]) {
            return ProcessedHookResult::empty(name);
        }
        self.fire(&event()).await
    }

    /// A session begins.
    pub async fn fire_session_start_event(&self, source: SessionStartSource) -> ProcessedHookResult {
        self.fire(&Event::SessionStart { source }).await
    }

    /// A session ends.
    pub async fn fire_session_end_event(&self, reason: SessionEndReason) -> ProcessedHookResult {
        self.fire(&Event::SessionEnd { reason }).await
    }

    /// The history is about to be summarised.
    pub async fn fire_pre_compress_event(&self, trigger: PreCompressTrigger) -> ProcessedHookResult {
        self.fire(&Event::PreCompress { trigger }).await
    }

    /// The agent is about to tell or ask the user something.
    pub async fn fire_notification_event(
        &self,
        notification_type: &NotificationType,
        message: &str,
        details: &JsonObject,
    ) -> ProcessedHookResult {
        self.fire(&Event::Notification { notification_type, message, details }).await
    }
}
