//! `read_file`: a part of a text file, or a small picture or PDF.
//!
//! Files are read line by line and no further than asked, so that memory does not depend on their size.

mod attachment;
mod passage;

use std::io::{self, BufRead as _, BufReader, Read as _};

use hookrail::ToolResult;
use tokio_util::sync::CancellationToken;

use self::attachment::{attachable, attachment, description};
use self::passage::{LONGEST_LINE, Passage};
use super::args::Args;
use super::failure::{INVALID_PARAMS, READ_FAILED, ToolFailure, check};
use super::paths::Workspace;
use super::{Run, Tool, ToolKind, text};

/// How many lines are read when the model names no number.
const DEFAULT_LINES: u64 = 2000;
/// Where a zero byte makes a file binary.
const LOOKED_AT: usize = 8 << 10;
/// Pictures and PDFs up to this size are handed to the model as they are.
const LARGEST_ATTACHMENT: u64 = 4 << 20;

/// The tool. It is the only one that gives content of files other than matching lines.
pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    kind: ToolKind::ReadOnly,
    title: |args| format!("read {}", args.shown("file_path")),
    run: Run::Files(read),
};

/// Reads lines of a text, or a file that models can look at as a whole. Of anything else only a description is given:
/// bytes that are not text would fill the model's context without being of use.
fn read(
    workspace: &Workspace,
    args: Args<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let given = args.non_empty("file_path")?;
    let offset = args.optional_count("offset")?.unwrap_or(0);
    let limit = args.optional_count("limit")?.unwrap_or(DEFAULT_LINES);
    if limit == 0 {
        return Err(ToolFailure::new(INVALID_PARAMS, "argument `limit` must be at least 1"));
    }
    let inside = workspace.resolve_existing(given)?;
    let file = workspace.open_file(&inside)?;
    let problem = |error: io::Error| match error.kind() {
        io::ErrorKind::ConnectionAborted => ToolFailure::cancelled(),
        _ => ToolFailure::io(READ_FAILED, &format!("cannot read `{}`", inside.shown()), &error),
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
        return Err(ToolFailure::new(INVALID_PARAMS, message));
    }
    Ok(passage.into_result(&inside, size))
}
