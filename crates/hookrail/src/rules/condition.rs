//! `when`: a condition on the facts of an event, parsed once and asked often.

mod doubts;
mod explain;
pub(crate) mod needs;
mod read;
mod shadow;

use jsonc_parser::ast::Value as Ast;

pub use self::explain::ConditionReport;
use self::needs::{Detail, OwnNeed};
use super::fact::Fact;
use super::facts::Facts;
use super::problem::RuleFindings;
use super::test::{Test, evaluate};
use super::truth::Truth;
use crate::event::EventName;

/// A parsed condition.
#[derive(Debug)]
pub struct Condition {
    root: ConditionNode,
}

/// A part of a condition, with its place among the others.
#[derive(Debug)]
struct ConditionNode {
    /// Where it is in the settings, so that explanations keep the author's order.
    start: usize,
    kind: NodeKind,
}

/// What a condition asks. Nodes below `All` and `Any` are sorted by cost, the cheapest first.
#[derive(Debug)]
enum NodeKind {
    /// All of these; also every object of a condition, whose keys must all hold.
    All(Vec<ConditionNode>),
    /// At least one of these.
    Any(Vec<ConditionNode>),
    /// Not this. What is unknown stays unknown.
    Not(Box<ConditionNode>),
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
    /// Reads a condition on facts of an event; `None`, with everything that is wrong, if it cannot be used.
    pub(crate) fn parse(value: &Ast<'_>, event: EventName, findings: &mut RuleFindings) -> Option<Self> {
        read::condition(value, event, findings)
    }

    /// Whether it holds.
    pub(crate) fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        self.root.evaluate(facts)
    }

    /// The ways in which it may hold: a call that meets none of these cannot make it hold, nor leave it undecided.
    pub(crate) fn needs(&self, detail: Detail) -> Vec<OwnNeed> {
        needs::needs(&self.root, detail)
    }

    /// A condition that holds for every call.
    pub(crate) fn always() -> Self {
        Self { root: ConditionNode { start: 0, kind: NodeKind::All(Vec::new()) } }
    }

    /// Whether it holds whenever `other` does, as far as the two texts show.
    pub(crate) fn follows_from(&self, other: &Self) -> bool {
        shadow::follows(&self.root, &other.root)
    }

    /// Whether it holds, with what was seen of each fact it asks about.
    #[doc(hidden)]
    pub fn explain(&self, facts: &Facts<'_>) -> ConditionReport {
        explain::explain(&self.root, facts)
    }
}

impl ConditionNode {
    /// Stops at the first part that decides, so that the facts of later parts are never worked out.
    fn evaluate(&self, facts: &Facts<'_>) -> Truth {
        match &self.kind {
            NodeKind::All(nodes) => Truth::all(nodes.iter().map(|node| node.evaluate(facts))),
            NodeKind::Any(nodes) => Truth::any(nodes.iter().map(|node| node.evaluate(facts))),
            NodeKind::Not(node) => node.evaluate(facts).negated(),
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
