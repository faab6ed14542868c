//! `list_directory`: what is in one folder.
//!
//! Unlike the tools that search, it shows what git ignores: its purpose is to show everything that is there.

use std::fmt::Write as _;

use hookrail::ToolResult;
use rustix::fs::FileType;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::failure::ToolFailure;
use super::paths::{self, Workspace};
use super::{Run, Tool, ToolKind, report, text};

/// More entries than this are counted, not shown.
const MOST_ENTRIES: usize = 1000;

/// The tool. It lists one folder and does not go below it.
pub(super) const TOOL: Tool = Tool {
    name: "list_directory",
    kind: ToolKind::ReadOnly,
    title: |args| format!("list {}", args.shown("path")),
    run: Run::Files(list),
};

/// Lists folders first and then by name without regard to case, as people expect it. Sizes are given so that the model
/// can decide what is worth reading; links are not followed.
fn list(workspace: &Workspace, args: Args<'_>, _: &CancellationToken) -> Result<ToolResult, ToolFailure> {
    let inside = workspace.resolve_existing(args.string("path")?)?;
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
    Ok(report(listing, format!("Listed {shown} ({count})"), &json!({ "path": shown, "entries": total })))
}
