//! The call of an example, and which tool a bare list of arguments is for.

use jsonc_parser::ast::Value as Ast;
use serde_json::{Value, json};

use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;
use crate::rules::problem::RuleFindings;
use crate::rules::tools::SHELL_TOOL;

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

/// A tool call.
#[derive(Debug)]
pub(super) enum Call {
    /// A call of this tool.
    Tool(String, JsonObject),
    /// Arguments: the tool is the first that fits.
    Arguments(JsonObject),
}

impl Call {
    /// Reads an example: a shell line, a tool with its arguments, or bare arguments.
    pub(super) fn read(value: &Ast<'_>, findings: &mut RuleFindings) -> Option<Self> {
        let object = match value {
            Ast::StringLit(line) => {
                let input = JsonObject::from_iter([("command".to_owned(), json!(line.value))]);
                return Some(Self::Tool(SHELL_TOOL.to_owned(), input));
            }
            Ast::Object(object) => object,
            other => {
                let expected = "a shell command, { \"tool\", \"input\" } or a tool's arguments";
                return findings.wrong_type("an example", expected, other);
            }
        };
        let Value::Object(mut fields) = Value::from(Ast::Object(object.clone())) else {
            return Some(Self::Arguments(JsonObject::new()));
        };
        let is_call = fields.get("tool").is_some_and(Value::is_string)
            && fields.get("input").is_none_or(Value::is_object)
            && fields.keys().all(|key| matches!(key.as_str(), "tool" | "input"));
        if !is_call {
            return Some(Self::Arguments(fields));
        }
        let input = match fields.shift_remove("input") {
            Some(Value::Object(input)) => input,
            _ => JsonObject::new(),
        };
        let tool = fields.get("tool").and_then(Value::as_str).unwrap_or_default();
        Some(Self::Tool(tool.to_owned(), input))
    }

    /// The tool and its arguments; `None` if the matcher accepts no tool that fits.
    pub(super) fn resolve(&self, matcher: &Matcher) -> Option<(&str, &JsonObject)> {
        match self {
            Self::Tool(name, input) => {
                let known = TOOLS.iter().find(|(known, ..)| known == name);
                let accepted = known
                    .map_or_else(|| matcher.matches_tool(name).is_match(), |tool| is_accepted(tool, matcher));
                accepted.then_some((name.as_str(), input))
            }
            Self::Arguments(input) => {
                // Arguments that are incomplete, or too many, still say which tool is meant.
                let meant = TOOLS.iter().filter(|(_, arguments, _)| {
                    arguments.first().is_some_and(|first| input.contains_key(*first))
                });
                let accepted = || meant.clone().filter(|tool| is_accepted(tool, matcher));
                let takes_all =
                    |(_, arguments, _): &&Tool| input.keys().all(|key| arguments.contains(&key.as_str()));
                let found = accepted().find(takes_all).or_else(|| accepted().next());
                found.map(|(name, ..)| (*name, input))
            }
        }
    }

    /// The call for people.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Tool(tool, input) if tool == SHELL_TOOL => {
                input.get("command").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            Self::Tool(tool, input) => format!("{tool} {}", Value::Object(input.clone())),
            Self::Arguments(input) => Value::Object(input.clone()).to_string(),
        }
    }
}
