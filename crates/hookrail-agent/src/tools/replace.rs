//! `replace`: changes a passage of a file, found by its exact text.

use hookrail::{JsonObject, ToolContent, ToolResult};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::args::{Args, Parameter, declare};
use super::failure::{Failure, INVALID_PARAMS};
use super::paths::{Inside, Workspace};
use super::{BoxFuture, Tool, ToolContext, ToolKind, blocking, edits, text};

/// The tool. It needs the exact text rather than a pattern or line numbers, because these go wrong silently when the
/// model remembers an older state of the file.
pub(super) struct Replace;

impl Tool for Replace {
    fn name(&self) -> &'static str {
        "replace"
    }

    fn declaration(&self) -> Value {
        declare(
            self.name(),
            "Replaces text in a file of the project. `old_string` must match exactly, white space and line \
             endings included, and must occur exactly once unless `expected_replacements` says how often; \
             give enough lines around the change to make it unique. An empty `old_string` creates a new file.",
            &[
                Parameter {
                    name: "file_path",
                    kind: "STRING",
                    required: true,
                    description: "The file, relative to the project or absolute.",
                },
                Parameter {
                    name: "old_string",
                    kind: "STRING",
                    required: true,
                    description: "The exact text to replace; not a pattern.",
                },
                Parameter {
                    name: "new_string",
                    kind: "STRING",
                    required: true,
                    description: "The exact text to put in its place.",
                },
                Parameter {
                    name: "expected_replacements",
                    kind: "INTEGER",
                    required: false,
                    description: "How often `old_string` occurs; all are replaced. 1 if not given.",
                },
            ],
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn title(&self, args: &JsonObject) -> String {
        let size = |name| args.get(name).and_then(Value::as_str).map_or(0, str::len) as u64;
        let (old, new) = (size("old_string"), size("new_string"));
        format!("edit {} ({} → {})", Args(args).shown("file_path"), old, text::count(new, "byte", "bytes"))
    }

    fn writes<'a>(&self, args: &'a JsonObject) -> Option<&'a str> {
        args.get("file_path").and_then(Value::as_str)
    }

    fn run<'a>(&'a self, args: JsonObject, context: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(blocking(self.kind(), context, move |workspace, cancel| replace(workspace, &args, cancel)))
    }
}

/// Changes a file in one step: other programs see the old content or the new one.
fn replace(
    workspace: &Workspace,
    args: &JsonObject,
    cancel: &CancellationToken,
) -> Result<ToolResult, Failure> {
    let args = Args(args);
    let given = args.non_empty("file_path")?;
    let old = args.string("old_string")?;
    let new = args.string("new_string")?;
    let expected = args.optional_count("expected_replacements")?;
    if expected == Some(0) {
        let message = "argument `expected_replacements` must be at least 1";
        return Err(Failure::new(INVALID_PARAMS, message));
    }
    if old.is_empty() {
        return create(workspace, given, new, cancel);
    }
    if old == new {
        let message = "`old_string` and `new_string` are the same; there is nothing to change";
        return Err(Failure::new("edit_no_change", message));
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
    Ok(ToolResult {
        llm_content: ToolContent::Text(format!("Changed `{shown}` ({count}).")),
        return_display: Value::String(format!("Changed {shown} ({count})\n{change}")),
        metadata: json!({
            "file_path": shown, "bytes": changed.len(), "created": false, "replacements": places.len(),
        })
        .as_object()
        .cloned(),
        ..ToolResult::default()
    })
}

/// Creates a file. One that exists is not touched: the model believes that there is none, so it knows nothing of what
/// would be lost.
fn create(
    workspace: &Workspace,
    given: &str,
    content: &str,
    cancel: &CancellationToken,
) -> Result<ToolResult, Failure> {
    edits::refuse_folder_name(given)?;
    let inside = workspace.resolve(given)?;
    let shown = inside.shown();
    if inside.exists {
        let message = format!("`{shown}` exists already; an empty `old_string` only creates new files");
        return Err(Failure::new("attempt_to_create_existing_file", message));
    }
    edits::write_atomically(workspace, &inside, content.as_bytes(), cancel)?;
    let size = text::count(content.len() as u64, "byte", "bytes");
    Ok(ToolResult {
        llm_content: ToolContent::Text(format!("Created `{shown}` ({size}).")),
        return_display: Value::String(format!("Created {shown} ({size})\n{}", edits::summary("", content))),
        metadata: json!({
            "file_path": shown, "bytes": content.len(), "created": true, "replacements": 0,
        })
        .as_object()
        .cloned(),
        ..ToolResult::default()
    })
}

/// Refuses to change anything unless the text occurs as often as the caller says. The messages name the next step,
/// since the model reads them and tries again.
fn check_count(
    inside: &Inside,
    content: &[u8],
    old: &str,
    found: u64,
    expected: Option<u64>,
) -> Result<(), Failure> {
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
            Err(Failure::new("edit_no_occurrence_found", message))
        }
        (1, None) => Ok(()),
        (_, None) => Err(Failure::new(
            "edit_expected_occurrence_mismatch",
            format!(
                "`old_string` was found {found} times in `{shown}`, so it is not clear which one is meant. \
                 Add lines around it to make it unique, or set `expected_replacements` to {found} to replace all"
            ),
        )),
        (_, Some(expected)) if expected != found => Err(Failure::new(
            "edit_expected_occurrence_mismatch",
            format!(
                "`old_string` was found {} in `{shown}`, but `expected_replacements` is {expected}",
                text::count(found, "time", "times")
            ),
        )),
        _ => Ok(()),
    }
}

/// Where the needle starts, without overlaps.
fn occurrences(content: &[u8], needle: &[u8]) -> Vec<usize> {
    // Text has a linear search in the standard library; anything else is searched byte by byte, so that
    // a file in an old encoding can be edited without harm to its other bytes.
    if let (Ok(content), Ok(needle)) = (std::str::from_utf8(content), std::str::from_utf8(needle)) {
        return content.match_indices(needle).map(|(at, _)| at).collect();
    }
    let mut places = Vec::new();
    let mut next = 0;
    for (at, window) in content.windows(needle.len().max(1)).enumerate() {
        if at >= next && window == needle {
            places.push(at);
            next = at + needle.len();
        }
    }
    places
}

/// The content with `new` at each place in the stead of `length` bytes. It works on bytes: the rest of the file may be in
/// any encoding.
fn splice(content: &[u8], places: &[usize], length: usize, new: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(content.len());
    let mut from = 0;
    for &at in places {
        changed.extend_from_slice(content.get(from..at).unwrap_or_default());
        changed.extend_from_slice(new);
        from = at + length;
    }
    changed.extend_from_slice(content.get(from..).unwrap_or_default());
    changed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn occurrences_do_not_overlap() {
        for (content, needle, expected) in [
            (&b"aaaa"[..], "aa", vec![0, 2]),
            (b"\xffaaaa", "aa", vec![1, 3]),
            (b"\xff\xfe", "x", vec![]),
            (b"", "x", vec![]),
            (b"a\r\nb", "a\nb", vec![]),
        ] {
            assert_eq!(occurrences(content, needle.as_bytes()), expected, "{needle} in {content:?}");
        }
    }

    proptest! {
        #[test]
        fn splicing_equals_replacing_text(content in "[ab\n]{0,40}", old in "[ab\n]{1,3}", new in "[abc]{0,3}") {
            let places = occurrences(content.as_bytes(), old.as_bytes());
            let changed = splice(content.as_bytes(), &places, old.len(), new.as_bytes());
            prop_assert_eq!(changed, content.replace(&old, &new).into_bytes());
        }
    }
}
