//! What agents call around tools and model calls. Never fails, never panics.
//!
//! With hooks off, or with no hook for the event, a trigger returns before it awaits, allocates or
//! reads anything. Verdicts are `#[must_use]`: dropping one would drop a block.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::formats::translator::TranslationError;
use crate::host::event_handler::{HookEventHandler, survive};
use crate::host::session::Config;
use crate::host::system::HookSystem;
use crate::host::tool::{ToolError, ToolResult};
use crate::verdict::result::{Block, ProcessedHookResult, StopReason};
use crate::verdict::views::{
    AfterModelHookOutput, BeforeModelHookOutput, BeforeToolHookOutput, BeforeToolSelectionHookOutput,
    DefaultHookOutput, HookOutputView as _,
};

/// What the hooks around a tool said, if they said anything.
///
/// Not a bare `Option`, because the compiler lets anybody drop one that comes out of a future.
#[must_use = "it may carry a block or a stop"]
#[derive(Debug, Clone)]
pub struct Said<T>(pub Option<T>);

impl<T> Default for Said<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// What `BeforeTool` hooks want.
#[must_use = "it may carry a block or a stop"]
#[derive(Debug, Clone)]
pub struct BeforeToolHookResult {
    /// The merged output.
    pub output: BeforeToolHookOutput,
    /// The tool must not run, for this reason.
    pub block: Option<Block>,
    /// The agent must stop; the tool does not run either.
    pub stop: Option<StopReason>,
    /// For the model.
    pub system_message: Option<String>,
    /// Hide the result from the user.
    pub suppress_output: bool,
}

/// What `AfterTool` hooks want.
#[must_use = "it may carry a stop"]
#[derive(Debug, Clone)]
pub struct AfterToolHookResult {
    /// The merged output.
    pub output: DefaultHookOutput,
    /// Text to add to what the model sees of the result.
    pub additional_context: Option<String>,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// For the model.
    pub system_message: Option<String>,
    /// Hide the result from the user.
    pub suppress_output: bool,
}

/// What `BeforeModel` hooks want.
#[must_use = "it may carry a block or a stop"]
#[derive(Debug, Clone, Default)]
pub struct BeforeModelHookResult {
    /// The model must not be called. Set for a stop as well.
    pub blocked: bool,
    /// Why.
    pub reason: Option<String>,
    /// What to use as the model's answer instead of calling it.
    pub synthetic_response: Option<GenerateContentResponse>,
    /// What to send instead of the original request.
    pub modified_request: Option<GenerateContentParameters>,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// For the model.
    pub system_message: Option<String>,
    /// Hide the answer from the user.
    pub suppress_output: bool,
}

/// What `AfterModel` hooks want.
#[must_use = "it carries the response and may carry a stop"]
#[derive(Debug, Clone)]
pub struct AfterModelHookResult {
    /// The response to go on with: the original, or what a hook made of it.
    pub response: GenerateContentResponse,
    /// Whether a hook changed it.
    pub modified: bool,
    /// How many tool calls of the original are gone, because a replacement is made of text only.
    pub dropped_tool_calls: usize,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// For the model, with the next request.
    pub system_message: Option<String>,
    /// Hide the answer from the user.
    pub suppress_output: bool,
}

/// What `BeforeToolSelection` hooks want.
#[must_use = "it may carry a restriction or a stop"]
#[derive(Debug, Clone, Default)]
pub struct BeforeToolSelectionHookResult {
    /// The tool configuration to send.
    pub tool_config: Option<ToolConfig>,
    /// The tool definitions, unchanged: hooks restrict by configuration only.
    pub tools: Option<Vec<Value>>,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// For the model.
    pub system_message: Option<String>,
    /// Hide the answer from the user.
    pub suppress_output: bool,
}

/// A tool call with its hooks applied.
#[must_use = "it may carry a stop"]
#[derive(Debug, Clone)]
pub struct ToolExecution {
    /// What the model and the user get.
    pub result: ToolResult,
    /// Whether hooks blocked the call.
    pub blocked: bool,
    /// The agent must stop.
    pub stop: Option<StopReason>,
}

/// Asks the hooks before a tool runs.
#[inline]
pub fn fire_before_tool_hook<'a>(
    config: &'a Config,
    tool_name: &'a str,
    tool_input: &'a JsonObject,
) -> impl Future<Output = Said<BeforeToolHookResult>> + Send + 'a {
    Trigger::new(config, move || {
        let handler = listening(config, EventName::BeforeTool, Some(tool_name))?;
        Some(boxed(move || before_tool(handler, tool_name, tool_input)))
    })
}

async fn before_tool(
    handler: &HookEventHandler,
    tool_name: &str,
    tool_input: &JsonObject,
) -> Said<BeforeToolHookResult> {
    let result = handler.fire_before_tool_event(tool_name, tool_input).await;
    let common = Common::of(&result);
    let output = result.aggregated.final_output;
    if output.is_none() && result.block.is_none() && common.stop.is_none() {
        return Said(None);
    }
    Said(Some(BeforeToolHookResult {
        output: BeforeToolHookOutput(output.unwrap_or_default()),
        block: result.block,
        stop: common.stop,
        system_message: common.system_message,
        suppress_output: common.suppress_output,
    }))
}

/// Tells the hooks what a tool gave.
#[inline]
pub fn fire_after_tool_hook<'a>(
    config: &'a Config,
    tool_name: &'a str,
    tool_input: &'a JsonObject,
    tool_response: &'a JsonObject,
) -> impl Future<Output = Said<AfterToolHookResult>> + Send + 'a {
    Trigger::new(config, move || {
        let handler = listening(config, EventName::AfterTool, Some(tool_name))?;
        Some(boxed(move || after_tool(handler, tool_name, tool_input, tool_response)))
    })
}

async fn after_tool(
    handler: &HookEventHandler,
    tool_name: &str,
    tool_input: &JsonObject,
    tool_response: &JsonObject,
) -> Said<AfterToolHookResult> {
    let result = handler.fire_after_tool_event(tool_name, tool_input, tool_response).await;
    let common = Common::of(&result);
    let output = result.aggregated.final_output;
    if output.is_none() && common.stop.is_none() {
        return Said(None);
    }
    let output = DefaultHookOutput(output.unwrap_or_default());
    Said(Some(AfterToolHookResult {
        additional_context: output.additional_context().map(str::to_owned),
        output,
        stop: common.stop,
        system_message: common.system_message,
        suppress_output: common.suppress_output,
    }))
}

/// Asks the hooks before a model call.
#[inline]
pub fn fire_before_model_hook<'a>(
    config: &'a Config,
    llm_request: &'a GenerateContentParameters,
) -> impl Future<Output = BeforeModelHookResult> + Send + 'a {
    Trigger::new(config, move || {
        let handler = listening(config, EventName::BeforeModel, None)?;
        Some(boxed(move || before_model(handler, llm_request)))
    })
}

async fn before_model(
    handler: &HookEventHandler,
    llm_request: &GenerateContentParameters,
) -> BeforeModelHookResult {
    let result = handler.fire_before_model_event(llm_request).await;
    let common = Common::of(&result);
    let output = BeforeModelHookOutput(result.aggregated.final_output.unwrap_or_default());
    let block_reason = result.block.map(|block| block.reason);
    let blocked = block_reason.is_some() || common.stop.is_some();
    BeforeModelHookResult {
        blocked,
        reason: block_reason.or_else(|| common.stop.as_ref().map(ToString::to_string)),
        synthetic_response: if blocked {
            applied("llm_response", || output.synthetic_response())
        } else {
            None
        },
        modified_request: if blocked {
            None
        } else {
            applied("llm_request", || Ok(modified_request(&output, llm_request)))
        },
        stop: common.stop,
        system_message: common.system_message,
        suppress_output: common.suppress_output,
    }
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

/// Shows the hooks a complete response and takes back what they make of it.
#[must_use = "it carries the response and may carry a stop"]
pub async fn fire_after_model_hook(
    config: &Config,
    llm_request: &GenerateContentParameters,
    llm_response: GenerateContentResponse,
) -> AfterModelHookResult {
    match listening(config, EventName::AfterModel, None) {
        None => AfterModelHookResult::unchanged(llm_response),
        Some(handler) => boxed(move || after_model(handler, llm_request, llm_response)).await,
    }
}

async fn after_model(
    handler: &HookEventHandler,
    llm_request: &GenerateContentParameters,
    llm_response: GenerateContentResponse,
) -> AfterModelHookResult {
    let result = handler.fire_after_model_event(llm_request, &llm_response).await;
    let common = Common::of(&result);
    let output = AfterModelHookOutput(result.aggregated.final_output.unwrap_or_default());
    let replacement = applied("llm_response", || output.modified_response(&llm_response));
    let dropped_tool_calls = replacement.as_ref().map_or(0, |_| llm_response.function_calls().count());
    AfterModelHookResult {
        modified: replacement.is_some(),
        dropped_tool_calls,
        response: replacement.unwrap_or(llm_response),
        stop: common.stop,
        system_message: common.system_message,
        suppress_output: common.suppress_output,
    }
}

impl AfterModelHookResult {
    fn unchanged(response: GenerateContentResponse) -> Self {
        Self {
            response,
            modified: false,
            dropped_tool_calls: 0,
            stop: None,
            system_message: None,
            suppress_output: false,
        }
    }
}

/// Asks the hooks which tools the model may call.
#[inline]
pub fn fire_before_tool_selection_hook<'a>(
    config: &'a Config,
    llm_request: &'a GenerateContentParameters,
) -> impl Future<Output = BeforeToolSelectionHookResult> + Send + 'a {
    Trigger::new(config, move || {
        let handler = listening(config, EventName::BeforeToolSelection, None)?;
        Some(boxed(move || before_tool_selection(handler, llm_request)))
    })
}

async fn before_tool_selection(
    handler: &HookEventHandler,
    llm_request: &GenerateContentParameters,
) -> BeforeToolSelectionHookResult {
    let result = handler.fire_before_tool_selection_event(llm_request).await;
    let common = Common::of(&result);
    let given = llm_request.config.as_ref();
    let output = BeforeToolSelectionHookOutput(result.aggregated.final_output.unwrap_or_default());
    let tool_config = given.and_then(|config| config.tool_config.as_ref());
    BeforeToolSelectionHookResult {
        tool_config: applied("toolConfig", || output.apply_tool_config_modifications(tool_config)),
        tools: given.and_then(|config| config.tools.clone()),
        stop: common.stop,
        system_message: common.system_message,
        suppress_output: common.suppress_output,
    }
}

/// Runs a tool between its hooks: a block or a stop keeps it from running, changed arguments are the
/// ones it runs with, and what hooks add is added to its result.
pub async fn execute_tool_with_hooks<F>(
    config: &Config,
    tool_name: &str,
    tool_input: JsonObject,
    execute: impl FnOnce(JsonObject) -> F,
) -> ToolExecution
where
    F: Future<Output = ToolResult>,
{
    let before = fire_before_tool_hook(config, tool_name, &tool_input).await.0;
    let mut tool_input = tool_input;
    let mut said_before = None;
    let mut suppress = false;
    if let Some(before) = before {
        if let Some(refused) = before.refusal() {
            return refused;
        }
        if let Some(changes) = before.output.modified_tool_input() {
            for (key, value) in changes {
                tool_input.insert(key.clone(), value.clone());
            }
        }
        said_before = before.system_message;
        suppress = before.suppress_output;
    }

    // The arguments are kept for `AfterTool` only where somebody will read them.
    let listens_after = listening(config, EventName::AfterTool, Some(tool_name)).is_some();
    let seen_by_hooks = listens_after.then(|| tool_input.clone());
    let mut result = execute(tool_input).await;
    let after = match seen_by_hooks {
        Some(tool_input) => {
            fire_after_tool_hook(config, tool_name, &tool_input, &result.to_hook_response()).await.0
        }
        None => None,
    };

    let mut stop = None;
    let mut said_after = None;
    if let Some(after) = after {
        result.append_context(after.additional_context.as_deref());
        said_after = after.system_message;
        suppress |= after.suppress_output;
        stop = after.stop;
    }
    result.append_system_message(said_before.as_deref());
    result.append_system_message(said_after.as_deref());
    if suppress {
        result.suppress_display = Some(true);
    }
    ToolExecution { result, blocked: false, stop }
}

impl BeforeToolHookResult {
    /// What the caller returns instead of running the tool.
    fn refusal(&self) -> Option<ToolExecution> {
        let (text, kind) = match (&self.block, &self.stop) {
            (Some(block), _) => (block.reason.clone(), "hook_blocked"),
            (None, Some(stop)) => (format!("Agent execution stopped by hook: {stop}"), "hook_stopped"),
            (None, None) => return None,
        };
        let mut result = ToolResult::text(text.clone());
        result.error = Some(ToolError { message: text, kind: Some(kind.to_owned()) });
        result.append_system_message(self.system_message.as_deref());
        if self.suppress_output {
            result.suppress_display = Some(true);
        }
        Some(ToolExecution { result, blocked: self.block.is_some(), stop: self.stop.clone() })
    }
}

/// The future of a trigger. An `async` block would do, but its body is too large to be inlined, and the way
/// through it takes ten times as long as finding out that nothing is to be done.
enum Trigger<'a, T, B> {
    /// Hooks are off. Known before the first poll, so that nothing has to be kept for it.
    Off,
    /// Not polled yet.
    Begin(Option<B>),
    Running(BoxFuture<'a, T>),
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Makes the future of an event whose hooks run; out of line, so that the way without hooks stays short.
#[inline(never)]
fn boxed<'a, F: Future + Send + 'a>(make: impl FnOnce() -> F) -> BoxFuture<'a, F::Output> {
    Box::pin(make())
}

impl<T, B> Trigger<'_, T, B> {
    /// `begin` makes the future if some hook listens.
    #[inline]
    fn new(config: &Config, begin: B) -> Self {
        if config.enable_hooks() { Self::Begin(Some(begin)) } else { Self::Off }
    }
}

impl<'a, T: Default, B: FnOnce() -> Option<BoxFuture<'a, T>> + Unpin> Future for Trigger<'a, T, B> {
    type Output = T;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "with hooks off, a call costs more than what it does")]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let trigger = self.get_mut();
        if let Self::Begin(begin) = trigger
            && let Some(begin) = begin.take()
        {
            match begin() {
                None => return Poll::Ready(T::default()),
                Some(future) => *trigger = Self::Running(future),
            }
        }
        match trigger {
            Self::Off => Poll::Ready(T::default()),
            Self::Running(future) => future.as_mut().poll(context),
            // As with every future, nobody polls it again after it was ready.
            Self::Begin(_) => Poll::Pending,
        }
    }
}

/// The handler, if hooks are on and one of them listens.
#[inline]
fn listening<'a>(config: &'a Config, event: EventName, target: Option<&str>) -> Option<&'a HookEventHandler> {
    let system = config.hook_system()?;
    listening_in(system, event, target)
}

/// The slow half, kept out of callers that have hooks off.
fn listening_in<'a>(
    system: &'a HookSystem,
    event: EventName,
    target: Option<&str>,
) -> Option<&'a HookEventHandler> {
    // Starting the system reads files and runs code of the host; the agent survives whatever happens there.
    let start = || Some(system.handler()).filter(|handler| !handler.is_silent(event, target));
    survive(start).unwrap_or_else(|message| {
        // The log may be what failed.
        let _ = survive(|| {
            tracing::warn!(target: "llxprt:core:hooks:system", %event, "hook system failed to start: {message}");
        });
        None
    })
}

/// The fields that every trigger result carries.
struct Common {
    stop: Option<StopReason>,
    system_message: Option<String>,
    suppress_output: bool,
}

impl Common {
    fn of(result: &ProcessedHookResult) -> Self {
        Self {
            stop: result.stop(),
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
        }
    }
}

/// The change that hooks made. What cannot be read is not applied, and the log says so; should even that
/// panic, the verdict beside it still counts.
fn applied<T>(field: &str, change: impl FnOnce() -> Result<Option<T>, TranslationError>) -> Option<T> {
    let read = || {
        change().unwrap_or_else(|error| {
            tracing::warn!(target: "llxprt:core:hooks:handler", field, "a hook's `{field}` is not applied: {error}");
            None
        })
    };
    survive(read).unwrap_or_default()
}
