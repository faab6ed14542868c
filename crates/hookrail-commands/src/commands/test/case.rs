//! A test as it was read: what happens, and what is expected to come of it.

use std::path::PathBuf;

use hookrail::JsonObject;
use hookrail::components::TypedInput;
use serde::Serialize;

#[derive(Debug)]
pub(crate) struct TestCase {
    /// What the report calls it.
    pub(crate) name: String,
    /// The line of its opening brace, from 1.
    pub(crate) line: usize,
    /// Its place among the tests of its file, from 0.
    pub(crate) index: usize,
    /// The event, with everything that hooks are given.
    pub(crate) input: TypedInput,
    /// The files of the temporary project that it runs in; `None` to run in the project itself.
    pub(crate) files: Option<Vec<(PathBuf, String)>>,
    /// Whether hooks get an empty home directory.
    pub(crate) scratch_home: bool,
    /// What is expected; `None` where the test has no `expect`.
    pub(crate) expect: Option<Expect>,
}

/// What a test expects. A key that is not given expects nothing, but for `errors`.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expect {
    /// The outcome of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<DecisionWord>,
    /// A piece of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Hooks that ran, whichever ran besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ran: Vec<String>,
    /// Hooks that did not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_ran: Vec<String>,
    /// Some of the tool's arguments as they are after the hooks' changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<JsonObject>,
    /// Some of the merged output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<JsonObject>,
    /// Whether a hook fails; without it none may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) errors: Option<bool>,
    /// How long the event may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_ms: Option<u64>,
}

/// What comes of an event, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DecisionWord {
    /// It goes on.
    Allow,
    /// A person decides.
    Ask,
    Stop,
    /// It does not happen.
    Block,
}

impl DecisionWord {
    /// In the order in which messages list them.
    pub(crate) const ALL: [Self; 4] = [Self::Allow, Self::Block, Self::Ask, Self::Stop];

    /// As it is written in test files.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Stop => "stop",
            Self::Block => "block",
        }
    }

    /// The outcome that a word of a test file names.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.as_str() == text)
    }
}
