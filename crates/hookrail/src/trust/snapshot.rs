//! What is in one file, read in one piece, and a cheap check that it is still the same.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::terms::FileRights;
use sha2::{Digest as _, Sha256};

/// How much of a file is kept for showing a difference later.
const MAX_KEPT_TEXT: u64 = 1 << 20;

/// A file this young may be written again without a change of its time stamps; see [`Identity::is_settled`].
const SETTLING: Duration = Duration::from_secs(2);

/// What distinguishes one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    mode: u32,
    owner: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    /// The identity that these metadata show.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            owner: metadata.uid(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Who owns the file and who may do what with it.
    pub(super) fn rights(&self) -> FileRights {
        FileRights { mode: self.mode & 0o7777, owner: self.owner }
    }

    /// Whether a later change would surely show. Time stamps advance in steps (some milliseconds, on
    /// some file systems two seconds): a file that was changed just now can be changed again within the
    /// same step, with the same size, and look the same.
    fn is_settled(&self, now: SystemTime) -> bool {
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else { return false };
        let (seconds, nanos) = self.modified.max(self.changed);
        match (u64::try_from(seconds), u32::try_from(nanos)) {
            (Ok(seconds), Ok(nanos)) => now.saturating_sub(SETTLING) > Duration::new(seconds, nanos),
            _ => false,
        }
    }
}

/// What is in a file, together with how the file looked while it was read.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) identity: Identity,
    /// Whether an equal identity later means equal content.
    pub(super) is_settled: bool,
    /// SHA-256 in hexadecimal.
    pub(super) digest: String,
    /// The content, where it was asked for, is UTF-8 and is not too long.
    pub(super) text: Option<String>,
}

impl Snapshot {
    /// Reads a regular file in one piece: a file that changes meanwhile is read again, and at last refused.
    pub(super) fn load(path: &Path, keep_text: bool) -> io::Result<Self> {
        for _ in 0..3 {
            let (mut file, before) = open_regular(path)?;
            let now = SystemTime::now();
            let identity = Identity::of(&before);
            let read = digest(&mut file, identity.size, keep_text)?;
            if let Some((digest, text)) = read
                && Identity::of(&file.metadata()?) == identity
            {
                return Ok(Self { identity, is_settled: identity.is_settled(now), digest, text });
            }
        }
        Err(io::Error::other("it changed while it was read"))
    }
}

/// Opens a regular file to read it. A device is not even opened, and a pipe that takes the file's place is refused instead
/// of waited for.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let is_regular = |metadata: Metadata| match metadata.file_type() {
        kind if kind.is_file() => Ok(metadata),
        kind if kind.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    };
    is_regular(fs::metadata(path)?)?;
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = is_regular(file.metadata()?)?;
    Ok((file, metadata))
}

/// Digests exactly `size` bytes; `None` if there are more or fewer. A file that grows all the time ends here.
fn digest(file: &mut File, size: u64, keep_text: bool) -> io::Result<Option<(String, Option<String>)>> {
    let mut hasher = Sha256::new();
    let mut kept = (keep_text && size <= MAX_KEPT_TEXT).then(Vec::new);
    let mut buffer = Vec::new();
    let mut total = 0;
    let mut limited = file.take(size.saturating_add(1));
    while limited.by_ref().take(64 * 1024).read_to_end(&mut buffer)? > 0 {
        hasher.update(&buffer);
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(&buffer);
        }
        total += buffer.len() as u64;
        buffer.clear();
    }
    let text = kept.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok((total == size).then(|| (hexadecimal(&hasher.finalize()), text)))
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
