//! Workers that another process keeps, for hosts that live for one event.
//!
//! What is here is the seam between the two: a host that is asked about one event hands the question of a worker hook to a
//! [`WorkerKeeper`]; the process behind it finds the hook in its own settings and asks its worker. How the two talk is
//! theirs.

use std::ffi::OsString;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::payload::Payload;
use super::process::{Captured, Finished};
use crate::hook::Hook;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// Asks a process that keeps workers.
pub trait WorkerKeeper: Send + Sync {
    /// Asks about one event. `None` if it cannot be asked or is gone: the hook is then run here.
    fn ask<'a>(&'a self, question: KeeperQuestion<'a>) -> KeeperReply<'a>;
}

/// What comes of a question to a keeper.
pub type KeeperReply<'a> = Pin<Box<dyn Future<Output = Option<KeptAnswer>> + Send + 'a>>;

/// A question for the worker of one hook.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct KeeperQuestion<'a> {
    /// The hook, which was admitted.
    pub hook: &'a Arc<Hook>,
    /// What its stdin would have been.
    pub payload: &'a Payload,
    /// Where it would run.
    pub directory: &'a Path,
    /// What it would inherit.
    pub environment: &'a [(OsString, OsString)],
    /// How long it may run.
    pub timeout: Duration,
    /// How long the host can wait for it, where that is limited.
    pub left: Option<Duration>,
}

/// A question as the keeping process takes it.
pub struct KeptQuestion<'a> {
    /// Finds the hook.
    pub hook: &'a (dyn Fn(&Hook) -> bool + Sync),
    /// What its stdin would have been.
    pub payload: &'a Payload,
    /// Variables of the session that asks. None of them replaces one that the worker has.
    pub variables: &'a [(OsString, OsString)],
    /// How long it may run.
    pub timeout: Duration,
    /// Called when the worker is free for this question.
    pub on_begin: &'a (dyn Fn() + Send + Sync),
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
#[expect(missing_docs, reason = "the fields are those of a finished process")]
pub struct KeptAnswer {
    pub exit: KeptExit,
    pub stdout: Vec<u8>,
    pub stdout_truncated: bool,
    pub stderr: Vec<u8>,
    pub duration: Duration,
}

/// How a kept worker answered, or why it did not. Exhaustive on purpose: both processes are of one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeptExit {
    /// With this exit code.
    Code(i32),
    /// A signal ended its fork.
    Signal(i32),
    /// Not within its time.
    TimedOut,
    /// It failed in this way.
    Failed(String),
}

impl KeptAnswer {
    /// A worker that could not be started, or is not started for a while, is left to the host that asked: it runs the hook
    /// once, and finds out itself what is wrong.
    pub(super) fn of(finished: Finished) -> Option<Self> {
        let exit = match finished.exit {
            Exit::Code(code) => KeptExit::Code(code),
            Exit::Signal(signal) => KeptExit::Signal(signal),
            Exit::TimedOut(_) => KeptExit::TimedOut,
            Exit::NoAnswer(WorkerFailure::NotStarted(_) | WorkerFailure::Paused { .. }) => return None,
            Exit::NoAnswer(why) => KeptExit::Failed(why.to_string()),
            _ => return None,
        };
        let Finished { stdout, stderr, duration, .. } = finished;
        let (stdout, stdout_truncated) = (stdout.bytes, stdout.truncated);
        Some(Self { exit, stdout, stdout_truncated, stderr: stderr.bytes, duration })
    }

    pub(super) fn finished(self, timeout: Duration) -> Finished {
        let exit = match self.exit {
            KeptExit::Code(code) => Exit::Code(code),
            KeptExit::Signal(signal) => Exit::Signal(signal),
            KeptExit::TimedOut => Exit::TimedOut(timeout),
            KeptExit::Failed(text) => Exit::NoAnswer(WorkerFailure::Reported { text }),
        };
        let stdout = Captured { bytes: self.stdout, truncated: self.stdout_truncated };
        let stderr = Captured { bytes: self.stderr, truncated: false };
        Finished { exit, stdout, stderr, duration: self.duration }
    }
}
