//! Finished hooks for tests, read by the real exit table.

use std::sync::Arc;

use super::*;
use crate::hook::fixtures::hook;
use crate::verdict::hook_run::Exit;

/// A hook that ended like this.
pub(crate) fn finished(exit: Exit, stdout: &str, stderr: &str) -> HookRun {
    let hook = Arc::new(hook("guard"));
    HookRun::finished(&hook, exit, (stdout.to_owned(), false), stderr.to_owned(), Duration::from_millis(5))
}

/// A hook that exited with 0 and wrote this.
pub(crate) fn answered(answer: &serde_json::Value) -> HookRun {
    finished(Exit::Code(0), &answer.to_string(), "")
}
