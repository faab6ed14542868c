//! What an exporter has not read yet, across the files of a log.
//!
//! The position is a file of its own beside the log. While it exists, a rotation keeps the files that were not read, up
//! to a bound; what is lost beyond it is counted.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::digest;

use serde::{Deserialize, Serialize};

use super::read::{FromLogLine as _, LoggedDecision, open_rotated};
use super::{KEPT, MAX_BYTES, NEVER_WAIT, identity, rotated};

/// How many files are kept for an exporter: 1 GB of them.
const MOST_UNREAD: u32 = 100;

/// How much one batch holds.
const BATCH_LINES: usize = 512;
const BATCH_BYTES: usize = 1024 * 1024;

/// A program that opened the log before it was moved aside may still write its line to the old file.
const SETTLED: Duration = Duration::from_secs(2);

/// How far the log was read: which file, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Position {
    device: u64,
    inode: u64,
    /// A hash of the file's first line: the number of a deleted file is used again.
    first_line: String,
    offset: u64,
    /// How many lost decisions were reported.
    #[serde(default)]
    pub(crate) lost: u64,
}

/// Decisions that were not read yet, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) decisions: Vec<String>,
    /// Where to go on once they were delivered; `None` if nothing was read.
    pub(crate) end: Option<Position>,
    /// Whether more may follow at once.
    pub(crate) has_more: bool,
}

pub(crate) fn position_file(log: &Path) -> PathBuf {
    log.with_file_name("export.json")
}

fn lost_file(log: &Path) -> PathBuf {
    log.with_file_name("export.lost")
}

impl Position {
    /// `None` if nothing was exported yet.
    pub(crate) fn load(log: &Path) -> io::Result<Option<Self>> {
        match fs::read(position_file(log)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn at(file: &mut File, offset: u64, lost: u64) -> io::Result<Self> {
        let (device, inode) = identity(&file.metadata()?);
        Ok(Self { device, inode, first_line: first_line(file)?, offset, lost })
    }

    fn is_in(&self, file: &mut File) -> io::Result<bool> {
        let metadata = file.metadata()?;
        Ok(identity(&metadata) == (self.device, self.inode)
            && metadata.len() >= self.offset
            && first_line(file)? == self.first_line)
    }
}

fn first_line(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    BufReader::new(file.take(4096)).read_until(b'\n', &mut line)?;
    Ok(digest::of(&line, 32))
}

/// Reads what follows the position, or everything.
pub(crate) fn read_batch(log: &Path, from: Option<&Position>) -> io::Result<Batch> {
    let mut files = open_rotated(log, MOST_UNREAD)?;
    let mut start = 0;
    let mut offset = 0;
    if let Some(position) = from {
        for (number, file) in files.iter_mut().enumerate() {
            if position.is_in(file)? {
                (start, offset) = (number, position.offset);
            }
        }
    }
    let lost = from.map_or(0, |position| position.lost);
    let newest = files.len().saturating_sub(1);
    let mut batch = Batch::default();
    let mut bytes = 0;
    for (number, file) in files.iter_mut().enumerate().skip(start) {
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = BufReader::new(&*file);
        let mut line = Vec::new();
        loop {
            if batch.decisions.len() >= BATCH_LINES || bytes >= BATCH_BYTES {
                batch.has_more = true;
                break;
            }
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            // A line without an end is still being written, or its writer was killed.
            if read == 0 || !line.ends_with(b"\n") {
                break;
            }
            offset += read as u64;
            if let Some(decision) = LoggedDecision::parse(&line) {
                bytes += decision.text.len();
                batch.decisions.push(decision.text);
            }
        }
        if offset > 0 {
            batch.end = Some(Position::at(file, offset, lost)?);
        }
        let is_settled = || {
            let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
            io::Result::Ok(age >= SETTLED)
        };
        if batch.has_more || number == newest {
            break;
        }
        if !is_settled()? {
            batch.has_more = true;
            break;
        }
        offset = 0;
    }
    Ok(batch)
}

/// How many files that were moved aside a rotation has to keep, those that it is about to move included. What it will lose
/// nevertheless is counted here, while it is still there.
pub(super) fn files_to_keep(log: &Path) -> u32 {
    let Ok(Some(position)) = Position::load(log) else { return KEPT };
    let is_read_up_to = |path: &Path| {
        fs::metadata(path).is_ok_and(|metadata| identity(&metadata) == (position.device, position.inode))
    };
    if is_read_up_to(log) {
        return KEPT;
    }
    let reached = (1..=MOST_UNREAD).find(|number| is_read_up_to(&rotated(log, *number)));
    if reached.is_none_or(|number| number == MOST_UNREAD) {
        count_lost(log, &rotated(log, MOST_UNREAD), reached.map_or(0, |_| position.offset));
    }
    reached.map_or(MOST_UNREAD, |number| (number + 1).clamp(KEPT, MOST_UNREAD))
}

/// Notes how many decisions of a file will be gone.
fn count_lost(log: &Path, file: &Path, offset: u64) {
    let Ok(mut file) = File::options().read(true).custom_flags(NEVER_WAIT).open(file) else { return };
    if file.seek(SeekFrom::Start(offset)).is_err() {
        return;
    }
    let lines = BufReader::new(file.take(2 * MAX_BYTES)).split(b'\n').map_while(Result::ok);
    let count = lines.filter(|line| LoggedDecision::parse(line).is_some()).count();
    let mut options = File::options();
    options.create(true).append(true).mode(0o600).custom_flags(NEVER_WAIT);
    let _ = options.open(lost_file(log)).and_then(|mut file| writeln!(file, "{count}"));
}

/// How many decisions were lost since the first export.
pub(crate) fn lost(log: &Path) -> u64 {
    let text = fs::read_to_string(lost_file(log)).unwrap_or_default();
    text.lines().filter_map(|line| line.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32) -> String {
        format!(
            "{{\"type\":\"decision\",\"event\":\"BeforeTool\",\"summary\":\"{number}\",\"decision\":\"allow\"}}\n"
        )
    }

    fn numbers(batch: &Batch) -> Vec<String> {
        let summary = |text: &String| serde_json::from_str::<LoggedDecision>(text).unwrap().summary.unwrap();
        batch.decisions.iter().map(summary).collect()
    }

    fn age(path: &Path) {
        let past = std::time::SystemTime::now() - Duration::from_mins(1);
        File::options().append(true).open(path).unwrap().set_modified(past).unwrap();
    }

    #[test]
    fn a_batch_goes_on_where_the_last_one_ended() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(&log, line(1) + &line(2) + "{\"type\":\"decision\",\"summ").unwrap();
        let first = read_batch(&log, None).unwrap();
        assert_eq!(numbers(&first), ["1", "2"], "the third has no end yet");
        fs::write(&log, line(1) + &line(2) + &line(3)).unwrap();
        let second = read_batch(&log, first.end.as_ref()).unwrap();
        assert_eq!(numbers(&second), ["3"]);
        assert_eq!(numbers(&read_batch(&log, second.end.as_ref()).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn a_rotation_neither_loses_nor_repeats() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(&log, line(1) + &line(2)).unwrap();
        let read = read_batch(&log, None).unwrap();
        fs::rename(&log, rotated(&log, 1)).unwrap();
        let old = fs::read_to_string(rotated(&log, 1)).unwrap();
        fs::write(rotated(&log, 1), old + &line(3)).unwrap();
        fs::write(&log, line(4)).unwrap();
        let unsettled = read_batch(&log, read.end.as_ref()).unwrap();
        assert_eq!((numbers(&unsettled), unsettled.has_more), (vec!["3".to_owned()], true));
        age(&rotated(&log, 1));
        assert_eq!(numbers(&read_batch(&log, unsettled.end.as_ref()).unwrap()), ["4"]);
    }

    #[test]
    fn files_that_were_not_read_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        assert_eq!(files_to_keep(&log), KEPT, "nobody exports");
        fs::write(rotated(&log, 7), line(1)).unwrap();
        let position = read_batch(&log, None).unwrap().end.unwrap();
        fs::write(position_file(&log), serde_json::to_vec(&position).unwrap()).unwrap();
        fs::write(&log, line(2)).unwrap();
        assert_eq!(files_to_keep(&log), 8);
        fs::rename(rotated(&log, 7), rotated(&log, MOST_UNREAD)).unwrap();
        fs::write(rotated(&log, MOST_UNREAD), line(1) + &line(2) + &line(3)).unwrap();
        assert_eq!(files_to_keep(&log), MOST_UNREAD);
        assert_eq!(lost(&log), 2, "the oldest file goes, and two of its lines were not read");
    }
}
