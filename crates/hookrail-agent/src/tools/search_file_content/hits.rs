//! The lines that match, within bounds of number, text and memory.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use hookrail::ToolResult;
use regex::bytes::Regex;
use rustix::fs::OFlags;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::paths::{self, Workspace};
use super::super::{report, text};

/// The search ends with this many matches.
const MOST_MATCHES: usize = 500;
/// The search also ends with this much text.
const MOST_BYTES: usize = 60_000;
/// Longer lines are shown around the match only.
const LONGEST_LINE: usize = 400;
/// What is shown of a long line before the match.
const BEFORE_MATCH: usize = 100;
/// A file with a line that needs more memory than this is left out.
const MOST_MEMORY: usize = 16 << 20;
/// How much of a file is read at once.
const PIECE: usize = 64 << 10;

/// The matching lines of all files that were searched so far.
pub(super) struct Hits {
    pattern: Regex,
    lines: Vec<String>,
    bytes: usize,
    files: u64,
    /// Files that could not be read, or had lines too long to be held.
    unread: u64,
}

impl Hits {
    /// An empty list.
    pub(super) fn new(pattern: Regex) -> Self {
        Self { pattern, lines: Vec::new(), bytes: 0, files: 0, unread: 0 }
    }

    /// Whether the bounds are reached; the walk ends then.
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= MOST_MATCHES || self.bytes >= MOST_BYTES
    }

    /// Adds the matches of one file. One that cannot be read is counted and mentioned at the end, and the search goes
    /// on.
    pub(super) fn search_file(&mut self, workspace: &Workspace, path: &Path, cancel: &CancellationToken) {
        let file = workspace.open_at(path, OFlags::RDONLY);
        let Ok(file) = file.and_then(|file| Ok((file.metadata()?.is_file(), file))) else {
            self.unread += 1;
            return;
        };
        let (true, file) = file else { return };
        let mut lines = FileLines {
            pattern: &self.pattern,
            name: paths::shown(path),
            found: Vec::new(),
            bytes: 0,
            most: MOST_MATCHES - self.lines.len(),
            most_bytes: MOST_BYTES.saturating_sub(self.bytes),
        };
        match lines.search(BufReader::with_capacity(PIECE, Cancellable { file, cancel })) {
            Err(_) => self.unread += 1,
            Ok(is_text) if !is_text || lines.found.is_empty() => {}
            Ok(_) => {
                self.files += 1;
                self.bytes += lines.bytes;
                self.lines.append(&mut lines.found);
            }
        }
    }

    /// The result for the model, with what was left out and why.
    pub(super) fn into_result(self, pattern: &str, place: &str) -> ToolResult {
        let pattern = text::one_line(pattern);
        let matches = text::count(self.lines.len() as u64, "match", "matches");
        let mut listing = if self.lines.is_empty() {
            format!("No line in `{place}` matches `{pattern}`.")
        } else {
            let files = text::count(self.files, "file", "files");
            format!("Found {matches} in {files}:\n{}", self.lines.join("\n"))
        };
        if self.is_full() {
            listing.push_str(
                "\n[The search ended here, there may be more; use a narrower pattern, `path` or `include`]",
            );
        }
        if self.unread > 0 {
            let files = text::count(self.unread, "file", "files");
            let _ = write!(listing, "\n[{files} could not be searched: unreadable, or with enormous lines]");
        }
        let facts = json!({
            "pattern": pattern, "path": place, "matches": self.lines.len(), "files": self.files,
            "truncated": self.is_full(),
        });
        report(listing, format!("Found {matches} of {pattern}"), &facts)
    }
}

/// The matches of one file; they only count once the whole file has proved to be text.
struct FileLines<'a> {
    pattern: &'a Regex,
    name: String,
    found: Vec<String>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl FileLines<'_> {
    /// Searches a file up to its end, the bounds or its first zero byte; whether it is text.
    fn search(&mut self, mut file: impl BufRead) -> io::Result<bool> {
        match file.fill_buf()? {
            [0xef, 0xbb, 0xbf, ..] => file.consume(3),
            [0xff, 0xfe, ..] => return self.search_lines(&*utf16(file, u16::from_le_bytes)?),
            [0xfe, 0xff, ..] => return self.search_lines(&*utf16(file, u16::from_be_bytes)?),
            _ => {}
        }
        self.search_lines(file)
    }

    fn search_lines(&mut self, mut file: impl BufRead) -> io::Result<bool> {
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            if file.by_ref().take(MOST_MEMORY as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.contains(&0) {
                return Ok(false);
            }
            if line.len() == MOST_MEMORY {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let Some(found) = self.pattern.find(text) else { continue };
            let shown = around(text.trim_ascii_end(), found.start());
            let shown = format!("{}:{number}: {shown}", self.name);
            self.bytes += shown.len();
            self.found.push(shown);
            if self.found.len() >= self.most || self.bytes >= self.most_bytes {
                break;
            }
        }
        Ok(true)
    }
}

/// A whole file of which the first two bytes say how it is written.
fn utf16(file: impl Read, unit: fn([u8; 2]) -> u16) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST_MEMORY as u64).read_to_end(&mut bytes)?;
    if bytes.len() == MOST_MEMORY {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let (units, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().skip(1).map(|pair| unit(*pair)).collect();
    Ok(String::from_utf16_lossy(&units).into_bytes())
}

/// The line, or of a long one the part around the match.
fn around(line: &[u8], found: usize) -> String {
    if line.len() <= LONGEST_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = found.saturating_sub(BEFORE_MATCH).min(line.len() - LONGEST_LINE);
    let part = line.get(from..from + LONGEST_LINE).unwrap_or_default();
    let part = text::whole_chars_before(text::whole_chars_after(part));
    let before = if from > 0 { "…" } else { "" };
    let after = if from + LONGEST_LINE < line.len() { "…" } else { "" };
    format!("{before}{}{after} [part of a line of {} bytes]", String::from_utf8_lossy(part), line.len())
}

/// A file that stops being readable once the call is cancelled, so that a huge one does not delay the end of the call.
struct Cancellable<'a> {
    file: File,
    cancel: &'a CancellationToken,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_around_the_match() {
        assert_eq!(around(b"short", 2), "short");
        let line = [b"x".repeat(5000), b"needle".to_vec(), b"y".repeat(5000)].concat();
        let shown = around(&line, 5000);
        assert!(shown.starts_with("…xxx") && shown.contains("needley"), "{shown}");
        assert!(shown.ends_with("yyy… [part of a line of 10006 bytes]"), "{shown}");
        assert!(around(&line, 0).starts_with("xxx"), "nothing is left out before the start");
        let accents = "é".repeat(1000);
        assert!(!around(accents.as_bytes(), 501).contains('\u{fffd}'), "no character is cut in two");
    }
}
