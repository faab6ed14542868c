//! The settings files, read once. The flag is answered from the same bytes as everything else, so that a file
//! that is rewritten between two questions cannot give two answers.

use std::cell::LazyCell;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::diagnose::{self, Findings};
use super::read::read_enable;
use super::source::Source;
use super::{PerLevel, SettingsPaths, ownership};
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Level;

/// Larger files are refused: no settings need that much, and a torn or hostile file might have it.
const LARGEST_FILE: u64 = 4 << 20;

/// The texts of the settings files as they were at one moment.
#[derive(Debug, Clone)]
pub struct SettingsFiles {
    /// The project that they were read for.
    pub(super) project_dir: PathBuf,
    /// Project, user and system, in this order; levels without a file are missing.
    pub(super) levels: Vec<LevelText>,
    /// Whether the examples of rules are tried when the settings are read.
    pub(super) try_examples: bool,
    /// The folder of the user's extensions, which are read when the hooks are asked for.
    pub(super) extensions: Option<PathBuf>,
    /// Where the user's settings are or would be; `None` where the host gave a value.
    pub(super) user_file: Option<PathBuf>,
    /// The same for the system's.
    pub(super) system_file: Option<PathBuf>,
}

/// The text of one level.
#[derive(Debug, Clone)]
pub(super) struct LevelText {
    pub(super) level: Level,
    /// `None` for a value that a host gave.
    pub(super) file: Option<PathBuf>,
    /// The text, or why the file cannot be used.
    pub(super) text: Result<String, Box<Diagnostic>>,
    /// What is doubtful about the file, although it is used.
    pub(super) warning: Option<Diagnostic>,
}

impl LevelText {
    /// The text with its place, if it can be used so far.
    pub(super) fn source(&self) -> Option<Source<'_>> {
        let text = self.text.as_ref().ok()?;
        Some(match &self.file {
            Some(file) => Source::of_file(file, text),
            None => Source::of_value(text),
        })
    }
}

impl SettingsFiles {
    /// Reads the files of all levels. It never fails: what went wrong is kept in place of the text.
    pub fn load(paths: &SettingsPaths) -> Self {
        let identity = LazyCell::new(|| ownership::UserIdentity::current(&paths.home));
        let levels = files(paths).into_iter().filter_map(|(level, file)| {
            if level == Level::User && !paths.home.is_absolute() {
                let text = Err(Box::new(ownership::relative_home(&paths.home)));
                return Some(LevelText { level, file: Some(file), text, warning: None });
            }
            let text = load_text(&file).transpose()?;
            // A project's settings count with approval only, so that it does not matter who wrote them.
            let objection = match &text {
                Ok(_) if level != Level::Project => ownership::objection(&file, *identity),
                _ => None,
            };
            Some(match objection {
                Some(finding) if finding.severity == Severity::Error => {
                    LevelText { level, file: Some(file), text: Err(Box::new(finding)), warning: None }
                }
                warning => LevelText { level, file: Some(file), text, warning },
            })
        });
        Self {
            project_dir: paths.project_dir.clone(),
            levels: levels.collect(),
            try_examples: true,
            extensions: paths.extensions_dir(),
            user_file: paths.user_file(),
            system_file: Some(paths.system.clone()),
        }
    }

    /// Settings that a host gives as a value instead of files: they count as the user's.
    pub fn from_value(project_dir: impl Into<PathBuf>, value: &Value) -> Self {
        // Through text, so that host and files are read by the same code. A value is always JSON.
        let given = LevelText { level: Level::User, file: None, text: Ok(value.to_string()), warning: None };
        Self {
            project_dir: project_dir.into(),
            levels: vec![given],
            try_examples: true,
            extensions: None,
            user_file: None,
            system_file: None,
        }
    }

    /// Leaves the examples of rules alone, for a program that is started for every event.
    #[must_use]
    pub fn without_examples(mut self) -> Self {
        self.try_examples = false;
        self
    }

    /// What the files say about hooks being on, and whether a file of the user or the system cannot be used.
    /// This is all that a start with hooks off asks.
    pub(crate) fn enable_flag(&self) -> (PerLevel<Option<bool>>, bool) {
        let mut flag = PerLevel::default();
        let mut unusable = false;
        for level in &self.levels {
            let read = level.source().and_then(|source| {
                let root = source.parse().ok()?;
                read_enable(&root, &mut Findings::new(&source)).ok()
            });
            match read {
                Some(on) => flag.set(&level.level, on),
                None => unusable |= level.level != Level::Project,
            }
        }
        (flag, unusable)
    }
}

/// The settings files, the strongest level first. In the home directory the project's file is the user's
/// and is read once, as such.
fn files(paths: &SettingsPaths) -> Vec<(Level, PathBuf)> {
    let project = paths.project_file();
    let user = paths.user_file();
    let mut files = Vec::with_capacity(3);
    if !user.as_deref().is_some_and(|user| same_file(user, &project)) {
        files.push((Level::Project, project));
    }
    files.extend(user.map(|user| (Level::User, user)));
    files.push((Level::System, paths.system.clone()));
    files
}

/// Through links, because the project may be the home directory under another name.
fn same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The text of a settings file; `None` where there is none.
pub(super) fn load_text(file: &Path) -> Result<Option<String>, Box<Diagnostic>> {
    let content = match load_bytes(file) {
        Ok(content) => content,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Box::new(diagnose::unreadable(file, &error))),
    };
    String::from_utf8(content)
        .map(Some)
        .map_err(|error| Box::new(diagnose::not_utf8(file, error.as_bytes(), error.utf8_error())))
}

/// Reads regular files only: a cloned project may link its settings to a device that never ends.
fn load_bytes(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("/dev/null") {
        return Err(io::ErrorKind::NotFound.into()); // The usual way to say that there is no such file.
    }
    // Looked at before it is opened, because opening a pipe waits for its other end.
    let metadata = std::fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::with_capacity(usize::try_from(metadata.len().min(LARGEST_FILE)).unwrap_or(0));
    File::open(file)?.take(LARGEST_FILE + 1).read_to_end(&mut content)?;
    if content.len() as u64 > LARGEST_FILE {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    Ok(content)
}
