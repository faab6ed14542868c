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

/// The facts by their names in settings, and what their values are.
const FACTS: [(&str, Fact, ValueKind); 11] = [
    ("tool", Fact::Tool, ValueKind::Text),
    ("prompt", Fact::Prompt, ValueKind::Text),
    ("model", Fact::Model, ValueKind::Text),
    ("text", Fact::Text, ValueKind::Text),
    ("agent", Fact::Agent, ValueKind::Text),
    ("input.NAME", Fact::Input(Vec::new()), ValueKind::Json),
    ("command", Fact::Command, ValueKind::Command),
    ("program", Fact::Program, ValueKind::Text),
    ("dynamic", Fact::Dynamic, ValueKind::Flag),
    ("writes", Fact::Writes, ValueKind::Path),
    ("reads", Fact::Reads, ValueKind::Path),
];

impl Fact {
    /// The names of facts as they are written in settings.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FACTS.into_iter().map(|(name, ..)| name)
    }

    /// The fact of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.strip_prefix("input.") {
            Some(path) => {
                let names: Vec<String> = path.split('.').map(str::to_owned).collect();
                names.iter().all(|name| !name.is_empty()).then_some(Self::Input(names))
            }
            None => FACTS.into_iter().find(|(known, ..)| *known == name).map(|(_, fact, _)| fact),
        }
    }

    /// Its name as it is written in settings.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Input(names) => format!("input.{}", names.join(".")),
            _ => FACTS
                .into_iter()
                .find(|(_, fact, _)| fact == self)
                .map(|(name, ..)| name)
                .unwrap_or_default()
                .to_owned(),
        }
    }

    pub(crate) fn kind(&self) -> ValueKind {
        match self {
            Self::Input(_) => ValueKind::Json,
            _ => {
                FACTS.into_iter().find(|(_, fact, _)| fact == self).map_or(ValueKind::Text, |(.., kind)| kind)
            }
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
            | Self::Reads => event.has_tool(),
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
        !matches!(self, Self::Command | Self::Program | Self::Writes | Self::Reads)
    }

    /// How much it costs to find out, for the order in which conditions are asked.
    pub(crate) const fn cost(&self) -> u8 {
        match self {
            Self::Writes | Self::Reads => 2,
            Self::Command | Self::Program | Self::Dynamic => 1,
            _ => 0,
        }
    }
}
