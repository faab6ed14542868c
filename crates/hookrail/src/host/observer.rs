//! Records of what hooks did, as data: a session log, a progress line or a statistics file is made of
//! these. The same records go to `tracing` from the event handler.

use std::time::Duration;

use crate::event::{BaseFields, Event, EventName};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::run::Payload;
use crate::verdict::hook_run::HookRun;
use crate::verdict::result::ProcessedHookResult;

/// Receives records of what hooks do. Every method has an empty default; none of them may block for long, because the
/// agent waits for them.
pub trait HookObserver: Send + Sync {
    /// A hook is about to be started.
    fn hook_started(&self, event: EventName, hook: &Hook) {
        let _ = (event, hook);
    }

    /// A hook has ended.
    fn hook_call(&self, call: &HookCall<'_>) {
        let _ = call;
    }

    /// All hooks of an event have ended.
    fn hook_batch(&self, batch: &HookBatch) {
        let _ = batch;
    }

    /// An event to which a hook listens, or that is blocked whatever hooks say, has its result.
    fn event_decided(&self, decided: &DecidedEvent<'_>) {
        let _ = decided;
    }
}

/// An event and what came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct DecidedEvent<'a> {
    /// The event with its data.
    pub event: &'a Event<'a>,
    /// Session, folder and time.
    pub base: &'a BaseFields<'a>,
    /// Further fields of the caller.
    pub extra: &'a JsonObject,
    /// What hooks were given on stdin, if one of them was asked.
    pub input: Option<&'a Payload>,
    /// What came of it.
    pub result: &'a ProcessedHookResult,
    /// Whether commands, paths and prompts may be logged; `hooksConfig.log` decides.
    pub logs_texts: bool,
}

/// One finished hook.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookCall<'a> {
    /// The event it ran for.
    pub event: EventName,
    /// What became of it.
    pub run: &'a HookRun,
    /// What it was given on stdin.
    pub input: &'a Payload,
}

/// One finished event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookBatch {
    /// The event.
    pub event: EventName,
    /// How many hooks ran.
    pub hook_count: usize,
    /// How many of them were healthy.
    pub success_count: usize,
    /// How many of them were not; a block by exit code 2 counts here.
    pub failure_count: usize,
    /// The sum of the hooks' durations.
    pub duration: Duration,
}

impl HookBatch {
    /// The record of an event. Hooks that were not healthy count as failed.
    pub fn new(event: EventName, hook_count: usize, success_count: usize, duration: Duration) -> Self {
        let failure_count = hook_count.saturating_sub(success_count);
        Self { event, hook_count, success_count, failure_count, duration }
    }
}
