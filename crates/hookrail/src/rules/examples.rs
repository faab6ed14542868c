//! Examples of a rule: calls for which it must hold, and calls for which it must not.
//!
//! They are the rule's own tests, checked when settings are read. They happen in a project that exists in name only, so
//! that they mean the same on every machine.

mod call;

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;

use self::call::Call;
use super::facts::{Facts, Subject};
use super::path::Places;
use super::problem::{RuleFindings, RuleProblem, kind_of, suggestion};
use super::rule::Rule;
use super::truth::Truth;
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;
use crate::spelling::shortened;

/// The lists of examples: those for which the rule must have something to say, and those for which it must not.
const LISTS: [&str; 2] = ["match", "noMatch"];

/// One example.
#[derive(Debug)]
pub struct Example {
    /// Whether the rule must have something to say.
    pub matches: bool,
    call: Call,
    range: Range<usize>,
}

/// Reads the examples of a rule, in their order. Malformed ones are left out, with a problem.
pub(super) fn read(prop: &ObjectProp<'_>, event: EventName, findings: &mut RuleFindings) -> Vec<Example> {
    let mut examples = Vec::new();
    let Ast::Object(object) = &prop.value else {
        let message = format!("`examples` must be an object, not {}", kind_of(&prop.value));
        let help = "write { \"match\": [ … ], \"noMatch\": [ … ] }";
        findings.error(DiagnosticCode::WrongType, &prop.value, &message, help);
        return examples;
    };
    if !event.has_tool() {
        let message = format!("examples are tool calls, and {event} has none");
        findings.error(DiagnosticCode::InvalidExample, &prop.name, &message, "leave them out");
        return examples;
    }
    for prop in &object.properties {
        let name = prop.name.as_str();
        if !LISTS.contains(&name) {
            let message = format!("`{}` is not a list of examples", shortened(name));
            let help = suggestion(name, &LISTS);
            findings.error(DiagnosticCode::UnknownField, &prop.name, &message, &help);
            continue;
        }
        let Ast::Array(array) = &prop.value else {
            let _: Option<()> = findings.wrong_type(&format!("`{name}`"), "an array", &prop.value);
            continue;
        };
        for element in &array.elements {
            let (matches, range) = (name == "match", element.start()..element.end());
            examples.extend(Call::read(element, findings).map(|call| Example { matches, call, range }));
        }
    }
    examples
}

impl Example {
    /// The tool that it calls, with its arguments; `None` if the matcher accepts no tool that fits.
    pub fn call(&self, matcher: &Matcher) -> Option<(&str, &JsonObject)> {
        self.call.resolve(matcher)
    }

    /// The call for people: the shell line, or the tool with its arguments.
    pub fn shown(&self) -> String {
        self.call.shown()
    }

    /// What is wrong if the example does not hold.
    pub(super) fn failure(&self, rule: &Rule, matcher: &Matcher) -> Option<RuleProblem> {
        let shown = shortened(&self.call.shown());
        let tried = self.call.resolve(matcher).map(|(tool, input)| {
            let subject = Subject { tool_name: Some(tool), tool_input: Some(input), ..Subject::default() };
            let truth = rule.evaluate(&Facts::imagined(subject, Places::imagined("/project", "/home/user")));
            (truth, rule.answer_to(truth).is_some())
        });
        let message = match (self.matches, tried) {
            (true, None) => format!("the rule's matcher accepts no tool for the example `{shown}`"),
            (true, Some((Truth::Unknown, false))) => {
                format!("it is not known whether the rule holds for the example `{shown}`")
            }
            (true, Some((_, false))) => format!("the rule does not hold for the example `{shown}`"),
            (false, Some((_, true))) => {
                format!("the rule holds for the example `{shown}`, which is to be let through")
            }
            (true, Some((_, true))) | (false, None | Some((_, false))) => return None,
        };
        let help = "fix the rule or the example; `hookrail facts` shows what a rule sees".to_owned();
        let (severity, code) = (Severity::Error, DiagnosticCode::FailedExample);
        Some(RuleProblem { severity, code, range: self.range.clone(), message, help })
    }
}

#[cfg(test)]
mod tests;
