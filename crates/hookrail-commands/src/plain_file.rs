//! Files that a person or a repository names. A device, or a link to one, may have no end, and a pipe may never be written to.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::hook_log::NEVER_WAIT;

/// Larger files are not read into memory.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Opens a regular file or a pipe. A pipe without a writer is empty, and is not waited for.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(NEVER_WAIT).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_fifo() {
        return Err(not_regular());
    }
    rustix::io::ioctl_fionbio(&file, false)?;
    Ok(file)
}

/// The bytes of a regular file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MOST_BYTES)
}

/// The same of a file that is no larger than this.
fn read_within(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {} MiB", most / 1024 / 1024)));
    }
    Ok(bytes)
}

/// The text of a regular file. One that is not UTF-8 is an error.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    read_text_within(path, MOST_BYTES)
}

/// The same of a file that is no larger than this.
pub(crate) fn read_text_within(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    String::from_utf8(read_within(path, most)?).map_err(|error| not_text(error.utf8_error()))
}

fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}
