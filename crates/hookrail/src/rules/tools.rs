//! Our tools: which of their arguments decide what a call does, and which calls cannot be read.
//!
//! An argument counts under its own name and no other: a `path` beside the `file_path` of `write_file` moves nothing.

use serde_json::Value;

use super::patch::patched_files;
use crate::formats::json_object::JsonObject;

/// The tool whose `command` is a shell line.
pub(crate) const SHELL_TOOL: &str = "run_shell_command";
/// The tool that changes any number of files by one text.
pub(crate) const PATCH_TOOL: &str = "apply_patch";
/// The tools whose calls a patch amounts to.
pub(crate) const TOOLS_OF_PATCH: [&str; 2] = ["write_file", "replace"];

/// What an argument says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentRole {
    /// A shell line, or the words of a program that is started without a shell.
    Command,
    /// The folder in which the command is run.
    Directory,
    /// A file or folder that is read.
    Reads,
    /// Files or folders that are read.
    ReadsAll,
    /// Names or globs of files that are read, below the folder that is searched.
    ReadsBelow,
    /// A glob of names; the part of it that leads out of the searched folder is read.
    Pattern,
    /// A file that is written.
    Writes,
    /// A patch.
    Patch,
}

impl ArgumentRole {
    /// Whether a value of this type can be read.
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::String(_)) => true,
            (Self::Command | Self::ReadsAll | Self::ReadsBelow, Value::Array(list)) => {
                list.iter().all(Value::is_string)
            }
            _ => false,
        }
    }
}

/// An argument that decides.
#[derive(Debug)]
pub(crate) struct ToolArgument {
    pub(crate) name: &'static str,
    pub(crate) role: ArgumentRole,
    needed: bool,
}

/// One of our tools.
#[derive(Debug)]
pub struct OurTool {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [ToolArgument],
    /// What is read where no argument names it.
    pub(crate) searches: Option<&'static str>,
}

const fn needed(name: &'static str, role: ArgumentRole) -> ToolArgument {
    ToolArgument { name, role, needed: true }
}

const fn optional(name: &'static str, role: ArgumentRole) -> ToolArgument {
    ToolArgument { name, role, needed: false }
}

const fn tool(name: &'static str, arguments: &'static [ToolArgument]) -> OurTool {
    OurTool { name, arguments, searches: None }
}

/// A tool that looks into the current folder unless an argument names another one.
const fn search(name: &'static str, arguments: &'static [ToolArgument]) -> OurTool {
    OurTool { name, arguments, searches: Some(".") }
}

/// The tools of our agent, and those of others for which we have a name.
const TOOLS: [OurTool; 11] = {
    use ArgumentRole::{Command, Directory, Patch, Pattern, Reads, ReadsAll, ReadsBelow, Writes};
    [
        tool(SHELL_TOOL, &[needed("command", Command), optional("directory", Directory)]),
        tool("read_file", &[needed("file_path", Reads)]),
        tool("write_file", &[needed("file_path", Writes)]),
        tool("replace", &[needed("file_path", Writes)]),
        search("list_directory", &[needed("path", Reads)]),
        search("glob", &[optional("path", ReadsAll), optional("pattern", Pattern)]),
        search("search_file_content", &[optional("path", ReadsAll), optional("include", ReadsBelow)]),
        tool("read_many_files", &[optional("paths", ReadsAll), optional("include", ReadsAll)]),
        tool(PATCH_TOOL, &[needed("patch", Patch)]),
        tool("web_fetch", &[]),
        tool("google_web_search", &[]),
    ]
};

impl OurTool {
    /// The tool of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// What an argument of this name says; `None` if it decides nothing.
    pub fn role_of(&self, argument: &str) -> Option<ArgumentRole> {
        self.arguments.iter().find(|known| known.name == argument).map(|known| known.role)
    }

    /// Why it cannot be determined what a call with these arguments does; `None` if it can.
    fn problem(&self, input: &JsonObject) -> Option<String> {
        self.arguments
            .iter()
            .find_map(|known| argument_problem(known.name, known.role, known.needed, input.get(known.name)))
    }
}

/// Why nobody can tell what a call of one of our tools does; `None` if it can be read, and for other tools.
pub fn unreadable_call(tool: &str, input: &JsonObject) -> Option<String> {
    let problem = OurTool::named(tool)?.problem(input)?;
    Some(format!(
        "hookrail cannot tell what this call does: `{tool}` was called {problem}. This version of the agent may have \
         changed; in a terminal, `hookrail doctor --live` shows what it does."
    ))
}

/// What is wrong with an argument that decides: `without …`, or `with …`. `null` is not an argument.
pub fn argument_problem(
    name: &str,
    role: ArgumentRole,
    is_needed: bool,
    value: Option<&Value>,
) -> Option<String> {
    let value = value.filter(|value| !value.is_null());
    match value {
        None => is_needed.then(|| format!("without `{name}`")),
        Some(Value::String(patch)) if role == ArgumentRole::Patch => {
            patched_files(patch).is_none().then(|| format!("with a `{name}` that is not a patch"))
        }
        Some(value) if role.accepts(value) => None,
        Some(value) => Some(format!("with a `{name}` that is {}", kind_of(value))),
    }
}

/// The type of a value, as a sentence names it.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_without_what_decides_cannot_be_read() {
        for (tool, input, problem) in [
            (SHELL_TOOL, json!({ "command": "ls" }), None),
            (SHELL_TOOL, json!({ "command": ["ls", "-l"], "directory": "src" }), None),
            (SHELL_TOOL, json!({ "cmd": "ls" }), Some("without `command`")),
            (SHELL_TOOL, json!({ "command": null }), Some("without `command`")),
            (SHELL_TOOL, json!({ "command": 5 }), Some("with a `command` that is a number")),
            (SHELL_TOOL, json!({ "command": [{}] }), Some("with a `command` that is a list")),
            (
                SHELL_TOOL,
                json!({ "command": "ls", "directory": {} }),
                Some("with a `directory` that is an object"),
            ),
            ("write_file", json!({ "filePath": "a" }), Some("without `file_path`")),
            ("read_file", json!({ "path": "a" }), Some("without `file_path`")),
            ("replace", json!({ "file_path": ["a"] }), Some("with a `file_path` that is a list")),
            ("list_directory", json!({}), Some("without `path`")),
            ("glob", json!({ "pattern": "*" }), None),
            ("search_file_content", json!({ "pattern": "x", "include": ["a", "b"] }), None),
            (
                "search_file_content",
                json!({ "pattern": "x", "path": 5 }),
                Some("with a `path` that is a number"),
            ),
            (PATCH_TOOL, json!({ "patch": "*** Begin Patch\n*** End Patch" }), None),
            (PATCH_TOOL, json!({ "patch": "--- a\n+++ b" }), Some("with a `patch` that is not a patch")),
            (PATCH_TOOL, json!({ "patch": ["x"] }), Some("with a `patch` that is a list")),
            ("web_fetch", json!({ "command": 5 }), None),
        ] {
            let tool = OurTool::named(tool).unwrap();
            assert_eq!(tool.problem(input.as_object().unwrap()).as_deref(), problem, "{} {input}", tool.name);
        }
    }
}
