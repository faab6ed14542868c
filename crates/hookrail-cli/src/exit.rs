//! Exit codes, each with its meaning.

use std::process::ExitCode;

/// How the program ends.
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
}

impl ExitStatus {
    /// The number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Blocked => 2,
            Self::Stopped => 3,
            Self::Usage => 64,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
