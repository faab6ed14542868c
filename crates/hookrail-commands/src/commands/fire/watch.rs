//! Progress of `fire`: which hooks still run, on a terminal.

use std::sync::Arc;

use hookrail::observer::{DecidedEvent, HookBatch, HookCall, HookObserver};
use hookrail::{EventName, Hook};
use hookrail_agent::tools::BoxFuture;
use hookrail_agent::ui::{AgentEvent, Question, Ui};

use crate::hook_log::HookLog;
use crate::terminal::progress::{Progress, TerminalUi};

/// Observes every hook, for the log and for the progress line.
pub(super) struct Watch {
    log: Arc<HookLog>,
    progress: Progress<Silent>,
}

impl Watch {
    /// Writes to the log, and shows progress where stderr is a terminal.
    pub(super) fn new(log: Arc<HookLog>) -> Self {
        Self { log, progress: Progress::on_stderr(Arc::new(Silent), true) }
    }

    /// Takes the progress line off the screen.
    pub(super) fn idle(&self) {
        self.progress.idle();
    }
}

impl HookObserver for Watch {
    fn hook_started(&self, event: EventName, hook: &Hook) {
        self.progress.notify(&AgentEvent::HookStarted { event, name: &hook.name });
    }

    fn hook_call(&self, call: &HookCall<'_>) {
        self.progress.notify(&AgentEvent::HookFinished { event: call.event, run: call.run });
        self.log.hook_call(call);
    }

    fn hook_batch(&self, batch: &HookBatch) {
        self.log.hook_batch(batch);
    }

    fn event_decided(&self, decided: &DecidedEvent<'_>) {
        self.log.event_decided(decided);
    }
}

/// Shows nothing of its own and never asks.
/// `fire` prints its result at the end and has nothing to show before.
struct Silent;

impl Ui for Silent {
    fn notify(&self, _: &AgentEvent<'_>) {}

    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
}

impl TerminalUi for Silent {
    fn has_open_line(&self) -> bool {
        false
    }

    fn end_line(&self) {}
}
