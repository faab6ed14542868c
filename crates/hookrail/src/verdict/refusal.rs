//! Planned hooks that may not run for an event.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::hook::{Hook, StartObstacle};

/// A hook that was planned and is not run for this event. Its text names the hook and the reason.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Why it is not run.
    pub why: RefusalReason,
}

/// Why a planned hook is not run for an event. The text of each goes on from the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum RefusalReason {
    /// It is a hook of the project, and the event comes from a folder outside of it.
    #[error("belongs to the project in {} and does not run for {}", .project.display(), .cwd.display())]
    OtherFolder { project: PathBuf, cwd: PathBuf },
    /// It changed since it was approved.
    #[error("changed since it was approved ({what}); run `hookrail trust` to approve it again")]
    Changed { what: String },
    /// It is a guard as it was approved, and the file that it is started with cannot be executed.
    #[error("cannot be started: {0}, then approve it with `hookrail trust`")]
    CannotStart(StartObstacle),
    /// It is an approved guard whose file is open for writing, so that the system would not execute it.
    #[error(
        "cannot be started: `{}` is open for writing, so it may be changing; close it, or run `hookrail trust` to look \
         at it",
        .file.display()
    )]
    OpenForWriting { file: PathBuf },
}

impl RefusalReason {
    /// Whether guarded events are blocked: an approved guard is not what was approved, or cannot be started.
    pub(crate) const fn blocks(&self) -> bool {
        matches!(self, Self::Changed { .. } | Self::CannotStart(_) | Self::OpenForWriting { .. })
    }
}

impl fmt::Display for RefusedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_guard =
            matches!(self.why, RefusalReason::CannotStart(_) | RefusalReason::OpenForWriting { .. });
        let kind = if is_guard { "guard" } else { "hook" };
        write!(f, "{kind} `{}` {}", self.hook.name, self.why)
    }
}
