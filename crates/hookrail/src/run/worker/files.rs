//! The files that a worker was made from: those that its command names, and those that its hooks watch. When one changes,
//! the next event gets a new process, as it would have without a worker.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::watched::{Watch, Watched};
use crate::run::command::PreparedCommand;
use crate::run::environment::get;

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
pub(super) struct Fingerprint {
    /// `None` for one that was not there.
    named: Vec<Option<FileState>>,
    watched: Watched,
}

/// What changes when a file does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    mode: u32,
    owner: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl CommandFiles {
    /// Every file that stands in a command, whatever it is there for. A word too many costs a restart, no more.
    pub(super) fn named_in(command: &str, prepared: &PreparedCommand) -> Self {
        let home = get(&prepared.env, "HOME").map(PathBuf::from);
        let mut paths = Vec::new();
        let separators = |c: char| c.is_whitespace() || "\"'`;|&()<>=,".contains(c);
        let words = command.split(separators).filter(|word| !word.is_empty());
        for word in words {
            let Some(path) = resolve(word, &prepared.cwd, home.as_deref()) else { continue };
            if path.is_file() && !paths.contains(&path) {
                paths.push(path);
            }
        }
        let program = prepared.cwd.join(&prepared.program);
        if !paths.contains(&program) {
            paths.push(program);
        }
        paths.truncate(MOST_FILES);
        Self { paths, watch: Watch::below(&prepared.cwd) }
    }

    /// Exactly these.
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, watch: Watch::default() }
    }

    /// What these patterns mean counts, too.
    pub(super) fn also_watch(&mut self, patterns: &[String]) {
        self.watch.add(patterns);
    }

    /// How they are now.
    pub(super) fn load_fingerprint(&self) -> Fingerprint {
        let named = self.paths.iter().map(|path| FileState::load(path)).collect();
        Fingerprint { named, watched: self.watch.load() }
    }

    /// Whether they still are as they were.
    pub(super) fn are_as(&self, before: &mut Fingerprint) -> bool {
        self.paths.len() == before.named.len()
            && self.paths.iter().zip(&before.named).all(|(path, state)| FileState::load(path) == *state)
            && self.watch.is_as(&mut before.watched)
    }
}

/// The path that a word of a command stands for, if it can be told.
fn resolve(word: &str, cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    const PROJECT: [&str; 6] = [
        "$LLXPRT_PROJECT_DIR",
        "${LLXPRT_PROJECT_DIR}",
        "$GEMINI_PROJECT_DIR",
        "${GEMINI_PROJECT_DIR}",
        "$CLAUDE_PROJECT_DIR",
        "${CLAUDE_PROJECT_DIR}",
    ];
    const HOME: [&str; 3] = ["~", "$HOME", "${HOME}"];
    let below = |prefix: &&str| word.strip_prefix(*prefix)?.strip_prefix('/');
    if let Some(rest) = PROJECT.iter().find_map(below) {
        return Some(cwd.join(rest));
    }
    if let Some(rest) = HOME.iter().find_map(below) {
        return Some(home?.join(rest));
    }
    Some(cwd.join(word))
}

impl FileState {
    pub(super) fn load(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            owner: metadata.uid(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_for_the_file_that_the_shell_would_open() {
        let (cwd, home) = (Path::new("/p"), Some(Path::new("/h")));
        for (word, expected) in [
            ("hooks/a.py", "/p/hooks/a.py"),
            ("/x/a.py", "/x/a.py"),
            ("~/a.py", "/h/a.py"),
            ("$HOME/a.py", "/h/a.py"),
            ("${CLAUDE_PROJECT_DIR}/a.py", "/p/a.py"),
            ("$LLXPRT_PROJECT_DIR/a.py", "/p/a.py"),
        ] {
            assert_eq!(resolve(word, cwd, home), Some(PathBuf::from(expected)), "{word}");
        }
        assert_eq!(resolve("~/a.py", cwd, None), None);
    }

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
