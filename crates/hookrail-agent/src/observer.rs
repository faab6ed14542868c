//! Passes the engine's records on to the session log, to the user interface, and to another observer.

use std::sync::Arc;

use hookrail::observer::{DecidedEvent, HookBatch, HookCall, HookObserver};
use hookrail::{EventName, Hook};

use crate::log::{LogLine, SessionLog};
use crate::ui::{AgentEvent, Ui};

/// Receives the records of the engine and hands them on.
pub struct AgentObserver {
    /// The session log, which gets a line for each hook and each batch.
    pub log: Arc<SessionLog>,
    /// Shows hooks as they start and end.
    pub ui: Arc<dyn Ui>,
    /// Another observer, such as the engine's own log.
    pub next: Option<Arc<dyn HookObserver>>,
}

impl HookObserver for AgentObserver {
    fn hook_started(&self, event: EventName, hook: &Hook) {
        self.ui.notify(&AgentEvent::HookStarted { event, name: &hook.name });
        if let Some(next) = &self.next {
            next.hook_started(event, hook);
        }
    }

    fn hook_call(&self, call: &HookCall<'_>) {
        self.log.hook_call(call);
        self.ui.notify(&AgentEvent::HookFinished { event: call.event, run: call.run });
        if let Some(next) = &self.next {
            next.hook_call(call);
        }
    }

    fn hook_batch(&self, batch: &HookBatch) {
        self.log.write(&LogLine::batch(batch));
        if let Some(next) = &self.next {
            next.hook_batch(batch);
        }
    }

    fn event_decided(&self, decided: &DecidedEvent<'_>) {
        if let Some(next) = &self.next {
            next.event_decided(decided);
        }
    }
}
