//! Where settings are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::hook::{Level, SETTINGS_FOLDERS};
use crate::trust::ApprovalStore;

/// The same for the system.
pub(super) const SYSTEM_FILES: [&str; 2] = ["/etc/hookrail/settings.json", "/etc/llxprt-code/settings.json"];

/// Where settings are looked for. Each level may have two files, in `.hookrail` and in `.llxprt`, and both are read; of a
/// single value that is in both, the first one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsPaths {
    /// The project.
    pub project_dir: PathBuf,
    /// The directory that holds the user's `.hookrail` and `.llxprt`. Empty means that there is no user level: a relative
    /// path would make the project's own file the user's, and so a trusted one.
    pub home: PathBuf,
    /// The system's settings files, ours first. One file where a host or a variable names it.
    pub system: Vec<PathBuf>,
}

impl SettingsPaths {
    /// The usual places, as the environment changes them.
    pub fn new(project_dir: PathBuf, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let given = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            project_dir,
            home: given("HOOKRAIL_HOME").or_else(|| given("HOME")).unwrap_or_default(),
            system: given("HOOKRAIL_SYSTEM_SETTINGS")
                .map_or_else(|| SYSTEM_FILES.map(PathBuf::from).to_vec(), |file| vec![file]),
        }
    }

    /// Exactly these places: a project, a home directory, and the system's settings file.
    pub fn at(project_dir: impl Into<PathBuf>, home: impl Into<PathBuf>, system: impl Into<PathBuf>) -> Self {
        Self { project_dir: project_dir.into(), home: home.into(), system: vec![system.into()] }
    }

    /// The project's settings file that new entries go to.
    pub fn project_file(&self) -> PathBuf {
        settings_file(&self.project_dir)
    }

    /// The user's settings file that new entries go to, if there is a home directory.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.has_home().then(|| settings_file(&self.home))
    }

    /// The settings files of a level, in the order in which they count. Extensions have files of their own.
    pub fn files(&self, level: &Level) -> Vec<PathBuf> {
        match level {
            Level::Project => settings_files(&self.project_dir).to_vec(),
            Level::User if self.has_home() => settings_files(&self.home).to_vec(),
            Level::System => self.system.clone(),
            Level::Managed | Level::User | Level::Extension(_) => Vec::new(),
        }
    }

    /// Where the user's approvals and logs are kept, if there is a home directory.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.has_home().then(|| self.home.join(".hookrail"))
    }

    /// The folder of the user's extensions, if there is a home directory.
    pub fn extensions_dir(&self) -> Option<PathBuf> {
        self.has_home().then(|| self.home.join(".llxprt/extensions"))
    }

    fn has_home(&self) -> bool {
        !self.home.as_os_str().is_empty()
    }
}

impl ApprovalStore {
    /// The approvals of this user, which `hookrail trust` gives and takes back; `None` without a home directory.
    pub fn of_user() -> Option<Self> {
        SettingsPaths::new(PathBuf::new(), |name| std::env::var_os(name)).state_dir().map(Self::new)
    }
}

/// The settings files of a project or a home directory.
pub(super) fn settings_files(dir: &Path) -> [PathBuf; 2] {
    SETTINGS_FOLDERS.map(|folder| dir.join(folder).join("settings.json"))
}

/// The settings file of a project or a home directory that new entries go to.
pub(super) fn settings_file(dir: &Path) -> PathBuf {
    let [own, _] = settings_files(dir);
    own
}
