//! What became of one hook: how it ended, what it wrote, what that means.

use std::sync::Arc;
use std::time::Duration;

use crate::hook::Hook;
use crate::output::HookOutput;
use crate::verdict::failure::HookFailure;

/// How a hook's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end within its time, given here.
    TimedOut(Duration),
    /// It could not be started, for the reason given here.
    NotStarted(String),
    /// It is a worker that gave no answer, for the reason given here.
    NoAnswer(String),
    /// It is a rule, which is no process.
    Rule,
}

/// One finished hook. A failed hook is data like any other: the agent goes on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookRun {
    /// The hook.
    pub hook: Arc<Hook>,
    /// How it ended.
    pub exit: Exit,
    /// What it wrote, decoded lossily and bounded.
    pub stdout: String,
    /// What it complained about, decoded lossily and bounded.
    pub stderr: String,
    /// From spawn to verdict.
    pub duration: Duration,
    /// What it asked for.
    pub output: Option<HookOutput>,
    /// Why it gave no verdict; `None` for exit 0 that could be read, and for exit 2.
    pub failure: Option<HookFailure>,
    /// What was odd about its answer.
    pub warnings: Vec<String>,
}

impl HookRun {
    /// Execution health: exit 0 whose output could be read. A policy block by exit 2 is not a success.
    pub fn success(&self) -> bool {
        matches!(self.exit, Exit::Code(0) | Exit::Rule) && self.failure.is_none()
    }

    /// The exit code as reported: 0 after a signal for compatibility, `None` after a timeout or a failed start, without
    /// an answer of a worker, and for a rule.
    pub fn exit_code(&self) -> Option<i32> {
        match self.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => Some(0),
            Exit::TimedOut(_) | Exit::NotStarted(_) | Exit::NoAnswer(_) | Exit::Rule => None,
        }
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        match self.exit {
            Exit::Signal(signal) => Some(signal),
            _ => None,
        }
    }
}
