//! The bridge in an agent's settings: put in, taken out, found. Text in, text out; everything else in the file
//! stays as it is, byte for byte.

mod cut;
mod entry;
pub(crate) mod json;
mod obstacles;
mod one_line;
mod places;
mod plugin;
pub(crate) mod toml;

use std::fmt;
use std::path::Path;

use hookrail::rules::order;
use jsonc_parser::errors::ParseError;

use crate::agent::Agent;
use crate::agents::dialect_of;
use crate::dialect::{NativeEvent, Registration, SettingsShape};

pub use entry::{NOT_RUN, SHARED_FOLDERS};
pub use hookrail::settings::calls_bridge;
pub use obstacles::{Obstacle, Surroundings, obstacles};
pub use places::{
    SettingsFormat, SettingsPlace, machine_settings, project_settings, user_settings, uses_toml,
};

/// Whose settings the entries are in, which decides what they call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryScope<'a> {
    /// The user's: a program and a home of this machine.
    User {
        /// The program, by its absolute path.
        program: &'a Path,
        /// The home directory that holds hookrail's settings.
        home: &'a Path,
        /// The settings file that holds the entries, for the message that says how to remove them.
        file: &'a Path,
    },
    /// A project's, which is shared: the entry names no path of one machine, and looks for the program in places that
    /// only the user or the administrator can fill.
    Project {
        /// Whether guarded events are refused where hookrail is not installed.
        require: bool,
    },
}

/// Where hooks are in an agent's settings: a hook of a group, or a whole group. Where the agent has no groups, a hook is
/// one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlace {
    pub(crate) event: String,
    pub(crate) group: usize,
    pub(crate) hook: Option<usize>,
}

impl fmt::Display for EntryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.event, self.group)?;
        self.hook.map_or(Ok(()), |hook| write!(f, ".hooks[{hook}]"))
    }
}

/// What `connect` registers, and in which file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectOptions {
    /// Also events that fire for every piece of a model's answer.
    pub model_events: bool,
    /// Whether the text is Codex's `config.toml` rather than its `hooks.json`.
    pub toml: bool,
    /// Whether the edit is only shown: its summary then says what the agent would do.
    pub dry_run: bool,
}

/// A settings file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsEdit {
    /// The whole text; `None` when the file is to be removed, because it held nothing but the bridge.
    pub new_text: Option<String>,
    /// Whether that differs from what was there.
    pub is_changed: bool,
    /// Messages for the person, a sentence each.
    pub summary: Vec<String>,
}

/// To what extent a file connects an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The file does not call the bridge.
    None,
    /// It calls the bridge, though not at all events, or not as `connect` would write it today.
    Partly {
        /// Events at which the bridge is not called as it would be written.
        missing: Vec<&'static str>,
    },
    /// It calls the bridge exactly as `connect` would write it.
    Full,
}

/// Why a settings file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It cannot be read.
    #[error("line {line}, column {column}: {message}")]
    Malformed {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1 in characters.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// A value has another type than is needed.
    #[error("`{key}` is not {expected}")]
    WrongType {
        /// The key, from the top.
        key: String,
        /// The type that is needed, with its article.
        expected: &'static str,
    },
    /// A key occurs more than once. Agents read one of them only, and differ in which.
    #[error("`{key}` occurs twice")]
    Twice {
        /// The key, from the top.
        key: String,
    },
    /// The file was not written by hookrail, although it has the same name.
    #[error("the file is not one that `hookrail connect` wrote")]
    NotOurs,
    /// It does not configure MCP servers.
    #[error("it has none of `mcpServers`, `servers`, `mcp.servers` and `context_servers`")]
    NoServers,
    /// A path that cannot be written into an entry.
    #[error("an entry cannot name `{path}`: it must be an absolute path of Unicode text without line breaks")]
    Path {
        /// The path, as far as it can be shown.
        path: String,
    },
}

impl EditError {
    /// A value at a key, from the top, is not what an edit needs.
    pub fn wrong_type(key: impl Into<String>, expected: &'static str) -> Self {
        Self::WrongType { key: key.into(), expected }
    }
}

impl From<ParseError> for EditError {
    fn from(error: ParseError) -> Self {
        Self::Malformed {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        }
    }
}

/// Puts the bridge into an agent's settings. Doing it twice changes nothing.
pub fn connect(
    agent: Agent,
    existing: Option<&str>,
    scope: EntryScope<'_>,
    options: ConnectOptions,
) -> Result<SettingsEdit, EditError> {
    scope.check()?;
    let before = existing.unwrap_or_default();
    let wanted = wanted(agent, scope, options);
    let text = match form(agent, options) {
        (SettingsFormat::Plugin, _) => plugin::connect(agent, existing, scope)?,
        _ if is_exactly(bridge_entries(agent, before, options)?, &wanted) => before.to_owned(),
        (SettingsFormat::Toml, shape) => toml::connect(before, shape, &wanted)?,
        (SettingsFormat::Json, shape) => json::connect(before, shape, &wanted)?,
    };
    let is_changed = existing != Some(text.as_str());
    let mut summary = vec![if is_changed {
        let calls = if options.dry_run { "would call" } else { "calls" };
        format!("{} {calls} hookrail at {} events.", agent.title(), wanted.len())
    } else {
        format!("{} calls hookrail already; nothing to change.", agent.title())
    }];
    summary.extend(dialect_of(agent).advice.filter(|_| is_changed).map(str::to_owned));
    Ok(SettingsEdit { new_text: Some(text), is_changed, summary })
}

/// Takes the bridge out of an agent's settings again. Other hooks stay, and so does what was empty in the text before
/// `connect`, as far as that is known.
pub fn disconnect(
    agent: Agent,
    existing: Option<&str>,
    original: Option<&str>,
    options: ConnectOptions,
) -> Result<SettingsEdit, EditError> {
    let Some(before) = existing else {
        return Ok(SettingsEdit { new_text: None, is_changed: false, summary: vec![not_connected(agent)] });
    };
    let text = match form(agent, options) {
        (SettingsFormat::Plugin, _) => plugin::disconnect(agent, before)?,
        _ if bridge_entries(agent, before, options)?.is_empty() => Some(before.to_owned()),
        (SettingsFormat::Toml, shape) => Some(toml::disconnect(before, shape)?),
        (SettingsFormat::Json, shape) => json::disconnect(before, original, shape)?,
    };
    let is_changed = text.as_deref() != existing;
    let summary = if is_changed {
        let no_longer_calls = if options.dry_run { "would no longer call" } else { "no longer calls" };
        format!("{} {no_longer_calls} hookrail.", agent.title())
    } else {
        not_connected(agent)
    };
    Ok(SettingsEdit { new_text: text, is_changed, summary: vec![summary] })
}

/// To what extent a settings text calls the bridge, whichever program it names.
pub fn connection(
    agent: Agent,
    existing: &str,
    scope: EntryScope<'_>,
    options: ConnectOptions,
) -> Result<Connection, EditError> {
    scope.check()?;
    let wanted = wanted(agent, scope, options);
    if form(agent, options).0 == SettingsFormat::Plugin {
        return Ok(plugin::connection(agent, existing, scope, &wanted));
    }
    let found = bridge_entries(agent, existing, options)?;
    if found.is_empty() {
        return Ok(Connection::None);
    }
    let is_there = |entry: &&BridgeEntry| {
        found.iter().any(|(event, command)| event == entry.event && *command == entry.command)
    };
    let missing: Vec<_> = wanted.iter().filter(|entry| !is_there(entry)).map(|entry| entry.event).collect();
    Ok(if missing.is_empty() { Connection::Full } else { Connection::Partly { missing } })
}

/// The entries of a settings text that call the bridge: event and shell line. For a plugin, these are lines for what it
/// starts itself.
pub fn bridge_entries(
    agent: Agent,
    existing: &str,
    options: ConnectOptions,
) -> Result<Vec<(String, String)>, EditError> {
    match form(agent, options) {
        (SettingsFormat::Plugin, _) => {
            let Some(call) = plugin::call(agent, existing) else { return Ok(Vec::new()) };
            let call = |event: NativeEvent| (event.name.to_owned(), format!("{call} {agent} {}", event.name));
            Ok(dialect_of(agent).events().map(call).collect())
        }
        (SettingsFormat::Toml, shape) => toml::found(existing, shape),
        (SettingsFormat::Json, shape) => json::found(existing, shape),
    }
}

/// What the hooks of an agent are written in, and their shape.
fn form(agent: Agent, options: ConnectOptions) -> (SettingsFormat, SettingsShape) {
    match dialect_of(agent).settings.shape {
        shape @ SettingsShape::Groups if options.toml => (SettingsFormat::Toml, shape),
        shape => (places::format_of(shape), shape),
    }
}

/// Whether the entries are the wanted ones, in whatever order: then connecting again changes nothing.
fn is_exactly(mut present: Vec<(String, String)>, wanted: &[BridgeEntry]) -> bool {
    let mut expected: Vec<_> =
        wanted.iter().map(|entry| (entry.event.to_owned(), entry.command.clone())).collect();
    order::sort(&mut present);
    order::sort(&mut expected);
    present == expected
}

/// The agent's event before a tool, at which a broken guard refuses.
pub fn guarded_event(agent: Agent) -> Option<&'static str> {
    let mut events = dialect_of(agent).events();
    events.find(|event| event.ours == Some(hookrail::EventName::BeforeTool)).map(|event| event.name)
}

/// One entry that `connect` writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BridgeEntry {
    /// The agent's name of the event.
    pub event: &'static str,
    /// The shell line that the agent runs.
    pub command: String,
    /// What Windows runs instead, where the agent has a field for it.
    pub powershell: Option<String>,
    /// The timeout in the agent's unit.
    pub timeout: u64,
}

/// All entries, in the order of the agent's table.
fn wanted(agent: Agent, scope: EntryScope<'_>, options: ConnectOptions) -> Vec<BridgeEntry> {
    let is_wanted = |event: &NativeEvent| match event.registered {
        Registration::Always => true,
        Registration::OnRequest => options.model_events,
        Registration::Never => false,
    };
    let events = dialect_of(agent).events().filter(is_wanted);
    events.map(|event| entry::entry(agent, &event, scope)).collect()
}

impl EntryScope<'_> {
    /// An entry outlives this process and is run from anywhere, by a shell.
    fn check(self) -> Result<(), EditError> {
        let Self::User { program, home, file } = self else { return Ok(()) };
        let is_usable = |path: &Path| {
            path.is_absolute() && path.to_str().is_some_and(|text| !text.contains(char::is_control))
        };
        match [program, home, file].into_iter().find(|path| !is_usable(path)) {
            Some(path) => Err(EditError::Path { path: path.to_string_lossy().into_owned() }),
            None => Ok(()),
        }
    }
}

/// No error: the file is as requested.
fn not_connected(agent: Agent) -> String {
    format!("{} does not call hookrail; nothing to change.", agent.title())
}

#[cfg(test)]
mod tests;
