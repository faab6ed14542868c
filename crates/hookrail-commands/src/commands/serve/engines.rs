//! The hook system that requests go to, and those that were in force before a reload.
//!
//! A reload never loses a request: those that run keep the session they began with, and the session is dropped with the
//! last of them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookrail::components::{HookKind, WorkerPool, WorkerStatus};
use hookrail::{DiagnosticCode, HookSession};

use super::print_message;
use crate::commands::allow::KeptGrants;
use crate::commands::sessions::Sessions;
use crate::context::Context;
use crate::exit::fail;
use crate::findings;
use crate::hook_log::HookLog;

/// Makes hook systems from the settings files as they are now.
pub(super) struct Engines {
    context: Context,
    trust_hooks: bool,
    /// The subject on which other machines ask; without one, requests are about this machine's project.
    subject: Option<String>,
    sessions: Sessions,
    /// What was last written to the log about workers.
    noted: Mutex<Vec<WorkerStatus>>,
}

const ASKS_ITSELF: &str =
    "a `remote` hook of these settings asks the subject that this service answers, and so itself";

/// How often the log gets a line about workers.
const NOTE_PAUSE: Duration = Duration::from_mins(1);

impl Engines {
    /// Reads the settings and prints what is wrong with them; refuses settings that cannot be used.
    pub(super) fn load(context: Context, trust_hooks: bool, subject: Option<String>) -> anyhow::Result<Self> {
        let workers = WorkerPool::default();
        let hooks = make(&context, trust_hooks, subject.is_none(), None, &workers);
        findings::refuse_unusable(hooks.settings(), &context)?;
        print_state(&hooks, &context);
        if asks_itself(&hooks, subject.as_deref()) {
            let hint = "a service needs settings of its own: give it another home, and other system settings with --system FILE";
            return fail(ASKS_ITSELF, hint);
        }
        let sessions = Sessions::new(hooks, workers);
        Ok(Self { context, trust_hooks, subject, sessions, noted: Mutex::default() })
    }

    /// The one for new requests.
    pub(super) fn current(&self) -> Arc<HookSession> {
        self.sessions.current()
    }

    /// Reads the settings again, for later requests. A file that cannot be read, say because an editor is in the
    /// middle of writing it, must not switch guards off: then everything stays as it is.
    pub(super) fn reload(&self) {
        let session = self.current().session_id().to_owned();
        let of_project = self.subject.is_none();
        let hooks = make(&self.context, self.trust_hooks, of_project, Some(session), &self.sessions.workers);
        print_state(&hooks, &self.context);
        let asks_itself = asks_itself(&hooks, self.subject.as_deref());
        if asks_itself {
            print_message(format_args!("error: {ASKS_ITSELF}"));
        }
        if asks_itself || !hooks.settings().unusable.is_empty() {
            print_message("warning: the settings were not reloaded; those read before stay in force");
            return;
        }
        self.sessions.replace(hooks);
        print_message("settings reloaded");
    }

    /// Writes to the log from time to time what workers did: it is read before the server ends, or after it was killed.
    pub(super) async fn note_workers(&self) {
        loop {
            tokio::time::sleep(NOTE_PAUSE).await;
            self.note_workers_now();
        }
    }

    /// Writes to the log about workers that did something since the last time.
    fn note_workers_now(&self) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.sessions.workers.status();
        let did_nothing = |worker: &WorkerStatus| {
            let counts = |status: &WorkerStatus| (status.answered, status.started, status.process.is_some());
            let same =
                |before: &WorkerStatus| before.command == worker.command && counts(before) == counts(worker);
            noted.iter().any(same)
        };
        let news: Vec<WorkerStatus> = now.iter().filter(|worker| !did_nothing(worker)).cloned().collect();
        if !news.is_empty() {
            let log = HookLog::new(&self.context.state_dir());
            log.set_session(self.current().session_id());
            log.workers(&news);
        }
        *noted = now;
    }

    /// Ends workers, and waits until they and hooks that ran out of time are gone; these are killed if there is no time.
    pub(super) async fn drain(&self, at_once: bool) {
        self.note_workers_now();
        self.sessions.drain(at_once).await;
    }
}

/// The session id is kept over reloads, since hooks distinguish sessions by it.
fn make(
    context: &Context,
    trust_hooks: bool,
    of_project: bool,
    session: Option<String>,
    workers: &WorkerPool,
) -> HookSession {
    let log = Arc::new(HookLog::new(&context.state_dir()));
    if of_project {
        log.set_project(context.project());
    }
    let grants = Arc::new(KeptGrants::new(&context.state_dir(), None));
    let builder = context.engine(trust_hooks, Some(log.clone())).workers(workers.clone()).grants(grants);
    let hooks = match session {
        Some(session) => builder.session_id(session),
        None => builder,
    }
    .build();
    log.set_session(hooks.session_id());
    if let Some(system) = hooks.hook_system() {
        // Now rather than at the first request: what is wrong is printed early, and no client waits for it.
        system.initialize();
    }
    hooks
}

/// Whether a hook asks the subject that is answered here: every question would make another one, until none is answered.
fn asks_itself(hooks: &HookSession, subject: Option<&str>) -> bool {
    let (Some(subject), Some(system)) = (subject, hooks.hook_system()) else { return false };
    system.initialize();
    let hooks = system.all_hooks();
    let mut running = hooks.iter().filter(|status| status.may_run());
    running.any(|status| matches!(&status.hook.kind, HookKind::Remote(nats) if nats.subject == subject))
}

/// What is wrong with the settings and approvals.
/// Printed at the start and after each reload, on stderr: clients read stdout.
fn print_state(hooks: &HookSession, context: &Context) {
    let settings = hooks.settings();
    for line in findings::lines(settings, context) {
        print_message(line.text);
    }
    // Guards of the folders above are asked all the same.
    let off = findings::why_off(settings, context).filter(|_| settings.enclosing.is_empty());
    if let Some(off) = off {
        // Where hooks are configured, it is among the lines above.
        if settings.hooks.is_empty() {
            print_message(format_args!("warning: {}; {}", off.why, off.help));
        }
        print_message("warning: every request is answered as if there were no hooks");
        print_message("hint: fix the settings, then send SIGHUP");
    } else if settings.findings.iter().any(|finding| finding.code == DiagnosticCode::ProjectNotApproved) {
        print_message("hint: after `hookrail trust` send SIGHUP; `--trust-hooks` approves for one run");
    }
}
