//! `glob`: files by the pattern of their names.
//!
//! Patterns are those of `.gitignore` and shells. They may not leave the project: the folder to look in is an argument
//! of its own, which is resolved like every other path.

use std::fmt::Write as _;
use std::path::PathBuf;

use globset::{GlobBuilder, GlobMatcher};
use hookrail::ToolResult;
use hookrail::rules::order;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::failure::{INVALID_PARAMS, ToolFailure};
use super::paths::{self, Workspace};
use super::walk::{self, HiddenFiles};
use super::{Run, Tool, ToolKind, report, text};

/// More files than this are counted, not shown.
const MOST_FILES: usize = 500;

/// The tool. It finds files by name, in contrast to `search_file_content`.
pub(super) const TOOL: Tool = Tool {
    name: "glob",
    kind: ToolKind::ReadOnly,
    title: |args| format!("find {}{}", args.shown("pattern"), args.shown_place("path")),
    run: Run::Files(find),
};

/// Finds files, the newest first: what was changed last is most often what the task is about. Hidden folders are left
/// out unless the pattern names one.
fn find(
    workspace: &Workspace,
    args: Args<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let pattern = args.non_empty("pattern")?;
    let place = args.optional_string("path")?.unwrap_or(".");
    let matcher = compile("pattern", relative_pattern(workspace, pattern)?)?;
    let start = workspace.resolve_folder(place)?;

    let hidden = if names_hidden(pattern) { HiddenFiles::Visit } else { HiddenFiles::Skip };
    let mut found: Vec<((i64, i128), PathBuf)> = Vec::new();
    walk::files(workspace, &start, hidden, cancel, |path| {
        if path.strip_prefix(&start.relative).is_ok_and(|below| matcher.is_match(below))
            && let Ok(stat) = workspace.stat(path)
        {
            // The type of nanoseconds differs between Linux and macOS.
            found.push(((stat.st_mtime, i128::from(stat.st_mtime_nsec)), path.to_path_buf()));
        }
        Ok(true)
    })?;
    order::sort_by(&mut found, |(a_time, a), (b_time, b)| b_time.cmp(a_time).then_with(|| a.cmp(b)));

    let (pattern, place) = (text::one_line(pattern), start.shown());
    let count = text::count(found.len() as u64, "file", "files");
    let mut listing = if found.is_empty() {
        format!("No file in `{place}` matches `{pattern}`.")
    } else {
        let lines: Vec<String> = found.iter().take(MOST_FILES).map(|(_, path)| paths::shown(path)).collect();
        format!("Found {count} matching `{pattern}` in `{place}`, newest first:\n{}", lines.join("\n"))
    };
    if found.len() > MOST_FILES {
        let more = found.len() - MOST_FILES;
        let _ = write!(listing, "\n[{more} more files are not shown; use a narrower pattern]");
    }
    Ok(report(
        listing,
        format!("Found {count} matching {pattern}"),
        &json!({ "pattern": pattern, "path": place, "files": found.len() }),
    ))
}

/// Compiles a pattern whose `*` stays within one folder.
pub(super) fn compile(argument: &str, pattern: &str) -> Result<GlobMatcher, ToolFailure> {
    GlobBuilder::new(pattern).literal_separator(true).build().map(|glob| glob.compile_matcher()).map_err(
        |error| {
            let problem = error.kind();
            let pattern = text::one_line(pattern);
            ToolFailure::new(
                INVALID_PARAMS,
                format!("argument `{argument}` is not a valid pattern: {problem} in `{pattern}`"),
            )
        },
    )
}

/// The pattern relative to the project. Models often give absolute ones, which are understood where they lead inside.
fn relative_pattern<'a>(workspace: &Workspace, pattern: &'a str) -> Result<&'a str, ToolFailure> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let below_project =
        workspace.root().to_str().and_then(|root| pattern.strip_prefix(root)?.strip_prefix('/'));
    let pattern = below_project.unwrap_or(pattern);
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        let message = "argument `pattern` must stay in the project: give the folder to look in as `path`";
        return Err(ToolFailure::new(INVALID_PARAMS, message));
    }
    Ok(pattern)
}

/// Whether some name in the pattern starts with a dot, also as the first letter of an alternative.
fn names_hidden(pattern: &str) -> bool {
    let mut previous = '/';
    for c in pattern.trim_start_matches("./").chars() {
        if c == '.' && matches!(previous, '/' | '{' | ',' | '[') {
            return true;
        }
        previous = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_name_hidden_files_are_recognised() {
        for (pattern, expected) in [
            ("**/*.rs", false),
            ("./src/*.rs", false),
            (".github/**", true),
            ("**/.env", true),
            ("{.env,x}", true),
            ("*.{a,.b}", true),
            ("a.b", false),
        ] {
            assert_eq!(names_hidden(pattern), expected, "{pattern}");
        }
    }
}
