//! Why a tool call failed, in words that the model can act on.

use std::io;

use hookrail::ToolResult;
use tokio_util::sync::CancellationToken;

/// The wrong arguments.
pub(super) const INVALID_PARAMS: &str = "invalid_tool_params";
/// A path that leads out of the project.
pub(super) const OUTSIDE: &str = "path_not_in_workspace";
/// Nothing at that path.
pub(super) const NOT_FOUND: &str = "file_not_found";
/// A folder where a file was asked for.
pub(super) const IS_DIRECTORY: &str = "target_is_directory";
/// A file where a folder was asked for.
pub(super) const NOT_DIRECTORY: &str = "path_is_not_a_directory";
/// Neither a file nor a folder.
pub(super) const NOT_REGULAR: &str = "not_a_regular_file";
/// Reading failed.
pub(super) const READ_FAILED: &str = "read_content_failure";
/// Writing failed.
pub(super) const WRITE_FAILED: &str = "file_write_failure";
/// A file that decides what guards the agent, without a person's yes.
pub(super) const PROTECTED: &str = "protected_file";
/// The operating system refused.
pub(super) const PERMISSION: &str = "permission_denied";

/// A failed call: a message for the model and the user, a kind for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolFailure {
    pub(super) kind: &'static str,
    pub(super) message: String,
}

impl ToolFailure {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The user gave up.
    pub(super) fn cancelled() -> Self {
        Self::new("cancelled", "the call was cancelled")
    }

    /// The thread of the call panicked, or there is no runtime any more.
    pub(super) fn broken(error: &tokio::task::JoinError) -> Self {
        Self::new("tool_failed", format!("the tool broke off: {error}"))
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
