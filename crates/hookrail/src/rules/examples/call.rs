//! The call of an example, and which tool a bare list of arguments is for.

use jsonc_parser::ast::Value as Ast;
use serde_json::{Value, json};

use crate::event::JsonObject;
use crate::matcher::Matcher;
use crate::rules::facts::SHELL_TOOL;
use crate::rules::problem::Problem;

/// The built-in tools with the arguments that they need, those that they may have, and what other agents call them: a
/// matcher may be written for either name.
const TOOLS: [(&str, &[&str], &[&str], &[&str]); 8] = [
    ("read_file", &["file_path"], &["offset", "limit"], &["Read", "view"]),
    ("write_file", &["file_path", "content"], &[], &["Write", "create"]),
    ("replace", &["file_path", "old_string", "new_string"], &["expected_replacements"], &["Edit", "edit"]),
    ("list_directory", &["path"], &[], &["LS", "list"]),
    ("glob", &["pattern"], &["path"], &["Glob"]),
    ("search_file_content", &["pattern"], &["path", "include"], &["Grep", "grep"]),
    (SHELL_TOOL, &["command"], &["directory", "description"], &["Bash", "bash", "shell", "exec_command"]),
    ("apply_patch", &["patch"], &[], &[]),
];

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
    pub(super) fn read(value: &Ast<'_>) -> Result<Self, Problem> {
        let object = match value {
            Ast::StringLit(line) => {
                let mut input = JsonObject::new();
                input.insert("command".to_owned(), json!(line.value));
                return Ok(Self::Tool(SHELL_TOOL.to_owned(), input));
            }
            Ast::Object(object) => object,
            other => {
                let expected = "a shell command, { \"tool\", \"input\" } or a tool's arguments";
                return Err(Problem::wrong_type("an example", expected, other));
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
        let accepts = |name: &str| matcher.matches_tool(name).is_match();
        match self {
            Self::Tool(tool, input) => {
                let others = TOOLS.iter().find(|(name, ..)| name == tool).map(|(.., others)| *others);
                let accepted = accepts(tool) || others.unwrap_or_default().iter().any(|name| accepts(name));
                accepted.then_some((tool.as_str(), input))
            }
            Self::Arguments(input) => {
                let found = TOOLS.iter().find(|(name, required, optional, others)| {
                    (accepts(name) || others.iter().any(|name| accepts(name)))
                        && required.iter().all(|argument| input.contains_key(*argument))
                        && input.keys().all(|key| required.contains(&key.as_str()) || optional.contains(&key.as_str()))
                });
                // Arguments that are incomplete still say which tool is meant.
                let found = found.or_else(|| {
                    TOOLS.iter().find(|(name, required, ..)| {
                        accepts(name) && required.first().is_some_and(|first| input.contains_key(*first))
                    })
                });
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
