//! A project on disk for one test.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::write_executable;

/// A project, a home directory and a system settings path, all below one temporary folder.
#[derive(Debug)]
pub struct TestProject {
    root: tempfile::TempDir,
    name: String,
}

impl TestProject {
    /// Makes the folders: `project/`, `home/`, `etc/`.
    #[must_use]
    pub fn new() -> Self {
        Self::named("project")
    }

    /// Like [`TestProject::new`], with another name for the project's folder.
    #[must_use]
    pub fn named(project: &str) -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        // macOS and some Linux setups hand out a symlinked temporary folder; hooks see the real one.
        let this = Self { root, name: project.to_owned() };
        for dir in [this.base().join(project), this.home(), this.base().join("etc")] {
            fs::create_dir_all(dir).expect("a folder of the test project");
        }
        this
    }

    /// The real path, because hooks and settings compare paths as texts.
    fn base(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the temporary folder exists")
    }

    /// The project's folder.
    pub fn dir(&self) -> PathBuf {
        self.base().join(&self.name)
    }

    /// What `HOOKRAIL_HOME` is set to.
    pub fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    /// What `HOOKRAIL_SYSTEM_SETTINGS` is set to.
    pub fn system_settings_path(&self) -> PathBuf {
        self.base().join("etc/settings.json")
    }

    /// Where the project's settings are.
    pub fn settings_path(&self) -> PathBuf {
        self.dir().join(".hookrail/settings.json")
    }

    /// Where the user's settings are.
    pub fn user_settings_path(&self) -> PathBuf {
        self.home().join(".hookrail/settings.json")
    }

    /// Writes the project's settings.
    pub fn settings(&self, settings: &Value) -> &Self {
        write(&self.settings_path(), pretty(settings));
        self
    }

    /// Writes the user's settings.
    pub fn user_settings(&self, settings: &Value) -> &Self {
        write(&self.user_settings_path(), pretty(settings));
        self
    }

    /// Writes the system's settings.
    pub fn system_settings(&self, settings: &Value) -> &Self {
        write(&self.system_settings_path(), pretty(settings));
        self
    }

    /// Writes an extension's manifest into the home directory.
    pub fn extension(&self, name: &str, manifest: &Value) -> PathBuf {
        let dir = self.home().join(".llxprt/extensions").join(name);
        write(&dir.join("llxprt-extension.json"), pretty(manifest));
        dir
    }

    /// Writes a file below the project and returns its path.
    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir().join(path);
        write(&path, content);
        path
    }

    /// Writes an executable `bash` script below the project and returns its path.
    pub fn script(&self, path: &str, body: &str) -> PathBuf {
        let path = self.dir().join(path);
        fs::create_dir_all(path.parent().expect("a path with a folder")).expect("the script's folder");
        write_executable(&path, format!("#!/bin/bash\n{body}\n"));
        path
    }

    /// Reads a file below the project.
    pub fn read(&self, path: &str) -> String {
        let path = self.dir().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }
}

impl Default for TestProject {
    fn default() -> Self {
        Self::new()
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can be written")
}

/// With the folders above it.
fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a path with a folder")).expect("the file's folder");
    fs::write(path, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
