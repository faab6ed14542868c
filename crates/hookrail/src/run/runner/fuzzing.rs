//! What the checks of `crate::fuzzing` need of the inside.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::limits::KEPT_OUTPUT;
use crate::hook::Hook;
use crate::run::process::{Captured, Finished};
use crate::verdict::hook_run::{Exit, HookRun};

pub(crate) use crate::run::command::quote_project_dirs;

/// What the runner makes of a hook that ended like this.
pub(crate) fn interpreted(
    hook: &Arc<Hook>,
    exit: Exit,
    (stdout, truncated): (&[u8], bool),
    stderr: &[u8],
) -> HookRun {
    let captured = |bytes: &[u8], truncated| Captured { bytes: bytes.to_vec(), truncated };
    let (stdout, stderr) = (captured(stdout, truncated), captured(stderr, false));
    crate::run::reading::interpreted(
        hook,
        Finished { exit, stdout, stderr, duration: Duration::ZERO },
        KEPT_OUTPUT,
    )
}

/// The words of a command that needs no shell.
pub(crate) fn plain_words(command: &str, directory: &Path) -> Option<Vec<OsString>> {
    crate::run::direct::plain_words(command, directory, None)
}
