//! The folder that keeps the last good policy.
//!
//! Each document has a folder of its own, `VERSION-DIGEST`, with the document, its signature, its settings as a file for people
//! and for places in messages, and its files. The file `current` names the one that counts and is replaced by a rename, so that a
//! reader sees the old policy or the new one, whole. There are no links: one that is found is refused.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::document::{Document, LARGEST_DOCUMENT, LARGEST_SIGNATURE, PolicyError};
use crate::terms::PolicyTerms;

const CURRENT: &str = "current";
const DOCUMENT: &str = "policy.json";
const SIGNATURE: &str = "policy.json.minisig";
const SETTINGS: &str = "settings.json";
const FILES: &str = "files";
const LAST_PULL: &str = "pull.json";
const LOCK: &str = "lock";

/// Where a machine keeps its policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFolder {
    path: PathBuf,
    /// Whether everything in it must be root's. Elsewhere it may be the user's who runs the program.
    roots_only: bool,
}

/// The policy that counts, verified.
#[derive(Debug)]
pub struct CurrentPolicy {
    /// The document.
    pub document: Document,
    /// The file with its settings.
    pub settings_file: PathBuf,
    /// The folder with its files.
    pub files: PathBuf,
    /// What the last pull left behind.
    pub last_pull: LastPull,
}

/// What a pull remembers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LastPull {
    /// When the server last answered with a good document, or said that nothing had changed.
    pub time: Option<Timestamp>,
    /// Where from.
    pub from: Option<String>,
    /// The server's word for that state of the document.
    pub etag: Option<String>,
}

/// What came of a good document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// It counts now.
    New,
    /// It counted already.
    Same,
}

/// Why there is no policy, or none can be put there.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say it")]
pub enum FolderError {
    #[error("there is no policy in `{}`", .0.display())]
    Missing(PathBuf),
    #[error("`{}` cannot be used: {why}", .path.display())]
    Io { path: PathBuf, why: io::Error },
    #[error("`{}` {why}", .path.display())]
    Untrusted { path: PathBuf, why: String },
    #[error("{0}")]
    Policy(#[from] PolicyError),
    #[error("`{}` differs from the signed document", .0.display())]
    Changed(PathBuf),
    #[error(
        "the document has version {found}, and version {current} is in force: an older policy never replaces a newer one"
    )]
    Rollback { found: u64, current: u64 },
    #[error(
        "the document has version {0}, as the one in force has, and other content: give it a higher version"
    )]
    SameVersion(u64),
    #[error("another pull is running")]
    Busy,
}

impl PolicyFolder {
    /// The folder of the machine itself, where everything must be root's.
    pub fn of_system() -> Self {
        Self { path: PathBuf::from("/var/lib/hookrail/policy"), roots_only: true }
    }

    /// The folder beside a settings file that was named instead of the system's.
    pub fn beside(settings: &Path) -> Self {
        Self { path: settings.with_file_name("policy"), roots_only: false }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether only root may write it.
    pub fn roots_only(&self) -> bool {
        self.roots_only
    }

    /// The policy that counts: the document is verified again, and so are its files.
    pub fn load(&self, terms: &PolicyTerms) -> Result<CurrentPolicy, FolderError> {
        let missing = || FolderError::Missing(self.path.clone());
        if !exists(&self.path)? {
            return Err(missing());
        }
        self.check(&self.path)?;
        let current = self.path.join(CURRENT);
        if !exists(&current)? {
            return Err(missing());
        }
        let name = String::from_utf8_lossy(&self.read(&current, 100)?).trim().to_owned();
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        };
        if !is_name(&name) {
            return Err(FolderError::Untrusted { path: current, why: "does not name a policy".to_owned() });
        }
        let folder = self.path.join(name);
        self.check(&folder)?;
        let document = self.read(&folder.join(DOCUMENT), LARGEST_DOCUMENT)?;
        let signature = self.read(&folder.join(SIGNATURE), LARGEST_SIGNATURE)?;
        let document = Document::verify(document, &String::from_utf8_lossy(&signature), terms)?;
        let files = folder.join(FILES);
        self.check(&files)?;
        for (name, wanted) in &document.files {
            let path = files.join(name);
            let content = self.read(&path, wanted.content.len())?;
            let mode = fs::symlink_metadata(&path)
                .map_err(|why| FolderError::Io { path: path.clone(), why })?
                .mode();
            if content != wanted.content || mode & 0o7777 != wanted.mode {
                return Err(FolderError::Changed(path));
            }
        }
        let last_pull = self.last_pull();
        Ok(CurrentPolicy { document, settings_file: folder.join(SETTINGS), files, last_pull })
    }

    /// Puts a good document in place of the last one.
    pub fn install(
        &self,
        document: &Document,
        terms: &PolicyTerms,
        pull: &LastPull,
    ) -> Result<Installed, FolderError> {
        self.make()?;
        let lock = self.path.join(LOCK);
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true).mode(0o600).custom_flags(no_follow());
        let lock = options.open(&lock).map_err(|why| FolderError::Io { path: lock, why })?;
        lock.try_lock().map_err(|_| FolderError::Busy)?;
        match self.load(terms) {
            Ok(current) => {
                let version = current.document.version;
                if document.version < version {
                    return Err(FolderError::Rollback { found: document.version, current: version });
                }
                if document.version == version {
                    if document.bytes != current.document.bytes {
                        return Err(FolderError::SameVersion(version));
                    }
                    self.remember(pull)?;
                    return Ok(Installed::Same);
                }
            }
            // Keys may have been exchanged, or the folder damaged: a good document mends that.
            Err(FolderError::Io { path, why }) => return Err(FolderError::Io { path, why }),
            Err(_) => {}
        }
        let name = format!("{:x}-{}", document.version, document.digest().get(..16).unwrap_or_default());
        Self::write(&self.path.join(&name), document)?;
        self.replace(CURRENT, format!("{name}\n").as_bytes(), 0o644)?;
        self.replace(LAST_PULL, &serde_json::to_vec_pretty(pull).unwrap_or_default(), 0o644)?;
        self.remove_older(&name);
        Ok(Installed::New)
    }

    /// Remembers that the server was asked, and had nothing new. The time never goes back by that: whoever holds new documents
    /// back could set the clock back, too.
    pub fn remember(&self, pull: &LastPull) -> Result<(), FolderError> {
        let pull = LastPull { time: pull.time.max(self.last_pull().time), ..pull.clone() };
        self.replace(LAST_PULL, &serde_json::to_vec_pretty(&pull).unwrap_or_default(), 0o644)
    }

    /// What the last pull left behind; nothing where that cannot be read.
    pub fn last_pull(&self) -> LastPull {
        let text = self.read(&self.path.join(LAST_PULL), 64 << 10).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Refuses what is a link, or what somebody else may write.
    fn check(&self, path: &Path) -> Result<(), FolderError> {
        let metadata =
            fs::symlink_metadata(path).map_err(|why| FolderError::Io { path: path.to_owned(), why })?;
        let untrusted = |why: String| Err(FolderError::Untrusted { path: path.to_owned(), why });
        if metadata.is_symlink() {
            return untrusted("is a link; nothing in a policy's folder may be one".to_owned());
        }
        let (owner, mode) = (metadata.uid(), metadata.mode());
        let is_own = owner == 0 || (!self.roots_only && owner == rustix::process::geteuid().as_raw());
        if !is_own {
            return untrusted(format!("belongs to another user (uid {owner})"));
        }
        if mode & 0o022 != 0 {
            return untrusted(format!("can be written by other users (mode {:04o})", mode & 0o7777));
        }
        Ok(())
    }

    /// Reads a file that nobody else can have written.
    fn read(&self, path: &Path, limit: usize) -> Result<Vec<u8>, FolderError> {
        self.check(path)?;
        let failed = |why| FolderError::Io { path: path.to_owned(), why };
        let mut options = OpenOptions::new();
        // A pipe in place of the file must not be waited for.
        let file = options
            .read(true)
            .custom_flags(no_follow() | flag(OFlags::NONBLOCK))
            .open(path)
            .map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("it is not a regular file")));
        }
        let mut content = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut content).map_err(failed)?;
        if content.len() > limit {
            return Err(FolderError::Changed(path.to_owned()));
        }
        Ok(content)
    }

    /// Makes the folder, and refuses one that others may write.
    fn make(&self) -> Result<(), FolderError> {
        if !exists(&self.path)? {
            let mut builder = fs::DirBuilder::new();
            let made = builder.recursive(true).mode(0o755).create(&self.path);
            made.map_err(|why| FolderError::Io { path: self.path.clone(), why })?;
        }
        self.check(&self.path)
    }

    /// Writes a document and all that belongs to it into a folder of its own.
    fn write(folder: &Path, document: &Document) -> Result<(), FolderError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |why| FolderError::Io { path, why }
        };
        if exists(folder)? {
            // Left by a pull that was ended, or no longer good.
            fs::remove_dir_all(folder).map_err(failed(folder))?;
        }
        let files = folder.join(FILES);
        for made in [folder, files.as_path()] {
            fs::DirBuilder::new().mode(0o755).create(made).map_err(failed(made))?;
            fs::set_permissions(made, fs::Permissions::from_mode(0o755)).map_err(failed(made))?;
        }
        write_file(&folder.join(DOCUMENT), &document.bytes, 0o644)?;
        write_file(&folder.join(SIGNATURE), document.signature.as_bytes(), 0o644)?;
        write_file(&folder.join(SETTINGS), document.settings.as_bytes(), 0o644)?;
        for (name, file) in &document.files {
            write_file(&files.join(name), &file.content, file.mode)?;
        }
        for made in [files.as_path(), folder] {
            File::open(made).and_then(|folder| folder.sync_all()).map_err(failed(made))?;
        }
        Ok(())
    }

    /// Replaces a small file by a rename.
    fn replace(&self, name: &str, content: &[u8], mode: u32) -> Result<(), FolderError> {
        let (path, new) = (self.path.join(name), self.path.join(format!("{name}.new")));
        let failed = |why| FolderError::Io { path: path.clone(), why };
        match fs::remove_file(&new) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(failed(why)),
            _ => {}
        }
        write_file(&new, content, mode)?;
        fs::rename(&new, &path).and_then(|()| File::open(&self.path)?.sync_all()).map_err(failed)
    }

    /// Removes all but the policy that counts and the one before it, whose files may still be running.
    fn remove_older(&self, current: &str) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        let is_other = |entry: &fs::DirEntry| {
            entry.file_name() != current && entry.file_type().is_ok_and(|kind| kind.is_dir())
        };
        let mut others: Vec<_> = entries.flatten().filter(is_other).collect();
        others.sort_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
        others.pop();
        for entry in others {
            // What cannot be removed is tried again at the next pull.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether something is there, a link included.
fn exists(path: &Path) -> Result<bool, FolderError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(why) if matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(why) => Err(FolderError::Io { path: path.to_owned(), why }),
    }
}

/// Writes a new file, whole, and not through a link.
fn write_file(path: &Path, content: &[u8], mode: u32) -> Result<(), FolderError> {
    let mut options = OpenOptions::new();
    let options = options.create_new(true).write(true).mode(mode).custom_flags(no_follow());
    let written = options.open(path).and_then(|mut file| {
        file.write_all(content)?;
        // The creation mask may have taken something away.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()
    });
    written.map_err(|why| FolderError::Io { path: path.to_owned(), why })
}

fn no_follow() -> i32 {
    flag(OFlags::NOFOLLOW)
}

fn flag(flag: OFlags) -> i32 {
    flag.bits().cast_signed()
}
