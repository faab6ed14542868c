//! What a person or a program may see of a run, as one stream of events, and the one question that an agent asks. The host
//! implements it; the agent itself never prints.

use hookrail::genai::UsageMetadata;
use hookrail::{EventName, HookRun, JsonObject, ToolResult};

use crate::log::ToolStatus;
use crate::tools::BoxFuture;

/// Something that happened in a run.
#[derive(Debug)]
pub enum AgentEvent<'a> {
    /// A model call was sent.
    ModelStarted {
        /// The model's name.
        model: &'a str,
    },
    /// A piece of the answer. Pieces of one answer follow each other.
    AnswerText(&'a str),
    /// The model's answer is complete.
    ModelFinished,
    /// How many tokens the model call used, where the provider reports it.
    Usage(&'a UsageMetadata),
    /// The model asks for a tool call.
    ToolRequested {
        /// The call's id within the session.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// The arguments as the model gave them.
        args: &'a JsonObject,
    },
    /// A tool call changed its state.
    ToolState {
        /// The call's id within the session.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// Where the call is.
        state: ToolState,
    },
    /// A tool call is over.
    ToolFinished {
        /// The call's id within the session.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// How it ended.
        status: ToolStatus,
        /// What the user sees of the result; `None` when a hook suppressed it.
        display: Option<&'a str>,
        /// The whole result, as the model gets it.
        result: &'a ToolResult,
    },
    /// A hook was started.
    HookStarted {
        /// Its event.
        event: EventName,
        /// Its name.
        name: &'a str,
    },
    /// A hook has come to its end.
    HookFinished {
        /// Its event.
        event: EventName,
        /// How it ended.
        run: &'a HookRun,
    },
    /// An operation was blocked, for this reason.
    Blocked {
        /// What: a tool's name, `prompt` or `model call`.
        what: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// A hook stopped the agent.
    Stopped {
        /// Why.
        reason: &'a str,
    },
    /// The history was summarised.
    Compressed {
        /// Bytes before.
        before: usize,
        /// Bytes after.
        after: usize,
    },
    /// A message for the person that has no event of its own.
    Notice(&'a str),
}

/// How far a tool call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolState {
    /// Waits for its turn.
    Scheduled,
    /// Its hooks, its approval or the tool itself are at work.
    Executing,
    /// Its result is buffered and will not change: the call ran, or it was blocked and never will.
    Idle,
}

impl ToolState {
    /// Its word in events for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Executing => "executing",
            Self::Idle => "idle",
        }
    }
}

/// The question whether a tool call may run.
#[derive(Debug, Clone)]
pub struct Question {
    /// The tool's name.
    pub tool: String,
    /// What the call would do, in one line.
    pub title: String,
    /// Why a hook asks for a person's decision; `None` when the approval mode asks.
    pub hook_reason: Option<String>,
    /// Why it is asked in every approval mode, if it is.
    pub why: Option<String>,
    /// What would be written, as a diff in lines; `None` where the title contains everything.
    pub preview: Option<String>,
    /// What the model had asked for, in one line, where a hook changed it.
    pub asked_for: Option<String>,
    /// What an answer "always" would cover; `None` where every such call is asked about.
    pub always: Option<Always>,
}

/// What an answer "always" covers for the rest of the session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Always {
    /// All edits of files.
    Edits,
    /// This very command in this very folder.
    Command(String),
}

/// Shows a run and answers its questions.
pub trait Ui: Send + Sync {
    /// Shows an event.
    fn notify(&self, event: &AgentEvent<'_>);

    /// Whether this call may run; `false` where there is no person to ask.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, bool>;
}
