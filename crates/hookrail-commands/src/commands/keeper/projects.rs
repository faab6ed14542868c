//! The settings of each project that was asked about, read again when a file changed, and the workers of its hooks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookrail::HookSession;
use hookrail::components::{WorkerPool, is_withheld};
use hookrail::settings::UnusableSettings;
use nix::unistd::{Uid, User};

use crate::commands::bridge::{nested, surroundings};
use crate::commands::sessions::{SettingsState, keep_workers};
use crate::context::Context;

/// How many projects are kept. Beyond that the one that was asked about longest ago is dropped, with its workers.
const MOST_PROJECTS: usize = 16;

pub(super) struct Project {
    folder: PathBuf,
    session: Arc<HookSession>,
    workers: WorkerPool,
    state: SettingsState,
}

/// All of them, the one that was asked about last at the end.
#[derive(Default)]
pub(super) struct Projects {
    kept: Vec<Project>,
}

impl Projects {
    /// The session of a project, if its settings are as they were when they were read.
    pub(super) fn get(&mut self, folder: &Path) -> Option<Arc<HookSession>> {
        let at = self.kept.iter().position(|project| project.folder == folder)?;
        let project = self.kept.remove(at);
        let session = project.state.is_current().then(|| Arc::clone(&project.session));
        self.kept.push(project);
        session
    }

    /// The workers of a project that was asked about before.
    pub(super) fn workers(&self, folder: &Path) -> Option<WorkerPool> {
        self.kept.iter().find(|project| project.folder == folder).map(|project| project.workers.clone())
    }

    /// Keeps a project in place of what was known of it.
    pub(super) fn keep(&mut self, project: Project) -> Arc<HookSession> {
        self.kept.retain(|kept| kept.folder != project.folder);
        if self.kept.len() >= MOST_PROJECTS {
            self.kept.remove(0).workers.end();
        }
        let session = Arc::clone(&project.session);
        self.kept.push(project);
        session
    }

    /// How many workers have a process, and how many events all of them answered.
    pub(super) fn counts(&self) -> (usize, u64) {
        let all = self.kept.iter().flat_map(|project| project.workers.status());
        all.fold((0, 0), |(running, answered), worker| {
            (running + usize::from(worker.process.is_some()), answered + worker.answered)
        })
    }

    /// Ends all workers and waits for it.
    pub(super) async fn end(&mut self) {
        for project in self.kept.drain(..) {
            project.workers.end();
            project.session.drain().await;
        }
    }
}

impl Project {
    /// Reads the settings and approvals of a project. `None` if the folder is not one.
    pub(super) fn load(user: &Context, folder: &Path, workers: Option<WorkerPool>) -> Option<Self> {
        let state = SettingsState::of(user, folder);
        let context =
            user.clone().in_project_of(Some(folder)).ok().filter(|found| found.project() == folder)?;
        let workers = workers.unwrap_or_default();
        let session = context
            .engine(false, None)
            .unusable_settings(UnusableSettings::Warn)
            .environment(environment(&context))
            .trusted_path(surroundings::lazily(&context, surroundings::trusted_path))
            .workers(workers.clone())
            .without_examples()
            .build();
        keep_workers(&workers, &session);
        Some(Self { folder: folder.to_owned(), session: Arc::new(session), workers, state })
    }
}

/// What workers are started with: nothing of an agent's session, which comes with each question.
fn environment(context: &Context) -> Vec<(OsString, OsString)> {
    let mut environment = vec![
        ("HOME".into(), context.paths.home.clone().into_os_string()),
        ("PATH".into(), surroundings::trusted_path(context)),
    ];
    if let Some(user) = User::from_uid(Uid::current()).ok().flatten() {
        environment.extend(["USER", "LOGNAME"].map(|name| (name.into(), user.name.clone().into())));
        environment.push(("SHELL".into(), user.shell.into_os_string()));
    }
    environment.extend(nested::mark().map(|mark| (nested::VARIABLE.into(), mark.into())));
    environment
}

/// The variables of a session that count: what would make programs run something else does not, whoever sends it.
pub(super) fn session_variables(given: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let counts = |name: &OsString| {
        let text = name.to_string_lossy();
        let is_ours = text.starts_with("HOOKRAIL_") && text != "HOOKRAIL_AGENT";
        !is_ours && !is_withheld(name) && !["PATH", "PWD", "OLDPWD", "HOME", "_", ""].contains(&&*text)
    };
    given.into_iter().filter(|(name, _)| counts(name)).collect()
}
