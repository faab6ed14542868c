//! Follows a log that grows, is moved aside, is cut off, or is not there yet.
//!
//! A file that was replaced is read to its end before the new one is begun, so that a rotation loses no line.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::read::{FromLogLine, READ_AT_MOST};
use super::{NEVER_WAIT, identity};

/// A log that is followed, and how far it was read.
pub(crate) struct Tail {
    path: PathBuf,
    /// The file and which one it is, by device and inode.
    open: Option<(File, (u64, u64))>,
    /// How much of the open file was read.
    offset: u64,
    /// The start of a line whose end is not written yet.
    unfinished: Vec<u8>,
}

impl Tail {
    /// Follows the log at this path, from its beginning.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), open: None, offset: 0, unfinished: Vec::new() }
    }

    /// Whether this is the file that is read now.
    pub(crate) fn is_reading(&self, file: &File) -> bool {
        let reading = self.open.as_ref().map(|(_, reading)| *reading);
        file.metadata().is_ok_and(|metadata| reading == Some(identity(&metadata)))
    }

    /// Hands over every call that was logged since the last time.
    /// A log that does not exist yet is not an error; it is looked for again the next time.
    pub(crate) fn poll<L: FromLogLine>(
        &mut self,
        on_line: &mut dyn FnMut(L) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        // What the path names is looked up first: what is written to the old file after that is read below.
        let now = match fs::metadata(&self.path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        self.read(on_line)?;
        let Some(now) = now else { return Ok(()) };
        if self.open.as_ref().is_none_or(|(_, open)| *open != identity(&now)) {
            if let Some(line) = L::parse(&std::mem::take(&mut self.unfinished)) {
                on_line(line)?;
            }
            let file = File::options().read(true).custom_flags(NEVER_WAIT).open(&self.path)?;
            let metadata = file.metadata()?;
            anyhow::ensure!(metadata.is_file(), "`{}` is not a regular file", self.path.display());
            self.open = Some((file, identity(&metadata)));
            // Only the newest calls are wanted of what is there already.
            self.offset = metadata.len().saturating_sub(READ_AT_MOST);
            self.read(on_line)?;
        }
        Ok(())
    }

    /// Only whole lines are handed over. A file that became shorter is read from its start.
    fn read<L: FromLogLine>(
        &mut self,
        on_line: &mut dyn FnMut(L) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some((file, _)) = &mut self.open else { return Ok(()) };
        if file.metadata()?.len() < self.offset {
            self.unfinished.clear();
            self.offset = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut new = Vec::new();
        self.offset += file.read_to_end(&mut new)? as u64;
        self.unfinished.append(&mut new);
        let mut rest: &[u8] = &self.unfinished;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end + 1);
            if let Some(line) = L::parse(line) {
                on_line(line)?;
            }
            rest = after;
        }
        self.unfinished = rest.to_vec();
        Ok(())
    }
}
