//! What rules can know of one event, found out when the first rule asks and never twice.

mod json;
mod shell;
mod tool_paths;

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) use self::shell::{LineCommand, ShellLine};
pub(crate) use self::tool_paths::PathFacts;
use super::path::Places;
use super::tools::{OurTool, SHELL_TOOL};
use crate::event::{CallReading, Caller, Event};
use crate::formats::json_object::JsonObject;
use hookrail_shell::{Cause, ShellFacts, facts_of_argv, facts_of_line, outline};

/// What happened: the parts of an event that rules can ask about.
#[derive(Debug, Clone, Default)]
pub struct Subject<'a> {
    /// The tool's name, on tool events.
    pub tool_name: Option<&'a str>,
    /// The tool's arguments, on tool events.
    pub tool_input: Option<&'a JsonObject>,
    /// The prompt, on `BeforeAgent` and `AfterAgent`.
    pub prompt: Option<&'a str>,
    /// The model's name, on model events.
    pub model: Option<&'a str>,
    /// The text of the model's answer, on `AfterModel` and `AfterAgent`.
    pub text: Option<Cow<'a, str>>,
    /// The agent that the event comes from, where another agent asks.
    pub agent: Option<&'a str>,
    /// What a table of the sender's tools says of the call, on tool events.
    pub reading: Option<&'a CallReading>,
}

/// The folders that paths of an event are seen from.
#[derive(Debug, Clone, Copy)]
pub struct Folders<'a> {
    /// The project.
    pub project: &'a Path,
    /// What relative paths are relative to.
    pub cwd: &'a Path,
    /// What `~` stands for; without it, paths that begin with `~` cannot be determined.
    pub home: Option<&'a Path>,
}

/// The facts of one event. Asking for a fact costs something only the first time: a shell line is parsed at most
/// once for all rules of an event, and only if a rule asks for what is in it.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    subject: Subject<'a>,
    folders: Option<Folders<'a>>,
    caller: Option<&'a Caller>,
    places: OnceLock<Places>,
    shell: OnceLock<Option<ShellLine>>,
    paths: OnceLock<PathFacts>,
}

impl<'a> Subject<'a> {
    /// The parts of an event that rules can ask about.
    pub fn of(event: &'a Event<'a>) -> Self {
        match event {
            Event::BeforeTool { tool_name, tool_input } | Event::AfterTool { tool_name, tool_input, .. } => {
                Self { tool_name: Some(tool_name), tool_input: Some(tool_input), ..Self::default() }
            }
            Event::BeforeAgent { prompt } => Self { prompt: Some(prompt), ..Self::default() },
            Event::AfterAgent { prompt, prompt_response, .. } => {
                Self { prompt: Some(prompt), text: Some(Cow::Borrowed(prompt_response)), ..Self::default() }
            }
            Event::BeforeModel { llm_request } | Event::BeforeToolSelection { llm_request } => {
                Self { model: Some(&llm_request.model), ..Self::default() }
            }
            Event::AfterModel { llm_request, llm_response } => {
                let parts = llm_response.candidates.iter().flat_map(|candidate| &candidate.content.parts);
                let text = match &llm_response.text {
                    Some(text) => text.to_string(),
                    None => parts.map(AsRef::as_ref).collect(),
                };
                let (model, text) = (Some(llm_request.model.as_ref()), Some(Cow::Owned(text)));
                Self { model, text, ..Self::default() }
            }
            Event::SessionStart { .. }
            | Event::SessionEnd { .. }
            | Event::PreCompress { .. }
            | Event::Notification { .. } => Self::default(),
        }
    }
}

impl<'a> Facts<'a> {
    /// The facts of an event that happens in these folders. Nothing is looked at yet.
    pub fn new(subject: Subject<'a>, folders: Folders<'a>) -> Self {
        Self { folders: Some(folders), subject, ..Self::default() }
    }

    /// The same, for a call on another machine, which says where paths lead.
    #[must_use]
    pub fn told_by(self, caller: Option<&'a Caller>) -> Self {
        Self { caller, ..self }
    }

    /// What another machine has to be told about where this call is made, to see the same paths.
    pub(crate) fn caller(subject: Subject<'a>, folders: Folders<'a>) -> Caller {
        let places = Places::on_disk(folders.project, folders.cwd, folders.home).noted();
        let facts = Self::imagined(subject, places);
        facts.paths();
        Caller { reading: facts.subject.reading.cloned(), ..facts.places().caller() }
    }

    /// The facts of an example, seen from folders that exist in name only.
    pub(crate) fn imagined(subject: Subject<'a>, places: Places) -> Self {
        Self { places: OnceLock::from(places), subject, ..Self::default() }
    }

    /// What happened.
    pub fn subject(&self) -> &Subject<'a> {
        &self.subject
    }

    /// The argument that a path of names leads to. `null` is not an argument.
    pub(crate) fn input(&self, names: &[String]) -> Option<&'a Value> {
        let (first, rest) = names.split_first()?;
        let input = self.subject.tool_input?;
        let found = input.get(first).and_then(|value| deeper(value, rest));
        // A name may have dots of its own.
        let found = found.or_else(|| input.get(&names.join(".")).filter(|_| !rest.is_empty()));
        found.filter(|value| !value.is_null())
    }

    /// What the shell line of the call would do; `None` for a call without one.
    pub(crate) fn shell(&self) -> Option<&ShellLine> {
        self.shell.get_or_init(|| self.read_shell().map(ShellLine::new)).as_ref()
    }

    /// The paths that the call reads and writes.
    pub(crate) fn paths(&self) -> &PathFacts {
        self.paths.get_or_init(|| PathFacts::of(self))
    }

    /// Whether a limit of ours kept a fact that was asked for from being worked out in full.
    pub(crate) fn reached_bound(&self) -> bool {
        let of_line = self.shell.get().and_then(Option::as_ref);
        of_line.is_some_and(|shell| shell.causes.contains(&Cause::Bound))
            || self.paths.get().is_some_and(|paths| paths.reached_bound)
    }

    /// Where paths lead.
    pub(crate) fn places(&self) -> &Places {
        self.places.get_or_init(|| match (self.caller, &self.folders) {
            (Some(caller), _) => Places::told(caller),
            (None, Some(folders)) => Places::on_disk(folders.project, folders.cwd, folders.home),
            (None, None) => Places::imagined("/", "/"),
        })
    }

    /// Whether an argument decides and nobody can read what it says: it may be anything.
    pub(crate) fn is_unreadable(&self, names: &[String]) -> bool {
        let decides = |name: &String| self.tool().is_some_and(|tool| tool.role_of(name).is_some());
        matches!(self.subject.reading, Some(CallReading::Unreadable(_))) && names.first().is_some_and(decides)
    }

    /// The tool, if it is one of ours.
    fn tool(&self) -> Option<&'static OurTool> {
        listed_tool(self.subject.tool_name?, self.subject.reading)
    }

    /// Whether a tool is in nobody's table, so that its arguments are read by their names.
    fn is_unlisted(&self) -> bool {
        self.subject.tool_name.is_some_and(|name| is_unlisted(name, self.subject.reading))
    }

    /// Reads the `command` of a shell call: a line for a shell, or an array that is executed without one. A command
    /// of any other type is a line of which nothing can be determined.
    fn read_shell(&self) -> Option<ShellFacts> {
        let input = self.subject.tool_input?;
        if self.is_unlisted() {
            return read_unlisted(input);
        }
        self.tool().filter(|tool| tool.name == SHELL_TOOL)?;
        // What a command of another type does cannot be determined.
        let unreadable = || ShellFacts::unreadable(Cause::Syntax);
        let command = input.get("command").filter(|command| !command.is_null());
        if command.is_none() && self.subject.reading == Some(&CallReading::Known) {
            return None; // The agent's table says that it may be missing.
        }
        Some(match command {
            Some(Value::String(line)) => facts_of_line(line),
            Some(Value::Array(argv)) => words(argv).map_or_else(unreadable, |argv| facts_of_argv(&argv)),
            _ => unreadable(),
        })
    }
}

/// The tool of ours that a name means.
fn listed_tool(name: &str, reading: Option<&CallReading>) -> Option<&'static OurTool> {
    match reading {
        Some(CallReading::Unlisted | CallReading::Plain) => None,
        Some(CallReading::Known | CallReading::Unreadable(_)) | None => OurTool::named(name),
    }
}

fn is_unlisted(name: &str, reading: Option<&CallReading>) -> bool {
    !matches!(reading, Some(CallReading::Plain)) && listed_tool(name, reading).is_none()
}

/// The name of the shell's tool for a call of a tool that is in no table, if its arguments look like a shell line. A
/// matcher is tried on it, too.
pub fn shell_tool_of(name: &str, input: &JsonObject, reading: Option<&CallReading>) -> Option<&'static str> {
    let is_command = |argument: &Value| match argument {
        Value::String(line) => is_shell_line(line),
        Value::Array(argv) => !argv.is_empty() && argv.iter().all(Value::is_string),
        _ => false,
    };
    let mut given = COMMAND_NAMES.iter().filter_map(|name| input.get(*name)).peekable();
    // Whether a text is a shell line costs more than all else here, and every call comes by.
    (given.peek().is_some() && is_unlisted(name, reading) && given.any(is_command)).then_some(SHELL_TOOL)
}

/// What a tool that is in no table calls its command.
const COMMAND_NAMES: [&str; 2] = ["command", "cmd"];

/// What a tool that is in no table would run, if its arguments look like a shell line. Text that does not parse as one
/// is some other text.
fn read_unlisted(input: &JsonObject) -> Option<ShellFacts> {
    let facts = COMMAND_NAMES.into_iter().filter_map(|name| match input.get(name)? {
        Value::String(line) if is_shell_line(line) => Some(facts_of_line(line)),
        Value::Array(argv) => words(argv).map(|argv| facts_of_argv(&argv)),
        _ => None,
    });
    // Text that a limit keeps us from reading is some other text, too.
    let facts = facts.filter(|facts| !facts.causes.contains(&Cause::Bound));
    // Which of the two it reads is not known.
    facts.reduce(|mut all, other| {
        all.commands.extend(other.commands);
        all.programs.extend(other.programs);
        all.paths.extend(other.paths);
        all.causes.extend(other.causes);
        all
    })
}

/// Whether a text parses as a shell line.
fn is_shell_line(text: &str) -> bool {
    !text.trim().is_empty() && !outline(text).is_broken
}

/// The words of a program that is started without a shell; `None` if one of them is not a text.
fn words(list: &[Value]) -> Option<Vec<String>> {
    list.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Follows names into objects and indexes into lists.
fn deeper<'v>(value: &'v Value, names: &[String]) -> Option<&'v Value> {
    let mut value = value;
    for name in names {
        value = match value {
            Value::Object(object) => object.get(name)?,
            Value::Array(list) => list.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests;
