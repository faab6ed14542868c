//! What hooks ask for, as values that need no interpretation.
//!
//! [`EventEffects`] is read once from the result of an event, in the terms of the protocol; the bridge words it for other
//! agents. A [`HookResult`] says the same to a host in Rust: one enum (the gate) with the notes beside it. All of them are
//! `#[must_use]`: dropping one would drop a block.

use std::borrow::Cow;

use serde_json::Value;

use crate::event::EventName;
use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::host::model_format::RequestFormat;
use crate::output::HookOutput;
use crate::settings::AgentEvents;
use crate::verdict::result::{Block, BlockCause, ProcessedHookResult, StopReason};

/// What the hooks of one event ask for. The default asks for nothing.
#[must_use = "it may carry a block, a question or a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventEffects {
    /// The operation is refused; at `AfterAgent`, the agent is sent back to work.
    pub block: Option<Block>,
    /// A person is to decide, for this reason.
    pub ask: Option<String>,
    /// The agent is to stop.
    pub stop: Option<StopReason>,
    /// A text for the model, beside the prompt, the result or the beginning of the session.
    pub additional_context: Option<String>,
    /// A message for the model.
    pub system_message: Option<String>,
    /// The user must not see the result or the answer; the model still does.
    pub suppress_output: bool,
    /// What only this event has.
    pub specific: SpecificEffects,
}

/// What hooks ask for that only their event has. Fields of a wrong type are not here.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SpecificEffects {
    /// Nothing.
    #[default]
    None,
    /// Before a tool.
    BeforeTool {
        /// The arguments that change.
        tool_input: Option<JsonObject>,
        /// A hook said `permissionDecision: "allow"`; its reason, which may be empty.
        allow: Option<String>,
    },
    /// What replaces a tool's result.
    AfterTool {
        /// A text, or an object with `llmContent` and `returnDisplay`.
        tool_response: Value,
    },
    /// Before a model call.
    BeforeModel {
        /// The fields of the request that change.
        llm_request: Option<JsonObject>,
        /// The answer in the model's place.
        llm_response: Option<JsonObject>,
    },
    /// What replaces a model's answer.
    AfterModel {
        /// The fields of the answer that change.
        llm_response: JsonObject,
    },
    /// Which tools the model may call.
    BeforeToolSelection {
        /// `mode` and `allowedFunctionNames`.
        tool_config: JsonObject,
    },
    /// After the work on a prompt: the conversation's history is to be cleared.
    ClearContext,
}

impl EventEffects {
    /// Reads a result. Where the settings say that the hooks of this event only observe, nothing is left of it but a block
    /// that follows from a failure: a guard that is missing refuses in any case.
    pub fn of(result: &ProcessedHookResult, agent_events: AgentEvents) -> Self {
        if agent_events.only_observes(result.event) {
            let block = result.block.clone().filter(|block| block.cause == BlockCause::Failure);
            return Self { block, ..Self::default() };
        }
        let output = result.aggregated.final_output.as_ref();
        Self {
            block: result.block.clone(),
            ask: result.ask.clone(),
            stop: result.stop.clone(),
            additional_context: output.and_then(HookOutput::additional_context).map(str::to_owned),
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
            specific: output
                .map_or(SpecificEffects::None, |output| SpecificEffects::of(result.event, output)),
        }
    }
}

impl SpecificEffects {
    fn of(event: EventName, output: &HookOutput) -> Self {
        let object = |key: &str| output.specific(key).and_then(Value::as_object).cloned();
        let text = |key: &str| output.specific(key).and_then(Value::as_str).map(str::to_owned);
        let some = match event {
            EventName::BeforeTool => {
                let allows = text("permissionDecision").is_some_and(|word| word == "allow");
                let allow = allows.then(|| text("permissionDecisionReason").unwrap_or_default());
                let tool_input = object("tool_input");
                (tool_input.is_some() || allow.is_some()).then_some(Self::BeforeTool { tool_input, allow })
            }
            EventName::AfterTool => {
                let given = output.specific("tool_response").filter(|given| !given.is_null());
                given.map(|given| Self::AfterTool { tool_response: given.clone() })
            }
            EventName::BeforeModel => {
                let (llm_request, llm_response) = (object("llm_request"), object("llm_response"));
                let is_given = llm_request.is_some() || llm_response.is_some();
                is_given.then_some(Self::BeforeModel { llm_request, llm_response })
            }
            EventName::AfterModel => {
                object("llm_response").map(|llm_response| Self::AfterModel { llm_response })
            }
            EventName::BeforeToolSelection => {
                object("toolConfig").map(|tool_config| Self::BeforeToolSelection { tool_config })
            }
            EventName::AfterAgent => {
                (output.specific("clearContext") == Some(&Value::Bool(true))).then_some(Self::ClearContext)
            }
            _ => None,
        };
        some.unwrap_or_default()
    }
}

/// What hooks gave besides their verdict.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Notes {
    /// For the model.
    pub system_message: Option<String>,
    /// The user must not see the result or the answer; the model still does.
    pub suppress_output: bool,
    /// What was odd about the hooks or had no effect; for a log.
    pub warnings: Vec<String>,
    /// `AfterAgent`: the conversation's history is to be cleared.
    pub clear_context: bool,
    /// The merged output, for fields that hookrail does not know; `None` when no hook gave one.
    pub output: Option<HookOutput>,
}

/// What the hooks of an event ask for.
#[must_use = "it may carry a block, a question or a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct HookResult<G> {
    /// What to do.
    pub gate: G,
    /// What hooks gave besides.
    pub notes: Notes,
}

/// What `BeforeTool` hooks ask for.
pub type BeforeToolHookResult<'a> = HookResult<ToolGate<'a>>;
/// What `BeforeModel` hooks ask for.
pub type BeforeModelHookResult<'a, R = GenerateContentParameters> = HookResult<ModelGate<'a, R>>;
/// What `BeforeToolSelection` hooks ask for.
pub type BeforeToolSelectionHookResult<C = ToolConfig> = HookResult<ToolSelection<C>>;
/// What the hooks of one of the six events outside of tools and models ask for. Where the settings let them observe
/// only, this says to go on, unless a guard is missing.
pub type AgentHookResult = HookResult<AgentGate>;

impl<G> HookResult<G> {
    /// The result of an event to which no hook listens.
    pub(super) fn without_hooks(gate: G) -> Self {
        Self { gate, notes: Notes::default() }
    }
}

/// What to do with a tool call. Exhaustive on purpose, as all gates are: a host has to handle each case.
#[must_use = "it may be a block, a question or a stop"]
#[derive(Debug, Clone, PartialEq)]
pub enum ToolGate<'a> {
    /// Run it with these arguments: the original ones, or what hooks made of them.
    Run {
        /// The arguments.
        tool_input: Cow<'a, JsonObject>,
    },
    /// Let a person decide, whatever the host's own rules say. Where no one can be asked, the call is refused.
    Ask {
        /// The arguments to run with, if the person agrees.
        tool_input: Cow<'a, JsonObject>,
        /// What the question shows.
        reason: String,
    },
    /// Do not run it; the reason is its result.
    Block {
        /// Why, and whether a hook decided so or failed to decide.
        block: Block,
        /// The agent must stop as well.
        stop: Option<StopReason>,
    },
    /// Do not run it, and stop the agent.
    Stop {
        /// Why.
        reason: StopReason,
    },
}

/// What `AfterTool` hooks ask for.
#[must_use = "it may carry a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AfterToolHookResult {
    /// What the model and the person get instead of the tool's result.
    pub tool_response: Option<Value>,
    /// Text to add to what the model sees of the result.
    pub additional_context: Option<String>,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// What hooks gave besides.
    pub notes: Notes,
}

/// What to do with a model call. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone, PartialEq)]
pub enum ModelGate<'a, R: RequestFormat = GenerateContentParameters> {
    /// Send this: the original request, or what hooks made of it.
    Send {
        /// The request.
        request: Cow<'a, R>,
    },
    /// Do not call the model; go on with this answer.
    Answer {
        /// The hooks' answer, or one that says nothing.
        response: R::Response,
        /// Where the answer comes from.
        origin: AnswerOrigin,
        /// Why the model is not called.
        block: Block,
    },
    /// Do not call the model, and stop the agent.
    Stop {
        /// Why.
        reason: StopReason,
        /// Set when the call was blocked as well.
        block: Option<Block>,
    },
}

/// Where the answer to a blocked model call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerOrigin {
    /// A hook wrote it.
    Hook,
    /// No hook did: it is empty.
    Empty,
}

/// Which tools a request offers to the model. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a restriction or a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ToolSelection<C = ToolConfig> {
    /// Those it offers already.
    #[default]
    Unchanged,
    /// Those that this configuration allows; it takes the place of the request's own.
    Restricted {
        /// What to send.
        tool_config: C,
    },
    /// None: stop the agent.
    Stop {
        /// Why.
        reason: StopReason,
    },
}

/// What hooks made of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseChange {
    /// It is the model's own.
    Unchanged,
    /// It is a hook's.
    Replaced {
        /// How many tool calls of the original are gone, because a replacement is made of text only.
        dropped_tool_calls: usize,
    },
}

/// What `AfterModel` hooks ask for.
#[must_use = "it carries the response and may carry a stop"]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AfterModelHookResult<A = GenerateContentResponse> {
    /// The response to go on with: the original, or what a hook made of it.
    pub response: A,
    /// Which of the two it is.
    pub change: ResponseChange,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// What hooks gave besides. The message is for the next request.
    pub notes: Notes,
}

/// Whether the agent goes on after an event of its lifecycle. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentGate {
    /// It goes on.
    Proceed {
        /// Text for the model, to be added to the prompt or to the beginning of the session.
        additional_context: Option<String>,
    },
    /// `BeforeAgent`: the prompt is not worked on. `AfterAgent`: the reason is the next prompt.
    Block {
        /// Why.
        block: Block,
        /// The agent must stop as well.
        stop: Option<StopReason>,
    },
    /// The agent stops.
    Stop {
        /// Why.
        reason: StopReason,
    },
}

impl Default for AgentGate {
    fn default() -> Self {
        Self::Proceed { additional_context: None }
    }
}

#[cfg(test)]
mod tests;
