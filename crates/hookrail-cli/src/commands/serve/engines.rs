//! The hook system that requests go to, and those that were in force before a reload.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hookrail::{Config, Diagnostic, HookObserver, HookSystem, SettingsPaths, Severity, load_settings};

use super::talk;
use crate::printer::escape_line;

/// Makes hook systems from the settings files as they are now.
pub(super) struct Engines {
    paths: SettingsPaths,
    trust_hooks: bool,
    observer: Option<Arc<dyn HookObserver>>,
    current: RwLock<Arc<Config>>,
    /// Requests that came before a reload are still worked on with these.
    retired: Mutex<Vec<Arc<Config>>>,
}

impl Engines {
    /// Reads the settings and tells what is wrong with them.
    pub(super) fn load(
        paths: SettingsPaths,
        trust_hooks: bool,
        observer: Option<Arc<dyn HookObserver>>,
    ) -> Self {
        let config = make(&paths, trust_hooks, observer.clone(), None);
        tell_state(&config, &load_settings(&paths).diagnostics);
        let current = RwLock::new(Arc::new(config));
        Self { paths, trust_hooks, observer, current, retired: Mutex::default() }
    }

    /// The one for new requests.
    pub(super) fn current(&self) -> Arc<Config> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the settings again, for later requests. A file that cannot be read, say because somebody is in the
    /// middle of writing it, must not switch guards off: then everything stays as it is.
    pub(super) fn reload(&self) {
        let findings = load_settings(&self.paths).diagnostics;
        if findings.iter().any(|finding| matches!(finding.code, "malformed-settings" | "unreadable-settings"))
        {
            tell_findings(&findings);
            talk("warning: the settings were not reloaded; those read before stay in force");
            return;
        }
        let session = self.current().session_id().to_owned();
        let config = make(&self.paths, self.trust_hooks, self.observer.clone(), Some(session));
        tell_state(&config, &findings);
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

fn make(
    paths: &SettingsPaths,
    trust_hooks: bool,
    observer: Option<Arc<dyn HookObserver>>,
    session: Option<String>,
) -> Config {
    let context = crate::context::Context { paths: paths.clone() };
    let builder = context.engine(trust_hooks, observer);
    let config = match session {
        Some(session) => builder.session_id(session),
        None => builder,
    }
    .build();
    if let Some(system) = config.hook_system() {
        // Now rather than at the first request: what is wrong is told early, and no client waits for it.
        system.initialize();
    }
    config
}

fn tell_findings(findings: &[Diagnostic]) {
    for finding in findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
        let kind = if finding.severity == Severity::Error { "error" } else { "warning" };
        let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        talk(format_args!("{kind}: {}{}", escape_line(&place), escape_line(&finding.message)));
        if let Some(help) = &finding.help {
            talk(format_args!("hint: {}", escape_line(help)));
        }
    }
}

/// What is wrong with the settings and approvals, and one warning for all hooks that wait for approval.
fn tell_state(config: &Config, findings: &[Diagnostic]) {
    let Some(system) = config.hook_system() else {
        tell_findings(findings);
        talk("warning: hooks are off; every request is answered as if there were none");
        talk("hint: set `\"enableHooks\": true` in your settings, then send SIGHUP");
        return;
    };
    let (waiting, others): (Vec<_>, Vec<_>) =
        system.diagnostics().iter().cloned().partition(|finding| finding.code == "hook-not-approved");
    tell_findings(&others);
    if !waiting.is_empty() {
        talk(format_args!("warning: not approved, not run: {}", count(waiting.len(), "hook")));
        talk("hint: review with `hookrail trust`, then send SIGHUP; `--trust-hooks` approves for one run");
    }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
