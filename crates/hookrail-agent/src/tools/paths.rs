//! Paths that stay inside of the project, also when a link is swapped in between check and use.
//!
//! A path is first resolved by the operating system, links and `..` included, and refused unless the
//! result lies in the project. Every access then starts at an open handle of the project and opens one
//! component after the other without following links. What was resolved contains no links, so a link
//! on the way can only have appeared since, and the access fails instead of following it. This needs
//! no system call of one particular kernel and holds wherever `openat` and `O_NOFOLLOW` exist.

mod near_names;
mod open;
mod resolve;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, Stat};
use rustix::io::Errno;

use self::open::STEP;
use super::failure::{NOT_DIRECTORY, NOT_REGULAR, OUTSIDE, PROTECTED, READ_FAILED, ToolFailure};
use super::protected::ProtectedPaths;
use super::text;

/// The project as an open handle, from which every access starts.
pub(super) struct Workspace {
    root: PathBuf,
    dir: OwnedFd,
    protected: ProtectedPaths,
}

/// A path that lay in the project, free of links, when it was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProjectPath {
    /// Relative to the project; empty for the project itself.
    pub(super) relative: PathBuf,
    /// Whether something was there.
    pub(super) exists: bool,
}

impl ProjectPath {
    /// The path for people and the model, relative to the project.
    pub(super) fn shown(&self) -> String {
        shown(&self.relative)
    }
}

/// A relative path for people and the model, on one line.
pub(super) fn shown(relative: &Path) -> String {
    if relative.as_os_str().is_empty() { ".".to_owned() } else { text::one_line(&relative.to_string_lossy()) }
}

impl Workspace {
    /// Opens the project, with the paths in it that need a person's permission.
    pub(super) fn open(project: &Path, protected: &ProtectedPaths) -> Result<Self, ToolFailure> {
        let problem = |error: &io::Error| {
            let shown = text::one_line(&project.to_string_lossy());
            ToolFailure::io(READ_FAILED, &format!("cannot open the project `{shown}`"), error)
        };
        let root = project.canonicalize().map_err(|error| problem(&error))?;
        let dir = rustix::fs::open(&root, STEP, Mode::empty()).map_err(|error| problem(&error.into()))?;
        Ok(Self { root, dir, protected: protected.clone() })
    }

    /// The project's path with all links resolved.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Refuses to write what needs a person's permission and does not have it.
    pub(super) fn refuse_protected(&self, inside: &ProjectPath) -> Result<(), ToolFailure> {
        match self.protected.objection(&self.root, &inside.relative) {
            None => Ok(()),
            Some(why) => {
                let message =
                    format!("`{}` is written only after a person allowed it: {why}", inside.shown());
                Err(ToolFailure::new(PROTECTED, message))
            }
        }
    }
}

/// What went wrong with a path that was in order a moment ago.
pub(super) fn swapped(inside: &ProjectPath, error: impl Into<io::Error>) -> ToolFailure {
    let error = error.into();
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => ToolFailure::new(
            OUTSIDE,
            format!("`{}` is refused: it became a link while it was being opened", inside.shown()),
        ),
        Some(Errno::NOTDIR) => {
            ToolFailure::new(NOT_DIRECTORY, format!("`{}` is not a folder", inside.shown()))
        }
        _ => ToolFailure::io(READ_FAILED, &format!("cannot open `{}`", inside.shown()), &error),
    }
}

/// A pipe, a socket or a device where a file was asked for.
pub(super) fn not_regular(shown: &str) -> ToolFailure {
    ToolFailure::new(NOT_REGULAR, format!("`{shown}` is neither a file nor a folder"))
}

/// The type in a file's facts.
pub(super) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

#[cfg(test)]
mod tests;
