//! `list_directory`: what is in one folder.
//!
//! Unlike the tools that search, it shows what git ignores: its purpose is to show everything that is there.

use std::fmt::Write as _;

use hookrail::{JsonObject, ToolContent, ToolResult};
use rustix::fs::FileType;
use serde_json::{Value, json};

use super::args::{Args, declare, required};
use super::failure::ToolFailure;
use super::paths::{self, Workspace};
use super::{BoxFuture, Tool, ToolContext, ToolKind, blocking, text};

/// More entries than this are counted, not shown.
const MOST_ENTRIES: usize = 1000;

/// The tool. It lists one folder and does not go below it.
pub(super) struct ListDirectory;

impl Tool for ListDirectory {
    fn name(&self) -> &'static str {
        "list_directory"
    }

    fn declaration(&self) -> Value {
        declare(
            self.name(),
            "Lists one folder of the project: folders first, with a `/`, then files with their sizes in bytes. \
             Hidden entries and those ignored by git are listed too.",
            &[required(
                "path",
                "STRING",
                "The folder, relative to the project or absolute; `.` for the project itself.",
            )],
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::ReadOnly
    }

    fn title(&self, args: &JsonObject) -> String {
        format!("list {}", Args(args).shown("path"))
    }

    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(blocking(self.kind(), context, move |workspace, _| list(workspace, &args)))
    }
}

/// Lists folders first and then by name without regard to case, as people expect it. Sizes are given so that the model
/// can decide what is worth reading; links are not followed.
fn list(workspace: &Workspace, args: &JsonObject) -> Result<ToolResult, ToolFailure> {
    let inside = workspace.resolve_existing(Args(args).string("path")?)?;
    let mut entries = workspace.entries(&inside)?;
    entries.sort_by_cached_key(|(name, stat)| {
        (paths::file_type(stat) != FileType::Directory, name.to_string_lossy().to_lowercase(), name.clone())
    });
    let shown = inside.shown();
    let total = entries.len();
    let lines: Vec<String> = entries
        .iter()
        .take(MOST_ENTRIES)
        .map(|(name, stat)| {
            let name = text::one_line(&name.to_string_lossy());
            match paths::file_type(stat) {
                FileType::Directory => format!("{name}/"),
                FileType::RegularFile => format!("{name} ({})", stat.st_size),
                FileType::Symlink => format!("{name} (link)"),
                _ => format!("{name} (neither file nor folder)"),
            }
        })
        .collect();
    let count = text::count(total as u64, "entry", "entries");
    let mut listing = if total == 0 {
        format!("Folder `{shown}` is empty.")
    } else {
        format!("Folder `{shown}` ({count}):\n{}", lines.join("\n"))
    };
    if total > MOST_ENTRIES {
        let more = total - MOST_ENTRIES;
        let _ = write!(listing, "\n[{more} more entries are not shown; use glob with a pattern to see them]");
    }
    Ok(ToolResult {
        llm_content: ToolContent::Text(listing),
        return_display: Value::String(format!("Listed {shown} ({count})")),
        metadata: json!({ "path": shown, "entries": total }).as_object().cloned(),
        ..ToolResult::default()
    })
}
