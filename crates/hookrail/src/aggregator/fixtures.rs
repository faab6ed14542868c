//! Finished hooks for tests, read by the real exit table.

use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::hook::{ConfigSource, DEFAULT_HOOK_TIMEOUT, Hook, HookKind, Level, OnFailure, Origin};
use crate::matcher::Matcher;
use crate::outcome::interpret;
use crate::run::Exit;

/// A hook that does nothing in particular.
pub(crate) fn hook(event: EventName, name: &str, on_failure: OnFailure) -> Arc<Hook> {
    Arc::new(Hook {
        event,
        name: name.to_owned(),
        description: None,
        kind: HookKind::Command(name.to_owned()),
        matcher: Matcher::any(),
        sequential: false,
        timeout: DEFAULT_HOOK_TIMEOUT,
        env: Vec::new(),
        on_failure,
        source: ConfigSource::Project,
        origin: Origin { level: Level::Project, file: PathBuf::new(), line: 0 },
    })
}

/// A hook that ended like this.
pub(crate) fn finished(exit: Exit, stdout: &str, stderr: &str) -> HookRun {
    let read = interpret(&exit, stdout, false, stderr);
    HookRun {
        hook: hook(EventName::BeforeTool, "guard", OnFailure::Allow),
        exit,
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        duration: Duration::from_millis(5),
        output: read.output,
        failure: read.failure,
        warnings: read.warnings,
    }
}

/// A hook that exited with 0 and wrote this.
pub(crate) fn answered(answer: &serde_json::Value) -> HookRun {
    finished(Exit::Code(0), &answer.to_string(), "")
}
