//! Replacing a file in one step, and showing people what changed.
//!
//! A file is written beside its destination and renamed over it. A process that reads it meanwhile, such as a compiler,
//! sees the old content or the new one, and a full disk leaves the old file as it was.

mod summary;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    Access, AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

pub(super) use self::summary::{summary, summary_of};
use super::failure::{
    INVALID_PARAMS, IS_DIRECTORY, PERMISSION, READ_FAILED, ToolFailure, WRITE_FAILED, check,
};
use super::paths::{self, ProjectPath, Workspace};
use super::text;

/// Files above this size are not edited in memory.
pub(super) const LARGEST_EDIT: u64 = 32 << 20;

/// Reads a file whole, to edit it or to show what changes.
pub(super) fn read_whole(workspace: &Workspace, inside: &ProjectPath) -> Result<Vec<u8>, ToolFailure> {
    let file = workspace.open_file(inside)?;
    let problem =
        |error: &io::Error| ToolFailure::io(READ_FAILED, &format!("cannot read `{}`", inside.shown()), error);
    let size = file.metadata().map_err(|error| problem(&error))?.len();
    let mut bytes = Vec::new();
    if size <= LARGEST_EDIT {
        file.take(LARGEST_EDIT + 1).read_to_end(&mut bytes).map_err(|error| problem(&error))?;
    }
    if size > LARGEST_EDIT || bytes.len() as u64 > LARGEST_EDIT {
        let message =
            format!("`{}` is too large to edit ({size} bytes; at most {LARGEST_EDIT})", inside.shown());
        return Err(ToolFailure::new("file_too_large", message));
    }
    Ok(bytes)
}

/// Writes a file so that others see the old content or the new one and nothing between; returns whether
/// the file is new. Missing folders are made; mode and, where permitted, owner are kept.
pub(super) fn write_atomically(
    workspace: &Workspace,
    inside: &ProjectPath,
    content: &[u8],
    cancel: &CancellationToken,
) -> Result<bool, ToolFailure> {
    workspace.refuse_protected(inside)?;
    let shown = inside.shown();
    let problem =
        |error: io::Error| ToolFailure::io(WRITE_FAILED, &format!("cannot write `{shown}`"), &error);
    let (Some(parent), Some(name)) = (inside.relative.parent(), inside.relative.file_name()) else {
        return Err(ToolFailure::new(IS_DIRECTORY, "the project itself is a folder, not a file"));
    };
    let folder = workspace.open_folder(parent, true).map_err(|error| paths::swapped(inside, error))?;
    let old = match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(stat),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(problem(error.into())),
    };
    if let Some(stat) = &old {
        match paths::file_type(stat) {
            FileType::RegularFile => {}
            FileType::Directory => {
                return Err(ToolFailure::new(IS_DIRECTORY, format!("`{shown}` is a folder, not a file")));
            }
            FileType::Symlink => return Err(paths::swapped(inside, Errno::LOOP)),
            _ => return Err(paths::not_regular(&shown)),
        }
        // Replacing needs no permission to write the old file, but its protection is respected.
        if rustix::fs::accessat(&folder, name, Access::WRITE_OK, AtFlags::empty()) == Err(Errno::ACCESS) {
            return Err(ToolFailure::new(PERMISSION, format!("`{shown}` is write-protected")));
        }
    }

    let mut temporary = TemporaryFile::create(&folder).map_err(problem)?;
    temporary.file.write_all(content).map_err(problem)?;
    if let Some(stat) = &old {
        keep_owner_and_mode(&temporary.file, stat).map_err(problem)?;
    }
    check(cancel)?;
    renameat(&folder, &temporary.name, &folder, name).map_err(|error| problem(error.into()))?;
    temporary.renamed = true;
    Ok(old.is_none())
}

/// A file beside its destination, removed when it is dropped unless it was renamed.
struct TemporaryFile<'a> {
    folder: &'a OwnedFd,
    name: String,
    file: File,
    renamed: bool,
}

impl<'a> TemporaryFile<'a> {
    /// The name has this process's id, so two agents in one folder use different names. A name that is taken is skipped.
    fn create(folder: &'a OwnedFd) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".hookrail-{}-{number}.tmp", std::process::id());
            match openat(folder, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok(Self { folder, name, file: file.into(), renamed: false }),
                // Left behind by a killed process that had the same id.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing is left to do if it cannot be removed; the call has failed already.
            let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

fn keep_owner_and_mode(file: &File, old: &Stat) -> io::Result<()> {
    let new = rustix::fs::fstat(file.as_fd())?;
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        // Only the superuser may give files away; for others the file becomes the writer's.
        let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        let _ = rustix::fs::fchown(file.as_fd(), Some(owner), Some(group));
    }
    // A file system without modes gives all files the same one, and may refuse to set it.
    if rustix::fs::fstat(file.as_fd())?.st_mode == old.st_mode {
        return Ok(());
    }
    // After the owner, since a change of owner clears the set-id bits.
    Ok(rustix::fs::fchmod(file.as_fd(), Mode::from_raw_mode(old.st_mode))?)
}

/// Refuses names that can only be folders, before they are taken for files to create.
pub(super) fn refuse_folder_name(given: &str) -> Result<(), ToolFailure> {
    if given.ends_with('/') {
        let message = format!("`{}` names a folder; expected the name of a file", text::one_line(given));
        return Err(ToolFailure::new(INVALID_PARAMS, message));
    }
    Ok(())
}
