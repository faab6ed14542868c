//! Exit codes, each with its meaning.

use std::process::ExitCode;

/// How the program ends.
/// 0 to 3 are verdicts; 64 and 70 are those of `sysexits.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Fine, or allowed.
    Success,
    /// There are findings, or the command failed.
    Failure,
    /// A hook blocked the operation, as in the hook protocol.
    Blocked,
    /// A hook asked the agent to stop.
    Stopped,
    /// The command line was wrong.
    Usage,
    /// Our own fault.
    Internal,
    /// Ended by Ctrl-C.
    Interrupted,
    /// What another agent's dialect asks for.
    Native(u8),
}

impl ExitStatus {
    /// The exit code of the process.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Blocked => 2,
            Self::Stopped => 3,
            Self::Usage => 64,
            Self::Internal => 70,
            Self::Interrupted => 130,
            Self::Native(code) => code,
        }
    }
}

/// An error together with what to type next, printed as `hint: …`. Works as an error of its own and, with
/// `anyhow::Context`, around another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Hinted {
    message: String,
    /// What to do next.
    pub(crate) hint: String,
    /// How the program ends.
    pub(crate) status: ExitStatus,
}

impl Hinted {
    /// An error with what to do about it.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), status: ExitStatus::Failure }
    }
}

/// Ends a command with an error and what to do about it.
pub(crate) fn fail<T>(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Result<T> {
    Err(Hinted::new(message, hint).into())
}

/// Ends a command whose arguments make no sense.
pub(crate) fn misused<T>(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Result<T> {
    Err(Hinted { status: ExitStatus::Usage, ..Hinted::new(message, hint) }.into())
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
