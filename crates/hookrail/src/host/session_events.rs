//! The eleven events as methods of a session, and what a host does after each of them.
//!
//! With hooks off, or with no hook for the event, a method returns before it awaits, allocates or reads anything. None of
//! them fails or panics.

use std::borrow::Cow;

use serde_json::Value;

use crate::event::{
    Event, EventName, NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource,
};
use crate::formats::json_object::JsonObject;
use crate::formats::translator::TranslationError;
use crate::host::effects::{
    AfterModelHookResult, AfterToolHookResult, AgentGate, AgentHookResult, AnswerOrigin,
    BeforeModelHookResult, BeforeToolHookResult, BeforeToolSelectionHookResult, EventEffects, HookResult,
    ModelGate, Notes, ResponseChange, SpecificEffects, ToolGate, ToolSelection,
};
use crate::host::event_handler::HookEventHandler;
use crate::host::model_format::{RequestFormat, ResponseFormat};
use crate::host::panics::catch_panic;
use crate::host::session::HookSession;
use crate::payload::BaseOverrides;
use crate::verdict::result::{Block, ProcessedHookResult};

/// The events around tools and model calls. [`HookSession::execute_tool`] and [`HookSession::call_model`] fire them
/// in order and apply what comes back.
impl HookSession {
    /// A tool is about to run.
    pub async fn fire_before_tool<'a>(
        &self,
        tool_name: &str,
        tool_input: &'a JsonObject,
    ) -> BeforeToolHookResult<'a> {
        let event = Event::BeforeTool { tool_name, tool_input };
        let Some(handler) = self.listening_to(&event) else {
            return HookResult::without_hooks(match self.block_unstarted(EventName::BeforeTool) {
                Some(block) => ToolGate::Block { block, stop: None },
                None => ToolGate::Run { tool_input: Cow::Borrowed(tool_input) },
            });
        };
        let (effects, notes) = self.effects_of(handler.fire(&event).await);
        let tool_input = match effects.specific {
            SpecificEffects::BeforeTool { tool_input: Some(changes), .. } => {
                changed_input(tool_input, changes)
            }
            _ => Cow::Borrowed(tool_input),
        };
        let gate = match (effects.block, effects.stop, effects.ask) {
            (Some(block), stop, _) => ToolGate::Block { block, stop },
            (None, Some(reason), _) => ToolGate::Stop { reason },
            (None, None, Some(reason)) => ToolGate::Ask { tool_input, reason },
            (None, None, None) => ToolGate::Run { tool_input },
        };
        HookResult { gate, notes }
    }

    /// A tool has run.
    pub async fn fire_after_tool(
        &self,
        tool_name: &str,
        tool_input: &JsonObject,
        tool_response: &JsonObject,
    ) -> AfterToolHookResult {
        let event = Event::AfterTool { tool_name, tool_input, tool_response };
        let Some(handler) = self.listening_to(&event) else {
            return AfterToolHookResult::default();
        };
        let result = handler.fire(&event).await;
        let (effects, notes) = self.effects_of(result);
        let tool_response = match effects.specific {
            SpecificEffects::AfterTool { tool_response } => Some(tool_response),
            _ => None,
        };
        let EventEffects { additional_context, stop, .. } = effects;
        AfterToolHookResult { tool_response, additional_context, stop, notes }
    }

    /// A model call is about to be made.
    pub async fn fire_before_model<'a, R: RequestFormat>(
        &self,
        request: &'a R,
    ) -> BeforeModelHookResult<'a, R> {
        let Some(handler) = self.listening(EventName::BeforeModel) else {
            return HookResult::without_hooks(match self.block_unstarted(EventName::BeforeModel) {
                Some(block) => empty_answer(block),
                None => ModelGate::Send { request: Cow::Borrowed(request) },
            });
        };
        let event = Event::BeforeModel { llm_request: request.to_hook() };
        let (effects, notes) = self.effects_of(handler.fire(&event).await);
        let (llm_request, llm_response) = match effects.specific {
            SpecificEffects::BeforeModel { llm_request, llm_response } => (llm_request, llm_response),
            _ => (None, None),
        };
        let gate = match (effects.block, effects.stop) {
            (block, Some(reason)) => ModelGate::Stop { reason, block },
            (Some(block), None) => match applied("llm_response", llm_response, R::Response::from_hook) {
                Some(response) => ModelGate::Answer { response, origin: AnswerOrigin::Hook, block },
                None => empty_answer(block),
            },
            (None, None) => {
                let changed =
                    applied("llm_request", llm_request, |given| Ok(changed_request(request, given)));
                ModelGate::Send { request: changed.map_or(Cow::Borrowed(request), Cow::Owned) }
            }
        };
        HookResult { gate, notes }
    }

    /// A model call that carries tool definitions is about to be made.
    pub async fn fire_before_tool_selection<R: RequestFormat>(
        &self,
        request: &R,
    ) -> BeforeToolSelectionHookResult<R::ToolConfig> {
        let Some(handler) = self.listening(EventName::BeforeToolSelection) else {
            return HookResult::without_hooks(ToolSelection::Unchanged);
        };
        let event = Event::BeforeToolSelection { llm_request: request.to_hook() };
        let (effects, notes) = self.effects_of(handler.fire(&event).await);
        let given = match effects.specific {
            SpecificEffects::BeforeToolSelection { tool_config } => Some(tool_config),
            _ => None,
        };
        let changed = || applied("toolConfig", given, |given| request.changed_tools(given));
        let gate = match effects.stop {
            Some(reason) => ToolSelection::Stop { reason },
            None => changed()
                .map_or(ToolSelection::Unchanged, |tool_config| ToolSelection::Restricted { tool_config }),
        };
        HookResult { gate, notes }
    }

    /// A model call has been answered completely. Hooks may change the answer.
    pub async fn fire_after_model<R: RequestFormat>(
        &self,
        request: &R,
        response: R::Response,
    ) -> AfterModelHookResult<R::Response> {
        let unchanged = |response| AfterModelHookResult {
            response,
            change: ResponseChange::Unchanged,
            stop: None,
            notes: Notes::default(),
        };
        let Some(handler) = self.listening(EventName::AfterModel) else { return unchanged(response) };
        let event = Event::AfterModel { llm_request: request.to_hook(), llm_response: response.to_hook() };
        let result = handler.fire(&event).await;
        drop(event);
        let (effects, notes) = self.effects_of(result);
        let stop = effects.stop;
        let replacement = match effects.specific {
            SpecificEffects::AfterModel { llm_response } => {
                applied("llm_response", Some(llm_response), |given| response.changed(given)).flatten()
            }
            // A stop without an answer says why.
            _ => stop.as_ref().map(|reason| R::Response::from_text(reason.as_str())),
        };
        let Some(replacement) = replacement else {
            return AfterModelHookResult { stop, notes, ..unchanged(response) };
        };
        let change = ResponseChange::Replaced { dropped_tool_calls: response.tool_calls() };
        AfterModelHookResult { response: replacement, change, stop, notes }
    }
}

/// The events of the agent's lifecycle. They are awaited in both modes, so that nothing outlives the run.
impl HookSession {
    /// A session begins.
    pub async fn fire_session_start(&self, source: SessionStartSource) -> AgentHookResult {
        self.fire_agent_event(Event::SessionStart { source }).await
    }

    /// A session ends. No answer of a hook prevents that; a stop keeps the host from beginning another one after
    /// [`SessionEndReason::Clear`].
    pub async fn fire_session_end(&self, reason: SessionEndReason) -> AgentHookResult {
        self.fire_agent_event(Event::SessionEnd { reason }).await
    }

    /// A prompt is about to be worked on.
    pub async fn fire_before_agent(&self, prompt: &str) -> AgentHookResult {
        self.fire_agent_event(Event::BeforeAgent { prompt }).await
    }

    /// The work on a prompt has ended. `stop_hook_active` says that it went on because of such a hook.
    pub async fn fire_after_agent(
        &self,
        prompt: &str,
        prompt_response: &str,
        stop_hook_active: bool,
    ) -> AgentHookResult {
        self.fire_agent_event(Event::AfterAgent { prompt, prompt_response, stop_hook_active }).await
    }

    /// The history is about to be summarised.
    pub async fn fire_pre_compress(&self, trigger: PreCompressTrigger) -> AgentHookResult {
        self.fire_agent_event(Event::PreCompress { trigger }).await
    }

    /// The agent is about to tell or ask the user something. A notification informs: no hook's answer to it loosens or
    /// replaces the question.
    pub async fn fire_notification(
        &self,
        notification_type: &NotificationType,
        message: &str,
        details: &JsonObject,
    ) -> AgentHookResult {
        self.fire_agent_event(Event::Notification { notification_type, message, details }).await
    }

    /// Whether some hook listens to this event, whatever it is about.
    pub fn listens_to(&self, event: EventName) -> bool {
        self.listening(event).is_some()
    }

    async fn fire_agent_event(&self, event: Event<'_>) -> AgentHookResult {
        let Some(handler) = self.listening_to(&event) else {
            let block = self.block_unstarted(event.name());
            let gate = block.map(|block| AgentGate::Block { block, stop: None });
            return HookResult::without_hooks(gate.unwrap_or_default());
        };
        let (effects, notes) = self.effects_of(handler.fire(&event).await);
        let gate = match (effects.block, effects.stop) {
            (Some(block), stop) => AgentGate::Block { block, stop },
            (None, Some(reason)) => AgentGate::Stop { reason },
            (None, None) => AgentGate::Proceed { additional_context: effects.additional_context },
        };
        HookResult { gate, notes }
    }

    /// The handler of an event of the model, if hooks are on and one of them listens to it.
    #[inline]
    pub(crate) fn listening(&self, event: EventName) -> Option<HookEventHandler<'_>> {
        self.started().filter(|handler| handler.can_have_result(event, None, &[]))
    }

    /// The handler of this event, if hooks are on and one of them listens to it.
    #[inline]
    pub(crate) fn listening_to(&self, event: &Event<'_>) -> Option<HookEventHandler<'_>> {
        self.started().filter(|handler| handler.would_run(event, &BaseOverrides::default()))
    }

    /// What came of an event, and what goes with it.
    fn effects_of(&self, result: ProcessedHookResult) -> (EventEffects, Notes) {
        let agent_events = self.settings().agent_events();
        let mut effects = EventEffects::of(&result, agent_events);
        let warnings = result.all_warnings();
        let output = result.aggregated.final_output;
        let notes = Notes {
            system_message: effects.system_message.take(),
            suppress_output: effects.suppress_output,
            warnings,
            clear_context: effects.specific == SpecificEffects::ClearContext,
            output: output.filter(|_| !agent_events.only_observes(result.event)),
        };
        (effects, notes)
    }
}

/// What goes on in place of a model call that is blocked without an answer.
fn empty_answer<'a, R: RequestFormat>(block: Block) -> ModelGate<'a, R> {
    ModelGate::Answer { response: R::Response::from_text(""), origin: AnswerOrigin::Empty, block }
}

/// The arguments with what hooks changed, key by key.
fn changed_input(original: &JsonObject, changes: JsonObject) -> Cow<'_, JsonObject> {
    let is_new = |(key, value): &(String, Value)| original.get(key) != Some(value);
    let changes: Vec<_> = changes.into_iter().filter(is_new).collect();
    if changes.is_empty() {
        return Cow::Borrowed(original);
    }
    let mut new_input = original.clone();
    new_input.extend(changes);
    Cow::Owned(new_input)
}

/// The request as hooks changed it. A field that cannot be read is left as it was; the others count.
fn changed_request<R: RequestFormat>(original: &R, given: &JsonObject) -> R {
    let (request, problems) = original.changed(given);
    for problem in &problems {
        tracing::warn!(target: "llxprt:core:hooks:handler", "a hook's `llm_request` is not applied in full: {problem}");
    }
    request
}

/// The change that hooks made. What cannot be read is not applied, and the log says so; should even that
/// panic, the verdict beside it still counts.
fn applied<T>(
    field: &str,
    given: Option<JsonObject>,
    change: impl FnOnce(&JsonObject) -> Result<T, TranslationError>,
) -> Option<T> {
    let given = given?;
    let report = |error: &TranslationError| {
        tracing::warn!(target: "llxprt:core:hooks:handler", field, "a hook's `{field}` is not applied: {error}");
    };
    catch_panic(|| change(&given).inspect_err(report).ok()).unwrap_or_default()
}
