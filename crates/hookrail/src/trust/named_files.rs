//! The project files that a command names, and what is in them.
//!
//! A file counts when a word of the command names a regular file inside the project, or a link inside the
//! project that leads to one anywhere. A folder is not looked into, a pattern such as `hooks/*.sh` is not
//! expanded, and files that a script reads by itself are not known here: what a command names is guarded,
//! not what it reaches.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::command_words::{PROJECT, data_files, first_word, words};
use super::snapshot::{Snapshot, hexadecimal, open_regular};
use super::terms::{FileContent, FileRights};
use super::watch::watched_paths;
use crate::hook::{Hook, StartObstacle};
use crate::order;
use hookrail_shell::{SHEBANG_BYTES, shebang_line};

/// How many places are looked at for one hook: words, times folders they may be meant relative to.
const MAX_PLACES: usize = 20_000;

/// A file as it was when its hook was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovedFile {
    /// The file as named, relative to the project where it is inside.
    pub path: String,
    /// The file that this really is, after all symbolic links.
    pub target: String,
    /// The SHA-256 digest of its content, in hexadecimal.
    pub digest: String,
    /// Its mode and owner; approvals of older versions do not know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<FileRights>,
    /// Its content, where that is UTF-8 and at most 1 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl ApprovedFile {
    /// Its content as a review shows it.
    pub(super) fn content(&self) -> FileContent {
        match &self.text {
            Some(text) => FileContent::Text { text: text.clone() },
            None => FileContent::Opaque { digest: self.digest.clone() },
        }
    }
}

/// A project file that a command names, as it is now.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedFile {
    /// The file as named, relative to the project where it is inside.
    pub path: String,
    /// The file that this really is, after all symbolic links.
    pub target: String,
    /// Where to open it.
    pub(super) location: PathBuf,
    /// What is in it, or why that is not known.
    pub(super) snapshot: Result<Snapshot, String>,
}

impl NamedFile {
    /// Its content as a review shows it.
    pub fn content(&self) -> FileContent {
        match &self.snapshot {
            Ok(Snapshot { text: Some(text), .. }) => FileContent::Text { text: text.clone() },
            Ok(snapshot) => FileContent::Opaque { digest: snapshot.digest.clone() },
            Err(why) => FileContent::Unreadable { why: why.clone() },
        }
    }
}

/// Why the files of a hook cannot be determined. Such a hook cannot be approved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FilesError {
    /// Its command cannot be read within bounds, and no person could review it either.
    #[error("its command is too long or too deeply nested to tell which files it names")]
    TooComplex,
    /// Its `watch` means too much, or something outside of the project.
    #[error("its `watch` cannot be kept: {0}")]
    Watch(String),
}

/// All files that a command names.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedFiles {
    /// Those that exist.
    pub(super) found: Vec<NamedFile>,
    /// Places where a file would be named if it were there.
    pub(super) absent: Vec<PathBuf>,
}

/// A project's folder, both as given and as it really is.
#[derive(Debug, Clone)]
pub(super) struct ProjectDir {
    given: PathBuf,
    pub(super) real: PathBuf,
}

impl ProjectDir {
    /// The folder of a project, as written and with links resolved.
    pub(super) fn new(project: &Path) -> Self {
        let given = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
        let real = fs::canonicalize(&given).unwrap_or_else(|_| given.clone());
        Self { given, real }
    }

    /// The key under which approvals are stored: the real path, losslessly as text.
    pub(super) fn key(&self) -> String {
        path_to_text(&self.real)
    }

    /// The file of the project that a command is started with, if its first word names one plainly.
    pub(super) fn program_of(&self, command: &str) -> Option<PathBuf> {
        let word = first_word(command)?;
        let place = match word.strip_prefix(PROJECT) {
            Some(inside) => self.real.join(inside.strip_prefix('/')?.trim_start_matches('/')),
            None => self.real.join(&word),
        };
        (word.contains('/') && self.contains(&normalized(&place))).then_some(place)
    }

    /// Why a program could not be started, as far as its file shows.
    pub(super) fn start_obstacle(&self, program: &Path) -> Option<StartObstacle> {
        let file = || PathBuf::from(self.name(program));
        if fs::metadata(program).is_err() {
            return Some(StartObstacle::Missing { file: file() });
        }
        let is_executable = rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_ok();
        (!is_executable).then(|| StartObstacle::NotExecutable { file: file() })
    }

    /// The path relative to the project where it is inside; the `.` of `./x` is left out.
    pub(super) fn name(&self, path: &Path) -> String {
        let inside =
            path.strip_prefix(&self.real).or_else(|_| path.strip_prefix(&self.given)).unwrap_or(path);
        path_to_text(&inside.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>())
    }

    fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.real) || path.starts_with(&self.given)
    }

    /// Where a word could mean a file to be.
    fn places(&self, word: &str) -> Vec<PathBuf> {
        if let Some(inside) = word.strip_prefix(PROJECT) {
            return match inside.strip_prefix('/') {
                Some(inside) => vec![self.real.join(inside.trim_start_matches('/'))],
                None => Vec::new(),
            };
        }
        let path = Path::new(word);
        if !word.starts_with(['/', '~']) {
            return vec![self.real.join(path)];
        }
        // The beginning of `$UNKNOWN/hooks/x.sh` or `~/project/hooks/x.sh` is not known here, so every
        // end of it that exists in the project is taken for what is meant.
        let parts: Vec<_> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let ends = (0..parts.len()).filter_map(|from| parts.get(from..));
        let ends = ends.map(|parts| self.real.join(parts.iter().collect::<PathBuf>()));
        if self.contains(&normalized(path)) {
            vec![path.to_owned()]
        } else {
            std::iter::once(path.to_owned()).chain(ends).collect()
        }
    }
}

/// Finds and reads the files that a command names. Does I/O.
pub(super) fn load_named_files(project: &ProjectDir, hook: &Hook) -> Result<NamedFiles, FilesError> {
    let mut words = words(hook.command(), &hook.env)?;
    for data in data_files(hook.command()) {
        words.remove(&data);
        words.retain(|word| !word.ends_with(&format!("={data}")));
    }
    // Ordered, so that two readings of the same files are equal.
    let mut places = BTreeMap::new();
    let mut folders = Vec::new();
    for word in &words {
        for place in project.places(word) {
            look_at(&place, &mut places, Some(&mut folders))?;
        }
    }
    // `cd hooks && ./x.sh`: a word may be meant relative to a folder that another word names.
    for folder in folders {
        if !project.contains(&normalized(&folder)) || normalized(&folder) == project.real {
            continue;
        }
        for word in words.iter().filter(|word| !word.starts_with(['/', '~', PROJECT])) {
            look_at(&folder.join(word), &mut places, None)?;
        }
    }
    // A script is run by the program that its first line names, which may be a file of the project, too.
    let scripts: Vec<PathBuf> =
        places.iter().filter(|(_, exists)| **exists).map(|(place, _)| place.clone()).collect();
    for script in scripts {
        for word in interpreter_words(&script) {
            for place in project.places(&word) {
                look_at(&place, &mut places, None)?;
            }
        }
    }
    for file in watched_paths(&project.real, &hook.watch)?.files {
        look_at(&file, &mut places, None)?;
    }
    let mut files = NamedFiles::default();
    for (place, exists) in places {
        if !exists {
            // What is outside stays outside, also when it appears; a link inside is looked at as a file.
            if project.contains(&normalized(&place)) {
                files.absent.push(place);
            }
            continue;
        }
        let real = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if project.contains(&normalized(&place)) || project.contains(&real) {
            files.found.push(NamedFile {
                path: project.name(&place),
                target: project.name(&real),
                snapshot: Snapshot::load(&place, true).map_err(|error| error.to_string()),
                location: place,
            });
        }
    }
    // Two spellings of one place (`x.sh` and `./x.sh`) are one file.
    order::sort_by(&mut files.found, |a, b| a.path.cmp(&b.path));
    files.found.dedup_by(|a, b| a.path == b.path && a.target == b.target);
    Ok(files)
}

fn look_at(
    place: &Path,
    places: &mut BTreeMap<PathBuf, bool>,
    folders: Option<&mut Vec<PathBuf>>,
) -> Result<(), FilesError> {
    if places.contains_key(place) {
        return Ok(());
    }
    let metadata = fs::metadata(place);
    let is_folder = metadata.as_ref().is_ok_and(Metadata::is_dir);
    if is_folder && let Some(folders) = folders {
        folders.push(place.to_owned());
    }
    places.insert(place.to_owned(), metadata.is_ok_and(|metadata| metadata.is_file()));
    if places.len() > MAX_PLACES { Err(FilesError::TooComplex) } else { Ok(()) }
}

/// The words of a script's interpreter line; none where there is no such line.
pub(super) fn interpreter_words(script: &Path) -> Vec<String> {
    let mut start = Vec::new();
    let Ok((file, _)) = open_regular(script) else { return Vec::new() };
    if file.take(SHEBANG_BYTES).read_to_end(&mut start).is_err() {
        return Vec::new();
    }
    let line = String::from_utf8_lossy(shebang_line(&start).unwrap_or_default());
    line.split_whitespace().map(str::to_owned).collect()
}

/// What a file at `location` is called as a target, for comparing with an earlier reading.
pub(super) fn target_of(project: &ProjectDir, location: &Path) -> Option<String> {
    fs::canonicalize(location).ok().map(|real| project.name(&real))
}

/// Removes `.` and `..` as text, without following links.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}

/// A path as text that is unique to it: JSON cannot hold bytes that are not UTF-8.
pub(super) fn path_to_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("bytes:{}", hexadecimal(path.as_os_str().as_bytes())),
    }
}
