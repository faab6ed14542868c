//! Progress of `fire`: which hooks still run, on a terminal.

use std::sync::Arc;

use hookrail::observer::{DecidedEvent, HookBatch, HookCall, HookObserver};
use hookrail::{EventName, Hook};
use hookrail_agent::ui::{AgentEvent, Ui as _};

use crate::hook_log::HookLog;
use crate::terminal::progress::Progress;

/// Observes every hook, for the log and for the progress line.
pub(super) struct Watch {
    log: Arc<HookLog>,
    pub(super) progress: Progress,
}

impl Watch {
    /// Writes to the log, and shows progress where stderr is a terminal.
    pub(super) fn new(log: Arc<HookLog>) -> Self {
        Self { log, progress: Progress::on_stderr(None, true) }
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
