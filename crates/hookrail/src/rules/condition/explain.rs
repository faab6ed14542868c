//! Why a condition holds or not, for people.

use serde::Serialize;

use super::{ConditionNode, NodeKind};
use crate::rules::fact::Fact;
use crate::rules::facts::{Facts, LineCommand, ShellLine};
use crate::rules::test::{Test, evaluate};
use crate::rules::truth::Truth;

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

/// Explains a part with everything below it.
pub(super) fn explain(node: &ConditionNode, facts: &Facts<'_>) -> ConditionReport {
    let parts_of = |nodes: &[ConditionNode]| {
        let mut nodes: Vec<&ConditionNode> = nodes.iter().collect();
        nodes.sort_by_key(|node| node.start);
        nodes.into_iter().map(|node| explain(node, facts)).collect::<Vec<_>>()
    };
    let (condition, parts) = match &node.kind {
        // An object with one key is that key.
        NodeKind::All(nodes) if let [only] = nodes.as_slice() => return explain(only, facts),
        NodeKind::All(nodes) => ("all", parts_of(nodes)),
        NodeKind::Any(nodes) => ("any", parts_of(nodes)),
        NodeKind::Not(inner) => ("not", vec![explain(inner, facts)]),
        NodeKind::Fact { fact, tests, is_list } => {
            let (condition, truth) = (written(fact, tests, *is_list), evaluate(fact, tests, facts));
            return ConditionReport { condition, truth, seen: seen(fact, facts), parts: Vec::new() };
        }
    };
    ConditionReport { condition: condition.to_owned(), truth: node.evaluate(facts), seen: Vec::new(), parts }
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
    let subject = facts.subject();
    let one = |value: Option<&str>| value.map(str::to_owned).into_iter().collect::<Vec<_>>();
    let mut values = match fact {
        Fact::Tool => one(subject.tool_name),
        Fact::Prompt => one(subject.prompt),
        Fact::Model => one(subject.model),
        Fact::Text => one(subject.text.as_deref()),
        Fact::Agent => one(subject.agent),
        Fact::Input(names) => facts.input(names).map(ToString::to_string).into_iter().collect(),
        Fact::Dynamic => {
            let causes = facts.shell().into_iter().flat_map(|shell| &shell.causes);
            let dynamic = facts.shell().is_some_and(ShellLine::is_dynamic);
            std::iter::once(dynamic.to_string()).chain(causes.map(|cause| cause.name().to_owned())).collect()
        }
        Fact::Command => facts
            .shell()
            .map(|shell| shell.commands.iter().map(LineCommand::shown).collect())
            .unwrap_or_default(),
        Fact::Program => {
            facts.shell().map(|shell| shell.programs.iter().cloned().collect()).unwrap_or_default()
        }
        Fact::Writes | Fact::Reads | Fact::Shows => {
            let (paths, and_others) = facts.paths().of_fact(fact);
            let known = paths.map(|path| path.shown.clone());
            known.chain(and_others.then(|| "?".to_owned())).collect()
        }
    };
    if values.len() > MAX_SHOWN {
        let more = values.len() - MAX_SHOWN;
        values.truncate(MAX_SHOWN);
        values.push(format!("… and {more} more"));
    }
    values.iter().map(|value| shortened(value)).collect()
}

/// Cut between characters, with a mark that something is missing.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}
