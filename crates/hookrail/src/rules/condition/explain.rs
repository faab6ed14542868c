//! Why a condition holds or not, for people.

use serde::Serialize;

use super::{Condition, NodeKind};
use crate::order;
use crate::rules::fact::{Fact, ValueKind};
use crate::rules::facts::Facts;
use crate::rules::test::{Test, values_of};
use crate::rules::truth::Truth;
use crate::spelling::cut;

/// No more values of a fact than this are shown.
const MAX_SHOWN: usize = 20;
/// No more characters of a value than this are shown.
const MAX_LENGTH: usize = 200;

/// One part of a condition, whether it held, and what was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionReport {
    /// The part: `all`, `any`, `not`, or a fact with its test as written.
    pub condition: String,
    /// Whether it held.
    pub truth: Truth,
    /// The values that the fact had, cut to a length that people read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<String>,
    /// The parts that it is made of, in the order of the settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ConditionReport>,
}

impl Condition {
    /// Whether it holds, with what was seen of each fact it asks about.
    #[doc(hidden)]
    pub fn explain(&self, facts: &Facts<'_>) -> ConditionReport {
        let (condition, mut parts): (_, Vec<&Self>) = match &self.kind {
            // An object with one key is that key.
            NodeKind::All(parts) if let [only] = parts.as_slice() => return only.explain(facts),
            NodeKind::All(parts) => ("all".to_owned(), parts.iter().collect()),
            NodeKind::Any(parts) => ("any".to_owned(), parts.iter().collect()),
            NodeKind::Not(part) => ("not".to_owned(), vec![&**part]),
            NodeKind::Fact { fact, tests, is_list } => (written(fact, tests, *is_list), Vec::new()),
        };
        order::sort_by_key(&mut parts, |part| part.start);
        ConditionReport {
            condition,
            truth: self.evaluate(facts),
            seen: if let NodeKind::Fact { fact, .. } = &self.kind { seen(fact, facts) } else { Vec::new() },
            parts: parts.into_iter().map(|part| part.explain(facts)).collect(),
        }
    }
}

/// A fact with its tests as they are written.
fn written(fact: &Fact, tests: &[Test], is_list: bool) -> String {
    let tests = match tests {
        [test] if !is_list => test.written.clone(),
        tests => tests.iter().map(|test| test.written.clone()).collect(),
    };
    format!("{}: {tests}", fact.name())
}

/// What a fact's values are.
fn seen(fact: &Fact, facts: &Facts<'_>) -> Vec<String> {
    let (values, and_others) = values_of(fact, facts);
    let mut seen: Vec<String> =
        values.iter().take(MAX_SHOWN).map(|value| cut(&value.shown(), MAX_LENGTH)).collect();
    if values.len() > MAX_SHOWN {
        seen.push(format!("… and {} more", values.len() - MAX_SHOWN));
    }
    if and_others && fact.kind() == ValueKind::Path {
        seen.push("?".to_owned());
    }
    seen
}
