//! One set of tool names and argument names for all agents: `Bash`, `bash` and `exec_command` are all
//! `run_shell_command`, and `filePath`, `path` and `file_path` are all `file_path`.
//!
//! Hooks and rules see our names, the native ones stay beside them. What a hook changes goes back under the
//! agent's own names, into the arguments that the agent gave.

use hookrail::JsonObject;
use serde_json::Value;

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::{McpForm, NativeTool};

/// A tool call under our names.
#[derive(Debug, Clone, PartialEq)]
pub struct OurCall {
    /// Our name of the tool; the native one if we have none.
    pub name: String,
    /// Its arguments under our names. Those we have no name for keep theirs.
    pub input: JsonObject,
    /// Further names that a matcher may use: the agent's own, and what the tool amounts to.
    pub also_matches: Vec<String>,
}

/// The server and the tool of an MCP call, where the agent names them separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpTool<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The tool's name at that server.
    pub tool: &'a str,
}

/// A call in our terms. The input may be anything: an object, an object as JSON text, or a bare text.
pub fn to_ours(agent: Agent, native_name: &str, native_input: &Value) -> OurCall {
    to_ours_with_mcp(agent, native_name, native_input, None)
}

/// The same, with what the agent sends about an MCP call besides its name.
pub fn to_ours_with_mcp(
    agent: Agent,
    native_name: &str,
    native_input: &Value,
    mcp: Option<McpTool<'_>>,
) -> OurCall {
    let native = as_arguments(native_input);
    let mut names = ToolNames { first: None, also: Vec::new() };
    let Some(tool) = dialect_of(agent).tool(native_name) else {
        names.add_mcp(agent, native_name, mcp);
        names.add(native_name);
        return names.call(native_name, native);
    };
    names.add(tool.ours);
    for name in tool.also.iter().copied().chain([native_name]) {
        names.add(name);
    }
    names.call(native_name, rename(tool, native))
}

/// The agent's own arguments with what a hook changed. `changed` holds our names, all of the arguments or
/// only some. What it does not name, and what it leaves as it was, stays exactly as the agent gave it.
pub fn to_native_input(
    agent: Agent,
    native_name: &str,
    native_input: &Value,
    changed: &JsonObject,
) -> JsonObject {
    let mut native = as_arguments(native_input);
    let tool = dialect_of(agent).tool(native_name);
    let before = match tool {
        Some(tool) => rename(tool, native.clone()),
        None => native.clone(),
    };
    for (name, value) in changed {
        if before.get(name) != Some(value) {
            let native_key = tool.map_or(name.as_str(), |tool| native_argument(tool, &native, name));
            native.insert(native_key.to_owned(), value.clone());
        }
    }
    native
}

/// Our name of a tool that an agent calls `native_name`, if we have one.
pub(crate) fn our_name(agent: Agent, native_name: &str) -> Option<&'static str> {
    dialect_of(agent).tool(native_name).map(|tool| tool.ours)
}

/// An agent's names of a tool that we call `name`; the same name if it is not in the table.
pub(crate) fn native_names(agent: Agent, name: &str) -> Vec<String> {
    let tools = dialect_of(agent).tools.iter().filter(|tool| tool.ours == name || tool.also.contains(&name));
    let mut names: Vec<String> = tools.map(|tool| tool.name.to_owned()).collect();
    if names.is_empty() {
        let mcp = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        names.push(match (dialect_of(agent).mcp, mcp) {
            (McpForm::SingleUnderscore, Some((server, tool))) => format!("mcp_{server}_{tool}"),
            _ => name.to_owned(),
        });
    }
    names
}

/// Arguments as an object. Copilot may give JSON text; a tool that takes free text has no names at all.
pub(crate) fn as_arguments(input: &Value) -> JsonObject {
    match input {
        Value::Object(arguments) => arguments.clone(),
        Value::Null => JsonObject::new(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(arguments)) => arguments,
            _ => JsonObject::from_iter([("input".to_owned(), input.clone())]),
        },
        other => JsonObject::from_iter([("input".to_owned(), other.clone())]),
    }
}

/// Renames the arguments that are in the table, in their places. An argument that the agent ignores must not
/// pass for one that it reads, so another one that has our name is left out.
fn rename(tool: &NativeTool, native: JsonObject) -> JsonObject {
    // Which native key is used for each of our names.
    let mut used: Vec<(&str, &str)> = Vec::new();
    for (theirs, ours) in tool.arguments {
        if native.contains_key(*theirs) && used.iter().all(|(_, name)| name != ours) {
            used.push((theirs, ours));
        }
    }
    let is_ours = |key: &str| used.iter().any(|(_, ours)| *ours == key);
    let is_other = |key: &str| tool.arguments.iter().any(|(theirs, ours)| *theirs == key && is_ours(ours));
    let renamed = native.into_iter().filter_map(|(key, value)| {
        let row = used.iter().find(|(theirs, _)| *theirs == key);
        match row {
            Some((_, ours)) => Some(((*ours).to_owned(), value)),
            None if is_ours(&key) || is_other(&key) => None,
            None => Some((key, value)),
        }
    });
    renamed.collect()
}

/// The key under which the agent expects an argument of ours: the one it used, else the first in its table.
fn native_argument<'t>(tool: &'t NativeTool, native: &JsonObject, ours: &'t str) -> &'t str {
    let rows = || tool.arguments.iter().filter(|(_, name)| *name == ours).map(|(theirs, _)| *theirs);
    rows().find(|theirs| native.contains_key(*theirs)).or_else(|| rows().next()).unwrap_or(ours)
}

/// Names under construction: the first one is the name, each later one is listed once.
struct ToolNames {
    first: Option<String>,
    also: Vec<String>,
}

impl ToolNames {
    /// The order is kept: the first name is what hooks see.
    fn add(&mut self, name: &str) {
        match &self.first {
            None => self.first = Some(name.to_owned()),
            Some(first) if first == name || self.also.iter().any(|also| also == name) => {}
            Some(_) => self.also.push(name.to_owned()),
        }
    }

    /// The one form of an MCP tool. Where the border between server and tool is not known, every reading is a
    /// name: a guard for one of them must run.
    fn add_mcp(&mut self, agent: Agent, native_name: &str, mcp: Option<McpTool<'_>>) {
        const MOST_READINGS: usize = 16;
        if let Some(McpTool { server, tool }) = mcp {
            self.add(&format!("mcp__{server}__{tool}"));
        } else if dialect_of(agent).mcp == McpForm::SingleUnderscore
            && !native_name.starts_with("mcp__")
            && let Some(rest) = native_name.strip_prefix("mcp_")
        {
            let readings = rest.match_indices('_').filter_map(|(at, _)| {
                let (server, tool) = (rest.get(..at)?, rest.get(at + 1..)?);
                (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
            });
            for reading in readings.take(MOST_READINGS) {
                self.add(&reading);
            }
        }
    }

    fn call(self, native_name: &str, input: JsonObject) -> OurCall {
        let name = self.first.unwrap_or_else(|| native_name.to_owned());
        OurCall { name, input, also_matches: self.also }
    }
}

#[cfg(test)]
mod tests;
