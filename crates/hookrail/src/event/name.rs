//! The names of the events, and what each name decides about its hooks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::values::words;
use super::{PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::spelling::{misspelling_of, nearest};

words! {
    /// The eleven points of an agent's life at which hooks run.
    #[derive(Hash, PartialOrd, Ord)]
    EventName {
        /// A tool is about to run.
        BeforeTool = "BeforeTool",
        /// A tool has run; its result is not yet with the model.
        AfterTool = "AfterTool",
        /// A prompt is about to be worked on.
        BeforeAgent = "BeforeAgent",
        /// The work on a prompt has ended.
        AfterAgent = "AfterAgent",
        /// A model call is about to be made.
        BeforeModel = "BeforeModel",
        /// A model call has been answered completely.
        AfterModel = "AfterModel",
        /// A model call that carries tool definitions is about to be made.
        BeforeToolSelection = "BeforeToolSelection",
        /// A session begins.
        SessionStart = "SessionStart",
        /// A session ends.
        SessionEnd = "SessionEnd",
        /// The history is about to be summarised.
        PreCompress = "PreCompress",
        /// The agent is about to tell or ask the user something.
        Notification = "Notification",
    }
}

impl EventName {
    /// Whether a hook's block has an effect on this event.
    pub const fn can_block(self) -> bool {
        matches!(self, Self::BeforeTool | Self::BeforeModel | Self::BeforeAgent | Self::AfterAgent)
    }

    /// Whether the event is one that guards are asked about. It is blocked while an approved guard is changed or gone, or
    /// while it is not known which guards there are.
    pub const fn is_guarded(self) -> bool {
        matches!(self, Self::BeforeTool | Self::BeforeModel | Self::BeforeAgent)
    }

    /// Whether the event is one of the six outside of tools and models. What their hooks ask for is applied only where
    /// `hooksConfig.agentEvents` is `apply`.
    pub const fn is_agent_event(self) -> bool {
        !self.has_tool() && !matches!(self, Self::BeforeModel | Self::AfterModel | Self::BeforeToolSelection)
    }

    /// How the matchers of this event's hooks are read.
    pub const fn matching(self) -> Matching {
        match self {
            Self::BeforeTool | Self::AfterTool => Matching::Tool,
            Self::SessionStart => Matching::Word { known: SessionStartSource::WORDS },
            Self::SessionEnd => Matching::Word { known: SessionEndReason::WORDS },
            Self::PreCompress => Matching::Word { known: PreCompressTrigger::WORDS },
            Self::Notification => Matching::Word { known: &[] },
            Self::BeforeAgent
            | Self::AfterAgent
            | Self::BeforeModel
            | Self::AfterModel
            | Self::BeforeToolSelection => Matching::Ignored,
        }
    }

    /// Whether the event is about a tool: its payload names one, and matchers are patterns for that name.
    pub const fn has_tool(self) -> bool {
        matches!(self.matching(), Matching::Tool)
    }

    /// The event that `word` was probably meant to be: another agent's name for it, or a near name.
    pub fn nearest(word: &str) -> Option<Self> {
        Self::of_another_agent(word).or_else(|| Self::near_name(word))
    }

    /// The event that another agent calls by this name. Their names come in several spellings, so that only letters
    /// count.
    pub fn of_another_agent(word: &str) -> Option<Self> {
        if word.len() > 64 {
            return None;
        }
        let letters: String =
            word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Some(match letters.as_str() {
            "pretooluse" | "toolexecutebefore" => Self::BeforeTool,
            "posttooluse" | "posttoolusefailure" | "toolexecuteafter" => Self::AfterTool,
            "userpromptsubmit"
            | "userpromptsubmitted"
            | "beforesubmitprompt"
            | "preuserprompt"
            | "chatmessage" => Self::BeforeAgent,
            "stop" | "agentstop" | "postcascaderesponse" | "sessionidle" => Self::AfterAgent,
            "chatparams" => Self::BeforeModel,
            "experimentaltextcomplete" => Self::AfterModel,
            "tooldefinition" => Self::BeforeToolSelection,
            "sessionstart" | "agentspawn" | "sessioncreated" => Self::SessionStart,
            "sessionend" => Self::SessionEnd,
            "precompact" | "experimentalsessioncompacting" => Self::PreCompress,
            "notification" | "permissionrequest" | "permissionask" => Self::Notification,
            _ => return None,
        })
    }

    /// The guarded event of which this word is a misspelling, of our name for it or of another agent's: at most two
    /// letters away, or the same but for its case.
    pub(crate) fn misspelt_guarded(word: &str) -> Option<Self> {
        const NAMES: [(&str, EventName); 5] = [
            ("BeforeTool", EventName::BeforeTool),
            ("BeforeModel", EventName::BeforeModel),
            ("BeforeAgent", EventName::BeforeAgent),
            ("PreToolUse", EventName::BeforeTool),
            ("UserPromptSubmit", EventName::BeforeAgent),
        ];
        let near = misspelling_of(word, &NAMES.map(|(name, _)| name))?;
        NAMES.into_iter().find_map(|(name, event)| (name == near).then_some(event))
    }

    fn near_name(word: &str) -> Option<Self> {
        let letters: String = word.chars().filter(char::is_ascii_alphanumeric).take(65).collect();
        let near = match letters.to_ascii_lowercase().as_str() {
            "beforeshellexecution" | "beforemcpexecution" => return Some(Self::BeforeTool),
            "subagentstop" => return Some(Self::AfterAgent),
            _ => nearest(word, Self::WORDS)?,
        };
        Self::ALL.into_iter().find(|event| event.as_str() == near)
    }
}

/// How the matchers of an event's hooks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field is described with its variant")]
pub enum Matching {
    /// As a pattern for the tool's name.
    Tool,
    /// As a word of the event, compared as a whole. `known` are all words there are; it is empty where the host defines
    /// them.
    Word { known: &'static [&'static str] },
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
#[non_exhaustive]
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
