//! Why a hook gave no verdict.

use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};

use serde::{Serialize, Serializer};

use crate::hook::{Level, UnreadableRule};
pub use crate::output::json::AnswerBound;

/// Why a hook gave no verdict. The text of each follows the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum HookFailure {
    /// It exited with a code that is neither 0 nor 2. `stderr` is the beginning of what it wrote there, possibly empty.
    #[error("exited with code {code}{}", behind(.stderr))]
    ExitCode { code: i32, stderr: String },
    /// A signal ended it.
    #[error("was ended by signal {signal}{}", behind(.stderr))]
    Signal { signal: i32, stderr: String },
    /// It did not end within its time.
    #[error("timed out after {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// Another part of this program waited for a process that is not its own.
    #[error("ended with a status that is not known: another part of this program waited for its process")]
    StatusUnknown,
    /// It was not started.
    #[error("{}{why}", if .why.is_sentence() { "" } else { "could not be started: " })]
    NotStarted { why: StartFailure },
    /// It is a worker that gave no usable answer, or ended without one.
    #[error("{why}{}", behind(.stderr))]
    NoAnswer { why: WorkerFailure, stderr: String },
    /// It is a service that gave no answer, or something else than an answer.
    #[error("{why}")]
    NotAnswered { why: String },
    /// It wrote more to stdout than is kept, and half an answer could lack the half that blocks.
    #[error("wrote more to stdout than is kept, so its answer could not be read")]
    Truncated,
    /// Its answer goes beyond a bound of the JSON reader.
    #[error("wrote an answer that could not be read: {0}")]
    Unreadable(AnswerBound),
    /// Its answer has mistakes for which the agent that it was written for ignores it.
    #[error("wrote an answer that Claude Code would ignore: {why}")]
    Malformed { why: String },
}

impl HookFailure {
    /// Whether it was not started because descriptors, processes or memory had run out.
    pub(crate) fn is_shortage(&self) -> bool {
        match self {
            Self::NotStarted { why } => matches!(why, StartFailure::Scarce { .. }),
            Self::NoAnswer { why, .. } => why.is_shortage(),
            _ => false,
        }
    }
}

/// What a hook wrote to stderr, as the end of a sentence.
fn behind(stderr: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| if stderr.is_empty() { Ok(()) } else { write!(f, ": {stderr}") })
}

/// Logs and results of programs carry a failure as one string.
impl Serialize for HookFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a hook was not started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum StartFailure {
    /// Its working directory cannot be entered.
    #[error("cannot enter the working directory `{}`: {error}", .directory.display())]
    NoDirectory { directory: PathBuf, error: IoError },
    /// Its working directory is something else.
    #[error("the working directory `{}` is not a directory", .directory.display())]
    NotADirectory { directory: PathBuf },
    /// The system does not execute its program. The kind of the error says why: it is missing, open for writing, …
    #[error("cannot start `{}`: {error}", .program.display())]
    Program { program: PathBuf, error: IoError },
    /// Descriptors, processes or memory had run out for as long as the hook may take.
    #[error("cannot start `{}` within {within:?}: {error}", .program.display())]
    Scarce { program: PathBuf, within: Duration, error: IoError },
    /// The hook input has no JSON form.
    #[error("cannot write the hook input as JSON: {error}")]
    InputNotWritten { error: IoError },
    /// All hooks of the event had to be done before this one could begin.
    #[error("there was no time left to run it")]
    NoTimeLeft,
    /// It is a hook of type `plugin`.
    #[error("hooks of type `plugin` cannot be run yet")]
    Plugin,
    /// It is a rule, and was given to code that starts programs.
    #[error("a rule is not a program")]
    Rule,
    /// It is a rule that cannot be read.
    #[error("{0}")]
    UnreadableRule(UnreadableRule),
    /// It is not a hook of the project, and its relative command would run a file of the folder that it runs in. `level` is
    /// where the hook was configured.
    #[error(
        "a hook of the {level} settings must not run `{}`, a file of the folder that it runs in; write an absolute path",
        .file.display()
    )]
    RunsProjectFile { level: Level, file: PathBuf },
}

impl StartFailure {
    /// Whether its text says by itself that the hook was not started.
    const fn is_sentence(&self) -> bool {
        matches!(self, Self::UnreadableRule(_) | Self::RunsProjectFile { .. })
    }
}

/// Why a worker gave no answer. The text of each follows the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum WorkerFailure {
    /// No process of it could be started.
    #[error("{0}")]
    NotStarted(StartFailure),
    /// It failed several times in a row, and is not started until the time that is left is over.
    #[error(
        "is not started for another {} ms, after {failures} failures in a row; the last: {last}",
        .left.as_millis().max(1)
    )]
    Paused { left: Duration, failures: u32, last: Box<Self> },
    /// It gave no answer within its time. Only the record of a worker says this; its hook timed out
    /// ([`HookFailure::TimedOut`]).
    #[error("gave no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// Its process exited before it answered.
    #[error("exited with code {code} without an answer")]
    Exited { code: i32 },
    /// A signal ended its process before it answered.
    #[error("was ended by signal {signal} without an answer")]
    Signal { signal: i32 },
    /// Its process ended before it answered, in an unknown way.
    #[error("ended without an answer")]
    Ended,
    /// Two of its processes ended while one question waited, neither of them because of it.
    #[error("ended twice while this event waited for its answer")]
    EndedTwice,
    /// It closed its stdin and did not answer.
    #[error("closed its stdin without an answer")]
    ClosedStdin,
    /// It closed its stdout and did not answer.
    #[error("closed its stdout without an answer")]
    ClosedStdout,
    /// It wrote a longer line than is kept.
    #[error("wrote a longer answer than is kept")]
    TooLong,
    /// It wrote a line that is not an answer.
    #[error("wrote a line that is not an answer")]
    StrayLine,
    /// It answered with an id that no open question has.
    #[error("answered a question that was not asked")]
    UnknownQuestion,
    /// It answered the question, but not according to the protocol.
    #[error("gave an answer that {0}")]
    Malformed(AnswerFault),
    /// The process that keeps it reported this.
    #[error("{text}")]
    Reported { text: String },
    /// The interpreter that it was forked from ended.
    #[error("ended with the interpreter that it was forked from")]
    InterpreterEnded,
    /// The interpreter made no fork for it and wrote `output`. Only the record of a worker says this; its hook ran in a
    /// process of its own.
    #[error("no fork could be made: {output}")]
    NoFork { output: String },
}

impl WorkerFailure {
    fn is_shortage(&self) -> bool {
        match self {
            Self::NotStarted(why) => matches!(why, StartFailure::Scarce { .. }),
            Self::Paused { last, .. } => last.is_shortage(),
            _ => false,
        }
    }
}

impl Serialize for WorkerFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is wrong with an answer of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerFault {
    /// Only one of the two may be there.
    #[error("has both `output` and `exitCode`")]
    Both,
    /// One of the two must be there.
    #[error("has neither `output` nor `exitCode`")]
    Neither,
    /// A process exits with a code from 0 to 255.
    #[error("has an `exitCode` that no process has")]
    ExitCode,
    /// Output is text.
    #[error("has a `stdout` that is not a text")]
    Stdout,
    /// Output is text.
    #[error("has a `stderr` that is not a text")]
    Stderr,
}

/// What an [`io::Error`] says, in a form that can be copied and compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct IoError {
    kind: io::ErrorKind,
    code: Option<i32>,
    text: String,
}

impl IoError {
    /// The kind, as the standard library names it.
    pub const fn kind(&self) -> io::ErrorKind {
        self.kind
    }

    /// The number that the operating system gave it, if it comes from there.
    pub const fn code(&self) -> Option<i32> {
        self.code
    }
}

impl From<&io::Error> for IoError {
    fn from(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error(), text: error.to_string() }
    }
}

#[cfg(test)]
mod tests;
