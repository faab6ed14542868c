//! The files that a worker was made from: those that its command names, and those that its hooks watch. When one changes,
//! the next event gets a new process, as it would have without a worker.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::command::PreparedCommand;
use crate::run::environment::get;
use crate::trust::{Identity, WatchedPaths, named_paths, watched_paths};

/// The most files that are looked at before each event.
const MOST_FILES: usize = 32;

#[derive(Debug, Default)]
pub(super) struct CommandFiles {
    paths: Vec<PathBuf>,
    /// Files that these patterns match below the root are watched, too.
    patterns: Vec<String>,
    root: PathBuf,
}

/// How the files were at one moment.
#[derive(Debug)]
pub(super) struct FilesFingerprint {
    named: Vec<SeenPath>,
    /// How many patterns there were.
    patterns: usize,
    /// `None` where the patterns cannot be followed: then a change cannot be excluded.
    watched: Option<MatchedPaths>,
}

/// A path, and the file that was there at one moment.
#[derive(Debug, PartialEq, Eq)]
struct SeenPath {
    path: PathBuf,
    /// `None` where nothing was, or it could not be looked at.
    file: Option<Identity>,
}

/// What patterns matched, and the folders it was found in. Walking through folders before each event would cost more than
/// the event. So files and folders are looked at one by one, and walked through again when a folder changed.
#[derive(Debug)]
struct MatchedPaths {
    files: Vec<SeenPath>,
    folders: Vec<SeenPath>,
}

impl CommandFiles {
    /// Every file that a command names, for whatever purpose. A file too many costs a restart, no more.
    pub(super) fn named_in(command: &str, prepared: &PreparedCommand) -> Self {
        let home = get(&prepared.env, "HOME").map(Path::new);
        let mut paths = named_paths(command, &prepared.cwd, home);
        paths.retain(|path| path.is_file());
        paths.truncate(MOST_FILES - 1);
        let program = prepared.cwd.join(&prepared.program);
        if !paths.contains(&program) {
            paths.push(program);
        }
        Self { paths, patterns: Vec::new(), root: prepared.cwd.clone() }
    }

    /// Exactly these.
    #[cfg(test)]
    fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, ..Self::default() }
    }

    /// Files that these patterns match count, too.
    pub(super) fn also_watch(&mut self, patterns: &[String]) {
        for pattern in patterns {
            if !self.patterns.contains(pattern) {
                self.patterns.push(pattern.clone());
            }
        }
    }

    /// How they are now.
    pub(super) fn load_fingerprint(&self) -> FilesFingerprint {
        let named = self.paths.iter().cloned().map(SeenPath::load).collect();
        FilesFingerprint { named, patterns: self.patterns.len(), watched: self.watched() }
    }

    /// Whether they still are as they were.
    pub(super) fn are_as(&self, before: &mut FilesFingerprint) -> bool {
        if !are_unchanged(&before.named) || before.patterns != self.patterns.len() {
            return false;
        }
        let Some(watched) = &mut before.watched else { return false };
        if !are_unchanged(&watched.files) {
            return false;
        }
        if are_unchanged(&watched.folders) {
            return true;
        }
        // A file was added or removed, which may be one that is not watched.
        let Some(now) = self.watched() else { return false };
        let is_same = now.files == watched.files;
        *watched = now;
        is_same
    }

    fn watched(&self) -> Option<MatchedPaths> {
        let WatchedPaths { files, folders } = watched_paths(&self.root, &self.patterns).ok()?;
        let seen = |paths: Vec<PathBuf>| paths.into_iter().map(SeenPath::load).collect();
        // The folders first: what comes while the files are looked at is then found next time.
        let folders = seen(folders);
        Some(MatchedPaths { files: seen(files), folders })
    }
}

impl SeenPath {
    fn load(path: PathBuf) -> Self {
        let file = identity_at(&path);
        Self { path, file }
    }
}

/// Whether the same files are there, with the same content as far as their metadata show.
fn are_unchanged(paths: &[SeenPath]) -> bool {
    paths.iter().all(|seen| identity_at(&seen.path) == seen.file)
}

fn identity_at(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| Identity::of(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guard.py");
        fs::write(&path, "1").unwrap();
        let files = CommandFiles::of(vec![path.clone(), folder.path().join("missing")]);
        let mut before = files.load_fingerprint();
        assert!(files.are_as(&mut before));
        fs::write(folder.path().join("missing"), "").unwrap();
        assert!(!files.are_as(&mut before), "one that was not there");
        let mut before = files.load_fingerprint();
        fs::write(&path, "12").unwrap();
        assert!(!files.are_as(&mut before));
        let mut before = files.load_fingerprint();
        fs::remove_file(&path).unwrap();
        assert!(!files.are_as(&mut before));
    }

    #[test]
    fn what_is_watched_counts_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("hooks/inner")).unwrap();
        fs::write(path("hooks/inner/words.txt"), "a").unwrap();
        let mut watch = CommandFiles { root: folder.path().to_owned(), ..CommandFiles::default() };
        watch.also_watch(&["hooks/**/*.txt".to_owned()]);
        let mut before = watch.load_fingerprint();
        assert!(watch.are_as(&mut before));
        for (name, text, same) in [
            ("hooks/inner/words.txt", "ab", false),
            ("hooks/inner/more.txt", "", false),
            ("hooks/inner/other.py", "", true),
            ("beside.txt", "", true),
        ] {
            fs::write(path(name), text).unwrap();
            assert_eq!(watch.are_as(&mut before), same, "{name}");
            before = watch.load_fingerprint();
        }
        fs::create_dir(path("hooks/new")).unwrap();
        assert!(watch.are_as(&mut before), "a folder without such a file");
        fs::write(path("hooks/new/words.txt"), "").unwrap();
        assert!(!watch.are_as(&mut before), "a file in a folder that came later");
        before = watch.load_fingerprint();
        fs::remove_file(path("hooks/new/words.txt")).unwrap();
        assert!(!watch.are_as(&mut before));
        before = watch.load_fingerprint();
        watch.also_watch(&["hooks/**/*.txt".to_owned()]);
        assert!(watch.are_as(&mut before), "nothing new to watch");
        watch.also_watch(&["/etc/passwd".to_owned()]);
        assert!(!watch.are_as(&mut before));
        before = watch.load_fingerprint();
        assert!(!watch.are_as(&mut before), "a watch that cannot be kept");
    }

    #[test]
    fn nothing_to_watch_never_changes() {
        let watch = CommandFiles::default();
        assert!(watch.are_as(&mut watch.load_fingerprint()));
    }
}
