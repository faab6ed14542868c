//! Files of the state folder that decide something: read only if nobody else can have written them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// A larger file is not ours.
pub(super) const LARGEST: u64 = 1 << 20;

/// The content of a file; `None` if there is no such file. The error is a sentence without its subject.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let Some((file, size)) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(LARGEST)).unwrap_or_default());
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err("is larger than 1 MB".to_owned());
    }
    Ok(Some(bytes))
}

/// The same without reading it: the file and its size.
pub(super) fn open(path: &Path) -> Result<Option<(File, u64)>, String> {
    let folder = path.parent().and_then(|folder| fs::metadata(folder).ok());
    if folder.is_some_and(|folder| !is_private(&folder)) {
        return Err("is in a folder that others can write".to_owned());
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err("is a link".to_owned());
        }
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    let metadata = file.metadata().map_err(|error| format!("cannot be read: {error}"))?;
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if !is_private(&metadata) {
        return Err("belongs to somebody else, or others can write it".to_owned());
    }
    Ok(Some((file, metadata.len())))
}

/// Whether it is this user's, or the system's, and nobody else can write it.
fn is_private(metadata: &fs::Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    [0, user].contains(&metadata.uid()) && metadata.mode() & 0o022 == 0
}
