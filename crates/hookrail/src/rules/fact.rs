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

/// What is known of each fact: its name in settings, what its values are, and which events have it.
type FactRow = (&'static str, Fact, ValueKind, fn(EventName) -> bool);

/// All facts; `input.NAME` stands for one for each argument.
static FACTS: [FactRow; 12] = {
    use EventName::{AfterAgent, AfterModel, BeforeAgent, BeforeModel, BeforeToolSelection};
    [
        ("tool", Fact::Tool, ValueKind::Text, EventName::has_tool),
        ("prompt", Fact::Prompt, ValueKind::Text, |event| matches!(event, BeforeAgent | AfterAgent)),
        ("model", Fact::Model, ValueKind::Text, |event| {
            matches!(event, BeforeModel | AfterModel | BeforeToolSelection)
        }),
        ("text", Fact::Text, ValueKind::Text, |event| matches!(event, AfterModel | AfterAgent)),
        ("agent", Fact::Agent, ValueKind::Text, |_| true),
        ("input.NAME", Fact::Input(Vec::new()), ValueKind::Json, EventName::has_tool),
        ("command", Fact::Command, ValueKind::Command, EventName::has_tool),
        ("program", Fact::Program, ValueKind::Text, EventName::has_tool),
        ("dynamic", Fact::Dynamic, ValueKind::Flag, EventName::has_tool),
        ("writes", Fact::Writes, ValueKind::Path, EventName::has_tool),
        ("reads", Fact::Reads, ValueKind::Path, EventName::has_tool),
        ("shows", Fact::Shows, ValueKind::Path, EventName::has_tool),
    ]
};

impl Fact {
    /// The names of facts as they are written in settings.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FACTS.iter().map(|(name, ..)| *name)
    }

    /// The fact of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.strip_prefix("input.") {
            Some(path) => {
                let names: Vec<String> = path.split('.').map(str::to_owned).collect();
                names.iter().all(|name| !name.is_empty()).then_some(Self::Input(names))
            }
            None => FACTS.iter().find(|(known, ..)| *known == name).map(|(_, fact, ..)| fact.clone()),
        }
    }

    fn row(&self) -> Option<&'static FactRow> {
        let is_same = |(_, fact, ..): &&FactRow| std::mem::discriminant(fact) == std::mem::discriminant(self);
        FACTS.iter().find(is_same)
    }

    /// Its name as it is written in settings.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Input(names) => format!("input.{}", names.join(".")),
            _ => self.row().map(|(name, ..)| *name).unwrap_or_default().to_owned(),
        }
    }

    pub(crate) fn kind(&self) -> ValueKind {
        self.row().map_or(ValueKind::Text, |(_, _, kind, _)| *kind)
    }

    /// Whether an event can have it.
    pub(crate) fn is_on(&self, event: EventName) -> bool {
        self.row().is_some_and(|(.., is_on)| is_on(event))
    }

    /// Whether it has one value, so that two different ones exclude each other.
    pub(crate) const fn is_single(&self) -> bool {
        !matches!(self, Self::Command | Self::Program | Self::Writes | Self::Reads | Self::Shows)
    }

    /// How much it costs to find out, for the order in which conditions are asked.
    pub(crate) const fn cost(&self) -> u8 {
        match self {
            Self::Writes | Self::Reads | Self::Shows => 2,
            Self::Command | Self::Program | Self::Dynamic => 1,
            _ => 0,
        }
    }
}
