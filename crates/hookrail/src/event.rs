//! What happens in an agent's life, and what a hook is told about it.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmRequest, LlmResponse};
use crate::spelling::nearest;

/// The eleven points of an agent's life at which hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum EventName {
    /// A tool is about to run.
    BeforeTool,
    /// A tool has run; its result is not yet with the model.
    AfterTool,
    /// A prompt is about to be worked on.
    BeforeAgent,
    /// The work on a prompt has ended.
    AfterAgent,
    /// A model call is about to be made.
    BeforeModel,
    /// A model call has been answered completely.
    AfterModel,
    /// A model call that carries tool definitions is about to be made.
    BeforeToolSelection,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The history is about to be summarised.
    PreCompress,
    /// The agent is about to tell or ask the user something.
    Notification,
}

impl EventName {
    /// All events, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::BeforeTool,
        Self::AfterTool,
        Self::BeforeAgent,
        Self::AfterAgent,
        Self::BeforeModel,
        Self::AfterModel,
        Self::BeforeToolSelection,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreCompress,
        Self::Notification,
    ];

    /// The name as it stands in settings and payloads.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BeforeTool => "BeforeTool",
            Self::AfterTool => "AfterTool",
            Self::BeforeAgent => "BeforeAgent",
            Self::AfterAgent => "AfterAgent",
            Self::BeforeModel => "BeforeModel",
            Self::AfterModel => "AfterModel",
            Self::BeforeToolSelection => "BeforeToolSelection",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreCompress => "PreCompress",
            Self::Notification => "Notification",
        }
    }

    /// Whether a hook's block has an effect on this event.
    pub const fn can_block(self) -> bool {
        matches!(self, Self::BeforeTool | Self::BeforeModel | Self::BeforeAgent | Self::AfterAgent)
    }

    /// Whether the event is one that guards stand before. It is blocked while a guard was changed, or while nobody
    /// knows which guards there are.
    pub const fn is_guarded(self) -> bool {
        matches!(self, Self::BeforeTool | Self::BeforeModel | Self::BeforeAgent)
    }

    /// How the matchers of this event's hooks are read.
    pub const fn matching(self) -> Matching {
        match self {
            Self::BeforeTool | Self::AfterTool => Matching::Tool,
            Self::SessionStart => Matching::Word { known: &SessionStartSource::WORDS },
            Self::SessionEnd => Matching::Word { known: &SessionEndReason::WORDS },
            Self::PreCompress => Matching::Word { known: &PreCompressTrigger::WORDS },
            Self::Notification => Matching::Word { known: &[] },
            Self::BeforeAgent
            | Self::AfterAgent
            | Self::BeforeModel
            | Self::AfterModel
            | Self::BeforeToolSelection => Matching::Ignored,
        }
    }

    /// Whether a hook that fails to give a verdict may block this event (`onFailure: "block"`).
    pub const fn blocks_on_failure(self) -> bool {
        matches!(self, Self::BeforeTool | Self::BeforeModel)
    }

    /// The event that `word` was probably meant to be: another agent's name for it, or a near name.
    pub fn nearest(word: &str) -> Option<Self> {
        Self::of_another_agent(word).or_else(|| Self::near_name(word))
    }

    /// The event that other agents call by this name. Theirs come in several spellings, so that only letters count.
    fn of_another_agent(word: &str) -> Option<Self> {
        if word.len() > 64 {
            return None;
        }
        let letters: String =
            word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Some(match letters.as_str() {
            "pretooluse" | "toolexecutebefore" | "permissionrequest" | "beforeshellexecution" => {
                Self::BeforeTool
            }
            "posttooluse" | "posttoolusefailure" | "toolexecuteafter" => Self::AfterTool,
            "userpromptsubmit" | "userpromptsubmitted" | "beforesubmitprompt" => Self::BeforeAgent,
            "stop" | "agentstop" | "subagentstop" | "sessionidle" => Self::AfterAgent,
            "precompact" => Self::PreCompress,
            "sessioncreated" => Self::SessionStart,
            _ => return None,
        })
    }

    fn near_name(word: &str) -> Option<Self> {
        let near = nearest(word, &Self::ALL.map(Self::as_str))?;
        Self::ALL.into_iter().find(|event| event.as_str() == near)
    }
}

/// How the matchers of an event's hooks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// As a pattern for the tool's name.
    Tool,
    /// As the word that the event is about, compared as a whole.
    Word {
        /// All words there are; empty where the host defines them.
        known: &'static [&'static str],
    },
    /// Not at all: hooks of the event run every time.
    Ignored,
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An event name that is not one of the eleven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown hook event `{word}`{}", .nearest.map(|event| format!(" (did you mean `{event}`?)")).unwrap_or_default())]
pub struct UnknownEvent {
    /// What was given.
    pub word: String,
    /// What was probably meant.
    pub nearest: Option<EventName>,
}

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(word: &str) -> Result<Self, UnknownEvent> {
        Self::ALL
            .into_iter()
            .find(|event| event.as_str() == word)
            .ok_or_else(|| UnknownEvent { word: word.to_owned(), nearest: Self::nearest(word) })
    }
}

/// How a session came to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SessionStartSource {
    Startup,
    Resume,
    Clear,
    Compress,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SessionEndReason {
    Exit,
    Clear,
    Logout,
    PromptInputExit,
    Other,
}

/// Who asked for the history to be summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum PreCompressTrigger {
    Manual,
    Auto,
}

/// What a notification is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub enum NotificationType {
    /// A tool call waits for the user's permission.
    ToolPermission,
    /// A kind that a host defines.
    Other(String),
}

impl NotificationType {
    /// The word in the payload.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ToolPermission => "ToolPermission",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for NotificationType {
    fn from(word: String) -> Self {
        if word == "ToolPermission" { Self::ToolPermission } else { Self::Other(word) }
    }
}

impl From<NotificationType> for String {
    fn from(kind: NotificationType) -> Self {
        kind.as_str().to_owned()
    }
}

impl SessionStartSource {
    /// All words.
    pub(crate) const WORDS: [&str; 4] =
        [Self::Startup.as_str(), Self::Resume.as_str(), Self::Clear.as_str(), Self::Compress.as_str()];

    /// The word in the payload, against which matchers are compared.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compress => "compress",
        }
    }
}

impl SessionEndReason {
    /// All words.
    pub(crate) const WORDS: [&str; 5] = [
        Self::Exit.as_str(),
        Self::Clear.as_str(),
        Self::Logout.as_str(),
        Self::PromptInputExit.as_str(),
        Self::Other.as_str(),
    ];

    /// The word in the payload, against which matchers are compared.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Clear => "clear",
            Self::Logout => "logout",
            Self::PromptInputExit => "prompt_input_exit",
            Self::Other => "other",
        }
    }
}

impl PreCompressTrigger {
    /// All words.
    pub(crate) const WORDS: [&str; 2] = [Self::Manual.as_str(), Self::Auto.as_str()];

    /// The word in the payload, against which matchers are compared.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// A point of an agent's life with exactly the data that its hooks receive. It borrows what the agent
/// owns: a large request is written to a hook without being copied first.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "hook_event_name")]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
pub enum Event<'a> {
    BeforeTool { tool_name: &'a str, tool_input: &'a JsonObject },
    AfterTool { tool_name: &'a str, tool_input: &'a JsonObject, tool_response: &'a JsonObject },
    BeforeAgent { prompt: &'a str },
    AfterAgent { prompt: &'a str, prompt_response: &'a str, stop_hook_active: bool },
    BeforeModel { llm_request: LlmRequest<'a> },
    AfterModel { llm_request: LlmRequest<'a>, llm_response: LlmResponse<'a> },
    BeforeToolSelection { llm_request: LlmRequest<'a> },
    SessionStart { source: SessionStartSource },
    SessionEnd { reason: SessionEndReason },
    PreCompress { trigger: PreCompressTrigger },
    Notification { notification_type: &'a NotificationType, message: &'a str, details: &'a JsonObject },
}

impl Event<'_> {
    /// Which event this is.
    pub const fn name(&self) -> EventName {
        match self {
            Self::BeforeTool { .. } => EventName::BeforeTool,
            Self::AfterTool { .. } => EventName::AfterTool,
            Self::BeforeAgent { .. } => EventName::BeforeAgent,
            Self::AfterAgent { .. } => EventName::AfterAgent,
            Self::BeforeModel { .. } => EventName::BeforeModel,
            Self::AfterModel { .. } => EventName::AfterModel,
            Self::BeforeToolSelection { .. } => EventName::BeforeToolSelection,
            Self::SessionStart { .. } => EventName::SessionStart,
            Self::SessionEnd { .. } => EventName::SessionEnd,
            Self::PreCompress { .. } => EventName::PreCompress,
            Self::Notification { .. } => EventName::Notification,
        }
    }

    /// What matchers are compared with; `None` where they have no say.
    pub fn match_target(&self) -> Option<&str> {
        match self {
            Self::BeforeTool { tool_name, .. } | Self::AfterTool { tool_name, .. } => Some(tool_name),
            Self::SessionStart { source } => Some(source.as_str()),
            Self::SessionEnd { reason } => Some(reason.as_str()),
            Self::PreCompress { trigger } => Some(trigger.as_str()),
            Self::Notification { notification_type, .. } => Some(notification_type.as_str()),
            Self::BeforeAgent { .. }
            | Self::AfterAgent { .. }
            | Self::BeforeModel { .. }
            | Self::AfterModel { .. }
            | Self::BeforeToolSelection { .. } => None,
        }
    }
}

/// The fields every hook receives, whatever the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
pub struct BaseFields<'a> {
    pub session_id: Cow<'a, str>,
    pub transcript_path: Cow<'a, str>,
    /// Also the hook's working directory.
    #[serde(serialize_with = "path_as_text")]
    pub cwd: Cow<'a, Path>,
    /// ISO 8601 in UTC with milliseconds and a `Z`.
    pub timestamp: String,
}

/// The one JSON object written to a hook's stdin.
#[derive(Debug, Serialize)]
pub struct HookInput<'a> {
    /// Where and when.
    #[serde(flatten)]
    pub base: &'a BaseFields<'a>,
    /// What.
    #[serde(flatten)]
    pub event: &'a Event<'a>,
    /// Fields that a caller sent along and that hookrail does not know.
    #[serde(flatten)]
    pub extra: &'a JsonObject,
}

/// A time as hooks read it: ISO 8601 in UTC with milliseconds and a `Z`, like JavaScript's `toISOString()`.
pub fn iso_timestamp(time: jiff::Timestamp) -> String {
    format!("{time:.3}")
}

/// The present time as hooks read it.
pub fn timestamp_now() -> String {
    iso_timestamp(jiff::Timestamp::now())
}

/// Paths go into JSON, which is Unicode: a path that is not is written with replacement characters.
fn path_as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

#[cfg(test)]
mod tests;
