//! Why one attempt of a call failed.
//!
//! A model error does not contain whether another attempt may help; that is decided where it happens.

use std::time::Duration;

use super::super::error::ModelError;

/// Why an attempt failed, and whether another one may help.
pub(super) struct AttemptFailure {
    /// The error for the caller, should there be no further attempt.
    pub(super) error: ModelError,
    /// Whether the same request may succeed a little later.
    pub(super) transient: bool,
    /// The wait that the server asked for.
    pub(super) retry_after: Option<Duration>,
}

impl From<ModelError> for AttemptFailure {
    fn from(error: ModelError) -> Self {
        Self { error, transient: false, retry_after: None }
    }
}

impl AttemptFailure {
    /// A failure after which the same request may succeed.
    pub(super) fn transient(error: ModelError) -> Self {
        Self { error, transient: true, retry_after: None }
    }
}
