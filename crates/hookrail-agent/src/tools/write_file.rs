//! `write_file`: creates a file or replaces all of its content.
//!
//! It needs no earlier look at the file, other than `replace`: the model gives the whole content. The display shows the
//! lines that differ, so that a person sees what was lost.

use hookrail::{JsonObject, ToolContent, ToolResult};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::args::{Args, declare, required};
use super::failure::ToolFailure;
use super::paths::Workspace;
use super::{BoxFuture, Tool, ToolContext, ToolKind, blocking, edits, text};

/// The tool. It writes whole files, in contrast to `replace`.
pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn name(&self) -> &'static str {
        "write_file"
    }

    fn declaration(&self) -> Value {
        declare(
            self.name(),
            "Writes content to a file of the project: creates it, with the folders it needs, or replaces \
             everything in it. To change a part of a file, use `replace`.",
            &[
                required("file_path", "STRING", "The file, relative to the project or absolute."),
                required("content", "STRING", "The whole new content."),
            ],
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn title(&self, args: &JsonObject) -> String {
        let bytes = args.get("content").and_then(Value::as_str).map_or(0, str::len) as u64;
        format!("write {} ({})", Args(args).shown("file_path"), text::count(bytes, "byte", "bytes"))
    }

    fn writes<'a>(&self, args: &'a JsonObject) -> Option<&'a str> {
        args.get("file_path").and_then(Value::as_str)
    }

    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(blocking(self.kind(), context, move |workspace, cancel| write(workspace, &args, cancel)))
    }
}

/// Writes a file in one step, with the folders that are missing above it.
fn write(
    workspace: &Workspace,
    args: &JsonObject,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let given = Args(args).non_empty("file_path")?;
    let content = Args(args).string("content")?;
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
    Ok(ToolResult {
        llm_content: ToolContent::Text(format!("{verb} `{shown}` ({size}, {lines}).")),
        return_display: Value::String(format!("{verb} {shown} ({size})\n{change}")),
        metadata: json!({ "file_path": shown, "bytes": content.len(), "created": created })
            .as_object()
            .cloned(),
        ..ToolResult::default()
    })
}
