//! Reads hook calls back, from the engine's own log and from session logs.
//!
//! Logs are written by programs that may be killed at any time and by other versions of this one, so that a line
//! that cannot be read is passed over.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use hookrail::{Decision, EventName, HookOutput, JsonObject};
use hookrail_agent::log::call_id;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{KEPT, NEVER_WAIT, identity, rotated};
use crate::digest;
use crate::exit::{Hinted, fail};

/// How much of a call's id is shown to people.
pub(crate) const SHORT_ID: usize = 8;

/// One hook that ran.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LoggedCall {
    /// The line itself, without its end.
    #[serde(skip)]
    pub(crate) text: String,
    /// Empty in lines of older versions.
    id: String,
    pub(crate) event: String,
    pub(crate) name: String,
    /// The tool of a tool event; empty where it is not known.
    pub(crate) tool: String,
    /// The project's folder; empty in lines of older versions and of session logs.
    pub(crate) project: String,
    /// `None` for a rule, which starts no program.
    pub(crate) command: Option<String>,
    /// What it answered; long answers are cut in the engine's log.
    pub(crate) output: Option<Value>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) duration_ms: u64,
    /// Why it gave no verdict.
    pub(crate) error: Option<String>,
    /// In UTC, as it was written.
    pub(crate) timestamp: String,
    pub(crate) session_id: String,
}

/// What came of an event. The comments of the variants are part of the help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoggedVerdict {
    /// Nothing blocked, nothing changed, nothing failed
    Allow,
    /// Blocked
    Block,
    /// Left to a person
    Ask,
    /// The agent was asked to stop
    Stop,
    /// Arguments, a request or a result were changed
    Changed,
    /// A hook gave no verdict, and the operation went on
    Failed,
}

/// How a hook call ended. The comments of the variants are part of the help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallOutcome {
    /// Nothing blocked, nothing failed
    Allow,
    /// Blocked the operation
    Block,
    /// Left the call to a person
    Ask,
    /// Asked the agent to stop
    Stop,
    /// Gave no verdict
    Failure,
}

impl LoggedCall {
    /// The id of the call; older versions did not write it, but it follows from what the hook was given.
    pub(crate) fn id(&self) -> Option<String> {
        if !self.id.is_empty() {
            return Some(self.id.clone());
        }
        Some(call_id(self.raw_input()?.get().as_bytes()))
    }

    /// What the hook was given, if the log has it.
    pub(crate) fn input(&self) -> Option<JsonObject> {
        serde_json::from_str(self.raw_input()?.get()).ok()
    }

    /// Not parsed: an id is a hash of exactly these bytes.
    fn raw_input(&self) -> Option<&RawValue> {
        #[derive(Deserialize)]
        struct Given<'a> {
            #[serde(borrow)]
            input: Option<&'a RawValue>,
        }
        serde_json::from_str::<Given<'_>>(&self.text).ok()?.input
    }

    /// Whether it ended like this. A hook may block and stop at once.
    pub(crate) fn ended_in(&self, outcome: CallOutcome) -> bool {
        match outcome {
            CallOutcome::Block => self.blocked(),
            CallOutcome::Ask => self.asked(),
            CallOutcome::Stop => self.stopped(),
            CallOutcome::Failure => self.error.is_some(),
            CallOutcome::Allow => !self.blocked() && !self.asked() && !self.stopped() && self.error.is_none(),
        }
    }

    /// How it ended, in a word.
    pub(crate) fn outcome(&self) -> &'static str {
        match (self.blocked(), self.stopped(), self.error.is_some()) {
            (true, true, _) => "block+stop",
            (true, false, _) => "block",
            (false, true, _) => "stop",
            (false, false, true) => "failure",
            (false, false, false) if self.asked() => "ask",
            (false, false, false) => "allow",
        }
    }

    /// Whether it blocked an operation that can be blocked.
    pub(crate) fn blocked(&self) -> bool {
        self.event().is_some_and(|event| event.can_block() && self.verdict().blocks(event))
    }

    /// Whether it left the call to a person.
    pub(crate) fn asked(&self) -> bool {
        self.event().is_some_and(|event| self.verdict().asks(event))
    }

    /// `None` for an event of another version.
    fn event(&self) -> Option<EventName> {
        self.event.parse().ok()
    }

    /// The fields of its answer by which hooks block and ask. The whole answer may be cut in the log.
    fn verdict(&self) -> HookOutput {
        let permission =
            |output: &Value| Some(output.get("hookSpecificOutput")?.get("permissionDecision")?.clone());
        let permission = self.output.as_ref().and_then(permission);
        HookOutput {
            decision: self.field("decision").map(Decision::from_word),
            hook_specific_output: permission
                .map(|word| JsonObject::from_iter([("permissionDecision".to_owned(), word)])),
            ..HookOutput::default()
        }
    }

    /// Whether it asked the agent to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.output.as_ref().and_then(|output| output.get("continue")) == Some(&Value::Bool(false))
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        self.field("reason").or_else(|| self.field("stopReason"))
    }

    /// Its error, its reason or its message, whichever comes first.
    pub(crate) fn message(&self) -> Option<&str> {
        self.error.as_deref().or_else(|| self.reason()).or_else(|| self.field("systemMessage"))
    }

    /// A text of the hook's output.
    fn field(&self, key: &str) -> Option<&str> {
        self.output.as_ref()?.get(key)?.as_str()
    }
}

/// What came of one event.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LoggedDecision {
    /// The line itself, without its end.
    #[serde(skip)]
    pub(crate) text: String,
    pub(crate) timestamp: String,
    pub(crate) session_id: String,
    pub(crate) call_id: Option<String>,
    pub(crate) event: String,
    pub(crate) agent: String,
    pub(crate) project: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) decision: String,
    pub(crate) block_cause: Option<String>,
    pub(crate) hook: Option<String>,
    pub(crate) reason: Option<String>,
}

/// Enough of a hash to name a decision, in hexadecimal digits.
const ID: usize = 16;

impl LoggedDecision {
    /// Names the line, wherever a rotation moves it: the beginning of a hash of its text. What an agent wrote into it has
    /// no say in it, so that an id can be part of a command.
    pub(crate) fn id(&self) -> String {
        digest::of(&self.text, ID / 2)
    }

    /// Tool and arguments of the call, where the line has all that decides: a short command or path without a secret.
    pub(crate) fn whole_call(&self) -> Option<(&str, JsonObject)> {
        let tool = self.tool.as_deref().filter(|_| self.event == EventName::BeforeTool.as_str())?;
        let argument = match tool {
            "run_shell_command" => "command",
            "read_file" => "file_path",
            _ => return None,
        };
        let text = self.summary.as_deref()?;
        let is_whole = !text.ends_with('…') && !text.contains(super::secrets::MASK);
        is_whole.then(|| (tool, JsonObject::from_iter([(argument.to_owned(), text.into())])))
    }
}

/// The decision with this id. Ids are asked for by people, one at a time, so that reading everything is fine.
pub(crate) fn find_decision(log: &Path, id: &str) -> anyhow::Result<LoggedDecision> {
    let logs = open_with_rotated(log)?;
    let mut found: Option<LoggedDecision> = None;
    for decision in logs.lines::<LoggedDecision>() {
        let decision = decision?;
        let full = decision.id();
        if !full.starts_with(id.get(..ID).unwrap_or(id)) {
            continue;
        }
        if let Some(other) = found.as_ref().filter(|other| other.text != decision.text) {
            let message = format!("`{id}` matches more than one decision: {} and {full}", other.id());
            return fail(message, "give more of the id");
        }
        found = Some(decision);
    }
    let none = || {
        Hinted::new(format!("the log has no decision `{id}`"), "`hookrail log --ids` shows those that it has")
    };
    Ok(found.ok_or_else(none)?)
}

/// A line that `hookrail log` shows.
#[derive(Debug, Clone)]
pub(crate) enum LogEntry {
    Call(Box<LoggedCall>),
    Decision(Box<LoggedDecision>),
}

/// Something that is read from a line of a log; `None` if the line is about something else, or cannot be read.
pub(crate) trait FromLogLine: Sized {
    /// The kinds of lines that are looked at.
    const TYPES: &'static [&'static str];

    /// Reads a whole line of one of these kinds.
    fn read(kind: &str, line: &[u8]) -> Option<Self>;

    fn parse(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct LineType<'a> {
            #[serde(borrow)]
            r#type: std::borrow::Cow<'a, str>,
        }
        let line = line.trim_ascii();
        let Ok(typed) = serde_json::from_slice::<LineType<'_>>(line) else {
            return after_a_torn_line(line).and_then(Self::parse);
        };
        if Self::TYPES.contains(&&*typed.r#type) { Self::read(&typed.r#type, line) } else { None }
    }
}

impl FromLogLine for LoggedCall {
    const TYPES: &'static [&'static str] = &["hook_call"];

    fn read(_kind: &str, line: &[u8]) -> Option<Self> {
        let read: Self = serde_json::from_slice(line).ok()?;
        Some(Self { text: String::from_utf8_lossy(line).into_owned(), ..read })
    }
}

impl FromLogLine for LoggedDecision {
    const TYPES: &'static [&'static str] = &["decision"];

    fn read(_kind: &str, line: &[u8]) -> Option<Self> {
        let read: Self = serde_json::from_slice(line).ok()?;
        Some(Self { text: String::from_utf8_lossy(line).into_owned(), ..read })
    }
}

impl LoggedDecision {
    /// What a person let pass, or took back.
    fn read_grant(line: &[u8]) -> Option<Self> {
        let read = serde_json::from_slice::<Value>(line).ok()?;
        let text = |key: &str| read.get(key).and_then(Value::as_str).map(str::to_owned);
        let decision = if text("action")? == "given" { "granted" } else { "revoked" }.to_owned();
        Some(Self {
            text: String::from_utf8_lossy(line).into_owned(),
            timestamp: text("timestamp")?,
            agent: "hookrail".to_owned(),
            project: text("project"),
            tool: text("tool"),
            summary: text("summary"),
            decision,
            hook: text("rule"),
            ..Self::default()
        })
    }
}

impl FromLogLine for LogEntry {
    const TYPES: &'static [&'static str] = &["hook_call", "decision", "grant"];

    fn read(kind: &str, line: &[u8]) -> Option<Self> {
        if kind == "decision" {
            return LoggedDecision::read(kind, line).map(Box::new).map(Self::Decision);
        }
        if kind == "grant" {
            return LoggedDecision::read_grant(line).map(Box::new).map(Self::Decision);
        }
        LoggedCall::read(kind, line).map(Box::new).map(Self::Call)
    }
}

/// A line whose writer was killed halfway has no end, so that the next one begins in the middle of it.
fn after_a_torn_line(line: &[u8]) -> Option<&[u8]> {
    const START: &[u8] = br#"{"type":""#;
    let at = line.windows(START.len()).rposition(|window| window == START)?;
    line.get(at..).filter(|_| at > 0)
}

/// The lines of one sort in a log, one after another. Others are passed over.
fn lines_of<L: FromLogLine>(mut reader: impl BufRead) -> impl Iterator<Item = io::Result<L>> {
    let mut buffer = Vec::new();
    std::iter::from_fn(move || {
        loop {
            buffer.clear();
            match reader.read_until(b'\n', &mut buffer) {
                Ok(0) => return None,
                Ok(_) => {
                    if let Some(line) = L::parse(&buffer) {
                        return Some(Ok(line));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// How much of the logs is read for numbers: as much as they hold when nothing keeps them from being moved aside.
pub(crate) const READ_AT_MOST: u64 = 40_000_000;

/// Logs to be read, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct OpenLogs {
    /// Each with the path that errors name.
    pub(crate) files: Vec<(PathBuf, BufReader<File>)>,
    /// Whether older lines are left out.
    pub(crate) is_cut: bool,
}

impl OpenLogs {
    /// The last bytes of a log and those that were moved aside, for numbers about the past, which are never worth a
    /// failure: what cannot be read is left out.
    pub(crate) fn end_of(path: &Path, bytes: u64) -> Self {
        let mut logs = open_with_rotated(path).unwrap_or_default();
        if logs.keep_last(bytes).is_err() { Self::default() } else { logs }
    }

    /// The lines of one sort, the oldest first.
    pub(crate) fn lines<L: FromLogLine>(self) -> impl Iterator<Item = anyhow::Result<L>> {
        self.files.into_iter().flat_map(|(path, file)| {
            lines_of(file).map(move |line| line.with_context(|| format!("cannot read `{}`", path.display())))
        })
    }

    /// Leaves out all but the last bytes of the logs together. What is not a regular file is left as it is.
    pub(crate) fn keep_last(&mut self, mut bytes: u64) -> io::Result<()> {
        let mut kept = Vec::new();
        while let Some((path, mut reader)) = self.files.pop() {
            let metadata = reader.get_ref().metadata()?;
            if metadata.is_file() && metadata.len() > bytes {
                self.is_cut = true;
                // The byte before is looked at as well: it shows whether a line begins here.
                reader.seek(SeekFrom::Start((metadata.len() - bytes).saturating_sub(1)))?;
                reader.skip_until(b'\n')?;
                if bytes > 0 {
                    kept.push((path, reader));
                }
                bytes = 0;
            } else {
                bytes = bytes.saturating_sub(metadata.len());
                kept.push((path, reader));
            }
        }
        kept.reverse();
        self.files = kept;
        Ok(())
    }
}

/// Opens a log and those that were moved aside. What is not a regular file is not a log.
pub(crate) fn open_with_rotated(path: &Path) -> anyhow::Result<OpenLogs> {
    let files = open_rotated(path, KEPT).with_context(|| format!("cannot read `{}`", path.display()))?;
    let files = files.into_iter().map(|file| (path.to_owned(), BufReader::new(file)));
    Ok(OpenLogs { files: files.collect(), is_cut: false })
}

/// The log and at most so many that were moved aside, the oldest first.
pub(super) fn open_rotated(path: &Path, most: u32) -> io::Result<Vec<File>> {
    // From the youngest to the oldest: a rotation in between shows a file twice instead of never.
    let mut files: Vec<File> = Vec::new();
    let mut seen = Vec::new();
    let older = (1..=most).map(|number| rotated(path, number));
    for path in std::iter::once(path.to_owned()).chain(older) {
        let file = match File::options().read(true).custom_flags(NEVER_WAIT).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let identity = identity(&metadata);
        if metadata.is_file() && !seen.contains(&identity) {
            seen.push(identity);
            files.push(file);
        }
    }
    files.reverse();
    Ok(files)
}

/// Opens logs that were named. All of them are opened before anything is read, so that a typo is reported first. A pipe
/// is read until its writers close it, and is empty if there are none.
pub(crate) fn open_named(paths: &[PathBuf]) -> anyhow::Result<OpenLogs> {
    let open = |path: &PathBuf| {
        let file = File::options().read(true).custom_flags(NEVER_WAIT).open(path)?;
        rustix::io::ioctl_fionbio(&file, false)?;
        io::Result::Ok((path.clone(), BufReader::new(file)))
    };
    let open = |path| open(path).with_context(|| format!("cannot read `{}`", path.display()));
    Ok(OpenLogs { files: paths.iter().map(open).collect::<anyhow::Result<_>>()?, is_cut: false })
}
