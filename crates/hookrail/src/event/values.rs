//! The words that events of a session are about. Matchers of these events are compared with them as a whole.

use serde::{Deserialize, Serialize};

/// Defines an enum whose variants are words of payloads and settings, each written once.
macro_rules! words {
    ($(#[$meta:meta])+ $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in the order of the specification.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// All words.
            pub(crate) const WORDS: &[&str] = &[$($word),+];

            /// The word in settings and payloads, against which matchers are compared.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

pub(super) use words;

words! {
    /// How a session came to start.
    #[expect(missing_docs, reason = "the names say it")]
    SessionStartSource { Startup = "startup", Resume = "resume", Clear = "clear", Compress = "compress", }
}

words! {
    /// Why a session ended.
    #[expect(missing_docs, reason = "the names say it")]
    SessionEndReason {
        Exit = "exit",
        Clear = "clear",
        Logout = "logout",
        PromptInputExit = "prompt_input_exit",
        Other = "other",
    }
}

words! {
    /// Who asked for the history to be summarised.
    #[expect(missing_docs, reason = "the names say it")]
    PreCompressTrigger { Manual = "manual", Auto = "auto", }
}

/// What a notification is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
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
