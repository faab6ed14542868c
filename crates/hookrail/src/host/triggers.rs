//! What agents call around tools and model calls. Never fails, never panics.
//!
//! With hooks off, or with no hook for the event, a trigger returns before it awaits, allocates or
//! reads anything.

use std::borrow::Cow;

use serde_json::Value;

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::json_object::JsonObject;
use crate::formats::translator::TranslationError;
use crate::host::effects::{
    AfterModelHookResult, AfterToolHookResult, AnswerOrigin, BeforeModelHookResult, BeforeToolHookResult,
    BeforeToolSelectionHookResult, HookNotes, ModelGate, Notes, ResponseChange, ToolBlock, ToolGate,
    ToolInput, ToolQuestion, ToolSelection,
};
use crate::host::event_handler::HookEventHandler;
use crate::host::panics::catch_panic;
use crate::host::session::HookSession;
use crate::host::system::HookSystem;
use crate::output::HookOutput;
use crate::verdict::result::ProcessedHookResult;
use crate::verdict::views::{
    AfterModelHookOutput, BeforeModelHookOutput, BeforeToolHookOutput, BeforeToolSelectionHookOutput,
};

/// Asks the hooks before a tool runs.
pub async fn fire_before_tool_hook<'a>(
    session: &'a HookSession,
    tool_name: &'a str,
    tool_input: &'a JsonObject,
) -> BeforeToolHookResult<'a> {
    match listening(session, EventName::BeforeTool, Some(tool_name)) {
        None => BeforeToolHookResult {
            gate: ToolGate::Run { tool_input: ToolInput::original(tool_input) },
            notes: HookNotes::default(),
        },
        // On the heap, so that the future is small where no hook listens.
        Some(handler) => Box::pin(before_tool(handler, tool_name, tool_input)).await,
    }
}

async fn before_tool<'a>(
    handler: &'a HookEventHandler,
    tool_name: &'a str,
    tool_input: &'a JsonObject,
) -> BeforeToolHookResult<'a> {
    let result = handler.fire_before_tool_event(tool_name, tool_input).await;
    let mut notes = Notes::of(&result);
    let ProcessedHookResult { block, ask, stop, aggregated, .. } = result;
    let output = aggregated.final_output.map(BeforeToolHookOutput::from);
    let gate = match (block, stop, ask) {
        (Some(block), stop, _) => ToolGate::Block(Box::new(ToolBlock { block, stop })),
        (None, Some(reason), _) => ToolGate::Stop(Box::new(reason)),
        (None, None, Some(ask)) => {
            let tool_input = changed_input(output.as_ref(), tool_input);
            ToolGate::Ask(Box::new(ToolQuestion { tool_input, reason: ask.reason }))
        }
        (None, None, None) => ToolGate::Run { tool_input: changed_input(output.as_ref(), tool_input) },
    };
    notes.output = output.map(HookOutput::from);
    BeforeToolHookResult { gate, notes: notes.into() }
}

/// The arguments with what hooks changed, key by key.
fn changed_input<'a>(output: Option<&BeforeToolHookOutput>, original: &'a JsonObject) -> ToolInput<'a> {
    let changes = output.and_then(BeforeToolHookOutput::modified_tool_input);
    let is_new = |(key, value): &(&String, &Value)| original.get(*key) != Some(*value);
    let changes: Vec<_> = changes.into_iter().flatten().filter(is_new).collect();
    if changes.is_empty() {
        return ToolInput::original(original);
    }
    let mut new_input = original.clone();
    for (key, value) in changes {
        new_input.insert(key.clone(), value.clone());
    }
    ToolInput::changed(original, new_input)
}

/// Runs the hooks after a tool, with what it gave.
pub async fn fire_after_tool_hook(
    session: &HookSession,
    tool_name: &str,
    tool_input: &JsonObject,
    tool_response: &JsonObject,
) -> AfterToolHookResult {
    match listening(session, EventName::AfterTool, Some(tool_name)) {
        None => AfterToolHookResult::default(),
        Some(handler) => Box::pin(after_tool(handler, tool_name, tool_input, tool_response)).await,
    }
}

async fn after_tool(
    handler: &HookEventHandler,
    tool_name: &str,
    tool_input: &JsonObject,
    tool_response: &JsonObject,
) -> AfterToolHookResult {
    let result = handler.fire_after_tool_event(tool_name, tool_input, tool_response).await;
    let mut notes = Notes::of(&result);
    let output = result.aggregated.final_output;
    let tool_response = output.as_ref().and_then(|output| output.specific("tool_response"));
    let tool_response = tool_response.filter(|given| !given.is_null()).cloned();
    let additional_context = output.as_ref().and_then(HookOutput::additional_context).map(str::to_owned);
    notes.output = output;
    AfterToolHookResult { tool_response, additional_context, stop: result.stop, notes: notes.into() }
}

/// Asks the hooks before a model call.
pub async fn fire_before_model_hook<'a>(
    session: &'a HookSession,
    llm_request: &'a GenerateContentParameters,
) -> BeforeModelHookResult<'a> {
    match listening(session, EventName::BeforeModel, None) {
        None => BeforeModelHookResult {
            gate: ModelGate::Send { request: Cow::Borrowed(llm_request) },
            notes: HookNotes::default(),
        },
        Some(handler) => Box::pin(before_model(handler, llm_request)).await,
    }
}

async fn before_model<'a>(
    handler: &'a HookEventHandler,
    llm_request: &'a GenerateContentParameters,
) -> BeforeModelHookResult<'a> {
    let result = handler.fire_before_model_event(llm_request).await;
    let mut notes = Notes::of(&result);
    let output = result.aggregated.final_output.map(BeforeModelHookOutput::from);
    let gate = match (result.block, result.stop) {
        (block, Some(reason)) => ModelGate::Stop { reason, block },
        (Some(block), None) => {
            let given = applied("llm_response", output.as_ref(), BeforeModelHookOutput::synthetic_response);
            let origin = if given.is_some() { AnswerOrigin::Hook } else { AnswerOrigin::Empty };
            let response = given.unwrap_or_else(|| GenerateContentResponse::from_text(""));
            ModelGate::Answer { response, origin, block }
        }
        (None, None) => {
            let changed =
                applied("llm_request", output.as_ref(), |output| Ok(modified_request(output, llm_request)));
            ModelGate::Send { request: changed.map_or(Cow::Borrowed(llm_request), Cow::Owned) }
        }
    };
    notes.output = output.map(HookOutput::from);
    BeforeModelHookResult { gate, notes: notes.into() }
}

/// The request as hooks changed it. A field that cannot be read is left as it was; the others count.
fn modified_request(
    output: &BeforeModelHookOutput,
    original: &GenerateContentParameters,
) -> Option<GenerateContentParameters> {
    let applied = output.apply_llm_request_modifications(original)?;
    for problem in &applied.problems {
        tracing::warn!(target: "llxprt:core:hooks:handler", "a hook's `llm_request` is not applied in full: {problem}");
    }
    Some(applied.request)
}

/// Asks the hooks which tools the model may call.
pub async fn fire_before_tool_selection_hook(
    session: &HookSession,
    llm_request: &GenerateContentParameters,
) -> BeforeToolSelectionHookResult {
    match listening(session, EventName::BeforeToolSelection, None) {
        None => BeforeToolSelectionHookResult::default(),
        Some(handler) => Box::pin(before_tool_selection(handler, llm_request)).await,
    }
}

async fn before_tool_selection(
    handler: &HookEventHandler,
    llm_request: &GenerateContentParameters,
) -> BeforeToolSelectionHookResult {
    let result = handler.fire_before_tool_selection_event(llm_request).await;
    let mut notes = Notes::of(&result);
    let output = result.aggregated.final_output.map(BeforeToolSelectionHookOutput::from);
    let own = llm_request.config.as_ref().and_then(|config| config.tool_config.as_ref());
    let changed =
        || applied("toolConfig", output.as_ref(), |output| output.apply_tool_config_modifications(own));
    let selection = match result.stop {
        Some(reason) => ToolSelection::Stop { reason },
        None => changed()
            .map_or(ToolSelection::Unchanged, |tool_config| ToolSelection::Restricted { tool_config }),
    };
    notes.output = output.map(HookOutput::from);
    BeforeToolSelectionHookResult { selection, notes: notes.into() }
}

/// Shows the hooks a complete response and takes back what they make of it.
#[must_use = "it carries the response and may carry a stop"]
pub async fn fire_after_model_hook(
    session: &HookSession,
    llm_request: &GenerateContentParameters,
    llm_response: GenerateContentResponse,
) -> AfterModelHookResult {
    match listening(session, EventName::AfterModel, None) {
        None => AfterModelHookResult {
            response: llm_response,
            change: ResponseChange::Unchanged,
            stop: None,
            notes: HookNotes::default(),
        },
        Some(handler) => Box::pin(after_model(handler, llm_request, llm_response)).await,
    }
}

async fn after_model(
    handler: &HookEventHandler,
    llm_request: &GenerateContentParameters,
    llm_response: GenerateContentResponse,
) -> AfterModelHookResult {
    let result = handler.fire_after_model_event(llm_request, &llm_response).await;
    let mut notes = Notes::of(&result);
    let output = result.aggregated.final_output.map(AfterModelHookOutput::from);
    let replacement =
        applied("llm_response", output.as_ref(), |output| output.modified_response(&llm_response));
    let (response, change) = match replacement {
        None => (llm_response, ResponseChange::Unchanged),
        Some(response) => {
            let dropped_tool_calls = llm_response.function_calls().count();
            (response, ResponseChange::Replaced { dropped_tool_calls })
        }
    };
    notes.output = output.map(HookOutput::from);
    AfterModelHookResult { response, change, stop: result.stop, notes: notes.into() }
}

/// The handler, if hooks are on and one of them listens.
#[inline]
pub(crate) fn listening<'a>(
    session: &'a HookSession,
    event: EventName,
    target: Option<&str>,
) -> Option<&'a HookEventHandler> {
    let system = session.hook_system()?;
    listening_in(system, event, target)
}

/// The slow half, kept out of callers that have hooks off.
fn listening_in<'a>(
    system: &'a HookSystem,
    event: EventName,
    target: Option<&str>,
) -> Option<&'a HookEventHandler> {
    // Starting the system reads files and runs code of the host; a panic there must not end the agent.
    let start = || Some(system.engine()).filter(|handler| handler.can_have_result(event, target, &[]));
    catch_panic(start).unwrap_or_else(|message| {
        // The log may be what failed.
        let _ = catch_panic(|| {
            tracing::warn!(target: "llxprt:core:hooks:system", %event, "hook system failed to start: {message}");
        });
        None
    })
}

/// The change that hooks made. What cannot be read is not applied, and the log says so; should even that
/// panic, the verdict beside it still counts.
fn applied<O, T>(
    field: &str,
    output: Option<&O>,
    change: impl FnOnce(&O) -> Result<Option<T>, TranslationError>,
) -> Option<T> {
    let output = output?;
    let read = || {
        change(output).unwrap_or_else(|error| {
            tracing::warn!(target: "llxprt:core:hooks:handler", field, "a hook's `{field}` is not applied: {error}");
            None
        })
    };
    catch_panic(read).unwrap_or_default()
}
