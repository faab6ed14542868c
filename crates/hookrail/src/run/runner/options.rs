//! The options of a runner.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::worker::WorkerPool;
use crate::hook::Hook;
use crate::settings::{Limits, Redaction};

/// Between `SIGTERM` and `SIGKILL`.
pub(in crate::run) const GRACE: Duration = Duration::from_secs(5);

/// Called with each hook just before it is started.
pub type StartListener = Arc<dyn Fn(&Hook) + Send + Sync>;

/// How hooks are run.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunnerOptions {
    /// How many at once, and how much of their output is kept.
    pub limits: Limits,
    /// What they do not see of the environment.
    pub redaction: Redaction,
    /// Limits and redaction of the project's own hooks, where its settings differ.
    pub project: Option<ProjectOptions>,
    /// The environment they inherit; `inherited_environment` gives the one of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// The `PATH` of hooks that are not the project's, where it is not the one they inherit.
    pub trusted_path: Option<OsString>,
    /// Whether commands without any shell syntax are executed without a shell. No hook can observe it.
    pub direct_execution: bool,
    /// How long a hook that ran out of time may clean up before it is killed.
    pub grace: Duration,
    /// No hook may run past this moment, whatever its settings say; for a host that has to answer by then itself.
    pub answer_by: Option<Instant>,
    /// Called with each hook just before it is started; for a display of progress.
    pub on_start: Option<StartListener>,
    /// The workers of an earlier session; new ones are made without it.
    pub workers: Option<WorkerPool>,
}

/// What is different for the hooks of the project.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ProjectOptions {
    /// How many at once, and how much of their output is kept.
    pub limits: Limits,
    /// What they do not see of the environment.
    pub redaction: Redaction,
}

impl ProjectOptions {
    /// These limits and this redaction.
    pub fn new(limits: Limits, redaction: Redaction) -> Self {
        Self { limits, redaction }
    }
}

impl RunnerOptions {
    /// The default options for hooks that inherit this environment.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            limits: Limits::default(),
            redaction: Redaction::default(),
            project: None,
            environment,
            trusted_path: None,
            direct_execution: true,
            grace: GRACE,
            answer_by: None,
            on_start: None,
            workers: None,
        }
    }
}
