//! `when`: a condition on the facts of an event, parsed once and asked often.

mod doubts;
mod explain;
pub(crate) mod needs;
mod read;
mod shadow;

pub use self::explain::ConditionReport;
use super::fact::Fact;
use super::facts::Facts;
use super::test::{Test, evaluate};
use super::truth::Truth;

/// A parsed condition, or a part of one.
#[derive(Debug)]
pub struct Condition {
    /// Where it is in the settings, so that explanations keep the author's order.
    start: usize,
    kind: NodeKind,
}

/// What a condition asks. Nodes below `All` and `Any` are sorted by cost, the cheapest first.
#[derive(Debug)]
enum NodeKind {
    /// All of these; also every object of a condition, whose keys must all hold.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
    /// Not this. What is unknown stays unknown.
    Not(Box<Condition>),
    /// Something about one fact.
    Fact {
        fact: Fact,
        /// One of these must hold.
        tests: Vec<Test>,
        /// Whether they are written as a list.
        is_list: bool,
    },
}

impl Condition {
    /// A condition that holds for every call.
    pub(crate) fn always() -> Self {
        Self { start: 0, kind: NodeKind::All(Vec::new()) }
    }

    /// Whether it holds. Stops at the first part that decides, so that the facts of later parts are never worked out.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        match &self.kind {
            NodeKind::All(parts) => Truth::all(parts.iter().map(|part| part.evaluate(facts))),
            NodeKind::Any(parts) => Truth::any(parts.iter().map(|part| part.evaluate(facts))),
            NodeKind::Not(part) => part.evaluate(facts).negated(),
            NodeKind::Fact { fact, tests, .. } => evaluate(fact, tests, facts),
        }
    }

    /// The cost of the most expensive fact below. Cheap facts are asked first: if they decide, no shell line has to be read.
    fn cost(&self) -> u8 {
        match &self.kind {
            NodeKind::All(nodes) | NodeKind::Any(nodes) => nodes.iter().map(Self::cost).max().unwrap_or(0),
            NodeKind::Not(node) => node.cost(),
            NodeKind::Fact { fact, .. } => fact.cost(),
        }
    }
}

#[cfg(test)]
mod tests;
