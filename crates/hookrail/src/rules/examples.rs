//! Examples of a rule: calls for which it must hold, and calls for which it must not.
//!
//! They are the rule's own tests, checked when settings are read. They happen in a project that exists in name only, so
//! that they mean the same on every machine.

mod call;

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;

use self::call::Call;
use super::facts::{Facts, Subject};
use super::path::Places;
use super::problem::RuleProblem;
use super::rule::Rule;
use super::truth::Truth;
use crate::diagnostic::DiagnosticCode;
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;
use crate::spelling::shortened;

/// The folder that examples happen in.
const PROJECT: &str = "/project";
/// The home that examples happen in.
const HOME: &str = "/home/user";

/// One example.
#[derive(Debug)]
pub struct Example {
    /// Whether the rule must have something to say.
    pub matches: bool,
    call: Call,
    range: Range<usize>,
}

/// The examples of a rule.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    /// All of them, in the order of the settings.
    pub(crate) list: Vec<Example>,
}

impl Examples {
    /// Reads the examples of a rule. Malformed ones are left out, with a problem.
    pub(crate) fn read(
        prop: Option<&ObjectProp<'_>>,
        event: EventName,
        problems: &mut Vec<RuleProblem>,
    ) -> Self {
        let mut list = Vec::new();
        let Some(prop) = prop else { return Self { list } };
        let Ast::Object(object) = &prop.value else {
            let problem = RuleProblem::wrong_type("`examples`", "an object", &prop.value);
            problems.push(problem.help("write { \"match\": [ … ], \"noMatch\": [ … ] }"));
            return Self { list };
        };
        if !event.has_tool() {
            let message = format!("examples are tool calls, and {event} has none");
            problems.push(
                RuleProblem::new(DiagnosticCode::InvalidExample, &prop.name, message).help("leave them out"),
            );
            return Self { list };
        }
        read_lists(object, &mut list, problems);
        Self { list }
    }

    /// The examples that do not hold, with why.
    pub(crate) fn failures(&self, rule: &Rule, matcher: &Matcher) -> Vec<(Range<usize>, String)> {
        let failed = self
            .list
            .iter()
            .filter_map(|example| Some((example.range.clone(), example.failure(rule, matcher)?)));
        failed.collect()
    }
}

/// Reads `match` and `noMatch`. An example that cannot be read is a problem, and the others are still tried.
fn read_lists(object: &Object<'_>, list: &mut Vec<Example>, problems: &mut Vec<RuleProblem>) {
    for prop in &object.properties {
        let matches = match prop.name.as_str() {
            "match" => true,
            "noMatch" => false,
            other => {
                let message = format!("`{}` is not a list of examples", shortened(other));
                let problem = RuleProblem::new(DiagnosticCode::UnknownField, &prop.name, message);
                problems.push(problem.suggest(other, &["match", "noMatch"]));
                continue;
            }
        };
        let Ast::Array(array) = &prop.value else {
            problems.push(RuleProblem::wrong_type(
                &format!("`{}`", prop.name.as_str()),
                "an array",
                &prop.value,
            ));
            continue;
        };
        for element in &array.elements {
            match Call::read(element) {
                Ok(call) => list.push(Example { matches, call, range: element.start()..element.end() }),
                Err(problem) => problems.push(problem),
            }
        }
    }
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

    /// Why the example does not hold; `None` if it does.
    fn failure(&self, rule: &Rule, matcher: &Matcher) -> Option<String> {
        let shown = shortened(&self.call.shown());
        let Some((tool, input)) = self.call.resolve(matcher) else {
            return self
                .matches
                .then(|| format!("the rule's matcher accepts no tool for the example `{shown}`"));
        };
        let subject = Subject { tool_name: Some(tool), tool_input: Some(input), ..Subject::default() };
        let facts = Facts::imagined(subject, Places::imagined(PROJECT, HOME));
        let truth = rule.evaluate(&facts);
        let has_output = rule.answer_to(truth).is_some();
        match (self.matches, has_output) {
            (true, false) if truth == Truth::Unknown => {
                Some(format!("it is not known whether the rule holds for the example `{shown}`"))
            }
            (true, false) => Some(format!("the rule does not hold for the example `{shown}`")),
            (false, true) => {
                Some(format!("the rule holds for the example `{shown}`, which is to be let through"))
            }
            (true, true) | (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests;
