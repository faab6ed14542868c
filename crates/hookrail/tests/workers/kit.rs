//! Hooks that are run directly, with a worker or without.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hookrail::components::inherited_environment;
use hookrail::components::{HookFailure, WorkerFailure};
use hookrail::components::{HookRunner, Level, Payload, RunnerOptions, WorkerMode, WorkerPool, WorkerStatus};
use hookrail::{Hook, HookRun};
use hookrail_testkit::process;
use serde_json::Value;

/// Longer than anything that is meant to come to an end takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_mins(2);
/// What is waited for because it has to pass.
pub(crate) const SHORT: Duration = Duration::from_millis(1500);
/// How long those may clean up who are ended.
const GRACE: Duration = Duration::from_millis(100);

/// A folder with scripts and a runner of its own.
pub(crate) struct Stage {
    pub(crate) runner: HookRunner,
    folder: tempfile::TempDir,
    mark: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with_idle(Duration::from_mins(10))
    }

    /// A stage whose workers end after so long without an event.
    pub(crate) fn with_idle(idle: Duration) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mark = format!("worker-test-{}", folder.path().file_name().unwrap_or_default().display());
        let workers = Some(WorkerPool::with_idle(GRACE, idle));
        let mut options = RunnerOptions::new(marked(&mark));
        options.workers = workers;
        let runner = HookRunner::new(options);
        Self { runner, folder, mark }
    }

    /// What the hooks of this stage inherit.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        marked(&self.mark)
    }

    pub(crate) fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a script.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir().join(name);
        std::fs::write(&path, text).expect("a script can be written");
        path
    }

    /// Runs a hook for an event with this payload.
    pub(crate) async fn run(&self, hook: &Arc<Hook>, input: &Value) -> HookRun {
        let payload = Payload::new(input).expect("JSON");
        let hooks = std::slice::from_ref(hook);
        let mut runs = self.runner.execute_hooks_parallel(hooks, &payload, self.dir()).await;
        runs.pop().expect("one hook, one run")
    }

    /// The record of the only worker.
    pub(crate) fn status(&self) -> WorkerStatus {
        let mut all = self.runner.workers().status();
        assert_eq!(all.len(), 1, "one worker: {all:?}");
        all.pop().expect("there is one")
    }

    /// The processes that this stage's hooks left, wherever they went.
    pub(crate) fn processes(&self) -> Vec<process::Process> {
        process::marked(&self.mark)
    }

    /// Ends all workers and asserts that nothing of them is left.
    pub(crate) async fn close(self) {
        self.runner.drain().await;
        assert_eq!(self.processes(), [], "processes are left");
    }
}

fn marked(mark: &str) -> Vec<(OsString, OsString)> {
    let mut environment = inherited_environment();
    environment.push((process::MARK.into(), mark.into()));
    environment
}

/// A hook with a worker of this kind.
pub(crate) fn hook(command: impl Into<String>, worker: WorkerMode, timeout: Duration) -> Arc<Hook> {
    let mut hook = crate::hook_fixture::hook(command, Level::User);
    hook.worker = worker;
    hook.timeout = timeout;
    Arc::new(hook)
}

/// What a run decided, in a word.
pub(crate) fn verdict(run: &HookRun) -> String {
    let output = run.output.as_ref().map(|output| serde_json::to_string(output).expect("JSON"));
    match (run.failure(), output) {
        (Some(_), output) => format!("failure {}", output.unwrap_or_default()),
        (None, Some(output)) => output,
        (None, None) => "silence".to_owned(),
    }
}

/// Why the worker of a run gave no answer.
pub(crate) fn worker_failure(run: &HookRun) -> Option<&WorkerFailure> {
    match run.failure()? {
        HookFailure::NoAnswer { why, .. } => Some(why),
        _ => None,
    }
}

/// The interpreter that `python3` stands for, without anything a version manager puts before it.
pub(crate) fn python() -> &'static str {
    static PYTHON: LazyLock<String> = LazyLock::new(|| {
        let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let output = output.expect("`python3` is needed to test workers");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    });
    &PYTHON
}
