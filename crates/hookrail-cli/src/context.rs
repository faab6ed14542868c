//! What every command starts from: the directory, the settings files, the state folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use hookrail::{ApprovalStore, Config, ConfigBuilder, HookObserver, SettingsPaths, TrustPolicy};

/// The surroundings of a command.
pub(crate) struct Context {
    pub(crate) paths: SettingsPaths,
}

impl Context {
    /// Resolves the directory given by `-C`, else the current one.
    pub(crate) fn new(directory: Option<&Path>) -> anyhow::Result<Self> {
        let current = std::env::current_dir().context("the current directory is gone")?;
        let directory = directory.map_or_else(|| current.clone(), |given| current.join(given));
        // Hooks see one name for a directory, whatever way the user took to it.
        let directory =
            directory.canonicalize().with_context(|| format!("cannot work in `{}`", directory.display()))?;
        let mut paths = SettingsPaths::new(directory, |name| std::env::var_os(name));
        if !paths.home.as_os_str().is_empty() {
            // A relative one is meant from where the user stands, not from where a hook runs.
            paths.home = current.join(&paths.home);
        }
        Ok(Self { paths })
    }

    /// The project's directory.
    pub(crate) fn project(&self) -> &Path {
        &self.paths.project_dir
    }

    /// Where approvals and logs are kept.
    pub(crate) fn state_dir(&self) -> PathBuf {
        self.paths.home.join(".llxprt/hookrail")
    }

    /// The approvals.
    pub(crate) fn approvals(&self) -> ApprovalStore {
        ApprovalStore::new(self.state_dir())
    }

    /// A session of the engine with this program's trust policy.
    pub(crate) fn engine(&self, trust_hooks: bool, observer: Option<Arc<dyn HookObserver>>) -> ConfigBuilder {
        let trust = if trust_hooks {
            TrustPolicy::ApproveForThisRun
        } else {
            TrustPolicy::RequireApproval(self.approvals())
        };
        let builder = Config::builder(self.project()).settings_paths(self.paths.clone()).trust(trust);
        match observer {
            Some(observer) => builder.observer(observer),
            None => builder,
        }
    }
}
