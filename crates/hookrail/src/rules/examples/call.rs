//! The call of an example, and which tool a bare list of arguments is for.

use jsonc_parser::ast::Value as Ast;
use serde_json::{Value, json};

use crate::formats::json_object::JsonObject;
use crate::matcher::Matcher;
use crate::rules::problem::RuleProblem;
use crate::rules::tools::SHELL_TOOL;

/// A built-in tool, as far as examples need to know it.
struct Tool {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    /// What other agents call it: a matcher may be written for either name.
    others: &'static [&'static str],
}

const fn tool(
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    others: &'static [&'static str],
) -> Tool {
    Tool { name, required, optional, others }
}

/// The built-in tools, in the order in which bare arguments are tried.
const TOOLS: [Tool; 8] = [
    tool("read_file", &["file_path"], &["offset", "limit"], &["Read", "view"]),
    tool("write_file", &["file_path", "content"], &[], &["Write", "create"]),
    tool(
        "replace",
        &["file_path", "old_string", "new_string"],
        &["expected_replacements"],
        &["Edit", "edit"],
    ),
    tool("list_directory", &["path"], &[], &["LS", "list"]),
    tool("glob", &["pattern"], &["path"], &["Glob"]),
    tool("search_file_content", &["pattern"], &["path", "include"], &["Grep", "grep"]),
    tool(SHELL_TOOL, &["command"], &["directory", "description"], &["Bash", "bash", "shell", "exec_command"]),
    tool("apply_patch", &["patch"], &[], &[]),
];

impl Tool {
    /// Whether a matcher of this tool's hooks accepts it under any of its names.
    fn is_accepted(&self, matcher: &Matcher) -> bool {
        std::iter::once(&self.name).chain(self.others).any(|name| matcher.matches_tool(name).is_match())
    }

    /// Whether these are its arguments: all required ones, and none that it does not take.
    fn fits(&self, input: &JsonObject) -> bool {
        let is_known =
            |key: &String| self.required.contains(&key.as_str()) || self.optional.contains(&key.as_str());
        self.required.iter().all(|argument| input.contains_key(*argument)) && input.keys().all(is_known)
    }
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
    pub(super) fn read(value: &Ast<'_>) -> Result<Self, RuleProblem> {
        let object = match value {
            Ast::StringLit(line) => {
                let mut input = JsonObject::new();
                input.insert("command".to_owned(), json!(line.value));
                return Ok(Self::Tool(SHELL_TOOL.to_owned(), input));
            }
            Ast::Object(object) => object,
            other => {
                let expected = "a shell command, { \"tool\", \"input\" } or a tool's arguments";
                return Err(RuleProblem::wrong_type("an example", expected, other));
            }
        };
        let Value::Object(mut fields) = Value::from(Ast::Object(object.clone())) else {
            return Ok(Self::Arguments(JsonObject::new()));
        };
        let is_call = fields.get("tool").is_some_and(Value::is_string)
            && fields.get("input").is_none_or(Value::is_object)
            && fields.keys().all(|key| matches!(key.as_str(), "tool" | "input"));
        if !is_call {
            return Ok(Self::Arguments(fields));
        }
        let input = match fields.shift_remove("input") {
            Some(Value::Object(input)) => input,
            _ => JsonObject::new(),
        };
        let tool = fields.get("tool").and_then(Value::as_str).unwrap_or_default();
        Ok(Self::Tool(tool.to_owned(), input))
    }

    /// The tool and its arguments; `None` if the matcher accepts no tool that fits.
    pub(super) fn resolve(&self, matcher: &Matcher) -> Option<(&str, &JsonObject)> {
        match self {
            Self::Tool(name, input) => {
                let known = TOOLS.iter().find(|tool| tool.name == name);
                let accepted = match known {
                    Some(tool) => tool.is_accepted(matcher),
                    None => matcher.matches_tool(name).is_match(),
                };
                accepted.then_some((name.as_str(), input))
            }
            Self::Arguments(input) => {
                let accepted = || TOOLS.iter().filter(|tool| tool.is_accepted(matcher));
                // Arguments that are incomplete still say which tool is meant.
                let has_first =
                    |tool: &&Tool| tool.required.first().is_some_and(|first| input.contains_key(*first));
                let found = accepted().find(|tool| tool.fits(input)).or_else(|| accepted().find(has_first));
                found.map(|tool| (tool.name, input))
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
