//! The files that the `watch` of a worker's hooks matches.
//!
//! Walking through folders before each event would cost more than the event. So the files and the folders they were found
//! in are looked at one by one, and walked through again when a folder changed.

use std::path::{Path, PathBuf};

use super::files::SeenPath;
use crate::trust::{WatchedPaths, watched_paths};

/// What is watched: patterns, and where they begin.
#[derive(Debug, Default)]
pub(super) struct Watch {
    root: PathBuf,
    patterns: Vec<String>,
}

/// What the patterns matched at one moment.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    /// How many patterns there were.
    patterns: usize,
    /// `None` where the patterns cannot be followed: then a change cannot be excluded.
    found: Option<MatchedPaths>,
}

#[derive(Debug)]
struct MatchedPaths {
    files: Vec<SeenPath>,
    folders: Vec<SeenPath>,
}

impl Watch {
    /// No patterns yet. They will match files below this directory.
    pub(super) fn below(root: &Path) -> Self {
        Self { root: root.to_owned(), patterns: Vec::new() }
    }

    /// Adds patterns that are not there yet.
    pub(super) fn add(&mut self, patterns: &[String]) {
        for pattern in patterns {
            if !self.patterns.contains(pattern) {
                self.patterns.push(pattern.clone());
            }
        }
    }

    /// What the patterns match now.
    pub(super) fn load(&self) -> WatchedFiles {
        WatchedFiles { patterns: self.patterns.len(), found: self.find() }
    }

    /// Whether all that is watched is as it was.
    pub(super) fn is_as(&self, before: &mut WatchedFiles) -> bool {
        if before.patterns != self.patterns.len() {
            return false;
        }
        let Some(found) = &mut before.found else { return false };
        if !found.files.iter().all(SeenPath::is_unchanged) {
            return false;
        }
        if found.folders.iter().all(SeenPath::is_unchanged) {
            return true;
        }
        // A file was added or removed, which may be one that is not watched.
        let Some(now) = self.find() else { return false };
        let is_same = now.files == found.files;
        *found = now;
        is_same
    }

    fn find(&self) -> Option<MatchedPaths> {
        let WatchedPaths { files, folders } = watched_paths(&self.root, &self.patterns).ok()?;
        let seen = |paths: Vec<PathBuf>| paths.into_iter().map(SeenPath::load).collect();
        // The folders first: what comes while the files are looked at is then found next time.
        let folders = seen(folders);
        Some(MatchedPaths { files: seen(files), folders })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_watched_counts_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("hooks/inner")).unwrap();
        fs::write(path("hooks/inner/words.txt"), "a").unwrap();
        let mut watch = Watch::below(folder.path());
        watch.add(&["hooks/**/*.txt".to_owned()]);
        let mut before = watch.load();
        assert!(watch.is_as(&mut before));
        for (name, text, same) in [
            ("hooks/inner/words.txt", "ab", false),
            ("hooks/inner/more.txt", "", false),
            ("hooks/inner/other.py", "", true),
            ("beside.txt", "", true),
        ] {
            fs::write(path(name), text).unwrap();
            assert_eq!(watch.is_as(&mut before), same, "{name}");
            before = watch.load();
        }
        fs::create_dir(path("hooks/new")).unwrap();
        assert!(watch.is_as(&mut before), "a folder without such a file");
        fs::write(path("hooks/new/words.txt"), "").unwrap();
        assert!(!watch.is_as(&mut before), "a file in a folder that came later");
        before = watch.load();
        fs::remove_file(path("hooks/new/words.txt")).unwrap();
        assert!(!watch.is_as(&mut before));
        before = watch.load();
        watch.add(&["hooks/**/*.txt".to_owned()]);
        assert!(watch.is_as(&mut before), "nothing new to watch");
        watch.add(&["/etc/passwd".to_owned()]);
        assert!(!watch.is_as(&mut before));
        before = watch.load();
        assert!(!watch.is_as(&mut before), "a watch that cannot be kept");
    }

    #[test]
    fn nothing_to_watch_never_changes() {
        let watch = Watch::default();
        assert!(watch.is_as(&mut watch.load()));
    }
}
