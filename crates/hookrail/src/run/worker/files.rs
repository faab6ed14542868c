//! The files that a worker was made from: those that its command names, and those that its hooks watch. When one changes,
//! the next event gets a new process, as it would have without a worker.

use std::fs;
use std::path::{Path, PathBuf};

use super::watched::{Watch, WatchedFiles};
use crate::run::command::PreparedCommand;
use crate::run::environment::get;
use crate::trust::{Identity, named_paths};

/// The most files that are looked at before each event.
const MOST_FILES: usize = 32;

/// The files of one command.
#[derive(Debug)]
pub(super) struct CommandFiles {
    paths: Vec<PathBuf>,
    watch: Watch,
}

/// How the files were at one moment.
#[derive(Debug)]
pub(super) struct FilesFingerprint {
    named: Vec<SeenPath>,
    watched: WatchedFiles,
}

/// A path, and the file that was there at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeenPath {
    path: PathBuf,
    /// `None` where nothing was, or it could not be looked at.
    file: Option<Identity>,
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
        Self { paths, watch: Watch::below(&prepared.cwd) }
    }

    /// Exactly these.
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, watch: Watch::default() }
    }

    /// Files that these patterns match count, too.
    pub(super) fn also_watch(&mut self, patterns: &[String]) {
        self.watch.add(patterns);
    }

    /// How they are now.
    pub(super) fn load_fingerprint(&self) -> FilesFingerprint {
        let named = self.paths.iter().cloned().map(SeenPath::load).collect();
        FilesFingerprint { named, watched: self.watch.load() }
    }

    /// Whether they still are as they were.
    pub(super) fn are_as(&self, before: &mut FilesFingerprint) -> bool {
        before.named.iter().all(SeenPath::is_unchanged) && self.watch.is_as(&mut before.watched)
    }
}

impl SeenPath {
    /// Looks at a path now.
    pub(super) fn load(path: PathBuf) -> Self {
        let file = identity_at(&path);
        Self { path, file }
    }

    /// Whether the same file is there, with the same content as far as its metadata show.
    pub(super) fn is_unchanged(&self) -> bool {
        identity_at(&self.path) == self.file
    }
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
}
