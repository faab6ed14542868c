//! `search_file_content`: lines that match a regular expression.
//!
//! The expression engine needs linear time and files are read in pieces, so neither a pattern nor a file that a model
//! chooses can delay the agent for long. What is found is bounded, and the result states when it was cut.

mod hits;

use globset::GlobMatcher;
use hookrail::ToolResult;
use regex::bytes::Regex;
use rustix::fs::FileType;
use tokio_util::sync::CancellationToken;

use self::hits::Hits;
use super::args::Args;
use super::failure::{INVALID_PARAMS, ToolFailure, check};
use super::paths::{self, Workspace};
use super::walk::{self, HiddenFiles};
use super::{Run, Tool, ToolKind, glob};

/// The tool. It finds lines by their content, in contrast to `glob`.
pub(super) const TOOL: Tool = Tool {
    name: "search_file_content",
    kind: ToolKind::ReadOnly,
    title: |args| format!("search for {}{}", args.shown("pattern"), args.shown_place("path")),
    run: Run::Files(search),
};

/// Searches a folder in the order of names, or a single file. For a pattern that does not compile the
/// engine's own message is passed on, so that the model can correct it.
fn search(
    workspace: &Workspace,
    args: Args<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolFailure> {
    let pattern = args.string("pattern")?;
    if pattern.is_empty() {
        return Err(ToolFailure::new(INVALID_PARAMS, "argument `pattern` must not be empty"));
    }
    let place = args.optional_string("path")?.unwrap_or(".");
    let include = args
        .optional_string("include")?
        .filter(|given| !given.is_empty())
        .map(include_matcher)
        .transpose()?;
    let no_pattern = |why: &dyn std::fmt::Display| {
        ToolFailure::new(
            INVALID_PARAMS,
            format!("argument `pattern` is not a valid regular expression: {why}"),
        )
    };
    if needs_line_end(pattern) {
        return Err(no_pattern(&"it needs a line end, but is matched within single lines"));
    }
    let pattern_of_lines = Regex::new(pattern).map_err(|error| no_pattern(&error))?;
    let start = workspace.resolve_existing(place)?;
    let facts = workspace.stat(&start.relative).map_err(|error| paths::swapped(&start, error))?;

    let mut hits = Hits::new(pattern_of_lines);
    if paths::file_type(&facts) == FileType::Directory {
        walk::files(workspace, &start, HiddenFiles::Visit, cancel, |path| {
            let below = path.strip_prefix(&start.relative).unwrap_or(path);
            if include.as_ref().is_none_or(|include| include.is_match(below)) {
                hits.search_file(workspace, path, cancel);
            }
            Ok(!hits.is_full())
        })?;
    } else {
        workspace.open_file(&start)?;
        hits.search_file(workspace, &start.relative, cancel);
    }
    check(cancel)?;
    Ok(hits.into_result(pattern, &start.shown()))
}

/// Whether a pattern has a line end outside of a class such as `[^\n]`, so that no single line can match it.
fn needs_line_end(pattern: &str) -> bool {
    let mut classes = 0_u32;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next() == Some('n') && classes == 0 => return true,
            '\n' if classes == 0 => return true,
            '[' => classes += 1,
            ']' => classes = classes.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// `*.rs` means any file of that name; a pattern with a `/` means the path below the folder searched.
fn include_matcher(include: &str) -> Result<GlobMatcher, ToolFailure> {
    let include = include.strip_prefix("./").unwrap_or(include);
    if include.contains('/') {
        glob::compile("include", include)
    } else {
        glob::compile("include", &format!("**/{include}"))
    }
}
