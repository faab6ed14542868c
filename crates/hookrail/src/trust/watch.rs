//! The files that the `watch` patterns of a hook mean, within bounds.
//!
//! A pattern is a path below the project in which `*` and `?` stand for parts of one name and `**` for any number of
//! folders. Folders that are links are not entered, so that a watch never leaves the project or runs in circles.

use std::fs;
use std::path::{Path, PathBuf};

use super::named_files::FilesError;
use crate::order;

/// How many files one hook may watch.
pub(super) const MAX_FILES: usize = 1_000;

/// How many bytes they may have together.
const MAX_BYTES: u64 = 16 << 20;

/// How many entries of folders are looked at for one hook.
const MAX_ENTRIES: usize = 50_000;

/// How deep folders are entered.
const MAX_DEPTH: usize = 64;

/// What patterns mean at one moment.
#[derive(Debug, Default)]
pub(crate) struct WatchedPaths {
    /// The files, in order.
    pub(crate) files: Vec<PathBuf>,
    /// The folders that were looked at. While none of them changes, no file comes or goes.
    pub(crate) folders: Vec<PathBuf>,
}

/// All files below `root` that any of the patterns means, and the folders that they were found in.
pub(crate) fn watched_paths(root: &Path, patterns: &[String]) -> Result<WatchedPaths, FilesError> {
    let patterns: Vec<Vec<&str>> =
        patterns.iter().map(|pattern| segments(pattern)).collect::<Result<_, _>>()?;
    if patterns.is_empty() {
        return Ok(WatchedPaths::default());
    }
    let mut walk = Walk { root, found: WatchedPaths::default(), bytes: 0, entries: 0 };
    let states = patterns.iter().map(Vec::as_slice).collect::<Vec<_>>();
    walk.enter(&mut PathBuf::new(), &states, 0)?;
    order::sort(&mut walk.found.files);
    Ok(walk.found)
}

/// The names of a pattern, `.` left out.
fn segments(pattern: &str) -> Result<Vec<&str>, FilesError> {
    let refuse = |why: &str| Err(FilesError::Watch(format!("`{pattern}` {why}")));
    if pattern.starts_with('/') {
        return refuse("is not relative to the project");
    }
    let mut segments: Vec<&str> = pattern.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if segments.contains(&"..") {
        return refuse("leaves the project");
    }
    if segments.is_empty() {
        return refuse("names nothing");
    }
    if pattern.ends_with('/') {
        segments.push("**");
    }
    Ok(segments)
}

struct Walk<'a> {
    root: &'a Path,
    found: WatchedPaths,
    bytes: u64,
    entries: usize,
}

impl Walk<'_> {
    /// Looks at one folder. `states` are the rests of the patterns that may still match inside of it.
    fn enter(&mut self, folder: &mut PathBuf, states: &[&[&str]], depth: usize) -> Result<(), FilesError> {
        if depth > MAX_DEPTH {
            return too_much("folders are nested too deeply");
        }
        let path = self.root.join(&*folder);
        let Ok(entries) = fs::read_dir(&path) else { return Ok(()) };
        self.found.folders.push(path);
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return too_much(format!("more than {MAX_ENTRIES} files and folders would be looked at"));
            }
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let next: Vec<&[&str]> = states.iter().flat_map(|state| step(state, &text)).collect();
            if next.is_empty() {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            folder.push(&name);
            if kind.is_dir() {
                self.enter(folder, &next, depth + 1)?;
            } else if next.iter().any(|rest| rest.is_empty() || **rest == ["**"]) {
                self.take(folder)?;
            }
            folder.pop();
        }
        Ok(())
    }

    fn take(&mut self, file: &Path) -> Result<(), FilesError> {
        let Ok(metadata) = fs::metadata(self.root.join(file)) else { return Ok(()) };
        if !metadata.is_file() {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        self.found.files.push(self.root.join(file));
        if self.found.files.len() > MAX_FILES {
            return too_much(format!("it means more than {MAX_FILES} files"));
        }
        if self.bytes > MAX_BYTES {
            return too_much(format!("its files have more than {} MiB together", MAX_BYTES >> 20));
        }
        Ok(())
    }
}

fn too_much(why: impl Into<String>) -> Result<(), FilesError> {
    Err(FilesError::Watch(why.into()))
}

/// What is left of a pattern after a name; nothing if the name does not fit.
fn step<'p>(state: &'p [&'p str], name: &str) -> Vec<&'p [&'p str]> {
    let mut left = Vec::new();
    match state {
        ["**", rest @ ..] => {
            // The repository's own store is not part of a project's files.
            if name != ".git" {
                left.push(state);
            }
            left.extend(step(rest, name));
        }
        [first, rest @ ..] if fits(first, name) => left.push(rest),
        _ => {}
    }
    left
}

/// Whether a name fits a pattern of one name.
fn fits(pattern: &str, name: &str) -> bool {
    let letters: Vec<Option<char>> = std::iter::once(None).chain(name.chars().map(Some)).collect();
    // For each letter, whether what was read of the pattern fits the name up to it.
    let mut fits: Vec<bool> = letters.iter().map(Option::is_none).collect();
    for sign in pattern.chars() {
        let mut before = false;
        for (place, letter) in fits.iter_mut().zip(&letters) {
            let fitted = std::mem::replace(place, before && (sign == '?' || *letter == Some(sign)));
            if sign == '*' {
                before |= fitted;
                *place = before;
            } else {
                before = fitted;
            }
        }
    }
    fits.last() == Some(&true)
}

#[cfg(test)]
mod tests;
