//! The lifecycle points of an agent, and what a hook receives at each of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::name::{EventName, Matching, UnknownEvent};
pub use self::values::{NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource};
use crate::formats::json_object::JsonObject;
use crate::formats::llm::{LlmRequest, LlmResponse};

mod name;
mod values;

/// A lifecycle point with exactly the data that its hooks receive. It borrows what the agent
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

impl<'a> Event<'a> {
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

    /// The tool that the event is about, and its arguments.
    pub(crate) fn tool_call(&self) -> Option<(&'a str, &'a JsonObject)> {
        match self {
            Self::BeforeTool { tool_name, tool_input } | Self::AfterTool { tool_name, tool_input, .. } => {
                Some((tool_name, tool_input))
            }
            _ => None,
        }
    }

    /// What matchers are compared with; `None` where they have no effect.
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

/// What a table of an agent's tools says of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallReading {
    /// The tool is in the table, and its arguments can be read.
    Known,
    /// The tool is in the table: it runs no command and touches no file, whatever its arguments are called.
    Plain,
    /// The tool is not in the table.
    Unlisted,
    /// An argument that decides is missing or cannot be read. The text is what the person and the model are told.
    Unreadable(String),
}

/// Where a call is made, as it is seen there. A service on another machine is told this: files of its own say nothing about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Caller {
    /// What `~` means.
    pub home: Option<String>,
    /// The project's real folder.
    pub project: String,
    /// Where relative paths start.
    pub directory: String,
    /// Other names of the tool, on which matchers are tried too.
    pub also_matches: Vec<String>,
    /// What a table of the caller's tools says of the call.
    pub reading: Option<CallReading>,
    /// Whether names in the project that differ by case only are the same.
    pub ignores_case: bool,
    /// Where paths lead whose text says something else, and the home of a user for `~name`.
    pub links: BTreeMap<String, String>,
    /// Paths that are folders, where it was asked.
    pub folders: BTreeSet<String>,
    /// The files that a glob stands for; `None` where there are too many.
    pub globs: BTreeMap<String, Option<Vec<String>>>,
}

/// The fields every hook receives, whatever the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the specification's; see the protocol page")]
#[non_exhaustive]
pub struct BaseFields<'a> {
    pub session_id: Cow<'a, str>,
    pub transcript_path: Cow<'a, str>,
    /// Also the hook's working directory.
    #[serde(serialize_with = "path_as_text")]
    pub cwd: Cow<'a, Path>,
    /// ISO 8601 in UTC with milliseconds and a `Z`.
    pub timestamp: String,
}

impl<'a> BaseFields<'a> {
    /// The fields of a session without a transcript, now.
    pub fn new(session_id: impl Into<Cow<'a, str>>, cwd: impl Into<Cow<'a, Path>>) -> Self {
        Self {
            session_id: session_id.into(),
            transcript_path: Cow::Borrowed(""),
            cwd: cwd.into(),
            timestamp: timestamp_now(),
        }
    }
}

/// The one JSON object written to a hook's stdin.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct HookInput<'a> {
    /// Where and when.
    #[serde(flatten)]
    pub base: &'a BaseFields<'a>,
    /// What.
    #[serde(flatten)]
    pub event: &'a Event<'a>,
    /// Further fields of a caller, which hookrail does not know.
    #[serde(flatten)]
    pub extra: &'a JsonObject,
}

impl<'a> HookInput<'a> {
    /// The input of an event.
    pub fn new(base: &'a BaseFields<'a>, event: &'a Event<'a>, extra: &'a JsonObject) -> Self {
        Self { base, event, extra }
    }
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
