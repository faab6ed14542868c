//! One set of tool names and argument names for all agents: `Bash`, `bash` and `exec_command` are all
//! `run_shell_command`, and `filePath`, `path` and `file_path` are all `file_path`.
//!
//! Hooks and rules see our names, the native ones stay beside them. What a hook changes goes back under the
//! agent's own names, into the arguments that the agent gave.

use hookrail::JsonObject;
use hookrail::components::CallReading;
use hookrail::rules::{OurTool, argument_problem};
use serde_json::Value;

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::agents::shapes::{result_text, text_result};
use crate::dialect::{Argument, ArgumentForm, McpForm, NativeTool};

/// A tool call under our names.
#[derive(Debug, Clone, PartialEq)]
pub struct OurCall {
    /// Our name of the tool; the native one if we have none.
    pub name: String,
    /// Its arguments under our names. Those we have no name for keep theirs.
    pub input: JsonObject,
    /// Further names that a matcher may use: the agent's own, and what the tool amounts to.
    pub also_matches: Vec<String>,
    /// Whether the agent's table knows the tool, and whether the call can be read.
    pub reading: CallReading,
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
    let Some((called, arguments)) = called_tool(agent, native_name, &native) else {
        return own_call(agent, native_name, native, mcp);
    };
    let mut call = own_call(agent, &called, as_arguments(&arguments), mcp);
    if called != native_name {
        call.also_matches.push(native_name.to_owned());
    }
    call
}

/// A call that is not one of another tool.
fn own_call(agent: Agent, native_name: &str, native: JsonObject, mcp: Option<McpTool<'_>>) -> OurCall {
    let mut names = ToolNames { first: None, also: Vec::new() };
    let dialect = dialect_of(agent);
    let Some(tool) = dialect.tool(native_name) else {
        let is_plain = dialect.plain_tools().any(|name| name == native_name);
        if !is_plain {
            names.add_mcp(agent, native_name, mcp);
        }
        names.add(native_name);
        let reading = if is_plain { CallReading::Plain } else { CallReading::Unlisted };
        return names.call(native_name, native, reading);
    };
    names.add(tool.ours);
    names.add(native_name);
    let reading = match problem(&tool, &native) {
        None => CallReading::Known,
        Some(problem) => CallReading::Unreadable(unreadable(agent, native_name, &problem)),
    };
    names.call(native_name, rename(&tool, native), reading)
}

/// A call of an MCP server's tool, for a program between its client and the server. Matchers are also tried on the name
/// without the signs that agents do not allow in names.
pub fn mcp_call(server: &str, tool: &str, input: JsonObject) -> OurCall {
    let plain = |name: &str| -> String {
        let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
        name.chars().map(|sign| if is_plain(&sign) { sign } else { '_' }).collect()
    };
    let mut names = ToolNames { first: None, also: Vec::new() };
    let name = format!("mcp__{server}__{tool}");
    names.add(&name);
    names.add(&format!("mcp__{}__{}", plain(server), plain(tool)));
    names.call(&name, input, CallReading::Unlisted)
}

/// The result of an MCP server's tool as hooks see it; an error of the protocol is one of the tool.
pub fn mcp_response(result: Result<&Value, &Value>) -> JsonObject {
    let failure = |text: &str| {
        let mut response = text_result(text);
        response.insert("error".to_owned(), serde_json::json!({ "message": text }));
        response
    };
    match result {
        Ok(result) if result.get("isError") == Some(&Value::Bool(true)) => failure(&result_text(result)),
        Ok(result) => text_result(&result_text(result)),
        Err(error) => {
            let message = error.get("message").and_then(Value::as_str);
            failure(&message.map_or_else(|| error.to_string(), str::to_owned))
        }
    }
}

/// The arguments of a call, under our names, and of those the ones that decide what it does. All arguments of a tool that
/// is not in the agent's table do.
pub fn deciding_arguments(agent: Agent, native_name: &str, input: &JsonObject) -> JsonObject {
    let dialect = dialect_of(agent);
    let is_known = dialect.tool(native_name).is_some()
        || dialect.caller.is_some_and(|(caller, ..)| caller == native_name);
    let decides = |name: &String| !is_known || !dialect.beside.contains(&name.as_str());
    input
        .iter()
        .filter(|(name, _)| decides(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The call that a call of another tool amounts to. Grok sends it under the name of the tool that is called.
fn called_tool(agent: Agent, native_name: &str, native: &JsonObject) -> Option<(String, Value)> {
    let (through, name, arguments) = dialect_of(agent).caller?;
    let called = native.get(name)?.as_str()?;
    let is_bare = dialect_of(agent).mcp == McpForm::Bare && called.contains("__");
    let is_call = if native_name == through { called != through } else { is_bare && called == native_name };
    is_call.then(|| (called.to_owned(), native.get(arguments).cloned().unwrap_or_default()))
}

/// Why it cannot be determined what a call does: an argument that decides is missing or has another type.
fn problem(tool: &NativeTool, native: &JsonObject) -> Option<String> {
    let ours = OurTool::named(tool.ours)?;
    tool.arguments.iter().find_map(|argument| {
        let role = ours.role_of(argument.ours)?;
        let counts = counting(tool, native, argument.ours)?;
        // One of several names suffices; where all are missing, the first one is told.
        let is_told = counts == argument;
        let is_needed = argument.needed && argument.unless.is_none_or(|other| !native.contains_key(other));
        let value = native.get(argument.theirs).map(|value| value_as_ours(argument, value.clone()));
        is_told.then(|| argument_problem(argument.theirs, role, is_needed, value.as_ref()))?
    })
}

/// What the person and the model are told of a call that cannot be read.
fn unreadable(agent: Agent, native_name: &str, problem: &str) -> String {
    let title = agent.title();
    format!(
        "hookrail cannot tell what this call does: {title} called `{native_name}` {problem}. {}",
        may_have_changed(agent)
    )
}

/// What they are told of a tool event without the name of a tool.
pub(crate) fn unnamed(agent: Agent, native_event: &str) -> String {
    let title = agent.title();
    format!(
        "hookrail cannot tell which tool this call is for: {title} sent {native_event} without `tool_name`. {}",
        may_have_changed(agent)
    )
}

fn may_have_changed(agent: Agent) -> String {
    let title = agent.title();
    format!(
        "This version of {title} may have changed; in a terminal, `hookrail doctor --live {agent}` shows what it does."
    )
}

/// A call of an agent's tool that does what ours of this name does, for trying things out. Without a name it is a shell
/// call; a tool that is not in the table gets no arguments.
pub fn sample_call(
    agent: Agent,
    native_name: Option<&str>,
    arguments: impl FnOnce(&str) -> Option<JsonObject>,
) -> (String, JsonObject) {
    let dialect = dialect_of(agent);
    let found = match native_name {
        Some(name) => dialect.tool(name),
        None => dialect.tools().find(|tool| tool.ours == "run_shell_command"),
    };
    let name = found.as_ref().map_or_else(|| native_name.unwrap_or_default(), |tool| tool.name).to_owned();
    let ours = found.and_then(|tool| arguments(tool.ours)).unwrap_or_default();
    let input = to_native_input(agent, &name, &Value::Null, &ours);
    (name, input)
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
    if let (Some((called, given)), Some((_, _, key))) =
        (called_tool(agent, native_name, &native), dialect_of(agent).caller)
    {
        native.insert(key.to_owned(), own_input(agent, &called, as_arguments(&given), changed).into());
        return native;
    }
    own_input(agent, native_name, native, changed)
}

/// The same for a call that is not one of another tool.
fn own_input(agent: Agent, native_name: &str, mut native: JsonObject, changed: &JsonObject) -> JsonObject {
    let tool = dialect_of(agent).tool(native_name);
    let before = match &tool {
        Some(tool) => rename(tool, native.clone()),
        None => native.clone(),
    };
    for (name, value) in changed {
        if before.get(name) != Some(value) {
            let argument = tool.as_ref().and_then(|tool| counting(tool, &native, name));
            let (key, value) = match argument {
                Some(argument) => (argument.theirs, value_as_theirs(argument, value)),
                None => (name.as_str(), value.clone()),
            };
            native.insert(key.to_owned(), value);
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
    let tools = dialect_of(agent).tools().filter(|tool| tool.ours == name || writes_as(tool, name));
    let mut names: Vec<String> = tools.map(|tool| tool.name.to_owned()).collect();
    if names.is_empty() {
        let mcp = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        names.push(match (dialect_of(agent).mcp, mcp) {
            (McpForm::SingleUnderscore, Some((server, tool))) => format!("mcp_{server}_{tool}"),
            (McpForm::Dash, Some((server, tool))) => format!("{server}-{tool}"),
            (McpForm::Plain, Some((server, tool))) => format!("{server}_{tool}"),
            (McpForm::Bare, Some((server, tool))) => format!("{server}__{tool}"),
            _ => name.to_owned(),
        });
    }
    names
}

/// Whether a list that names one of the tools that write a file means this one, which writes several.
fn writes_as(tool: &NativeTool, name: &str) -> bool {
    tool.ours == "apply_patch" && matches!(name, "write_file" | "replace")
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

/// Renames the arguments that are in the table, in their places. An argument that the tool does not read must not
/// pass for one that it reads, so any other one that has such a name of ours is left out.
fn rename(tool: &NativeTool, native: JsonObject) -> JsonObject {
    let counts: Vec<&Argument> = tool
        .arguments
        .iter()
        .filter(|argument| counting(tool, &native, argument.ours) == Some(argument))
        .collect();
    let decides = |key: &str| OurTool::named(tool.ours).is_some_and(|ours| ours.role_of(key).is_some());
    let is_taken =
        |key: &str| tool.arguments.iter().any(|argument| argument.ours == key || argument.theirs == key);
    let renamed = native.into_iter().filter_map(|(key, value)| {
        match counts.iter().find(|argument| argument.theirs == key) {
            Some(argument) => Some((argument.ours.to_owned(), value_as_ours(argument, value))),
            None if decides(&key) || is_taken(&key) => None,
            None => Some((key, value)),
        }
    });
    renamed.collect()
}

/// A value in our form; as it is if it has another form than it should. Each of several shell lines is a script of its own,
/// so that a quote which one of them leaves open does not hide the next one.
fn value_as_ours(argument: &Argument, value: Value) -> Value {
    let list = || value.as_array().map(|list| list.iter());
    match argument.form {
        ArgumentForm::AsOurs => value,
        ArgumentForm::Lines => {
            match list().and_then(|list| list.map(Value::as_str).collect::<Option<Vec<_>>>()).as_deref() {
                Some([line]) => (*line).into(),
                Some(lines) => {
                    let scripts = lines.iter().map(|line| format!("sh -c {}", hookrail_shell::quote(line)));
                    scripts.collect::<Vec<_>>().join("\n").into()
                }
                None => value,
            }
        }
        ArgumentForm::Paths => {
            let paths = list()
                .and_then(|list| list.map(|each| each.get("path").cloned()).collect::<Option<Vec<_>>>());
            paths.map_or_else(|| value.clone(), Value::from)
        }
    }
}

/// A value of ours in the agent's form.
fn value_as_theirs(argument: &Argument, value: &Value) -> Value {
    match (argument.form, value) {
        (ArgumentForm::Lines, Value::String(_)) => Value::from(vec![value.clone()]),
        (ArgumentForm::Paths, Value::Array(paths)) => {
            paths.iter().map(|path| serde_json::json!({ "path": path })).collect()
        }
        _ => value.clone(),
    }
}

/// Of the arguments that mean the same, the one that the tool reads: the first one that says something, else the first
/// one that is there, else the first in the table.
fn counting<'t>(tool: &'t NativeTool, native: &JsonObject, ours: &str) -> Option<&'t Argument> {
    let rows = || tool.arguments.iter().filter(|argument| argument.ours == ours);
    let says = |value: &Value| !value.is_null() && value.as_str() != Some("");
    rows()
        .find(|argument| native.get(argument.theirs).is_some_and(says))
        .or_else(|| rows().find(|argument| native.contains_key(argument.theirs)))
        .or_else(|| rows().next())
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
            return;
        }
        let (rest, borders): (_, &[&str]) = match dialect_of(agent).mcp {
            McpForm::SingleUnderscore if !native_name.starts_with("mcp__") => {
                (native_name.strip_prefix("mcp_"), &["_"])
            }
            McpForm::Dash => (Some(native_name), &["-", "/"]),
            McpForm::Plain => (Some(native_name), &["_"]),
            McpForm::Bare => (Some(native_name), &["__"]),
            McpForm::SingleUnderscore | McpForm::DoubleUnderscore => (None, &[]),
        };
        if dialect_of(agent).mcp == McpForm::Plain {
            self.add(native_name);
        }
        if let Some(rest) = rest {
            let mut found: Vec<_> = borders.iter().flat_map(|border| rest.match_indices(border)).collect();
            found.sort_unstable();
            let readings = found.into_iter().filter_map(|(at, border)| {
                let (server, tool) = (rest.get(..at)?, rest.get(at + border.len()..)?);
                (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
            });
            for reading in readings.take(MOST_READINGS) {
                self.add(&reading);
            }
        }
    }

    fn call(self, native_name: &str, input: JsonObject, reading: CallReading) -> OurCall {
        let name = self.first.unwrap_or_else(|| native_name.to_owned());
        OurCall { name, input, also_matches: self.also, reading }
    }
}

#[cfg(test)]
mod tests;
