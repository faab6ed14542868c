//! What every command starts from: the directory, the settings files, the state folder.

mod project;

use std::cell::LazyCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::project::find_project;
use crate::cli::Places;
use crate::exit::fail;
use crate::services::Services;
use crate::terminal::printer::{Printer, escape_line};
use anyhow::Context as _;
use hookrail::observer::HookObserver;
use hookrail::settings::SettingsPaths;
use hookrail::settings::{ResolvedSettings, SettingsFiles};
use hookrail::{ApprovalStore, HookSession, HookSessionBuilder, TrustPolicy};

/// The directories that a command works in.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) paths: SettingsPaths,
    /// Where the program was started, or the folder given by `-C`. The project may lie above it.
    started_in: PathBuf,
}

impl Context {
    /// Resolves what the command line says, and what the environment says where the command line says nothing.
    pub(crate) fn new(places: &Places) -> anyhow::Result<Self> {
        Self::without_project(places, |name| std::env::var_os(name))?.in_project_of(None)
    }

    /// The same without a search for the project, for a command that learns later where to search from, and with these
    /// variables.
    pub(crate) fn without_project(
        places: &Places,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> anyhow::Result<Self> {
        let current = std::env::current_dir().context("the current directory is gone")?;
        let below_current = |path: &PathBuf| current.join(path);
        let directory = match &places.directory {
            Some(directory) => real(&below_current(directory))?,
            None => current.clone(), // The system gives it without links.
        };
        let paths = SettingsPaths::new(directory.clone(), |name| {
            let given = match name {
                "HOOKRAIL_HOME" => places.home.as_ref(),
                "HOOKRAIL_SYSTEM_SETTINGS" => places.system.as_ref(),
                _ => None,
            };
            given.map(below_current).map(PathBuf::into_os_string).or_else(|| env(name))
        });
        if !paths.home.as_os_str().is_empty() && !paths.home.is_absolute() {
            // It would be looked for below the current folder: in a project, which could contain one.
            let message = format!("the home directory `{}` is not an absolute path", paths.home.display());
            return fail(message, "set HOME (or HOOKRAIL_HOME) to an absolute path, or use `--home DIR`");
        }
        Ok(Self { paths, started_in: directory })
    }

    /// The same in the project of another folder, or of the one where it started.
    pub(crate) fn in_project_of(mut self, folder: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(folder) = folder {
            self.started_in = real(&self.started_in.join(folder))?;
        }
        self.paths.project_dir = self.find_project();
        Ok(self)
    }

    /// The nearest folder with project settings or with approvals; the home directory itself does not count.
    fn find_project(&self) -> PathBuf {
        // Approvals are read only where no settings file is found first.
        let approved = LazyCell::new(|| self.approvals().list_projects().unwrap_or_default());
        find_project(&self.started_in, &self.paths.home, |folder| {
            approved.iter().any(|project| project.path == folder)
        })
    }

    /// Prints which project it is, where it is not the current folder.
    pub(crate) fn print_project(&self, printer: &mut Printer) {
        if self.started_in != self.paths.project_dir {
            let project = escape_line(&self.project().display().to_string());
            printer.message(format_args!("note: working in {project}, the project of this folder"));
        }
    }

    pub(crate) fn project(&self) -> &Path {
        &self.paths.project_dir
    }

    /// Where approvals and logs are kept.
    pub(crate) fn state_dir(&self) -> PathBuf {
        self.paths.home.join(".hookrail")
    }

    /// The user's approvals, in the state folder.
    pub(crate) fn approvals(&self) -> ApprovalStore {
        ApprovalStore::new(self.state_dir())
    }

    fn trust_policy(&self, trust_hooks: bool) -> TrustPolicy {
        if trust_hooks {
            TrustPolicy::ApproveForThisRun
        } else {
            TrustPolicy::RequireApproval(self.approvals())
        }
    }

    /// Settings and approvals as they are now, for commands that run nothing.
    pub(crate) fn settings(&self) -> ResolvedSettings {
        ResolvedSettings::resolve(&SettingsFiles::load(&self.paths), &self.trust_policy(false))
    }

    /// A session of the engine with this program's trust policy.
    pub(crate) fn engine(
        &self,
        trust_hooks: bool,
        observer: Option<Arc<dyn HookObserver>>,
    ) -> HookSessionBuilder {
        let trust = self.trust_policy(trust_hooks);
        let builder = HookSession::builder(self.project(), trust)
            .settings_paths(self.paths.clone())
            .our_tools()
            .block_on_own_failure()
            .services(Arc::new(Services::new(&self.paths.home)));
        match observer {
            Some(observer) => builder.observer(observer),
            None => builder,
        }
    }
}

/// Hooks see one name for a directory, whatever way the user took to it.
fn real(directory: &Path) -> anyhow::Result<PathBuf> {
    directory.canonicalize().with_context(|| format!("cannot work in `{}`", directory.display()))
}

/// Set by an agent for the commands that it runs: a model must not approve or switch off what guards against it.
///
/// This stops an agent that runs `hookrail trust --yes`, not a program that tries to get around it: what may write the
/// user's files can also write approvals. A hook or a sandbox is what keeps a model from doing that.
const INSIDE_AGENT: &str = "HOOKRAIL_AGENT";

/// Refuses to change something that only the user may change, if an agent started this program.
pub(crate) fn refuse_inside_agent(what: &str) -> anyhow::Result<()> {
    if std::env::var_os(INSIDE_AGENT).is_none_or(|value| value.is_empty()) {
        return Ok(());
    }
    let message = format!("an agent cannot change {what}: this command was started by one");
    fail(message, "run it yourself, in a terminal of your own")
}
