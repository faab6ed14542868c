//! `write_file`: creates a file or replaces all of its content.
//!
//! It needs no earlier look at the file, other than `replace`: the model gives the whole content. The display shows the
//! lines that differ, so that a person sees what was lost.

use hookrail::ToolResult;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::failure::ToolFailure;
use super::paths::Workspace;
use super::{Run, Tool, ToolKind, edits, report, text};

/// The tool. It writes whole files, in contrast to `replace`.
pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    kind: ToolKind::Edit,
    title: |args| {
        let bytes = args.length("content");
        format!("write {} ({})", args.shown("file_path"), text::count(bytes, "byte", "bytes"))
    },
    run: Run::Files(write),
};

/// Writes a file in one step, with the folders that are missing above it.
fn write(
    workspace: &Workspace,
    args: Args<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let given = args.non_empty("file_path")?;
    let content = args.string("content")?;
    edits::refuse_folder_name(given)?;
    let inside = workspace.resolve(given)?;
    // Only for the display: what cannot be read as text can still be replaced.
    let old = if inside.exists { edits::read_whole(workspace, &inside).ok() } else { None };
    let created = edits::write_atomically(workspace, &inside, content.as_bytes(), cancel)?;

    let shown = inside.shown();
    let verb = if created { "Created" } else { "Overwrote" };
    let size = text::count(content.len() as u64, "byte", "bytes");
    let lines = text::count(content.lines().count() as u64, "line", "lines");
    let change = match old.map(String::from_utf8) {
        Some(Err(_)) => "(the old content was not text)".to_owned(),
        Some(Ok(old)) => edits::summary(&old, content),
        None if created => edits::summary("", content),
        None => "(the old content could not be compared)".to_owned(),
    };
    Ok(report(
        format!("{verb} `{shown}` ({size}, {lines})."),
        format!("{verb} {shown} ({size})\n{change}"),
        &json!({ "file_path": shown, "bytes": content.len(), "created": created }),
    ))
}
