//! The lines that match, within bounds of number, text and memory.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use hookrail::{ToolContent, ToolResult};
use rustix::fs::OFlags;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::paths::{self, Workspace};
use super::super::text;

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

/// The matching lines of all files that were searched so far.
pub(super) struct Hits {
    matcher: RegexMatcher,
    searcher: Searcher,
    lines: Vec<String>,
    bytes: usize,
    files: u64,
    /// Files that could not be read, or had lines too long to be held.
    unread: u64,
}

impl Hits {
    /// An empty list. Files are searched up to their first zero byte, and with a bound on memory for one line.
    pub(super) fn new(matcher: RegexMatcher) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MOST_MEMORY))
            .line_number(true)
            .line_terminator(LineTerminator::crlf())
            .build();
        Self { matcher, searcher, lines: Vec::new(), bytes: 0, files: 0, unread: 0 }
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
            matcher: &self.matcher,
            name: paths::shown(path),
            found: Vec::new(),
            bytes: 0,
            most: MOST_MATCHES - self.lines.len(),
            most_bytes: MOST_BYTES.saturating_sub(self.bytes),
            binary: false,
        };
        match self.searcher.search_reader(&self.matcher, Cancellable { file, cancel }, &mut lines) {
            Err(_) => self.unread += 1,
            Ok(()) if lines.binary || lines.found.is_empty() => {}
            Ok(()) => {
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
        ToolResult {
            metadata: json!({
                "pattern": pattern, "path": place, "matches": self.lines.len(), "files": self.files,
                "truncated": self.is_full(),
            })
            .as_object()
            .cloned(),
            return_display: Value::String(format!("Found {matches} of {pattern}")),
            llm_content: ToolContent::Text(listing),
            ..ToolResult::default()
        }
    }
}

/// The matches of one file; they only count once the whole file has proved to be text.
struct FileLines<'a> {
    matcher: &'a RegexMatcher,
    name: String,
    found: Vec<String>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
    binary: bool,
}

impl Sink for FileLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = found.bytes().trim_ascii_end();
        let start = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        let text = format!("{}:{}: {}", self.name, found.line_number().unwrap_or(0), around(line, start));
        self.bytes += text.len();
        self.found.push(text);
        Ok(self.found.len() < self.most && self.bytes < self.most_bytes)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
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
