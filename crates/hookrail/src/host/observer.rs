//! Records of what hooks did, as data: a session log, a progress line or a statistics file is made of
//! these. The same records go to `tracing`.

use std::sync::OnceLock;
use std::time::Duration;

use crate::event::{BaseFields, Event, EventName, HookInput};
use crate::formats::json_object::JsonObject;
use crate::hook::Hook;
use crate::host::panics::catch_panic;
use crate::run::Payload;
use crate::verdict::chain::unusable_request_fields;
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

/// The records of one event. Writing them runs code of the host: its first panic is kept, and the event goes on.
pub(crate) struct Records<'a> {
    observer: Option<&'a dyn HookObserver>,
    panic: OnceLock<String>,
    /// What the first hook was given; clones share the text.
    input: OnceLock<Payload>,
}

impl<'a> Records<'a> {
    /// Records for `tracing` and, where there is one, for an observer.
    pub(crate) fn new(observer: Option<&'a dyn HookObserver>) -> Self {
        Self { observer, panic: OnceLock::new(), input: OnceLock::new() }
    }

    /// Whether somebody wants to know what hooks were given.
    pub(crate) const fn are_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// The first panic of a record, once all of them are written.
    pub(crate) fn into_panic(self) -> Option<String> {
        self.panic.into_inner()
    }

    /// One record per hook, with its artifacts; failures are warnings.
    pub(crate) fn hook(&self, event: EventName, run: &HookRun, payload: &Payload) {
        self.guarded(|| {
            trace_run(event, run);
            if let Some(observer) = self.observer {
                let _ = self.input.set(payload.clone());
                observer.hook_call(&HookCall { event, run, input: payload });
            }
        });
    }

    /// Says which fields of a request the next hook of a chain does not get to see.
    pub(crate) fn unusable_fields(&self, event: EventName, run: &HookRun) {
        let name = &run.hook.name;
        self.guarded(|| {
            for problem in run.output.iter().flat_map(|output| unusable_request_fields(event, output)) {
                tracing::warn!(target: "llxprt:core:hooks:handler", %event, hook = name, "hook `{name}`: {problem}");
            }
        });
    }

    /// One record for the whole event.
    pub(crate) fn batch(&self, result: &ProcessedHookResult) {
        self.guarded(|| {
            let healthy = result.runs.iter().filter(|run| run.success()).count();
            let duration = result.aggregated.total_duration;
            let batch = HookBatch::new(result.event, result.runs.len(), healthy, duration);
            trace_batch(&batch, result);
            if let Some(observer) = self.observer {
                observer.hook_batch(&batch);
            }
        });
    }

    /// One record of what came of the event.
    pub(crate) fn decided(&self, input: &HookInput<'_>, result: &ProcessedHookResult, logs_texts: bool) {
        let Some(observer) = self.observer else { return };
        let HookInput { base, event, extra } = *input;
        let input = self.input.get();
        self.guarded(|| {
            observer.event_decided(&DecidedEvent { event, base, extra, input, result, logs_texts });
        });
    }

    fn guarded(&self, record: impl FnOnce()) {
        if let Err(panic) = catch_panic(record) {
            let _ = self.panic.set(panic);
        }
    }
}

fn trace_run(event: EventName, run: &HookRun) {
    let name = &run.hook.name;
    let duration_ms = millis(run.duration);
    tracing::debug!(
        target: "llxprt:core:hooks:handler",
        %event, hook = name, r#type = run.hook.type_name(), duration_ms, success = run.success(),
        exit_code = run.exit_code(), signal = run.signal(), stdout = run.stdout, stderr = run.stderr,
        error = run.failure().map(tracing::field::display), "hook finished",
    );
    if let Some(failure) = run.failure() {
        tracing::warn!(
            target: "llxprt:core:hooks:handler",
            %event, hook = name, duration_ms, exit_code = run.exit_code(), stderr = run.stderr,
            "hook `{name}` failed: {failure}",
        );
    }
    for warning in &run.warnings {
        tracing::warn!(target: "llxprt:core:hooks:handler", %event, hook = name, "hook `{name}`: {warning}");
    }
}

fn trace_batch(batch: &HookBatch, result: &ProcessedHookResult) {
    tracing::debug!(
        target: "llxprt:core:hooks:handler",
        event = %batch.event, hook_count = batch.hook_count, success_count = batch.success_count,
        failure_count = batch.failure_count, total_duration_ms = millis(batch.duration),
        success = result.aggregated.success, blocked = result.block.is_some(),
        should_stop = result.stop.is_some(), "event finished",
    );
    for warning in &result.warnings {
        tracing::warn!(target: "llxprt:core:hooks:handler", event = %batch.event, "{warning}");
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
