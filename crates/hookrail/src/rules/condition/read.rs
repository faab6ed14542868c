//! Reading a condition.

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;

use super::{Condition, ConditionNode, NodeKind, doubts};
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::rules::fact::Fact;
use crate::rules::problem::RuleProblem;
use crate::rules::test::{Readings, read_tests};
use crate::spelling::{nearest, shortened};

/// Deeper conditions are refused: evaluating one takes stack.
const MAX_DEPTH: usize = 128;
/// The words that combine conditions.
const COMBINATIONS: [&str; 3] = ["any", "all", "not"];

/// Reads a condition.
pub(super) fn condition(
    value: &Ast<'_>,
    event: EventName,
) -> Result<(Condition, Vec<RuleProblem>), Vec<RuleProblem>> {
    let mut reader = ConditionReader { event, readings: Readings::default() };
    let root = reader.when(value, 0);
    match root.filter(|_| reader.readings.problems.is_empty()) {
        Some(root) => {
            doubts::look(&root, value, &mut reader.readings.warnings);
            Ok((Condition { root }, reader.readings.warnings))
        }
        None => Err(reader.readings.problems),
    }
}

/// Collects everything that is wrong instead of stopping at the first problem.
struct ConditionReader {
    event: EventName,
    readings: Readings,
}

impl ConditionReader {
    fn problem(&mut self, problem: RuleProblem) {
        self.readings.problems.push(problem);
    }

    /// Reads an object whose keys must all hold. `None` only if nothing of it can be read.
    fn when(&mut self, value: &Ast<'_>, depth: usize) -> Option<ConditionNode> {
        let Ast::Object(object) = value else {
            let problem = RuleProblem::wrong_type("a condition", "an object", value);
            self.problem(problem.help("write { \"command\": \"git push\" }"));
            return None;
        };
        if depth > MAX_DEPTH {
            self.problem(RuleProblem::new(
                DiagnosticCode::TooDeep,
                value,
                "the condition is nested too deeply",
            ));
            return None;
        }
        let mut nodes = Vec::with_capacity(object.properties.len());
        for (index, prop) in object.properties.iter().enumerate() {
            self.repeated(object, index, prop);
            nodes.extend(self.property(prop, depth));
        }
        nodes.sort_by_key(ConditionNode::cost);
        Some(ConditionNode { start: value.start(), kind: NodeKind::All(nodes) })
    }

    /// Both of two equal keys look as if they counted, and JSON drops the first.
    fn repeated(&mut self, object: &Object<'_>, index: usize, prop: &ObjectProp<'_>) {
        let name = prop.name.as_str();
        if object.properties.iter().take(index).any(|other| other.name.as_str() == name) {
            let message = format!("`{}` is given more than once", shortened(name));
            let help = format!("write an array for any of them, or \"all\": [ {{ \"{name}\": … }}, … ]");
            self.problem(RuleProblem::new(DiagnosticCode::RepeatedKey, &prop.name, message).help(help));
        }
    }

    /// Reads one key: a combination of conditions, or a fact with its tests.
    fn property(&mut self, prop: &ObjectProp<'_>, depth: usize) -> Option<ConditionNode> {
        let (name, value) = (prop.name.as_str(), &prop.value);
        let start = prop.start();
        let kind = match name {
            "any" => NodeKind::Any(self.list(prop, depth)?),
            "all" => NodeKind::All(self.list(prop, depth)?),
            "not" => NodeKind::Not(Box::new(self.when(value, depth + 1)?)),
            _ => {
                let fact = self.fact(prop)?;
                let tests = read_tests(name, &fact, value, &mut self.readings);
                NodeKind::Fact { fact, tests, is_list: matches!(value, Ast::Array(_)) }
            }
        };
        Some(ConditionNode { start, kind })
    }

    /// The conditions of `any` or `all`. An empty `any` is a problem because it could never hold; an empty `all`
    /// always does.
    fn list(&mut self, prop: &ObjectProp<'_>, depth: usize) -> Option<Vec<ConditionNode>> {
        let name = prop.name.as_str();
        let Ast::Array(list) = &prop.value else {
            let problem =
                RuleProblem::wrong_type(&format!("`{name}`"), "an array of conditions", &prop.value);
            self.problem(problem);
            return None;
        };
        if list.elements.is_empty() && name == "any" {
            let problem =
                RuleProblem::new(DiagnosticCode::EmptyTest, &prop.value, "an empty `any` can never hold");
            self.problem(problem.help("list conditions, or leave it out"));
            return None;
        }
        let mut nodes: Vec<ConditionNode> =
            list.elements.iter().filter_map(|element| self.when(element, depth + 1)).collect();
        nodes.sort_by_key(ConditionNode::cost);
        Some(nodes)
    }

    /// The fact of this name, if the event has it.
    fn fact(&mut self, prop: &ObjectProp<'_>) -> Option<Fact> {
        let name = prop.name.as_str();
        let Some(fact) = Fact::named(name) else {
            let problem = RuleProblem::new(
                DiagnosticCode::UnknownFact,
                &prop.name,
                format!("`{}` is not a fact", shortened(name)),
            );
            self.problem(if name == "input" || name.starts_with("input.") {
                problem.help("name the argument: `input.file_path`")
            } else if name == "agent.name" {
                problem.help("did you mean `agent`?")
            } else {
                let known: Vec<&str> = COMBINATIONS.into_iter().chain(Fact::NAMES).collect();
                match nearest(name, &known) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem.help(format!("the facts are: {}", Fact::NAMES.join(", "))),
                }
            });
            return None;
        };
        if !fact.is_on(self.event) {
            let message = format!("`{name}` can never hold: {} has no such fact", self.event);
            let events = EventName::ALL.into_iter().filter(|event| fact.is_on(*event));
            let events: Vec<&str> = events.map(EventName::as_str).collect();
            let help = format!("events that have it: {}", events.join(", "));
            self.problem(RuleProblem::new(DiagnosticCode::FactNotOnEvent, &prop.name, message).help(help));
            return None;
        }
        Some(fact)
    }
}
