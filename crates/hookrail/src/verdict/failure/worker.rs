//! Why a worker gave no answer.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::StartFailure;

/// Why a worker gave no answer. The text of each follows the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerFailure {
    /// No process of it could be started.
    NotStarted(StartFailure),
    /// It failed several times in a row, and is not started for a while.
    Paused {
        /// For how long.
        left: Duration,
        /// How often it failed.
        failures: u32,
        /// How it failed last.
        last: Box<Self>,
    },
    /// It gave no answer within its time. Only the record of a worker says this; its hook timed out
    /// ([`HookFailure::TimedOut`](super::HookFailure::TimedOut)).
    TimedOut(Duration),
    /// Its process exited before it answered.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended its process before it answered.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// Its process ended before it answered, in an unknown way.
    Ended,
    /// Two of its processes ended while one question waited, neither of them because of it.
    EndedTwice,
    /// It closed its stdin and did not answer.
    ClosedStdin,
    /// It closed its stdout and did not answer.
    ClosedStdout,
    /// It wrote a longer line than is kept.
    TooLong,
    /// It wrote a line that is not an answer.
    StrayLine,
    /// It answered with an id that no open question has.
    UnknownQuestion,
    /// It answered the question, but not according to the protocol.
    Malformed(AnswerFault),
    /// The interpreter that it was forked from ended.
    InterpreterEnded,
    /// The interpreter made no fork for it. Only the record of a worker says this; its hook ran in a process of its own.
    NoFork {
        /// What the interpreter wrote, which may be nothing.
        output: String,
    },
}

/// What is wrong with an answer of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerFault {
    /// It has both `output` and `exitCode`.
    Both,
    /// It has neither `output` nor `exitCode`.
    Neither,
    /// Its `exitCode` is none that a process can have.
    ExitCode,
    /// Its `stdout` is no text.
    Stdout,
    /// Its `stderr` is no text.
    Stderr,
}

impl fmt::Display for WorkerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(f, "{why}"),
            Self::Paused { left, failures, last } => write!(
                f,
                "is not started for another {} ms, after {failures} failures in a row; the last: {last}",
                left.as_millis().max(1)
            ),
            Self::TimedOut(after) => write!(f, "gave no answer within {} ms", after.as_millis()),
            Self::Exited { code } => write!(f, "exited with code {code} without an answer"),
            Self::Signal { signal } => write!(f, "was ended by signal {signal} without an answer"),
            Self::Ended => f.write_str("ended without an answer"),
            Self::EndedTwice => f.write_str("ended twice while this event waited for its answer"),
            Self::ClosedStdin => f.write_str("closed its stdin without an answer"),
            Self::ClosedStdout => f.write_str("closed its stdout without an answer"),
            Self::TooLong => f.write_str("wrote a longer answer than is kept"),
            Self::StrayLine => f.write_str("wrote a line that is not an answer"),
            Self::UnknownQuestion => f.write_str("answered a question that was not asked"),
            Self::Malformed(fault) => write!(f, "gave an answer that {fault}"),
            Self::InterpreterEnded => f.write_str("ended with the interpreter that it was forked from"),
            Self::NoFork { output } => write!(f, "no fork could be made: {output}"),
        }
    }
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Both => "has both `output` and `exitCode`",
            Self::Neither => "has neither `output` nor `exitCode`",
            Self::ExitCode => "has an `exitCode` that no process has",
            Self::Stdout => "has a `stdout` that is not a text",
            Self::Stderr => "has a `stderr` that is not a text",
        })
    }
}

/// Written as its text, like every failure.
impl Serialize for WorkerFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
