//! Why a hook cannot be started, as far as the file of its program shows.

use std::path::PathBuf;

/// Why the file that a command is started with cannot be executed. Its text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartObstacle {
    /// It has no right to be executed, or its file system executes nothing.
    #[error("`{0}` is not executable; run `chmod +x {0}` or name its interpreter in the command", .file.display())]
    NotExecutable {
        /// The file, relative to the project where it is inside.
        file: PathBuf,
    },
    /// There is no such file.
    #[error("`{}` is not there; add it", .file.display())]
    Missing {
        /// The file, relative to the project where it is inside.
        file: PathBuf,
    },
}
