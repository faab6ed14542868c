//! The settings files, read once. The flag is answered from the same bytes as everything else, so that a file
//! that is rewritten between two questions cannot give two answers.

use std::cell::LazyCell;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::diagnose;
use super::paths::settings_files;
use super::policy::load_managed;
use super::resolve::may_be_on;
use super::{Settings, SettingsPaths, UnusableSettings, ownership};
use crate::diagnostic::{Diagnostic, Severity};
use crate::hook::Level;
use crate::trust::{ApprovalStore, TrustPolicy, open_regular};

/// Larger files are refused: no settings need that much, and a torn or hostile file might have it.
const LARGEST_FILE: u64 = 4 << 20;

/// The texts of the settings files as they were at one moment.
#[derive(Debug)]
pub struct SettingsFiles {
    /// The project that they were read for.
    pub(super) project_dir: PathBuf,
    /// A policy's, then those of the project, the user and the system, at most two each; files that are not there are missing.
    pub(super) texts: Vec<LevelText>,
    /// Whether the examples of rules are tried when the settings are read.
    pub(super) try_examples: bool,
    /// The places that they were read from; `None` where the host gave a value, and for an enclosing project.
    pub(super) paths: Option<SettingsPaths>,
    /// What the texts say, from when the flag is asked for until everything is: they are parsed once.
    pub(super) read: Mutex<Option<Settings>>,
}

/// The text of one file of a level.
#[derive(Debug, Clone)]
pub(super) struct LevelText {
    pub(super) level: Level,
    /// `None` for a value that a host gave.
    pub(super) file: Option<PathBuf>,
    /// The text, or why the file cannot be used. Rules that are not read yet are in it.
    pub(super) text: Result<Arc<String>, Box<Diagnostic>>,
    /// What is doubtful about the file, although it is used.
    pub(super) warning: Option<Diagnostic>,
}

impl SettingsFiles {
    fn new(project_dir: PathBuf, texts: Vec<LevelText>, paths: Option<SettingsPaths>) -> Self {
        Self { project_dir, texts, try_examples: true, paths, read: Mutex::default() }
    }

    /// Reads the files of all levels. It never fails: what went wrong is kept in place of the text.
    pub fn load(paths: &SettingsPaths) -> Self {
        let mut texts = load_texts(files(paths));
        if let Some(file) = paths.user_file().filter(|_| !paths.home.is_absolute()) {
            let text = Err(Box::new(ownership::relative_home(&paths.home)));
            texts.push(LevelText { level: Level::User, file: Some(file), text, warning: None });
        }
        leave_out_known(&mut texts);
        let managed = load_managed(paths, &texts);
        refuse_unsafe(paths, &mut texts);
        let texts = managed.into_iter().chain(texts).collect();
        Self::new(paths.project_dir.clone(), texts, Some(paths.clone()))
    }

    /// The same for a project around this one: its own files, and those of the user and the system as they were read.
    pub(super) fn around(&self, project: &Path) -> Self {
        let mut texts = self.texts.clone();
        texts.retain(|text| text.level != Level::Project);
        let managed = texts.iter().filter(|text| text.level == Level::Managed).count();
        let own = settings_files(project).map(|file| (Level::Project, file));
        texts.splice(managed..managed, load_texts(own));
        leave_out_known(&mut texts);
        Self { try_examples: self.try_examples, ..Self::new(project.to_owned(), texts, None) }
    }

    /// The folders around the project for which guards were approved, with the store that knows them.
    pub(super) fn enclosing(&self, policy: &TrustPolicy) -> Option<(ApprovalStore, Vec<PathBuf>)> {
        let paths = self.paths.as_ref()?;
        let store = policy.approvals(paths.state_dir().as_deref())?;
        let folders = store.enclosing(&paths.project_dir, &paths.home);
        Some((store, folders))
    }

    /// Settings that a host gives as a value instead of files: they count as the user's.
    pub fn from_value(project_dir: impl Into<PathBuf>, value: &Value) -> Self {
        // Through text, so that host and files are read by the same code. A value is always JSON.
        let text = Ok(value.to_string().into());
        let given = LevelText { level: Level::User, file: None, text, warning: None };
        Self::new(project_dir.into(), vec![given], None)
    }

    /// Leaves the examples of rules alone, for a program that is started for every event.
    #[must_use]
    pub fn without_examples(mut self) -> Self {
        self.try_examples = false;
        self
    }

    /// Whether there may be hooks to run. Whether a project's flag counts is known once approvals are read, at the first
    /// event. What was read is kept for [`SettingsFiles::settings`].
    pub(crate) fn may_be_on(&self, unusable: UnusableSettings, policy: &TrustPolicy) -> bool {
        let settings = self.read_levels();
        let is_unusable = settings.unusable.iter().any(|file| file.level != Level::Project);
        let has_managed = settings.hooks.iter().any(|hook| hook.origin.level == Level::Managed);
        let may_be_on = may_be_on(settings.enable);
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
        may_be_on
            || has_managed
            || (is_unusable && unusable == UnusableSettings::Block)
            || policy.says_enabled(&self.project_dir)
            || self.enclosing(policy).is_some_and(|(_, folders)| !folders.is_empty())
    }
}

/// The texts of the files that exist.
pub(super) fn load_texts(files: impl IntoIterator<Item = (Level, PathBuf)>) -> Vec<LevelText> {
    let load = |(level, file): (Level, PathBuf)| {
        let text = load_text(&file).transpose()?.map(Arc::new);
        Some(LevelText { level, file: Some(file), text, warning: None })
    };
    files.into_iter().filter_map(load).collect()
}

/// Refuses files of the user and the system that others may write.
fn refuse_unsafe(paths: &SettingsPaths, texts: &mut [LevelText]) {
    let identity = LazyCell::new(|| ownership::UserIdentity::current(&paths.home));
    for known in texts.iter_mut().filter(|known| known.level != Level::Project && known.text.is_ok()) {
        match known.file.as_deref().and_then(|file| ownership::objection(file, *identity)) {
            Some(finding) if finding.severity == Severity::Error => known.text = Err(Box::new(finding)),
            warning => known.warning = warning,
        }
    }
}

/// The places of the settings files, the strongest level first. Those of a home directory without an absolute path would be
/// somewhere in the project.
fn files(paths: &SettingsPaths) -> impl Iterator<Item = (Level, PathBuf)> {
    let levels = [Level::Project, Level::User, Level::System].into_iter();
    let levels = levels.filter(|level| *level != Level::User || paths.home.is_absolute());
    levels.flat_map(|level| paths.files(&level).into_iter().map(move |file| (level.clone(), file)))
}

/// Leaves out a file that a level has under two names, and those of a project that is the home directory, which are the
/// user's. Links are looked through only where two files could be one.
fn leave_out_known(texts: &mut Vec<LevelText>) {
    if texts.len() < 2 {
        return;
    }
    let real = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| file.clone());
    let places: Vec<_> =
        texts.iter().map(|text| (text.level.clone(), text.file.as_ref().map(real))).collect();
    let mut each = places.iter().enumerate();
    texts.retain(|_| {
        let Some((at, place)) = each.next() else { return true };
        let is_users = place.0 == Level::Project && places.contains(&(Level::User, place.1.clone()));
        !is_users && !places.iter().take(at).any(|before| before == place)
    });
}

/// The text of a settings file; `None` where there is none.
pub(super) fn load_text(file: &Path) -> Result<Option<String>, Box<Diagnostic>> {
    // Most folders for settings are not there, and in none of them is anything that could be a link.
    let folder = file.parent().filter(|folder| folder.has_root()).map(Path::symlink_metadata);
    if folder.is_some_and(|it| it.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)) {
        return Ok(None);
    }
    let content = match load_bytes(file) {
        Ok(content) => content,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            // What a link leads to may be away for now: which guards are in it is not known.
            let dangling = [Some(file), file.parent()].into_iter().flatten().find(|place| place.is_symlink());
            return match dangling {
                Some(link) if !link.exists() => Err(Box::new(diagnose::dangling(file, link))),
                _ => Ok(None),
            };
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
    let (file, metadata) = open_regular(file)?;
    let mut content = Vec::with_capacity(usize::try_from(metadata.len().min(LARGEST_FILE)).unwrap_or(0));
    file.take(LARGEST_FILE + 1).read_to_end(&mut content)?;
    if content.len() as u64 > LARGEST_FILE {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// The levels and files that are read, by their names below the root.
    fn read(root: &Path, paths: &SettingsPaths) -> Vec<(Level, String)> {
        let name = |file: &Path| file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let texts = SettingsFiles::load(paths).texts;
        texts.into_iter().map(|text| (text.level, name(&text.file.unwrap()))).collect()
    }

    #[test]
    fn a_file_is_read_once_whatever_names_lead_to_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["home/.hookrail", "home/.llxprt", "p/.hookrail", "q"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let at = |project: &str| SettingsPaths::at(root.join(project), root.join("home"), root.join("none"));
        assert_eq!(read(&root, &at("p")), []);
        fs::write(root.join("home/.hookrail/settings.json"), "{}").unwrap();
        let users = (Level::User, "home/.hookrail/settings.json".to_owned());
        assert_eq!(read(&root, &at("p")), std::slice::from_ref(&users));
        // The home directory, by its own name and by another one.
        symlink(root.join("home"), root.join("link")).unwrap();
        assert_eq!(read(&root, &at("home")), std::slice::from_ref(&users));
        assert_eq!(read(&root, &at("link")), std::slice::from_ref(&users));
        // A project whose file is the user's, and one whose folder is.
        symlink(root.join("home/.hookrail/settings.json"), root.join("p/.hookrail/settings.json")).unwrap();
        symlink(root.join("home/.hookrail"), root.join("q/.hookrail")).unwrap();
        assert_eq!(read(&root, &at("p")), std::slice::from_ref(&users));
        assert_eq!(read(&root, &at("q")), std::slice::from_ref(&users));
        // Both names of a level.
        symlink(root.join("home/.hookrail/settings.json"), root.join("home/.llxprt/settings.json")).unwrap();
        assert_eq!(read(&root, &at("p")), std::slice::from_ref(&users));
        // A copy is a file of its own, and so is a system's file that is the user's.
        fs::remove_file(root.join("p/.hookrail/settings.json")).unwrap();
        fs::write(root.join("p/.hookrail/settings.json"), "{}").unwrap();
        symlink(root.join("home/.hookrail/settings.json"), root.join("none")).unwrap();
        let projects = (Level::Project, "p/.hookrail/settings.json".to_owned());
        assert_eq!(read(&root, &at("p")), [projects, users, (Level::System, "none".to_owned())]);
    }

    #[test]
    fn a_policy_is_named_however_its_key_is_written() {
        let root = tempfile::tempdir().unwrap();
        let system = root.path().join("system.json");
        let paths = SettingsPaths::at(root.path().join("p"), root.path().join("home"), &system);
        for (text, is_named) in [
            (r#"{"policy": {}}"#, true),
            (r#"{"\u0070ol\u0069cy": {}}"#, true),
            (r#"{"hooks": {}, "x": "\u0070"}"#, false),
        ] {
            fs::write(&system, text).unwrap();
            assert_eq!(paths.policy().is_err(), is_named, "without keys: {text}");
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_is_not_a_missing_file() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(".hookrail/settings.json");
        assert!(matches!(load_text(&file), Ok(None)), "no folder");
        symlink("/no/such/folder", root.path().join(".hookrail")).unwrap();
        assert!(load_text(&file).is_err(), "its folder");
        fs::remove_file(root.path().join(".hookrail")).unwrap();
        fs::create_dir(root.path().join(".hookrail")).unwrap();
        assert!(matches!(load_text(&file), Ok(None)), "no file");
        symlink("/no/such/file", &file).unwrap();
        assert!(load_text(&file).is_err(), "the file");
        assert!(matches!(load_text(Path::new("no-such-settings.json")), Ok(None)), "a relative name");
    }
}
