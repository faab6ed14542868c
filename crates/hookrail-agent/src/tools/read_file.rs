//! `read_file`: a part of a text file, or a small picture or PDF.
//!
//! Files are read line by line and no further than asked, so that size is no danger.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};

use hookrail::genai::Part;
use hookrail::{JsonObject, ToolContent, ToolResult};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::args::{Args, Parameter, declare};
use super::failure::{Failure, INVALID_PARAMS, READ_FAILED, check};
use super::paths::{Inside, Workspace};
use super::{BoxFuture, Tool, ToolContext, ToolKind, blocking, text};

/// How many lines are read when the model names no number.
const DEFAULT_LINES: u64 = 2000;
/// No more text than this in one result, whatever the model asks for.
const MOST_BYTES: usize = 1 << 20;
/// Longer lines are cut: they are data, and one of them could fill the model's memory.
const LONGEST_LINE: usize = 64 << 10;
/// Where a zero byte makes a file binary.
const LOOKED_AT: usize = 8 << 10;
/// Pictures and PDFs up to this size are handed to the model as they are.
const LARGEST_ATTACHMENT: u64 = 4 << 20;

pub(super) struct ReadFile;

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn declaration(&self) -> Value {
        declare(
            self.name(),
            "Reads a file of the project. Of a long text file the first 2000 lines (at most 1 MiB) are given, \
             with a note how to read on by `offset` and `limit`. Small pictures (PNG, JPEG, GIF, WebP) and PDFs \
             are given as they are; other binary files are only described.",
            &[
                Parameter {
                    name: "file_path",
                    kind: "STRING",
                    required: true,
                    description: "The file, relative to the project or absolute.",
                },
                Parameter {
                    name: "offset",
                    kind: "INTEGER",
                    required: false,
                    description: "How many lines to skip: 0 starts at the first line.",
                },
                Parameter {
                    name: "limit",
                    kind: "INTEGER",
                    required: false,
                    description: "How many lines to read at most; 2000 if not given.",
                },
            ],
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::ReadOnly
    }

    fn title(&self, args: &JsonObject) -> String {
        format!("read {}", Args(args).shown("file_path"))
    }

    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(blocking(self.kind(), context, move |workspace, cancel| read(workspace, &args, cancel)))
    }
}

/// Reads lines of a text, or a file that models can look at as a whole. Of anything else only a description is given:
/// bytes that are no text would fill the model's memory for nothing.
fn read(workspace: &Workspace, args: &JsonObject, cancel: &CancellationToken) -> Result<ToolResult, Failure> {
    let args = Args(args);
    let given = args.non_empty("file_path")?;
    let offset = args.optional_count("offset")?.unwrap_or(0);
    let limit = args.optional_count("limit")?.unwrap_or(DEFAULT_LINES);
    if limit == 0 {
        return Err(Failure::new(INVALID_PARAMS, "argument `limit` must be at least 1"));
    }
    let inside = workspace.resolve_existing(given)?;
    let file = workspace.open_file(&inside)?;
    let problem = |error: io::Error| match error.kind() {
        io::ErrorKind::ConnectionAborted => Failure::cancelled(),
        _ => Failure::io(READ_FAILED, &format!("cannot read `{}`", inside.shown()), &error),
    };
    let size = file.metadata().map_err(problem)?.len();
    let mut reader = BufReader::with_capacity(LONGEST_LINE, file);
    let start = reader.fill_buf().map_err(problem)?;
    let start = start.get(..LOOKED_AT).unwrap_or(start);

    if let Some(mime_type) = attachable(start).filter(|_| size <= LARGEST_ATTACHMENT) {
        let mut bytes = Vec::new();
        reader.take(LARGEST_ATTACHMENT).read_to_end(&mut bytes).map_err(problem)?;
        return Ok(attachment(&inside, mime_type, &bytes));
    }
    if start.contains(&0) || attachable(start).is_some() {
        return Ok(description(&inside, attachable(start), size));
    }
    let passage = Passage::read(&mut reader, offset, limit, cancel).map_err(problem)?;
    check(cancel)?;
    if passage.lines == 0 && offset > 0 {
        let lines = text::count(passage.skipped, "line", "lines");
        let message = format!("offset {offset} is past the end: `{}` has {lines}", inside.shown());
        return Err(Failure::new(INVALID_PARAMS, message));
    }
    Ok(passage.into_result(&inside, size))
}

/// Some lines of a file.
struct Passage {
    text: Vec<u8>,
    skipped: u64,
    lines: u64,
    cut: u64,
    more: bool,
}

impl Passage {
    fn read(
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

    fn into_result(self, inside: &Inside, size: u64) -> ToolResult {
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
        ToolResult {
            llm_content: ToolContent::Text(llm_content),
            return_display: Value::String(format!("Read {shown} ({part})")),
            metadata: json!({
                "file_path": shown, "bytes": size, "offset": self.skipped, "lines": self.lines,
                "truncated": self.more || self.cut > 0,
            })
            .as_object()
            .cloned(),
            ..ToolResult::default()
        }
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

/// The type of a file that models can look at, told by its first bytes and not by its name.
fn attachable(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

fn attachment(inside: &Inside, mime_type: &str, bytes: &[u8]) -> ToolResult {
    let shown = inside.shown();
    let size = bytes.len();
    let mut data = Part::default();
    data.extra.insert("inlineData".to_owned(), json!({ "mimeType": mime_type, "data": base64(bytes) }));
    ToolResult {
        llm_content: ToolContent::Parts(vec![
            Part::text(format!("The content of `{shown}` ({mime_type}, {size} bytes):")),
            data,
        ]),
        return_display: Value::String(format!("Read {shown} ({mime_type}, {size} bytes)")),
        metadata: json!({ "file_path": shown, "bytes": size, "mime_type": mime_type }).as_object().cloned(),
        ..ToolResult::default()
    }
}

fn description(inside: &Inside, mime_type: Option<&str>, size: u64) -> ToolResult {
    let shown = inside.shown();
    let what = mime_type.unwrap_or("binary data");
    let why = if mime_type.is_some() { "too large to be shown" } else { "not shown" };
    ToolResult {
        llm_content: ToolContent::Text(format!(
            "`{shown}` is a binary file ({what}, {size} bytes); its content is {why}."
        )),
        return_display: Value::String(format!("{shown} is a binary file ({what}, {size} bytes)")),
        metadata: json!({ "file_path": shown, "bytes": size, "binary": true }).as_object().cloned(),
        ..ToolResult::default()
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| usize::from(group.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = DIGITS.get(word >> (18 - 6 * digit) & 63).copied().unwrap_or(b'=');
            text.push(if digit <= group.len() { char::from(value) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_standard() {
        // The test vectors of RFC 4648.
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }
}
