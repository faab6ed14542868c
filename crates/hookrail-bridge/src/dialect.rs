//! The table that each agent's file fills in: events, tools, units and capabilities. Code that reads or writes a dialect
//! uses the table and names no agent.

use std::time::Duration;

use hookrail::{EventName, JsonObject};
use serde_json::Value;

use crate::agent::Agent;
use crate::effects::NativeEffects;
use crate::event::BridgeEvent;

/// Everything that is particular to one agent.
pub(crate) struct Dialect {
    /// The version whose behaviour was observed.
    pub tested_with: &'static str,
    /// The variable with the project's folder, where it was observed in the environment of its hooks.
    pub project_variable: Option<&'static str>,
    /// Its events in rows, those without a counterpart included if a bridge has a use for them.
    pub events: &'static str,
    /// Other names of its events, and those in the table.
    pub event_aliases: &'static [(&'static str, &'static str)],
    /// Its tools as its hooks see them. A row is one that runs a command or touches files; the words of other lines are tools
    /// that do neither, whatever their arguments are called.
    pub tools: &'static str,
    /// Arguments of these tools that decide nothing: what the model says about the call, how long it is waited for.
    pub beside: &'static [&'static str],
    /// Variables that it sets for what it starts.
    pub marks: &'static [&'static str],
    /// The tool that calls another one: its name, and its arguments with the name and the arguments of that one.
    pub caller: Option<(&'static str, &'static str, &'static str)>,
    /// How it spells the tools of MCP servers.
    pub mcp: McpForm,
    /// The unit of `timeout` in its settings.
    pub unit: Duration,
    /// How long it waits for a hook without a timeout in its settings.
    pub default_timeout: Duration,
    /// How it reads matchers of tool events.
    pub matchers: MatcherDialect,
    /// In which order it runs several hooks of an event.
    pub order: HookOrder,
    /// What it can carry out.
    pub can: Capabilities,
    /// Its events at which a stop that is remembered from an earlier one ends the run.
    pub carries_stop: &'static [&'static str],
    /// Its tools for which such an event follows before the tool runs, provided that the answer before it is empty.
    pub interrupted_tools: &'static [&'static str],
    /// Whether it fires its prompt event also without a prompt.
    pub fires_without_prompt: bool,
    /// Whether exit 2 refuses with the text on stderr as reason. Where it does not, refusals are JSON.
    pub exit_two_refuses: bool,
    /// What it does without any hook, or before a hook can do anything about it: a sentence each.
    pub unseen: &'static [&'static str],
    /// Agents whose files it also reads hooks from.
    pub also_runs: &'static [Agent],
    /// Where its settings are.
    pub settings: SettingsFile,
    /// What a person has to do besides `connect`.
    pub advice: Option<&'static str>,
    /// Whether a result can be replaced at this event.
    pub can_replace_result: fn(&BridgeEvent) -> bool,
    /// A tool's result, in our shape.
    pub tool_response: fn(&Value) -> JsonObject,
    /// What a verdict looks like in its dialect; `None` when there is nothing to answer.
    pub render: fn(&BridgeEvent, &NativeEffects) -> Option<JsonObject>,
}

impl Dialect {
    /// The event that this agent calls `name`.
    pub(crate) fn event(&self, name: &str) -> Option<NativeEvent> {
        row(self.events, name).map(NativeEvent::read)
    }

    /// All events.
    pub(crate) fn events(&self) -> impl Iterator<Item = NativeEvent> {
        rows(self.events).map(NativeEvent::read)
    }

    /// The tool that this agent calls `name`.
    pub(crate) fn tool(&self, name: &str) -> Option<NativeTool> {
        row(self.tools, name).map(NativeTool::read)
    }

    /// All tools that run commands or touch files.
    pub(crate) fn tools(&self) -> impl Iterator<Item = NativeTool> {
        rows(self.tools).map(NativeTool::read)
    }

    /// The tools that do neither.
    pub(crate) fn plain_tools(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.tools.lines().filter(|line| !line.starts_with('#') && !line.contains('='));
        lines.flat_map(str::split_whitespace)
    }
}

/// A row of a table: a name, and what is behind its ` = `.
type Row = (&'static str, &'static str);

/// The row of a name. Nothing else of the table is read: a call of the bridge needs one event and one tool.
fn row(table: &'static str, name: &str) -> Option<Row> {
    table
        .lines()
        .find_map(|line| Some((line.get(..name.len())?, line.strip_prefix(name)?.strip_prefix(" = ")?)))
}

fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    table.lines().filter_map(|line| line.split_once(" = "))
}

/// Where an agent reads its hooks, and in which shape.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// Variables that replace a folder of the user's, the first one that is set counts, and the file below it.
    pub variables: &'static [(&'static str, &'static str)],
    /// The file below the home directory.
    pub user: &'static str,
    /// The file below a project's folder; empty if it has none that hookrail can use.
    pub project: &'static str,
    /// How hooks are laid out in it.
    pub shape: SettingsShape,
    /// The files from which it reads hooks, in the folder of that file; `*.json` is every one.
    pub hook_files: &'static [&'static str],
    /// The one of them that is TOML and may hold the hooks instead.
    pub toml: Option<&'static str>,
    /// The files of an administrator for all users of the machine, the one for Linux first.
    pub machine: &'static [&'static str],
}

impl SettingsFile {
    /// None of what only some agents have.
    pub(crate) const NONE: Self = Self {
        variables: &[],
        user: "",
        project: "",
        shape: SettingsShape::Groups,
        hook_files: &[],
        toml: None,
        machine: &[],
    };
}

/// The shape of an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsShape {
    /// `hooks.EVENT[]` are groups with `hooks[]` of commands.
    Groups,
    /// `hooks.EVENT[]` are commands, in a file of ours.
    Flat,
    /// `hooks.EVENT[]` are commands with a `timeout`, in a file that holds more.
    Commands,
    /// The same in a file with a version, without a `timeout`, and to be refused where a command fails.
    VersionedCommands,
    /// `[[hooks]]` in TOML, each with its `event`.
    TomlList,
    /// A JavaScript module of ours.
    Plugin,
}

/// One event of an agent, and what `connect` writes for it: `name = ours`, with `-` where there is no counterpart, and behind
/// it what is not as usual.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NativeEvent {
    /// The agent's name of it.
    pub name: &'static str,
    /// Our event, if it has a counterpart. One without is registered because a stop is carried out there.
    pub ours: Option<EventName>,
    /// Whether `connect` registers the bridge for it: `on-request`, `never`, or else always.
    pub registered: Registration,
    /// The timeout that `connect` writes for it, as in `5000ms`. The agent ends the bridge when it is over.
    pub grant: Duration,
}

impl NativeEvent {
    fn read((name, row): Row) -> Self {
        let mut words = row.split(' ');
        let ours =
            words.next().and_then(|word| EventName::ALL.into_iter().find(|ours| ours.as_str() == word));
        let mut event = Self { name, ours, registered: Registration::Always, grant: Duration::from_mins(10) };
        for word in words {
            match word {
                "on-request" => event.registered = Registration::OnRequest,
                "never" => event.registered = Registration::Never,
                _ => {
                    let grant = word.strip_suffix("ms").and_then(|number| number.parse().ok());
                    event.grant = grant.map_or(event.grant, Duration::from_millis);
                }
            }
        }
        event
    }
}

/// When `connect` registers the bridge for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registration {
    /// Always.
    Always,
    /// Only if the user asked for events that fire very often.
    OnRequest,
    /// Never: the event is understood, and of no use.
    Never,
}

/// One tool of an agent, with our names of it and of its arguments: `name = ours argument argument`.
#[derive(Debug)]
pub(crate) struct NativeTool {
    /// The agent's name of it.
    pub name: &'static str,
    /// Our name for it.
    pub ours: &'static str,
    /// The arguments that decide, and those whose names differ. Of several that mean the same, the first one given
    /// counts. Other arguments keep their names, unless one of ours that decides is called so: the tool does not read it.
    pub arguments: Vec<Argument>,
}

impl NativeTool {
    fn read((name, row): Row) -> Self {
        let (ours, arguments) = row.split_once(' ').unwrap_or((row, ""));
        Self {
            name,
            ours,
            arguments: arguments.split(' ').filter(|word| !word.is_empty()).map(Argument::read).collect(),
        }
    }
}

/// One argument: `theirs:ours`, or one name for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Argument {
    /// The agent's name of it.
    pub theirs: &'static str,
    /// Our name for it.
    pub ours: &'static str,
    /// Whether the agent's own schema requires it, or one of those that mean the same: `theirs!`.
    pub needed: bool,
    /// The argument beside which it is not needed: `theirs!|other`.
    pub unless: Option<&'static str>,
    /// What its value looks like.
    pub form: ArgumentForm,
}

/// What the value of an argument looks like, compared with ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentForm {
    /// The same.
    AsOurs,
    /// `theirs[]`: a list of shell lines, each of which is run on its own.
    Lines,
    /// `theirs[].path`: a list of objects, each with a `path`.
    Paths,
}

impl Argument {
    fn read(word: &'static str) -> Self {
        let (word, needed, unless) = match word.split_once('!') {
            Some((word, unless)) => (word, true, unless.strip_prefix('|')),
            None => (word, false, None),
        };
        let (theirs, ours) = word.split_once(':').unwrap_or((word, word));
        let (theirs, form) = match theirs.split_once("[]") {
            Some((theirs, ".path")) => (theirs, ArgumentForm::Paths),
            Some((theirs, _)) => (theirs, ArgumentForm::Lines),
            None => (theirs, ArgumentForm::AsOurs),
        };
        Self { theirs, ours, needed, unless, form }
    }
}

/// How an agent spells the tools of MCP servers. Ours is `mcp__server__tool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpForm {
    /// `mcp__server__tool`, or a form that cannot be recognised by the name.
    DoubleUnderscore,
    /// `mcp_server_tool`, where the payload has to name server and tool.
    SingleUnderscore,
    /// `server__tool`.
    Bare,
    /// `server-tool`, or `server/tool` in questions for permission. Its own tools have names without either.
    Dash,
    /// `server_tool`, which tools of plugins may look like, too: the name stays, and matchers may use any reading of it.
    Plain,
}

/// How an agent compares a matcher with a tool's name. Ours is an unanchored pattern of JavaScript's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatcherDialect {
    /// Names, or a list of them; an unanchored pattern if it has other characters.
    NamesOrPattern,
    /// The same with the patterns of Rust's `regex`.
    NamesOrRustPattern,
    /// As ours.
    Pattern,
    /// A pattern that has to match the whole name.
    WholePattern,
}

/// In which order an agent runs several hooks of an event. Ours run side by side, and count in the order of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookOrder {
    /// As ours.
    SideBySide,
    /// Side by side, and of several that change the arguments the last to finish counts.
    LastToFinish,
    /// One after another, always.
    OneAfterAnother,
}

/// What an agent carries out when a hook asks for it. What is missing here is strengthened or postponed.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a table of yes and no, one line each")]
pub(crate) struct Capabilities {
    /// It asks the person about a tool call.
    pub ask: bool,
    /// It runs a tool with other arguments.
    pub change_arguments: bool,
    /// It skips its own question.
    pub allow: bool,
    /// Where it shows texts to the user that no model sees.
    pub show_to_user: &'static [EventName],
    /// It sends the agent back to work at its end.
    pub go_on: bool,
    /// Its `stop_hook_active` is true exactly when it was sent back.
    pub reports_sent_back: bool,
    /// Where it passes texts on to the model.
    pub context: &'static [EventName],
    /// The longest text that it takes, in bytes.
    pub context_limit: usize,
    /// The events at which it can end the run.
    pub stop: &'static [EventName],
}

impl Capabilities {
    /// An agent that can do nothing of it.
    pub(crate) const NONE: Self = Self {
        ask: false,
        change_arguments: false,
        allow: false,
        show_to_user: &[],
        go_on: false,
        reports_sent_back: false,
        context: &[],
        context_limit: usize::MAX,
        stop: &[],
    };
}

/// Where most agents pass a text on to the model.
pub(crate) const CALLS_PROMPTS_AND_START: &[EventName] =
    &[EventName::BeforeTool, EventName::AfterTool, EventName::BeforeAgent, EventName::SessionStart];
