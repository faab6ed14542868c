//! What a call would do to a file, for the person who is asked about it.

use std::path::Path;

use hookrail::JsonObject;
use hookrail_shell::outline;
use serde_json::{Value, json};

use super::paths::Workspace;
use super::protected::ProtectedPaths;
use super::{Tool, ToolKind, edits};

/// Lines of each side of a change that a question shows.
const SHOWN_LINES: usize = 40;

/// Lines of each side of a change that hooks are given.
const HOOK_LINES: usize = 2_000;

/// Files larger than this are not compared.
const LARGEST: u64 = 1024 * 1024;

/// The lines that a call would change in a file.
pub(crate) struct FileChange {
    /// For people; it contains the number of lines that are left out.
    pub(crate) shown: String,
    for_hooks: String,
}

/// The change that a call would make; `None` for a call that edits no file. It holds for this moment: the call
/// itself reads the file again.
pub(crate) fn of(tool: &Tool, args: &JsonObject, project: &Path) -> Option<FileChange> {
    if tool.kind != ToolKind::Edit {
        return None;
    }
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    let (old, new) = match (text("content"), text("old_string"), text("new_string")) {
        (Some(content), ..) => (current(project, text("file_path")?), content),
        (None, Some(old), Some(new)) => (Some(old.to_owned()), new),
        _ => return None,
    };
    let Some(old) = old else {
        let unknown = "(the present content is not text and cannot be compared)\n";
        let side = |lines| format!("{unknown}{}", edits::summary_of("", new, lines));
        return Some(FileChange { shown: side(SHOWN_LINES), for_hooks: side(HOOK_LINES) });
    };
    Some(FileChange {
        shown: edits::summary_of(&old, new, SHOWN_LINES),
        for_hooks: edits::summary_of(&old, new, HOOK_LINES),
    })
}

/// What is in a file now; empty if there is none, `None` if it cannot be compared.
fn current(project: &Path, path: &str) -> Option<String> {
    let workspace = Workspace::open(project, &ProtectedPaths::default()).ok()?;
    let inside = workspace.resolve(path).ok()?;
    if !inside.exists {
        return Some(String::new());
    }
    let stat = workspace.stat(&inside.relative).ok()?;
    if u64::try_from(stat.st_size).ok()? > LARGEST {
        return None;
    }
    String::from_utf8(edits::read_whole(&workspace, &inside).ok()?).ok()
}

/// What `Notification` hooks are given about a call, besides its arguments.
pub(crate) fn details(tool: &Tool, args: &JsonObject, change: Option<&FileChange>) -> JsonObject {
    let mut details = JsonObject::new();
    let mut add = |name: &str, value: Value| {
        details.insert(name.to_owned(), value);
    };
    match tool.kind {
        ToolKind::Execute => {
            if let Some(command) = args.get("command").and_then(Value::as_str) {
                add("command", json!(command));
                add("rootCommand", json!(root_command(command)));
            }
        }
        ToolKind::Edit => {
            if let Some(path) = args.get("file_path").and_then(Value::as_str) {
                let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
                add("filePath", json!(path));
                add("fileName", json!(name.unwrap_or_default()));
            }
            if let Some(change) = change {
                add("fileDiff", json!(change.for_hooks));
            }
        }
        ToolKind::ReadOnly => {}
    }
    details
}

/// The program that a command line names first, without its folder. It is a label for people: what else the line runs
/// is for rules to find out.
fn root_command(command: &str) -> String {
    let outline = outline(command);
    let Some(first) = outline.commands.iter().find_map(|command| command.words.first()) else {
        return String::new();
    };
    // What is only known when it runs is shown as it is written.
    let written = || command.get(first.span.clone()).unwrap_or_default().to_owned();
    let program = first.literal().unwrap_or_else(written);
    program.rsplit('/').next().unwrap_or(&program).to_owned()
}

#[cfg(test)]
mod tests;
