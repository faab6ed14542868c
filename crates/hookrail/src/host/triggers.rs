//! The triggers under the specification's names: each is the session's method of the same event.

use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse};
use crate::formats::json_object::JsonObject;
use crate::host::effects::{
    AfterModelHookResult, AfterToolHookResult, BeforeModelHookResult, BeforeToolHookResult,
    BeforeToolSelectionHookResult,
};
use crate::host::session::HookSession;

/// [`HookSession::fire_before_tool`].
pub async fn fire_before_tool_hook<'a>(
    session: &HookSession,
    tool_name: &str,
    tool_input: &'a JsonObject,
) -> BeforeToolHookResult<'a> {
    session.fire_before_tool(tool_name, tool_input).await
}

/// [`HookSession::fire_after_tool`].
pub async fn fire_after_tool_hook(
    session: &HookSession,
    tool_name: &str,
    tool_input: &JsonObject,
    tool_response: &JsonObject,
) -> AfterToolHookResult {
    session.fire_after_tool(tool_name, tool_input, tool_response).await
}

/// [`HookSession::fire_before_model`].
pub async fn fire_before_model_hook<'a>(
    session: &HookSession,
    llm_request: &'a GenerateContentParameters,
) -> BeforeModelHookResult<'a> {
    session.fire_before_model(llm_request).await
}

/// [`HookSession::fire_before_tool_selection`].
pub async fn fire_before_tool_selection_hook(
    session: &HookSession,
    llm_request: &GenerateContentParameters,
) -> BeforeToolSelectionHookResult {
    session.fire_before_tool_selection(llm_request).await
}

/// [`HookSession::fire_after_model`].
#[must_use = "it carries the response and may carry a stop"]
pub async fn fire_after_model_hook(
    session: &HookSession,
    llm_request: &GenerateContentParameters,
    llm_response: GenerateContentResponse,
) -> AfterModelHookResult {
    session.fire_after_model(llm_request, llm_response).await
}
