//! Where settings are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where settings are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsPaths {
    /// The project; see [`find_project`](super::find_project).
    pub project_dir: PathBuf,
    /// The directory that holds the user's `.llxprt`. Empty means that there is no user level: a relative
    /// path would make the project's own file the user's, and so a trusted one.
    pub home: PathBuf,
    /// The system's settings file.
    pub system: PathBuf,
}

impl SettingsPaths {
    /// The usual places, as the environment changes them.
    pub fn new(project_dir: PathBuf, env: impl Fn(&str) -> Option<OsString>) -> Self {
        let given = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            project_dir,
            home: given("HOOKRAIL_HOME").or_else(|| given("HOME")).unwrap_or_default(),
            system: given("HOOKRAIL_SYSTEM_SETTINGS")
                .unwrap_or_else(|| PathBuf::from("/etc/llxprt-code/settings.json")),
        }
    }

    /// Exactly these places: a project, a directory that holds the user's `.llxprt`, and the system's settings file.
    pub fn at(project_dir: impl Into<PathBuf>, home: impl Into<PathBuf>, system: impl Into<PathBuf>) -> Self {
        Self { project_dir: project_dir.into(), home: home.into(), system: system.into() }
    }

    /// The project's settings file.
    pub fn project_file(&self) -> PathBuf {
        settings_file(&self.project_dir)
    }

    /// The user's settings file, if there is a home directory.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.has_home().then(|| settings_file(&self.home))
    }

    /// The folder of the user's extensions, if there is a home directory.
    pub fn extensions_dir(&self) -> Option<PathBuf> {
        self.has_home().then(|| self.home.join(".llxprt/extensions"))
    }

    fn has_home(&self) -> bool {
        !self.home.as_os_str().is_empty()
    }
}

/// The settings file of a project or a home directory.
pub(super) fn settings_file(dir: &Path) -> PathBuf {
    dir.join(".llxprt").join("settings.json")
}
