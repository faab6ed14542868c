//! What a caller does next: the verdict of the hooks, as a value that needs no interpretation.
//!
//! Every result is one enum (the gate) with the notes beside it. All of them are `#[must_use]`: dropping one would
//! drop a block.

use std::borrow::Cow;
use std::ops::Deref;

use crate::formats::genai::{GenerateContentParameters, GenerateContentResponse, ToolConfig};
use crate::formats::json_object::JsonObject;
use crate::output::HookOutput;
use crate::verdict::result::{Block, ProcessedHookResult, StopReason};

/// What hooks gave besides their verdict. Without hooks it is nothing, so the content is boxed: a result is made and
/// dropped without an allocation, and there is one pointer to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct HookNotes(Option<Box<Notes>>);

/// The content of [`HookNotes`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Notes {
    /// For the model.
    pub system_message: Option<String>,
    /// The user must not see the result or the answer; the model still does.
    pub suppress_output: bool,
    /// What was odd about the hooks or had no effect; for a log.
    pub warnings: Vec<String>,
    /// The merged output, for fields that hookrail does not know; `None` when no hook gave one.
    pub output: Option<HookOutput>,
}

impl Notes {
    /// Everything but the output, which triggers read first.
    pub(crate) fn of(result: &ProcessedHookResult) -> Self {
        Self {
            system_message: result.system_message.clone(),
            suppress_output: result.suppress_output,
            warnings: result.all_warnings(),
            output: None,
        }
    }
}

impl HookNotes {
    /// The content, to be taken apart.
    pub fn into_inner(self) -> Notes {
        self.0.map(|notes| *notes).unwrap_or_default()
    }
}

impl Default for HookNotes {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl From<Notes> for HookNotes {
    fn from(notes: Notes) -> Self {
        if notes == NO_NOTES { Self::default() } else { Self(Some(Box::new(notes))) }
    }
}

impl Deref for HookNotes {
    type Target = Notes;

    fn deref(&self) -> &Notes {
        self.0.as_deref().unwrap_or(&NO_NOTES)
    }
}

static NO_NOTES: Notes =
    Notes { system_message: None, suppress_output: false, warnings: Vec::new(), output: None };

/// The arguments that a tool is to be called with: those that the model asked for, or what hooks made of them.
#[derive(Debug, Clone)]
pub struct ToolInput<'a> {
    original: &'a JsonObject,
    changed: Option<Box<JsonObject>>,
}

impl<'a> ToolInput<'a> {
    /// The arguments as the model gave them.
    #[inline]
    pub fn original(original: &'a JsonObject) -> Self {
        Self { original, changed: None }
    }

    /// The arguments as hooks changed them.
    pub(crate) fn changed(original: &'a JsonObject, changed: JsonObject) -> Self {
        Self { original, changed: Some(Box::new(changed)) }
    }

    /// Whether hooks changed them.
    pub fn is_changed(&self) -> bool {
        self.changed.is_some()
    }

    /// What hooks made of the arguments; `None` if they are the original ones.
    pub fn into_changed(self) -> Option<JsonObject> {
        self.changed.map(|changed| *changed)
    }

    /// The arguments by themselves; copied if no hook changed them.
    pub fn into_owned(self) -> JsonObject {
        let original = self.original;
        self.changed.map_or_else(|| original.clone(), |changed| *changed)
    }
}

impl Deref for ToolInput<'_> {
    type Target = JsonObject;

    fn deref(&self) -> &JsonObject {
        self.changed.as_deref().unwrap_or(self.original)
    }
}

/// Two of them are equal if the arguments are.
impl PartialEq for ToolInput<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// What to do with a tool call. Exhaustive on purpose, as all gates are: a host has to handle each case.
#[must_use = "it may be a block, a question or a stop"]
#[derive(Debug, Clone, PartialEq)]
pub enum ToolGate<'a> {
    /// Run it with these arguments: the original ones, or what hooks made of them.
    Run {
        /// The arguments.
        tool_input: ToolInput<'a>,
    },
    /// Let a person decide, whatever the host's own rules say. Where no one can be asked, the call is refused.
    Ask(Box<ToolQuestion<'a>>),
    /// Do not run it; the reason is its result.
    Block(Box<ToolBlock>),
    /// Do not run it, and stop the agent.
    Stop(Box<StopReason>),
}

/// A tool call that a person is to decide about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolQuestion<'a> {
    /// The arguments to run with, if the person agrees.
    pub tool_input: ToolInput<'a>,
    /// What the question shows.
    pub reason: String,
}

/// A tool call that must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolBlock {
    /// Why, and whether a hook decided so or failed to decide.
    pub block: Block,
    /// The agent must stop as well.
    pub stop: Option<StopReason>,
}

/// What `BeforeTool` hooks ask for.
#[must_use = "it may carry a block, a question or a stop"]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BeforeToolHookResult<'a> {
    /// What to do with the call.
    pub gate: ToolGate<'a>,
    /// What hooks gave besides.
    pub notes: HookNotes,
}

impl BeforeToolHookResult<'_> {
    /// The block that holds.
    pub fn block(&self) -> Option<&Block> {
        match &self.gate {
            ToolGate::Block(blocked) => Some(&blocked.block),
            ToolGate::Run { .. } | ToolGate::Ask(_) | ToolGate::Stop(_) => None,
        }
    }

    /// The stop that holds, with or without a block.
    pub fn stop(&self) -> Option<&StopReason> {
        match &self.gate {
            ToolGate::Block(blocked) => blocked.stop.as_ref(),
            ToolGate::Stop(reason) => Some(reason),
            ToolGate::Run { .. } | ToolGate::Ask(_) => None,
        }
    }
}

/// What `AfterTool` hooks ask for.
#[must_use = "it may carry a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AfterToolHookResult {
    /// What the model and the person get instead of the tool's result.
    pub tool_response: Option<serde_json::Value>,
    /// Text to add to what the model sees of the result.
    pub additional_context: Option<String>,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// What hooks gave besides.
    pub notes: HookNotes,
}

/// What to do with a model call. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a block or a stop"]
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "made once per model call and taken apart at once")]
pub enum ModelGate<'a> {
    /// Send this: the original request, or what hooks made of it.
    Send {
        /// The request.
        request: Cow<'a, GenerateContentParameters>,
    },
    /// Do not call the model; go on with this answer.
    Answer {
        /// The hooks' answer, or one candidate that says nothing.
        response: GenerateContentResponse,
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

/// What `BeforeModel` hooks ask for.
#[must_use = "it may carry a block or a stop"]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BeforeModelHookResult<'a> {
    /// What to do with the call.
    pub gate: ModelGate<'a>,
    /// What hooks gave besides.
    pub notes: HookNotes,
}

impl BeforeModelHookResult<'_> {
    /// The block that holds.
    pub fn block(&self) -> Option<&Block> {
        match &self.gate {
            ModelGate::Answer { block, .. } => Some(block),
            ModelGate::Stop { block, .. } => block.as_ref(),
            ModelGate::Send { .. } => None,
        }
    }

    /// The stop that holds, with or without a block.
    pub fn stop(&self) -> Option<&StopReason> {
        match &self.gate {
            ModelGate::Stop { reason, .. } => Some(reason),
            ModelGate::Send { .. } | ModelGate::Answer { .. } => None,
        }
    }
}

/// Which tools a request offers to the model. Exhaustive on purpose: a host has to handle each case.
#[must_use = "it may be a restriction or a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ToolSelection {
    /// Those it offers already.
    #[default]
    Unchanged,
    /// Those that this configuration allows; it takes the place of the request's own.
    Restricted {
        /// What to send.
        tool_config: ToolConfig,
    },
    /// None: stop the agent.
    Stop {
        /// Why.
        reason: StopReason,
    },
}

/// What `BeforeToolSelection` hooks ask for.
#[must_use = "it may carry a restriction or a stop"]
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BeforeToolSelectionHookResult {
    /// Which tools to offer.
    pub selection: ToolSelection,
    /// What hooks gave besides.
    pub notes: HookNotes,
}

impl BeforeToolSelectionHookResult {
    /// The stop that holds.
    pub fn stop(&self) -> Option<&StopReason> {
        match &self.selection {
            ToolSelection::Stop { reason } => Some(reason),
            ToolSelection::Unchanged | ToolSelection::Restricted { .. } => None,
        }
    }
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
pub struct AfterModelHookResult {
    /// The response to go on with: the original, or what a hook made of it.
    pub response: GenerateContentResponse,
    /// Which of the two it is.
    pub change: ResponseChange,
    /// The agent must stop.
    pub stop: Option<StopReason>,
    /// What hooks gave besides. The message is for the next request.
    pub notes: HookNotes,
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

/// What the hooks of one of the six events outside of tools and models ask for. Where the settings let them observe
/// only, this says to go on.
#[must_use = "it may carry a block or a stop"]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentHookResult {
    /// Whether to go on.
    pub gate: AgentGate,
    /// `AfterAgent`: the conversation's history is to be cleared.
    pub clear_context: bool,
    /// What hooks gave besides. The message is for the next request.
    pub notes: HookNotes,
}

impl Default for AgentHookResult {
    fn default() -> Self {
        let gate = AgentGate::Proceed { additional_context: None };
        Self { gate, clear_context: false, notes: HookNotes::default() }
    }
}
