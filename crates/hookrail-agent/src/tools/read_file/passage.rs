//! Some lines of a text file, read no further than asked.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};

use hookrail::ToolResult;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::paths::ProjectPath;
use super::super::{report, text};

/// No more text than this in one result, whatever the model asks for.
const MOST_BYTES: usize = 1 << 20;
/// Longer lines are cut: they are data, and one of them could fill the model's context.
pub(super) const LONGEST_LINE: usize = 64 << 10;

/// Consecutive lines of a file, within the bounds of one result.
pub(super) struct Passage {
    text: Vec<u8>,
    /// Lines before the passage; fewer than asked for when the file ended first.
    pub(super) skipped: u64,
    pub(super) lines: u64,
    /// Lines of which only the beginning is given.
    cut: u64,
    /// Whether lines follow.
    more: bool,
}

impl Passage {
    /// Skips `offset` lines and reads up to `limit`. It ends early at the bound of bytes, but never before the first
    /// line: a result without any text would make the model ask for the same again.
    pub(super) fn read(
        reader: &mut BufReader<File>,
        offset: u64,
        limit: u64,
        cancel: &CancellationToken,
    ) -> io::Result<Self> {
        let mut passage = Self { text: Vec::new(), skipped: 0, lines: 0, cut: 0, more: false };
        let mut line = Vec::new();
        while passage.skipped < offset {
            if next_line(reader, 0, &mut line, cancel)?.is_none() {
                return Ok(passage);
            }
            passage.skipped += 1;
        }
        while passage.lines < limit {
            let Some(length) = next_line(reader, LONGEST_LINE, &mut line, cancel)? else {
                return Ok(passage);
            };
            if !passage.text.is_empty() && passage.text.len() + line.len() > MOST_BYTES {
                passage.more = true;
                return Ok(passage);
            }
            let cut = length > line.len() as u64;
            let kept = if cut { text::whole_chars_before(&line) } else { &line };
            passage.text.extend_from_slice(kept);
            if cut {
                passage.cut += 1;
                passage.text.extend_from_slice(
                    format!("… [this line has {length} bytes and is cut here]\n").as_bytes(),
                );
            }
            passage.lines += 1;
        }
        passage.more = !reader.fill_buf()?.is_empty();
        Ok(passage)
    }

    /// The text for the model, with a note in brackets when lines are left. The note names the offset to read on from.
    pub(super) fn into_result(self, inside: &ProjectPath, size: u64) -> ToolResult {
        let shown = inside.shown();
        let mut notes = Vec::new();
        let (first, last) = (self.skipped + 1, self.skipped + self.lines);
        if self.more {
            notes.push(format!(
                "These are lines {first} to {last} of a file of {size} bytes; more follow. \
                 Read on with offset {last}."
            ));
        }
        let content = match String::from_utf8(self.text) {
            Ok(text) => text,
            Err(error) => {
                notes.push(
                    "The file is not valid UTF-8; what could not be decoded is shown as \u{fffd}.".to_owned(),
                );
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
        };
        let mut llm_content = content;
        if !notes.is_empty() {
            let line_break = if llm_content.is_empty() || llm_content.ends_with('\n') { "" } else { "\n" };
            let _ = write!(llm_content, "{line_break}\n[{}]", notes.join(" "));
        }
        let part = if self.more || self.skipped > 0 {
            format!("lines {first} to {last}")
        } else {
            text::count(self.lines, "line", "lines")
        };
        report(
            llm_content,
            format!("Read {shown} ({part})"),
            &json!({
                "file_path": shown, "bytes": size, "offset": self.skipped, "lines": self.lines,
                "truncated": self.more || self.cut > 0,
            }),
        )
    }
}

/// Reads a line and keeps its first bytes; gives its whole length, or nothing at the end of the file.
fn next_line(
    reader: &mut BufReader<File>,
    keep: usize,
    line: &mut Vec<u8>,
    cancel: &CancellationToken,
) -> io::Result<Option<u64>> {
    line.clear();
    let mut length: u64 = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let available = reader.fill_buf()?;
        let end = available.iter().position(|byte| *byte == b'\n');
        let here = end.map_or(available.len(), |at| at + 1);
        let room = keep.saturating_sub(line.len()).min(here);
        line.extend_from_slice(available.get(..room).unwrap_or_default());
        reader.consume(here);
        length += here as u64;
        if end.is_some() || here == 0 {
            return Ok((length > 0).then_some(length));
        }
    }
}
