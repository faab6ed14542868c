//! Where a path that a model gave leads.

use std::ffi::OsString;
use std::io;

use rustix::fs::FileType;

use super::super::failure::{NOT_DIRECTORY, NOT_FOUND, OUTSIDE, READ_FAILED, ToolFailure};
use super::super::text;
use super::{ProjectPath, Workspace, file_type, swapped};

impl Workspace {
    /// Where a path leads, existing or not; refused outside of the project.
    ///
    /// A path to something new is resolved as far as it exists, and the rest is appended. The rest has no `..` and no
    /// links, so the result is as reliable as for a path that exists.
    pub(in crate::tools) fn resolve(&self, given: &str) -> Result<ProjectPath, ToolFailure> {
        let name = text::one_line(given);
        let mut known = self.root.join(given);
        let mut missing: Vec<OsString> = Vec::new();
        let real = loop {
            match known.canonicalize() {
                Ok(real) => break real,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if known.symlink_metadata().is_ok() {
                        // Writing through it would create a file at a place that was not checked.
                        return Err(ToolFailure::new(
                            OUTSIDE,
                            format!(
                                "`{name}` is refused: it leads through a link to something that does not exist"
                            ),
                        ));
                    }
                    let Some(last) = known.file_name() else {
                        return Err(ToolFailure::new(
                            NOT_FOUND,
                            format!("`{name}` goes back with `..` from a folder that does not exist"),
                        ));
                    };
                    missing.push(last.to_owned());
                    known.pop();
                }
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    return Err(ToolFailure::new(
                        NOT_DIRECTORY,
                        format!("`{name}` leads through a file as if it were a folder"),
                    ));
                }
                Err(error) => {
                    return Err(ToolFailure::io(READ_FAILED, &format!("cannot resolve `{name}`"), &error));
                }
            }
        };
        let Ok(relative) = real.strip_prefix(&self.root) else {
            return Err(ToolFailure::new(
                OUTSIDE,
                format!("`{name}` is outside of the project; tools only reach files in it"),
            ));
        };
        let exists = missing.is_empty();
        let relative = missing.iter().rev().fold(relative.to_owned(), |path, name| path.join(name));
        Ok(ProjectPath { relative, exists })
    }

    /// Like [`Workspace::resolve_existing`] for a folder.
    pub(in crate::tools) fn resolve_folder(&self, given: &str) -> Result<ProjectPath, ToolFailure> {
        let inside = self.resolve_existing(given)?;
        let stat = self.stat(&inside.relative).map_err(|error| swapped(&inside, error))?;
        if file_type(&stat) != FileType::Directory {
            return Err(ToolFailure::new(NOT_DIRECTORY, format!("`{}` is not a folder", inside.shown())));
        }
        Ok(inside)
    }

    /// Like [`Workspace::resolve`] for something that must be there; suggests near names otherwise.
    pub(in crate::tools) fn resolve_existing(&self, given: &str) -> Result<ProjectPath, ToolFailure> {
        let inside = self.resolve(given)?;
        if inside.exists {
            return Ok(inside);
        }
        let mut message = format!("`{}` does not exist", inside.shown());
        let near = self.near_names(&inside.relative);
        if !near.is_empty() {
            message.push_str("; did you mean ");
            message.push_str(&near.join(" or "));
            message.push('?');
        }
        Err(ToolFailure::new(NOT_FOUND, message))
    }
}
