//! The files below a folder, by the rules of `.gitignore`.
//!
//! The walker goes by path and could follow a link that is swapped in while it walks, so it
//! only proposes: callers look at each file through [`Workspace`], which does not follow.

use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::failure::{ToolFailure, check};
use super::paths::{ProjectPath, Workspace};

/// Whether hidden files are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenFiles {
    Visit,
    Skip,
}

/// Calls `visit` with the path of every file, relative to the project, sorted by name, until it returns
/// false. Links are not followed; the folder `.git` is never entered.
pub(super) fn files(
    workspace: &Workspace,
    start: &ProjectPath,
    hidden: HiddenFiles,
    cancel: &CancellationToken,
    mut visit: impl FnMut(&Path) -> Result<bool, ToolFailure>,
) -> Result<(), ToolFailure> {
    let root = workspace.root().join(&start.relative);
    // Inside of a repository the rules are git's. Elsewhere a `.gitignore` of the project counts as
    // well, but none from folders above the project: those folders are not part of it.
    let in_repository = workspace.root().ancestors().any(|folder| folder.join(".git").exists());
    let walk = WalkBuilder::new(&root)
        .hidden(hidden == HiddenFiles::Skip)
        .require_git(in_repository)
        .parents(in_repository || !start.relative.as_os_str().is_empty())
        .git_global(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk {
        check(cancel)?;
        // A folder that cannot be read hides its files; the others are still worth seeing.
        let Some(path) = entry.ok().and_then(|entry| file_path(workspace, entry)) else { continue };
        if !visit(&path)? {
            break;
        }
    }
    Ok(())
}

fn file_path(workspace: &Workspace, entry: DirEntry) -> Option<PathBuf> {
    entry.file_type().filter(std::fs::FileType::is_file)?;
    entry.into_path().strip_prefix(workspace.root()).ok().map(Path::to_path_buf)
}
