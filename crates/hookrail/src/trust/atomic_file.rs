//! One file that several programs change and that is never half-written: an advisory lock around read and replace,
//! and a replacement that is either the old file or the new one, even if a process is killed.
//!
//! The lock is a file of its own, because the file it guards is replaced and a lock on a replaced file
//! guards nothing. Readers need no lock: a rename is seen whole or not at all.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another program to finish its change. A change takes milliseconds; this is
/// the time after which a stopped program that holds the lock is reported instead of waited for.
const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// How often a lock that is held is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// Why a file could not be changed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum AtomicFileError {
    /// The operating system refused a step.
    #[error("cannot {step} `{}`", path.display())]
    Io { step: &'static str, path: PathBuf, source: io::Error },
    /// Another program holds the lock and has not released it in time.
    #[error("another program has held the lock `{}` for {} seconds", path.display(), patience.as_secs())]
    Locked { path: PathBuf, patience: Duration },
}

impl AtomicFileError {
    pub(super) fn io(step: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { step, path: path.to_owned(), source }
    }
}

/// A file that this program alone may change until the value is dropped.
#[derive(Debug)]
pub struct LockedFile {
    /// Where the file really is: a symbolic link stays a link, its target is replaced.
    path: PathBuf,
    /// Closing it releases the lock, also when the process is killed.
    _lock: File,
}

impl LockedFile {
    /// Waits for the lock `lock` that guards `path`. Folders that are missing are made for the user alone (0700).
    pub fn lock(path: &Path, lock: &Path) -> Result<Self, AtomicFileError> {
        Self::lock_within(path, lock, LOCK_PATIENCE)
    }

    /// The same for a program that cannot wait as long for another one that holds the lock.
    pub fn lock_within(path: &Path, lock: &Path, patience: Duration) -> Result<Self, AtomicFileError> {
        for file in [path, lock] {
            if let Some(dir) = file.parent() {
                create_private_dir(dir).map_err(AtomicFileError::io("create", dir))?;
            }
        }
        let lock = wait_for_lock(lock, patience)?;
        // Resolved under the lock, so that the link of one moment is not combined with the file of another.
        let path = resolve_link(path).map_err(AtomicFileError::io("resolve", path))?;
        Ok(Self { path, _lock: lock })
    }

    /// Where the file really is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the whole file. An existing file keeps its mode; a new one gets `new_mode`.
    pub fn replace(&self, content: &[u8], new_mode: u32) -> Result<(), AtomicFileError> {
        let mode = match fs::metadata(&self.path) {
            Ok(metadata) => metadata.permissions().mode() & 0o7777,
            Err(error) if error.kind() == io::ErrorKind::NotFound => new_mode,
            Err(error) => return Err(AtomicFileError::io("inspect", &self.path)(error)),
        };
        self.replace_with_mode(content, mode)
    }

    /// Replaces the whole file and sets its mode, whatever it was before.
    pub fn replace_with_mode(&self, content: &[u8], mode: u32) -> Result<(), AtomicFileError> {
        let dir = parent(&self.path);
        self.remove_leftovers(dir);
        let mut name = OsString::from(".");
        name.push(self.path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = dir.join(name);
        let written = write_new(&temporary, content, mode).map_err(AtomicFileError::io("write", &temporary));
        written
            .and_then(|()| {
                fs::rename(&temporary, &self.path).map_err(AtomicFileError::io("replace", &self.path))
            })
            // The old file is untouched; the half-written one is of no use.
            .inspect_err(|_| _ = fs::remove_file(&temporary))?;
        // The content is on disk already; this makes the rename survive a power failure where the file
        // system supports it. Where it does not, the file is as safe as the system allows.
        let _ = File::open(dir).and_then(|dir| dir.sync_all());
        Ok(())
    }

    /// Moves the file aside to `<name>.<label>-<n>`, with the first number that is free, and returns the new path.
    pub fn move_aside(&self, label: &str) -> Result<PathBuf, AtomicFileError> {
        let named = |number: u32| {
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{label}-{number}"));
            self.path.with_file_name(name)
        };
        // No other process takes the name in between: this is done under the lock.
        let is_free = |aside: &PathBuf| fs::symlink_metadata(aside).is_err();
        let aside = (1..u32::MAX).map(named).find(is_free).unwrap_or_else(|| named(u32::MAX));
        fs::rename(&self.path, &aside).map_err(AtomicFileError::io("move aside", &self.path))?;
        Ok(aside)
    }

    /// Removes the temporary files that killed writers left. The holder of the lock is the only writer, so none of these
    /// is in use.
    fn remove_leftovers(&self, dir: &Path) {
        let own = self.path.file_name().unwrap_or_default().as_encoded_bytes();
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes().strip_prefix(b".").and_then(|name| name.strip_prefix(own));
            let writer = name.and_then(|name| name.strip_prefix(b".")?.strip_suffix(b".tmp"));
            if writer.is_some_and(|id| !id.is_empty() && id.iter().all(u8::is_ascii_digit)) {
                // A leftover that cannot be removed does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Makes a folder and its missing parents, for the user alone.
pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Makes the folder of the user's state, for the user alone. One that is there already, because a person made it for
/// settings, is closed to others. One that others may write, or of another user, is left as it is, and is refused where it
/// matters: what is in it may be theirs.
pub fn make_state_dir(dir: &Path) -> io::Result<()> {
    create_private_dir(dir)?;
    let metadata = fs::metadata(dir)?;
    let is_readable = metadata.mode() & 0o077 != 0 && metadata.mode() & 0o002 == 0;
    if is_readable && metadata.uid() == rustix::process::geteuid().as_raw() {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn wait_for_lock(path: &Path, patience: Duration) -> Result<File, AtomicFileError> {
    let start = Instant::now();
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(AtomicFileError::io("open the lock", path))?;
        match file.try_lock() {
            Ok(()) if is_still_at(&file, path) => return Ok(file),
            // The lock file was removed: what we hold protects nothing. Take the new one.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(AtomicFileError::io("lock", path)(error)),
        }
        if start.elapsed() > patience {
            return Err(AtomicFileError::Locked { path: path.to_owned(), patience });
        }
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Follows a symbolic link to where the file is or, for a dangling link, would be.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // The bound the kernel uses as well.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = parent(&path).join(target),
            // `InvalidInput` is the answer for what is not a link.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    // Set explicitly, because the mode given at creation is narrowed by the umask.
    match file.set_permissions(fs::Permissions::from_mode(mode)) {
        // The owner of a file may set its mode, unless the file system has none.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) => {}
        other => other?,
    }
    file.write_all(content)?;
    file.sync_all()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests;
