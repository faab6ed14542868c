//! Files and folders, opened from the project's handle one component after the other, without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, Stat, openat, statat};
use rustix::io::Errno;

use super::super::failure::{IS_DIRECTORY, ToolFailure};
use super::{ProjectPath, Workspace, not_regular, swapped};

/// Handles of folders on the way: on Linux they need no permission to list the folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const STEP: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Handles of folders on the way, where the system cannot open a folder without the permission to list it.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const STEP: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Workspace {
    /// Opens a regular file for reading.
    pub(in crate::tools) fn open_file(&self, inside: &ProjectPath) -> Result<File, ToolFailure> {
        let file = self.open_at(&inside.relative, OFlags::RDONLY).map_err(|error| swapped(inside, error))?;
        let kind = file.metadata().map_err(|error| swapped(inside, error))?.file_type();
        if kind.is_dir() {
            Err(ToolFailure::new(IS_DIRECTORY, format!("`{}` is a folder, not a file", inside.shown())))
        } else if kind.is_file() {
            Ok(file)
        } else {
            Err(not_regular(&inside.shown()))
        }
    }

    /// Opens whatever is there. Never waits: a named pipe without a writer must not hang the agent.
    pub(in crate::tools) fn open_at(&self, relative: &Path, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (folder, name) = self.folder_of(relative)?;
        Ok(File::from(openat(folder, name, flags, Mode::empty())?))
    }

    /// The facts about a path itself, not about what a link points to.
    pub(in crate::tools) fn stat(&self, relative: &Path) -> io::Result<Stat> {
        let (folder, name) = self.folder_of(relative)?;
        Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// A handle of the folder that holds a path, and the path's name in it (`.` for the project itself).
    fn folder_of<'a>(&self, relative: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        match (relative.parent(), relative.file_name()) {
            (Some(parent), Some(name)) => Ok((self.open_folder(parent, false)?, name)),
            _ if relative.as_os_str().is_empty() => Ok((self.open_folder(relative, false)?, OsStr::new("."))),
            _ => Err(Errno::INVAL.into()),
        }
    }

    /// A handle of a folder; with `create`, folders that are missing on the way are made.
    pub(in crate::tools) fn open_folder(&self, relative: &Path, create: bool) -> io::Result<OwnedFd> {
        let mut folder = self.dir.try_clone()?;
        for component in relative.components() {
            let Component::Normal(name) = component else { return Err(Errno::INVAL.into()) };
            folder = match openat(&folder, name, STEP, Mode::empty()) {
                Err(Errno::NOENT) if create => {
                    match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => openat(&folder, name, STEP, Mode::empty())?,
                        Err(error) => return Err(error.into()),
                    }
                }
                other => other?,
            };
        }
        Ok(folder)
    }

    /// The entries of a folder with their facts; entries that vanish meanwhile are left out.
    pub(in crate::tools) fn entries(
        &self,
        inside: &ProjectPath,
    ) -> Result<Vec<(OsString, Stat)>, ToolFailure> {
        let folder = self.open_folder(&inside.relative, false).map_err(|error| swapped(inside, error))?;
        let names = names_in(&folder, usize::MAX).map_err(|error| swapped(inside, error))?;
        Ok(names
            .into_iter()
            .filter_map(|name| {
                let stat = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                Some((name, stat))
            })
            .collect())
    }
}

/// The names in a folder, at most `most` of them, in the order of the file system.
pub(super) fn names_in(folder: &OwnedFd, most: usize) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    // The handle itself may be one that only leads on; reading needs one of its own.
    let readable = openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for entry in Dir::new(readable)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
        if names.len() >= most {
            break;
        }
    }
    Ok(names)
}
