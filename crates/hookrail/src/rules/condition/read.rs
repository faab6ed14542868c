//! Reading a condition.

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;

use super::{Condition, NodeKind, doubts};
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::order;
use crate::rules::fact::Fact;
use crate::rules::problem::{RuleFindings, kind_of};
use crate::rules::test::read_tests;
use crate::spelling::{nearest, shortened};

/// Deeper conditions are refused: evaluating one takes stack.
const MAX_DEPTH: usize = 128;
/// The words that combine conditions.
const COMBINATIONS: [&str; 3] = ["any", "all", "not"];

impl Condition {
    /// Reads a condition on facts of an event; `None`, with everything that is wrong, if it cannot be used.
    pub(crate) fn parse(value: &Ast<'_>, event: EventName, findings: &mut RuleFindings) -> Option<Self> {
        let mut own = RuleFindings::default();
        let condition = ConditionReader { event, findings: &mut own }.when(value, 0);
        let condition = condition.filter(|_| !own.has_errors());
        if let Some(condition) = &condition {
            doubts::look(condition, value, &mut own);
        }
        findings.0.append(&mut own.0);
        condition
    }
}

struct ConditionReader<'f> {
    event: EventName,
    findings: &'f mut RuleFindings,
}

impl ConditionReader<'_> {
    /// Reads an object whose keys must all hold. `None` only if nothing of it can be read.
    fn when(&mut self, value: &Ast<'_>, depth: usize) -> Option<Condition> {
        let Ast::Object(object) = value else {
            let message = format!("a condition must be an object, not {}", kind_of(value));
            let help = "write { \"command\": \"git push\" }";
            return self.findings.refuse(DiagnosticCode::WrongType, value, &message, help);
        };
        if depth > MAX_DEPTH {
            let message = "the condition is nested too deeply";
            return self.findings.refuse(DiagnosticCode::TooDeep, value, message, "");
        }
        self.findings.repeated_keys(object, |name| {
            format!("write an array for any of them, or \"all\": [ {{ \"{name}\": … }}, … ]")
        });
        let parts = object.properties.iter().filter_map(|prop| self.property(prop, depth));
        let mut parts: Vec<Condition> = parts.collect();
        order::sort_by_key(&mut parts, Condition::cost);
        Some(Condition { start: value.start(), kind: NodeKind::All(parts) })
    }

    /// Reads one key: a combination of conditions, or a fact with its tests.
    fn property(&mut self, prop: &ObjectProp<'_>, depth: usize) -> Option<Condition> {
        let (name, value) = (prop.name.as_str(), &prop.value);
        let kind = match name {
            "any" => NodeKind::Any(self.list(prop, depth)?),
            "all" => NodeKind::All(self.list(prop, depth)?),
            "not" => NodeKind::Not(Box::new(self.when(value, depth + 1)?)),
            _ => {
                let fact = self.fact(prop)?;
                let tests = read_tests(name, &fact, value, self.findings);
                NodeKind::Fact { fact, tests, is_list: matches!(value, Ast::Array(_)) }
            }
        };
        Some(Condition { start: prop.start(), kind })
    }

    /// The conditions of `any` or `all`. An empty `any` is a problem because it could never hold; an empty `all`
    /// always does.
    fn list(&mut self, prop: &ObjectProp<'_>, depth: usize) -> Option<Vec<Condition>> {
        let name = prop.name.as_str();
        let Ast::Array(list) = &prop.value else {
            return self.findings.wrong_type(&format!("`{name}`"), "an array of conditions", &prop.value);
        };
        if list.elements.is_empty() && name == "any" {
            let (message, help) = ("an empty `any` can never hold", "list conditions, or leave it out");
            return self.findings.refuse(DiagnosticCode::EmptyTest, &prop.value, message, help);
        }
        let mut nodes: Vec<Condition> =
            list.elements.iter().filter_map(|element| self.when(element, depth + 1)).collect();
        order::sort_by_key(&mut nodes, Condition::cost);
        Some(nodes)
    }

    /// The fact of this name, if the event has it.
    fn fact(&mut self, prop: &ObjectProp<'_>) -> Option<Fact> {
        let name = prop.name.as_str();
        let Some(fact) = Fact::named(name) else {
            let help = if name == "input" || name.starts_with("input.") {
                "name the argument: `input.file_path`".to_owned()
            } else if name == "agent.name" {
                "did you mean `agent`?".to_owned()
            } else {
                let known: Vec<&str> = COMBINATIONS.into_iter().chain(Fact::names()).collect();
                match nearest(name, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the facts are: {}", Fact::names().collect::<Vec<_>>().join(", ")),
                }
            };
            let message = format!("`{}` is not a fact", shortened(name));
            return self.findings.refuse(DiagnosticCode::UnknownFact, &prop.name, &message, &help);
        };
        if !fact.is_on(self.event) {
            let message = format!("`{name}` can never hold: {} has no such fact", self.event);
            let events = EventName::ALL.into_iter().filter(|event| fact.is_on(*event));
            let events: Vec<&str> = events.map(EventName::as_str).collect();
            let help = format!("events that have it: {}", events.join(", "));
            return self.findings.refuse(DiagnosticCode::FactNotOnEvent, &prop.name, &message, &help);
        }
        Some(fact)
    }
}
