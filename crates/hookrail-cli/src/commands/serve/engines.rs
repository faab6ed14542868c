//! The hook system that requests go to, and those that were in force before a reload.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hookrail::{Config, HookSystem};

use super::talk;
use crate::context::Context;
use crate::findings;
use crate::hook_log::HookLog;

/// Makes hook systems from the settings files as they are now.
pub(super) struct Engines {
    context: Context,
    trust_hooks: bool,
    current: RwLock<Arc<Config>>,
    /// Requests that came before a reload are still worked on with these.
    retired: Mutex<Vec<Arc<Config>>>,
}

impl Engines {
    /// Reads the settings and tells what is wrong with them; refuses settings that nobody can use.
    pub(super) fn load(context: Context, trust_hooks: bool) -> anyhow::Result<Self> {
        let config = make(&context, trust_hooks, None);
        findings::refuse_unusable(config.settings(), &context)?;
        tell_state(&config, &context);
        let current = RwLock::new(Arc::new(config));
        Ok(Self { context, trust_hooks, current, retired: Mutex::default() })
    }

    /// The one for new requests.
    pub(super) fn current(&self) -> Arc<Config> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the settings again, for later requests. A file that cannot be read, say because somebody is in the
    /// middle of writing it, must not switch guards off: then everything stays as it is.
    pub(super) fn reload(&self) {
        let session = self.current().session_id().to_owned();
        let config = make(&self.context, self.trust_hooks, Some(session));
        tell_state(&config, &self.context);
        if !config.settings().unusable.is_empty() {
            talk("warning: the settings were not reloaded; those read before stay in force");
            return;
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::new(config));
        drop(current);
        self.retire(old);
        talk("settings reloaded");
    }

    /// Keeps an old one until its last request is answered and its last hook is gone.
    fn retire(&self, old: Arc<Config>) {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        retired.push(old);
        // The list holds one reference itself; its last other owner was a request.
        retired.retain(|config| Arc::strong_count(config) > 1 || !is_drained(config));
    }

    fn all(&self) -> Vec<Arc<Config>> {
        let mut all = self.retired.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.push(self.current());
        all
    }

    /// Waits until hooks that ran out of time are gone.
    pub(super) async fn drain(&self) {
        for config in self.all() {
            if let Some(system) = config.hook_system() {
                system.drain().await;
            }
        }
    }

    /// Like [`Engines::drain`], without a grace for anybody.
    pub(super) async fn drain_at_once(&self) {
        for config in self.all() {
            if let Some(system) = config.hook_system() {
                system.end_grace();
            }
        }
        self.drain().await;
    }
}

fn is_drained(config: &Config) -> bool {
    config.hook_system().is_none_or(HookSystem::is_drained)
}

fn make(context: &Context, trust_hooks: bool, session: Option<String>) -> Config {
    let log = Arc::new(HookLog::new(&context.state_dir()));
    log.set_project(context.project());
    let builder = context.engine(trust_hooks, Some(log.clone()));
    let config = match session {
        Some(session) => builder.session_id(session),
        None => builder,
    }
    .build();
    log.set_session(config.session_id());
    if let Some(system) = config.hook_system() {
        // Now rather than at the first request: what is wrong is told early, and no client waits for it.
        system.initialize();
    }
    config
}

/// What is wrong with the settings and approvals.
fn tell_state(config: &Config, context: &Context) {
    let settings = config.settings();
    for line in findings::lines(settings, context) {
        talk(line.text);
    }
    if let Some(off) = settings.why_off() {
        if settings.hooks.is_empty() {
            talk(format_args!("warning: {}", off.message));
        }
        talk("warning: every request is answered as if there were no hooks");
        talk("hint: mend the settings, then send SIGHUP");
    } else if settings.findings.iter().any(|finding| finding.code == "project-not-approved") {
        talk("hint: after `hookrail trust` send SIGHUP; `--trust-hooks` approves for one run");
    }
}
