//! The names of facts, and which events have them.

use crate::event::EventName;

/// A fact that a condition asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The tool's name.
    Tool,
    /// The prompt.
    Prompt,
    /// The model's name.
    Model,
    /// The text of the model's answer.
    Text,
    /// The agent that asks.
    Agent,
    /// An argument, by the names that lead to it.
    Input(Vec<String>),
    /// A command of the shell line.
    Command,
    /// A program that the shell line starts.
    Program,
    /// Whether the shell line hides what it runs.
    Dynamic,
    /// A path that the call writes.
    Writes,
    /// A path that the call reads.
    Reads,
    /// A path that the call reads and may show.
    Shows,
}

/// What a fact's values are, which decides what can be asked of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Text.
    Text,
    /// Any JSON value.
    Json,
    /// `true` or `false`.
    Flag,
    /// Commands.
    Command,
    /// Paths.
    Path,
}

impl Fact {
    /// The names of facts as they are written in settings.
    pub(crate) const NAMES: [&str; 12] = [
        "tool",
        "prompt",
        "model",
        "text",
        "agent",
        "input.NAME",
        "command",
        "program",
        "dynamic",
        "writes",
        "reads",
        "shows",
    ];

    /// The fact of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "tool" => Self::Tool,
            "prompt" => Self::Prompt,
            "model" => Self::Model,
            "text" => Self::Text,
            "agent" => Self::Agent,
            "command" => Self::Command,
            "program" => Self::Program,
            "dynamic" => Self::Dynamic,
            "writes" => Self::Writes,
            "reads" => Self::Reads,
            "shows" => Self::Shows,
            _ => {
                let names: Vec<String> = name.strip_prefix("input.")?.split('.').map(str::to_owned).collect();
                if names.iter().any(String::is_empty) {
                    return None;
                }
                Self::Input(names)
            }
        })
    }

    /// Its name as it is written in settings.
    pub(crate) fn name(&self) -> String {
        let name = match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Model => "model",
            Self::Text => "text",
            Self::Agent => "agent",
            Self::Input(names) => return format!("input.{}", names.join(".")),
            Self::Command => "command",
            Self::Program => "program",
            Self::Dynamic => "dynamic",
            Self::Writes => "writes",
            Self::Reads => "reads",
            Self::Shows => "shows",
        };
        name.to_owned()
    }

    pub(crate) const fn kind(&self) -> ValueKind {
        match self {
            Self::Tool | Self::Prompt | Self::Model | Self::Text | Self::Agent | Self::Program => {
                ValueKind::Text
            }
            Self::Input(_) => ValueKind::Json,
            Self::Command => ValueKind::Command,
            Self::Dynamic => ValueKind::Flag,
            Self::Writes | Self::Reads | Self::Shows => ValueKind::Path,
        }
    }

    /// Whether an event can have it.
    pub(crate) const fn is_on(&self, event: EventName) -> bool {
        match self {
            Self::Tool
            | Self::Input(_)
            | Self::Command
            | Self::Program
            | Self::Dynamic
            | Self::Writes
            | Self::Reads
            | Self::Shows => event.has_tool(),
            Self::Prompt => matches!(event, EventName::BeforeAgent | EventName::AfterAgent),
            Self::Model => {
                matches!(
                    event,
                    EventName::BeforeModel | EventName::AfterModel | EventName::BeforeToolSelection
                )
            }
            Self::Text => matches!(event, EventName::AfterModel | EventName::AfterAgent),
            Self::Agent => true,
        }
    }

    /// Whether it has one value, so that two different ones exclude each other.
    pub(crate) const fn is_single(&self) -> bool {
        !matches!(self, Self::Command | Self::Program | Self::Writes | Self::Reads | Self::Shows)
    }

    /// How much it costs to find out, for the order in which conditions are asked.
    pub(crate) const fn cost(&self) -> u8 {
        match self {
            Self::Tool | Self::Prompt | Self::Model | Self::Text | Self::Agent | Self::Input(_) => 0,
            Self::Command | Self::Program | Self::Dynamic => 1,
            Self::Writes | Self::Reads | Self::Shows => 2,
        }
    }
}
