//! The session of a program that lives long: made again when its settings change, while requests that came before are still
//! worked on with the one they began with.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hookrail::HookSession;
use hookrail::components::{HookSystem, Level, WorkerPool};

use crate::context::Context;

/// The session for new requests, and those of before.
pub(super) struct Sessions {
    /// Reading it is what every request does, so it is not behind the lock of the others.
    current: RwLock<Arc<HookSession>>,
    retired: Mutex<Vec<Arc<HookSession>>>,
    /// Handed from one to the next, so that workers go on whose hooks did not change.
    pub(super) workers: WorkerPool,
}

impl Sessions {
    /// `workers` are those of the session.
    pub(super) fn new(session: HookSession, workers: WorkerPool) -> Self {
        Self { current: RwLock::new(Arc::new(session)), retired: Mutex::default(), workers }
    }

    /// The one for new requests.
    pub(super) fn current(&self) -> Arc<HookSession> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another one in its place. The old one is kept until its last request is answered and its last hook is gone.
    pub(super) fn replace(&self, session: HookSession) {
        keep_workers(&self.workers, &session);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::new(session));
        drop(current);
        let is_drained = |old: &HookSession| old.hook_system().is_none_or(HookSystem::is_drained);
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        retired.push(old);
        // The list holds one reference itself; its last other owner was a request.
        retired.retain(|old| Arc::strong_count(old) > 1 || !is_drained(old));
    }

    /// Ends workers, and waits until they and hooks that ran out of time are gone; without a grace period if these are to be
    /// killed.
    pub(super) async fn drain(&self, at_once: bool) {
        let mut all = self.retired.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.push(self.current());
        let systems = || all.iter().filter_map(|session| session.hook_system());
        if at_once {
            systems().for_each(HookSystem::end_grace);
        }
        for system in systems() {
            system.drain().await;
        }
    }
}

/// Ends the workers of hooks that a session does not have or may not run.
pub(super) fn keep_workers(workers: &WorkerPool, session: &HookSession) {
    let Some(system) = session.hook_system() else { return workers.end() };
    system.initialize();
    let hooks = system.all_hooks();
    workers.keep_only(hooks.iter().filter(|status| status.may_run()).map(|status| &*status.hook));
}

/// Every file that decides which hooks there are and may run, as it was.
pub(super) struct SettingsState(Vec<(PathBuf, Stamp)>);

/// What shows that a file was replaced or changed; `None` where nothing is.
type Stamp = Option<(u64, u64, u64, i64, i64)>;

impl SettingsState {
    /// To be taken before they are read: what changes meanwhile is then read again.
    pub(super) fn of(user: &Context, folder: &Path) -> Self {
        Self(files(user, folder).into_iter().map(|file| (file.clone(), stamp(&file))).collect())
    }

    pub(super) fn is_current(&self) -> bool {
        self.0.iter().all(|(file, then)| stamp(file) == *then)
    }
}

fn files(user: &Context, folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![user.approvals().path(), user.state_dir().join("connect.json")];
    for level in [Level::User, Level::System] {
        files.extend(user.paths.files(&level));
    }
    if let Ok(Some(policy)) = user.paths.policy() {
        files.push(policy.folder.path().join("current"));
    }
    for above in folder.ancestors() {
        files.extend([".hookrail/settings.json", ".llxprt/settings.json"].map(|name| above.join(name)));
    }
    if let Some(extensions) = user.paths.extensions_dir() {
        let entries = fs::read_dir(&extensions).into_iter().flatten().flatten();
        for extension in entries.map(|entry| entry.path()) {
            let names = ["llxprt-extension.json", "gemini-extension.json", "hooks/hooks.json"];
            files.extend(names.map(|name| extension.join(name)));
        }
        files.push(extensions);
    }
    files
}

fn stamp(file: &Path) -> Stamp {
    let found = fs::metadata(file).ok()?;
    let times = [(found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())];
    let [changed, renamed] =
        times.map(|(seconds, more)| seconds.wrapping_mul(1_000_000_000).wrapping_add(more));
    Some((found.dev(), found.ino(), found.len(), changed, renamed))
}
