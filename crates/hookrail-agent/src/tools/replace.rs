//! `replace`: changes a passage of a file, found by its exact text.
//!
//! An edit is made when the text occurs exactly as often as the model states. Everything else is refused with the number
//! that was found, because a model that guesses wrong would change a place it never looked at.

mod occurrences;

use hookrail::ToolResult;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::occurrences::{occurrences, splice};
use super::args::Args;
use super::failure::{INVALID_PARAMS, ToolFailure};
use super::paths::{ProjectPath, Workspace};
use super::{Run, Tool, ToolKind, edits, report, text};

/// The tool. It needs the exact text rather than a pattern or line numbers, because these go wrong silently when the
/// model remembers an older state of the file.
pub(super) const TOOL: Tool = Tool {
    name: "replace",
    kind: ToolKind::Edit,
    // The sizes are there because the title is all that a person reads when no preview can be shown.
    title: |args| {
        let (old, new) = (args.length("old_string"), text::count(args.length("new_string"), "byte", "bytes"));
        format!("edit {} ({old} → {new})", args.shown("file_path"))
    },
    run: Run::Files(replace),
};

/// Changes a file in one step: other programs see the old content or the new one.
fn replace(
    workspace: &Workspace,
    args: Args<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let given = args.non_empty("file_path")?;
    let old = args.string("old_string")?;
    let new = args.string("new_string")?;
    let expected = args.optional_count("expected_replacements")?;
    if expected == Some(0) {
        let message = "argument `expected_replacements` must be at least 1";
        return Err(ToolFailure::new(INVALID_PARAMS, message));
    }
    if old.is_empty() {
        return create(workspace, given, new, cancel);
    }
    if old == new {
        let message = "`old_string` and `new_string` are the same; there is nothing to change";
        return Err(ToolFailure::new("edit_no_change", message));
    }

    let inside = workspace.resolve_existing(given)?;
    let content = edits::read_whole(workspace, &inside)?;
    let places = occurrences(&content, old.as_bytes());
    check_count(&inside, &content, old, places.len() as u64, expected)?;
    let changed = splice(&content, &places, old.len(), new.as_bytes());
    edits::write_atomically(workspace, &inside, &changed, cancel)?;

    let shown = inside.shown();
    let count = text::count(places.len() as u64, "replacement", "replacements");
    let change = edits::summary(&String::from_utf8_lossy(&content), &String::from_utf8_lossy(&changed));
    Ok(report(
        format!("Changed `{shown}` ({count})."),
        format!("Changed {shown} ({count})\n{change}"),
        &json!({
            "file_path": shown, "bytes": changed.len(), "created": false, "replacements": places.len(),
        }),
    ))
}

/// Creates a file. One that exists is not touched: the model assumes that there is none, so it has not read
/// what would be lost.
fn create(
    workspace: &Workspace,
    given: &str,
    content: &str,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    edits::refuse_folder_name(given)?;
    let inside = workspace.resolve(given)?;
    let shown = inside.shown();
    if inside.exists {
        let message = format!("`{shown}` exists already; an empty `old_string` only creates new files");
        return Err(ToolFailure::new("attempt_to_create_existing_file", message));
    }
    edits::write_atomically(workspace, &inside, content.as_bytes(), cancel)?;
    let size = text::count(content.len() as u64, "byte", "bytes");
    Ok(report(
        format!("Created `{shown}` ({size})."),
        format!("Created {shown} ({size})\n{}", edits::summary("", content)),
        &json!({
            "file_path": shown, "bytes": content.len(), "created": true, "replacements": 0,
        }),
    ))
}

/// Refuses to change anything unless the text occurs as often as the caller expects. The messages name the next step,
/// since the model reads them and tries again.
fn check_count(
    inside: &ProjectPath,
    content: &[u8],
    old: &str,
    found: u64,
    expected: Option<u64>,
) -> Result<(), ToolFailure> {
    let shown = inside.shown();
    match (found, expected) {
        (0, _) => {
            let mut message =
                format!("`old_string` was not found in `{shown}`; it must match the file exactly");
            let with_crlf = old.replace("\r\n", "\n").replace('\n', "\r\n");
            if old.contains('\n')
                && with_crlf != old
                && !occurrences(content, with_crlf.as_bytes()).is_empty()
            {
                message.push_str(". The file ends its lines with CRLF: write \\r\\n in both strings");
            } else {
                message.push_str(". Read the file again and copy the text");
            }
            Err(ToolFailure::new("edit_no_occurrence_found", message))
        }
        (1, None) => Ok(()),
        (_, None) => Err(ToolFailure::new(
            "edit_expected_occurrence_mismatch",
            format!(
                "`old_string` was found {found} times in `{shown}`, so it is not clear which one is meant. \
                 Add lines around it to make it unique, or set `expected_replacements` to {found} to replace all"
            ),
        )),
        (_, Some(expected)) if expected != found => Err(ToolFailure::new(
            "edit_expected_occurrence_mismatch",
            format!(
                "`old_string` was found {} in `{shown}`, but `expected_replacements` is {expected}",
                text::count(found, "time", "times")
            ),
        )),
        _ => Ok(()),
    }
}
