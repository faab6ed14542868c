//! Conditions that hold always or never. They are reported with a warning, because they are hardly what was meant.

use jsonc_parser::ast::Value as Ast;
use serde_json::Value;

use super::{Condition, NodeKind};
use crate::diagnostic::DiagnosticCode;
use crate::rules::fact::Fact;
use crate::rules::problem::RuleFindings;
use crate::rules::test::{Test, TestPart};

/// Warns of a condition that cannot make a difference.
pub(super) fn look(root: &Condition, written: &Ast<'_>, findings: &mut RuleFindings) {
    let (code, message, help) = match constant(root) {
        // `{}` is how a rule is written that always holds.
        Some(true) if matches!(&root.kind, NodeKind::All(nodes) if nodes.is_empty()) => return,
        Some(true) => {
            (DiagnosticCode::AlwaysHolds, "this condition always holds", "if that is meant, write {}")
        }
        Some(false) => {
            (DiagnosticCode::NeverHolds, "this condition can never hold", "parts of it exclude each other")
        }
        None => return,
    };
    findings.warn(code, written, message, help);
}

/// Whether a condition is always or never true.
fn constant(node: &Condition) -> Option<bool> {
    match &node.kind {
        NodeKind::All(nodes) => {
            let constants: Vec<_> = nodes.iter().map(constant).collect();
            if constants.contains(&Some(false)) || exclude_each_other(nodes) {
                return Some(false);
            }
            constants.iter().all(|constant| *constant == Some(true)).then_some(true)
        }
        NodeKind::Any(nodes) => {
            let constants: Vec<_> = nodes.iter().map(constant).collect();
            if constants.contains(&Some(true)) {
                return Some(true);
            }
            constants.iter().all(|constant| *constant == Some(false)).then_some(false)
        }
        NodeKind::Not(node) => constant(node).map(|constant| !constant),
        NodeKind::Fact { tests, .. } => tests.iter().all(is_impossible).then_some(false),
    }
}

/// Whether nothing can pass a test.
fn is_impossible(test: &Test) -> bool {
    if test.exists == Some(false) && !test.parts.is_empty() {
        return true;
    }
    // Plain values that the other parts refuse.
    let mut plain = test.parts.iter().filter_map(values_of);
    plain.next().is_some_and(|values| !values.iter().any(|value| test.admits(value)))
}

/// The plain values of a part that compares with some.
fn values_of(part: &TestPart) -> Option<&Vec<Value>> {
    if let TestPart::OneOf(values) = part { Some(values) } else { None }
}

/// Whether a fact that has one value is required to have two.
fn exclude_each_other(nodes: &[Condition]) -> bool {
    let mut required: Vec<(&Fact, Vec<&Value>)> = Vec::new();
    collect(nodes, &mut required);
    required.iter().enumerate().any(|(index, (fact, values))| {
        let mut others = required.iter().skip(index + 1).filter(|(other, _)| other == fact);
        others.any(|(_, others)| !values.iter().any(|value| others.contains(value)))
    })
}

/// The plain values that single facts must have for all nodes to hold.
fn collect<'n>(nodes: &'n [Condition], required: &mut Vec<(&'n Fact, Vec<&'n Value>)>) {
    for node in nodes {
        match &node.kind {
            NodeKind::All(nodes) => collect(nodes, required),
            NodeKind::Fact { fact, tests, .. } if fact.is_single() => {
                let values: Option<Vec<_>> =
                    tests.iter().map(|test| test.parts.iter().find_map(values_of)).collect();
                // A line that is dynamic has several causes.
                let excludes = |values: &Vec<&Vec<Value>>| {
                    !values.is_empty()
                        && (*fact != Fact::Dynamic
                            || values.iter().flat_map(|list| list.iter()).all(Value::is_boolean))
                };
                if let Some(values) = values.filter(excludes) {
                    required.push((fact, values.into_iter().flatten().collect()));
                }
            }
            NodeKind::Fact { .. } | NodeKind::Any(_) | NodeKind::Not(_) => {}
        }
    }
}
