//! The eleven events as methods of a session.
//!
//! The six events outside of tools and models have one kind of result. Their outputs are applied only where the
//! settings say so (`hooksConfig.agentEvents`), and that is decided here, so that no host has to check it.

use crate::event::{EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::json_object::JsonObject;
use crate::host::effects::{
    AfterModelHookResult, AfterToolHookResult, AgentGate, AgentHookResult, BeforeModelHookResult,
    BeforeToolHookResult, BeforeToolSelectionHookResult, Notes,
};
use crate::host::session::HookSession;
use crate::host::triggers;
use crate::output::HookOutput;
use crate::verdict::result::ProcessedHookResult;

/// The events around tools and model calls. [`HookSession::execute_tool`] and [`HookSession::call_model`] fire them
/// in order and apply what comes back.
impl HookSession {
    /// A tool is about to run.
    #[inline]
    pub fn fire_before_tool<'a>(
        &'a self,
        tool_name: &'a str,
        tool_input: &'a JsonObject,
    ) -> impl Future<Output = BeforeToolHookResult<'a>> + Send + 'a {
        triggers::fire_before_tool_hook(self, tool_name, tool_input)
    }

    /// A tool has run.
    #[inline]
    pub fn fire_after_tool<'a>(
        &'a self,
        tool_name: &'a str,
        tool_input: &'a JsonObject,
        tool_response: &'a JsonObject,
    ) -> impl Future<Output = AfterToolHookResult> + Send + 'a {
        triggers::fire_after_tool_hook(self, tool_name, tool_input, tool_response)
    }

    /// A model call is about to be made.
    #[inline]
    pub fn fire_before_model<'a>(
        &'a self,
        request: &'a GenerateContentParameters,
    ) -> impl Future<Output = BeforeModelHookResult<'a>> + Send + 'a {
        triggers::fire_before_model_hook(self, request)
    }

    /// A model call that carries tool definitions is about to be made.
    #[inline]
    pub fn fire_before_tool_selection<'a>(
        &'a self,
        request: &'a GenerateContentParameters,
    ) -> impl Future<Output = BeforeToolSelectionHookResult> + Send + 'a {
        triggers::fire_before_tool_selection_hook(self, request)
    }

    /// A model call has been answered completely.
    pub async fn fire_after_model(
        &self,
        request: &GenerateContentParameters,
        response: GenerateContentResponse,
    ) -> AfterModelHookResult {
        triggers::fire_after_model_hook(self, request, response).await
    }
}

/// The events of the agent's lifecycle. They are awaited in both modes, so that nothing outlives the run.
impl HookSession {
    /// A session begins.
    pub async fn fire_session_start(&self, source: SessionStartSource) -> AgentHookResult {
        let Some(handler) = triggers::listening(self, EventName::SessionStart, Some(source.as_str())) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_session_start_event(source).await)
    }

    /// A session ends. No answer of a hook prevents that; a stop keeps the host from beginning another one after
    /// [`SessionEndReason::Clear`].
    pub async fn fire_session_end(&self, reason: SessionEndReason) -> AgentHookResult {
        let Some(handler) = triggers::listening(self, EventName::SessionEnd, Some(reason.as_str())) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_session_end_event(reason).await)
    }

    /// A prompt is about to be worked on.
    pub async fn fire_before_agent(&self, prompt: &str) -> AgentHookResult {
        let Some(handler) = triggers::listening(self, EventName::BeforeAgent, None) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_before_agent_event(prompt).await)
    }

    /// The work on a prompt has ended. `stop_hook_active` says that it went on because of such a hook.
    pub async fn fire_after_agent(
        &self,
        prompt: &str,
        prompt_response: &str,
        stop_hook_active: bool,
    ) -> AgentHookResult {
        let Some(handler) = triggers::listening(self, EventName::AfterAgent, None) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_after_agent_event(prompt, prompt_response, stop_hook_active).await)
    }

    /// The history is about to be summarised.
    pub async fn fire_pre_compress(&self, trigger: PreCompressTrigger) -> AgentHookResult {
        let Some(handler) = triggers::listening(self, EventName::PreCompress, Some(trigger.as_str())) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_pre_compress_event(trigger).await)
    }

    /// The agent is about to tell or ask the user something. A notification informs: no hook's answer to it loosens or
    /// replaces the question.
    pub async fn fire_notification(
        &self,
        notification_type: &NotificationType,
        message: &str,
        details: &JsonObject,
    ) -> AgentHookResult {
        let word = notification_type.as_str();
        let Some(handler) = triggers::listening(self, EventName::Notification, Some(word)) else {
            return AgentHookResult::default();
        };
        self.effect(handler.fire_notification_event(notification_type, message, details).await)
    }

    /// Whether some hook listens to this event, whatever it is about.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.hook_system().is_some_and(|system| system.listens_to(event))
    }

    /// What the caller does, if the settings let the hooks of these events do more than observe.
    fn effect(&self, result: ProcessedHookResult) -> AgentHookResult {
        let mut notes = Notes::of(&result);
        if self.settings().agent_events().only_observes(result.event) {
            let notes = Notes { warnings: notes.warnings, ..Notes::default() };
            return AgentHookResult { notes: notes.into(), ..AgentHookResult::default() };
        }
        let output = result.aggregated.final_output;
        let clear_context = output.as_ref().and_then(|output| output.specific("clearContext"));
        let clear_context = clear_context.is_some_and(|clear| clear == true);
        let gate = match (result.block, result.stop) {
            (Some(block), stop) => AgentGate::Block { block, stop },
            (None, Some(reason)) => AgentGate::Stop { reason },
            (None, None) => {
                let context = output.as_ref().and_then(HookOutput::additional_context);
                AgentGate::Proceed { additional_context: context.map(str::to_owned) }
            }
        };
        notes.output = output;
        AgentHookResult { gate, clear_context, notes: notes.into() }
    }
}
