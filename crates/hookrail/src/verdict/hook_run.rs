//! What became of one hook: how it ended, what it wrote, what that means.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::dialect::{ClaudeAnswer, claude_answer};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::output::HookOutput;
use crate::verdict::exit_table::interpret;
use crate::verdict::failure::{HookFailure, StartFailure, WorkerFailure};

/// How a hook's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// It exited by itself.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end within its time, given here.
    TimedOut(Duration),
    /// It ended, and another part of this program took its exit status.
    Unknown,
    /// It was not started, for the reason given here.
    NotStarted(StartFailure),
    /// It is a worker that gave no answer, for the reason given here.
    NoAnswer(WorkerFailure),
    /// It is a service, which answered.
    Answered,
    /// It is a service that gave no answer, for the reason given here.
    NotAnswered(String),
    /// It is a rule, which is not a process.
    Rule,
}

/// One finished hook. A failed hook is data like any other: the agent goes on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookRun {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Read from outside by [`HookRun::exit`]: the failure follows from it.
    exit: Exit,
    /// What it wrote to stdout, decoded lossily and bounded.
    pub stdout: String,
    /// What it wrote to stderr, decoded lossily and bounded.
    pub stderr: String,
    /// From spawn to verdict.
    pub duration: Duration,
    /// What it asked for.
    pub output: Option<HookOutput>,
    /// Read from outside by [`HookRun::failure`]: follows from the exit and what was written.
    failure: Option<HookFailure>,
    /// What was odd about its answer.
    pub warnings: Vec<String>,
}

impl HookRun {
    /// A hook that ended like this and wrote that: what it asks for, and why it failed, is what the exit table says.
    /// `stdout_truncated` says that `stdout` is not all that was written.
    pub(crate) fn finished(
        hook: &Arc<Hook>,
        exit: Exit,
        (stdout, stdout_truncated): (String, bool),
        stderr: String,
        duration: Duration,
    ) -> Self {
        let read = interpret(&exit, &stdout, stdout_truncated, &stderr);
        Self {
            hook: Arc::clone(hook),
            exit,
            stdout,
            stderr,
            duration,
            output: read.output,
            failure: read.failure,
            warnings: read.warnings,
        }
    }

    /// The same for a hook that answers as Claude Code's hooks do. `ours` is the payload, and `given` what the hook read.
    pub(crate) fn in_claudes_terms(mut self, ours: &[u8], given: &JsonObject) -> Self {
        let Exit::Code(code) = self.exit else { return self };
        if !self.failure.as_ref().is_none_or(|why| matches!(why, HookFailure::ExitCode { .. })) {
            return self; // What it wrote could not be read.
        }
        let ours: Value = serde_json::from_slice(ours).unwrap_or_default();
        let tool = ours.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        match claude_answer(self.hook.event, code, (&self.stdout, &self.stderr), tool, given) {
            ClaudeAnswer::Said(output, warnings) => {
                self.output = Some(*output);
                self.failure = None;
                self.warnings = warnings;
            }
            ClaudeAnswer::Malformed(why) => {
                self.output = None;
                self.failure = Some(HookFailure::Malformed { why });
            }
            ClaudeAnswer::Nothing => {}
        }
        self
    }

    /// A hook that was not started.
    pub(crate) fn not_started(hook: &Arc<Hook>, why: StartFailure) -> Self {
        Self::finished(hook, Exit::NotStarted(why), (String::new(), false), String::new(), Duration::ZERO)
    }

    /// A rule that holds, with its answer.
    pub(crate) fn of_rule(hook: &Arc<Hook>, answer: HookOutput, duration: Duration) -> Self {
        let run = Self::finished(hook, Exit::Rule, (String::new(), false), String::new(), duration);
        Self { output: Some(answer), ..run }
    }

    /// How it ended.
    pub const fn exit(&self) -> &Exit {
        &self.exit
    }

    /// Why it gave no verdict; `None` for exit 0 that could be read, for exit 2, and for a rule.
    pub const fn failure(&self) -> Option<&HookFailure> {
        self.failure.as_ref()
    }

    /// Execution health: exit 0 whose output could be read. A policy block by exit 2 is not a success.
    pub fn success(&self) -> bool {
        matches!(self.exit, Exit::Code(0) | Exit::Answered | Exit::Rule) && self.failure.is_none()
    }

    /// The exit code as reported: 0 after a signal for compatibility, `None` after a timeout or a failed start, where the
    /// status is not known, without an answer of a worker, for a service and for a rule.
    pub fn exit_code(&self) -> Option<i32> {
        match self.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => Some(0),
            _ => None,
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
