//! Examples of a rule: calls for which it must hold, and calls for which it must not.
//!
//! They are the rule's own tests, checked when settings are read. They happen in a project that exists in name only, so
//! that they mean the same on every machine.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged as _;
use serde_json::{Value, json};

use super::facts::{Facts, Subject};
use super::path::Places;
use super::problem::{RuleFindings, RuleProblem, kind_of, suggestion};
use super::rule::Rule;
use super::tools::SHELL_TOOL;
use super::truth::Truth;
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;
use crate::spelling::shortened;

/// The lists of examples: those for which the rule must have something to say, and those for which it must not.
const LISTS: [&str; 2] = ["match", "noMatch"];

/// A built-in tool: its name, its arguments, of which the first one is always given, and what other agents call it, since
/// a matcher may be written for either name.
type Tool = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The built-in tools, in the order in which bare arguments are tried.
const TOOLS: [Tool; 8] = [
    ("read_file", &["file_path", "offset", "limit"], &["Read", "view"]),
    ("write_file", &["file_path", "content"], &["Write", "create"]),
    ("replace", &["file_path", "old_string", "new_string", "expected_replacements"], &["Edit", "edit"]),
    ("list_directory", &["path"], &["LS", "list"]),
    ("glob", &["pattern", "path"], &["Glob"]),
    ("search_file_content", &["pattern", "path", "include"], &["Grep", "grep"]),
    (SHELL_TOOL, &["command", "directory", "description"], &["Bash", "bash", "shell", "exec_command"]),
    ("apply_patch", &["patch"], &[]),
];

/// Whether a matcher accepts a tool under any of its names.
fn is_accepted((name, _, others): &Tool, matcher: &Matcher) -> bool {
    std::iter::once(name).chain(*others).any(|name| matcher.matches_tool(name).is_match())
}

/// One example.
#[derive(Debug)]
pub struct Example {
    /// Whether the rule must have something to say.
    pub matches: bool,
    /// Without a tool it is for the first one that fits.
    tool: Option<String>,
    input: JsonObject,
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
            let call = call(element, findings);
            examples.extend(call.map(|(tool, input)| Example { matches, tool, input, range }));
        }
    }
    examples
}

/// A shell line, a tool with its arguments, or bare arguments.
fn call(value: &Ast<'_>, findings: &mut RuleFindings) -> Option<(Option<String>, JsonObject)> {
    let mut fields = match (value, Value::from(value.clone())) {
        (Ast::StringLit(line), _) => {
            let input = JsonObject::from_iter([("command".to_owned(), json!(line.value))]);
            return Some((Some(SHELL_TOOL.to_owned()), input));
        }
        (_, Value::Object(fields)) => fields,
        _ => {
            let expected = "a shell command, { \"tool\", \"input\" } or a tool's arguments";
            return findings.wrong_type("an example", expected, value);
        }
    };
    let is_call = fields.get("input").is_none_or(Value::is_object)
        && fields.keys().all(|key| matches!(key.as_str(), "tool" | "input"));
    match fields.get("tool").and_then(Value::as_str).map(str::to_owned) {
        Some(tool) if is_call => match fields.shift_remove("input") {
            Some(Value::Object(input)) => Some((Some(tool), input)),
            _ => Some((Some(tool), JsonObject::new())),
        },
        _ => Some((None, fields)),
    }
}

impl Example {
    /// The tool that it calls, with its arguments; `None` if the matcher accepts no tool that fits.
    pub fn call(&self, matcher: &Matcher) -> Option<(&str, &JsonObject)> {
        let Self { tool, input, .. } = self;
        if let Some(name) = tool {
            let known = TOOLS.iter().find(|(known, ..)| known == name);
            let is_other = || matcher.matches_tool(name).is_match();
            let accepted = known.map_or_else(is_other, |tool| is_accepted(tool, matcher));
            return accepted.then_some((name, input));
        }
        // Arguments that are incomplete, or too many, still say which tool is meant.
        let has_first =
            |(_, arguments, _): &&Tool| arguments.first().is_some_and(|first| input.contains_key(*first));
        let takes_all = |(_, arguments, _): &&Tool| input.keys().all(|key| arguments.contains(&key.as_str()));
        let meant = || TOOLS.iter().filter(has_first).filter(|tool| is_accepted(tool, matcher));
        let found = meant().find(takes_all).or_else(|| meant().next());
        found.map(|(name, ..)| (*name, input))
    }

    /// The call for people: the shell line, or the tool with its arguments.
    pub fn shown(&self) -> String {
        let input = || Value::Object(self.input.clone());
        match self.tool.as_deref() {
            Some(SHELL_TOOL) => {
                self.input.get("command").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            Some(tool) => format!("{tool} {}", input()),
            None => input().to_string(),
        }
    }

    /// What is wrong if the example does not hold.
    pub(super) fn failure(&self, rule: &Rule, matcher: &Matcher) -> Option<RuleProblem> {
        let shown = shortened(&self.shown());
        let tried = self.call(matcher).map(|(tool, input)| {
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
