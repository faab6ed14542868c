//! What can be wrong with the approvals.

use std::io;
use std::path::PathBuf;

use super::disk::VERSION;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::trust::atomic_file::AtomicFileError;

/// Why the approvals could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file cannot be opened or read.
    #[error("cannot read the approvals `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what this program writes.
    #[error("the approvals `{}` are damaged", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: serde_json::Error,
    },
    /// The file was written by another version of this program.
    #[error("the approvals `{}` have version {found}, and only versions up to {VERSION} are understood", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version as written.
        found: String,
    },
    /// Another user could have written the file.
    #[error("the approvals cannot be trusted: `{}` {why}", path.display())]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file cannot be changed.
    #[error(transparent)]
    Change(#[from] AtomicFileError),
    /// A hook cannot be approved as it is.
    #[error("`{name}` cannot be approved: {why}")]
    NotApprovable {
        /// The hook.
        name: String,
        /// Why.
        why: String,
    },
    /// The approvals cannot be written as JSON.
    #[error("cannot write the approvals as JSON")]
    Encode(#[source] serde_json::Error),
}

impl TrustError {
    /// The finding that explains why no approval counts.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, help) = match self {
            Self::Unreadable { .. } => {
                (DiagnosticCode::ApprovalsUnreadable, "make the file readable, then approve again")
            }
            Self::Corrupt { .. } => (
                DiagnosticCode::ApprovalsDamaged,
                "approve again: the damaged file is kept beside the new one",
            ),
            Self::Version { .. } => {
                (DiagnosticCode::ApprovalsVersion, "use the newer program, or move the file away")
            }
            Self::Unsafe { .. } => {
                (DiagnosticCode::ApprovalsUnsafe, "only you may be able to write there: check owner and mode")
            }
            Self::Change(_) | Self::NotApprovable { .. } | Self::Encode(_) => {
                (DiagnosticCode::ApprovalsUnchanged, "")
            }
        };
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Diagnostic {
            code,
            severity: Severity::Error,
            place: None,
            message,
            help: (!help.is_empty()).then(|| help.to_owned()),
        }
    }
}
