//! Why a hook gave no verdict.

mod io_error;
mod start;
mod worker;

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

pub use self::io_error::IoError;
pub use self::start::StartFailure;
pub use self::worker::{AnswerFault, WorkerFailure};
use crate::output::json::JsonProblem;

/// Why a hook gave no verdict. The text of each follows the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookFailure {
    /// It exited with a code that is neither 0 nor 2.
    ExitCode {
        /// The code.
        code: i32,
        /// The beginning of what it wrote to stderr, which may be empty.
        stderr: String,
    },
    /// A signal ended it.
    Signal {
        /// The signal's number.
        signal: i32,
        /// The beginning of what it wrote to stderr, which may be empty.
        stderr: String,
    },
    /// It did not end within its time.
    TimedOut(Duration),
    /// How it ended is not known: another part of this program waited for a process that is not its own.
    StatusUnknown,
    /// It was not started.
    NotStarted {
        /// Why not.
        why: StartFailure,
    },
    /// It is a worker that gave no usable answer, or ended without one.
    NoAnswer {
        /// What the worker did instead.
        why: WorkerFailure,
        /// The beginning of what it wrote to stderr, which may be empty.
        stderr: String,
    },
    /// It wrote more to stdout than is kept, and half an answer could lack the half that blocks.
    Truncated,
    /// Its answer goes beyond a bound of the JSON reader.
    Unreadable(AnswerBound),
}

/// A bound of the reader of hook outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerBound {
    /// On how deep arrays and objects nest.
    Depth,
    /// On how many values an answer holds.
    Values,
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExitCode { code, stderr } => {
                write!(f, "exited with code {code}")?;
                write_stderr(f, stderr)
            }
            Self::Signal { signal, stderr } => {
                write!(f, "was ended by signal {signal}")?;
                write_stderr(f, stderr)
            }
            Self::TimedOut(after) => write!(f, "timed out after {} ms", after.as_millis()),
            Self::StatusUnknown => f.write_str(
                "ended with a status that is not known: another part of this program waited for its process",
            ),
            Self::NotStarted { why } if why.is_sentence() => write!(f, "{why}"),
            Self::NotStarted { why } => write!(f, "could not be started: {why}"),
            Self::NoAnswer { why, stderr } => {
                write!(f, "{why}")?;
                write_stderr(f, stderr)
            }
            Self::Truncated => {
                f.write_str("wrote more to stdout than is kept, so its answer could not be read")
            }
            Self::Unreadable(bound) => {
                let problem = match bound {
                    AnswerBound::Depth => JsonProblem::TooDeep,
                    AnswerBound::Values => JsonProblem::TooManyValues,
                };
                write!(f, "wrote an answer that could not be read: {problem}")
            }
        }
    }
}

fn write_stderr(f: &mut fmt::Formatter<'_>, stderr: &str) -> fmt::Result {
    if stderr.is_empty() { Ok(()) } else { write!(f, ": {stderr}") }
}

impl std::error::Error for HookFailure {}

/// Written as its text: logs and results of programs carry a failure as one string.
impl Serialize for HookFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests;
