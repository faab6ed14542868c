//! Why a tool call failed, in words that the model can act on.

use std::io;

use hookrail::ToolResult;
use tokio_util::sync::CancellationToken;

/// Arguments that are missing, have a wrong type or contradict each other.
pub(super) const INVALID_PARAMS: &str = "invalid_tool_params";
/// A path that leads out of the project.
pub(super) const OUTSIDE: &str = "path_not_in_workspace";
/// A path at which there is nothing.
pub(super) const NOT_FOUND: &str = "file_not_found";
/// A folder where a file was asked for.
pub(super) const IS_DIRECTORY: &str = "target_is_directory";
/// A file where a folder was asked for.
pub(super) const NOT_DIRECTORY: &str = "path_is_not_a_directory";
/// Neither a file nor a folder.
pub(super) const NOT_REGULAR: &str = "not_a_regular_file";
/// A file or folder that could not be read, for a reason without a kind of its own.
pub(super) const READ_FAILED: &str = "read_content_failure";
/// A file that could not be written, for a reason without a kind of its own.
pub(super) const WRITE_FAILED: &str = "file_write_failure";
/// A file that decides what guards the agent, without a person's permission.
pub(super) const PROTECTED: &str = "protected_file";
/// The operating system refused.
pub(super) const PERMISSION: &str = "permission_denied";

/// A failed call: a message for the model and the user, a kind for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolFailure {
    /// One of the words above, or one that is used in one place only.
    pub(super) kind: &'static str,
    /// What went wrong and, where there is one, the next step.
    pub(super) message: String,
}

impl ToolFailure {
    /// A failure of a kind; the message is a lowercase fragment that names what is wrong in backticks.
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The failure of a call that ended because the user gave up.
    pub(super) fn cancelled() -> Self {
        Self::new("cancelled", "the call was cancelled")
    }

    /// The thread of the call panicked, or the runtime has ended.
    pub(super) fn broken(error: &tokio::task::JoinError) -> Self {
        Self::new("tool_failed", format!("the tool failed: {error}"))
    }

    /// An error of the operating system while doing `what`; `kind` unless the error has a kind of its own.
    pub(super) fn io(kind: &'static str, what: &str, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => PERMISSION,
            io::ErrorKind::NotFound => NOT_FOUND,
            _ => kind,
        };
        Self::new(kind, format!("{what}: {error}"))
    }
}

impl From<ToolFailure> for ToolResult {
    fn from(failure: ToolFailure) -> Self {
        Self::failure(failure.message, failure.kind)
    }
}

/// Fails once the call is cancelled.
pub(super) fn check(cancel: &CancellationToken) -> Result<(), ToolFailure> {
    if cancel.is_cancelled() { Err(ToolFailure::cancelled()) } else { Ok(()) }
}
