//! Conditions that hold always or never. They are reported with a warning, because they are hardly what was meant.

use jsonc_parser::ast::Value as Ast;
use serde_json::Value;

use super::{Condition, NodeKind};
use crate::diagnostic::DiagnosticCode;
use crate::rules::fact::Fact;
use crate::rules::problem::RuleFindings;
use crate::rules::test::{Test, TestPart};
use crate::rules::truth::Truth;

/// Warns of a condition that cannot make a difference.
pub(super) fn look(root: &Condition, written: &Ast<'_>, findings: &mut RuleFindings) {
    let (code, message, help) = match constant(root) {
        // `{}` is how a rule is written that always holds.
        Truth::Yes if matches!(&root.kind, NodeKind::All(parts) if parts.is_empty()) => return,
        Truth::Yes => {
            (DiagnosticCode::AlwaysHolds, "this condition always holds", "if that is meant, write {}")
        }
        Truth::No => {
            (DiagnosticCode::NeverHolds, "this condition can never hold", "parts of it exclude each other")
        }
        Truth::Unknown => return,
    };
    findings.warn(code, written, message, help);
}

/// Whether a condition holds for no call or for every one; unknown if that depends on the call.
fn constant(condition: &Condition) -> Truth {
    match &condition.kind {
        NodeKind::All(parts) if exclude_each_other(parts) => Truth::No,
        NodeKind::All(parts) => Truth::all(parts.iter().map(constant)),
        NodeKind::Any(parts) => Truth::any(parts.iter().map(constant)),
        NodeKind::Not(part) => constant(part).negated(),
        NodeKind::Fact { tests, .. } if tests.iter().all(is_impossible) => Truth::No,
        NodeKind::Fact { .. } => Truth::Unknown,
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
fn exclude_each_other(parts: &[Condition]) -> bool {
    let required = required(parts);
    let is_other = |fact: &Fact, values: &[&Value]| {
        let mut same = required.iter().filter(|(other, _)| *other == fact);
        same.any(|(_, others)| !values.iter().any(|value| others.contains(value)))
    };
    required.iter().any(|(fact, values)| is_other(fact, values))
}

/// The plain values that single facts must have for all parts to hold.
fn required(parts: &[Condition]) -> Vec<(&Fact, Vec<&Value>)> {
    let required = parts.iter().map(|part| match &part.kind {
        NodeKind::All(parts) => required(parts),
        NodeKind::Fact { fact, tests, .. } if fact.is_single() => {
            let values = tests.iter().map(|test| test.parts.iter().find_map(values_of));
            let values: Vec<&Value> =
                values.collect::<Option<Vec<_>>>().into_iter().flatten().flatten().collect();
            // A line that is dynamic has several causes.
            let excludes = *fact != Fact::Dynamic || values.iter().all(|value| value.is_boolean());
            if excludes && !values.is_empty() { vec![(fact, values)] } else { Vec::new() }
        }
        NodeKind::Fact { .. } | NodeKind::Any(_) | NodeKind::Not(_) => Vec::new(),
    });
    required.flatten().collect()
}
