//! The words that events of a session are about. Matchers of these events are compared with them as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// Who asked for the history to be summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum PreCompressTrigger {
    Manual,
    Auto,
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
