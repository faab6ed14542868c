//! The result of one event: the merged outputs, and what callers need to know of them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::event::EventName;
use crate::hook::{Hook, HookKind, StartObstacle};
use crate::output::HookOutput;
use crate::plan::planner::Plan;
use crate::verdict::common_fields::{make_empty_success_result, process_common_hook_output_fields};
use crate::verdict::failure::HookFailure;
use crate::verdict::hook_run::HookRun;

/// The outputs of all hooks of one event, merged.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AggregatedHookResult {
    /// Execution health: every hook ran and its output could be read. Says nothing about policy.
    pub success: bool,
    /// The merged output; `None` when no hook gave one.
    pub final_output: Option<HookOutput>,
    /// Each hook's own output, in plan order.
    pub all_outputs: Vec<HookOutput>,
    /// One entry for each hook that failed, in plan order.
    pub errors: Vec<HookError>,
    /// Why the hooks that ask for a person's decision do so. A hook whose `ask` is read as allow asks for none.
    #[serde(skip)]
    pub(crate) ask_reasons: Vec<String>,
    /// The sum of the hooks' durations; written in milliseconds.
    #[serde(serialize_with = "as_milliseconds")]
    pub total_duration: Duration,
}

/// Why a hook, or the hook system itself, failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct HookError {
    /// The name of the hook that failed; `None` when the hook system itself did.
    pub hook: Option<String>,
    /// Why.
    pub message: String,
}

/// An aggregated result whose common fields were read once, for all callers.
#[must_use = "a result may carry a block or a stop"]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProcessedHookResult {
    /// Which event it answers.
    pub event: EventName,
    /// The merged outputs.
    pub aggregated: AggregatedHookResult,
    /// The stop that holds, if a hook asked for one.
    pub stop: Option<StopReason>,
    /// The hooks' message for the model. Warnings of failed hooks are not in here.
    pub system_message: Option<String>,
    /// Whether the result is to be hidden from the user.
    pub suppress_output: bool,
    /// The block that holds, if the event can be blocked and something blocked it.
    pub block: Option<Block>,
    /// What a person is asked before the tool runs, never blank; `None` while the call is blocked.
    pub ask: Option<String>,
    /// What hooks asked for without effect, such as a block of an event that cannot be blocked. What was odd about
    /// one hook's answer is with its run.
    pub warnings: Vec<String>,
    /// Every hook that ran, in plan order.
    pub runs: Vec<HookRun>,
    /// Rules and hooks that were planned and whose condition did not hold. Nothing of them ran.
    pub not_held: Vec<Arc<Hook>>,
    /// The whole plan, where there are so many rules that some were not asked: the event has nothing that they need.
    pub(crate) left_out: Option<Arc<Plan>>,
    /// Hooks that were planned and may not run for this event. Nothing of them ran.
    pub refused: Vec<RefusedHook>,
    /// What let the call pass rules that would have stopped it.
    pub grant: Option<Grant>,
}

/// A person let a call pass these rules.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Grant {
    /// The host's id of it.
    pub id: String,
    /// The rules that would have stopped the call.
    pub rules: Vec<Arc<Hook>>,
}

impl ProcessedHookResult {
    /// Rules and hooks that were planned and whose condition did not hold, also those that did not have to be asked.
    pub fn all_not_held(&self) -> impl Iterator<Item = &Arc<Hook>> {
        let is_other = |hook: &&Arc<Hook>| {
            matches!(hook.kind, HookKind::Rule(_))
                && !self.runs.iter().any(|run| Arc::ptr_eq(&run.hook, hook))
                && !self.refused.iter().any(|refused| Arc::ptr_eq(&refused.hook, hook))
                && !self.not_held.iter().any(|held| Arc::ptr_eq(held, hook))
        };
        let left_out = self.left_out.iter().flat_map(|plan| &plan.hooks).map(|planned| &planned.hook);
        self.not_held.iter().chain(left_out.filter(is_other))
    }

    /// Everything a person should know about the hooks of this event: what was asked for without effect, and what was odd
    /// about one hook's answer.
    pub fn all_warnings(&self) -> Vec<String> {
        let of_run = |run: &HookRun| {
            let name = run.hook.name.clone();
            run.warnings.clone().into_iter().map(move |warning| format!("hook `{name}`: {warning}"))
        };
        self.warnings.iter().cloned().chain(self.runs.iter().flat_map(of_run)).collect()
    }

    /// Why the operation is blocked or, if it is not, why a person is to decide.
    pub fn verdict_reason(&self) -> Option<&str> {
        let block = self.block.as_ref().map(|block| block.reason.as_str());
        block.or(self.ask.as_deref())
    }

    /// Blocks the event. A blocked call is nothing to ask a person about.
    pub(crate) fn block_with(&mut self, block: Block) {
        match &mut self.block {
            Some(own) => own.reason = format!("{}\n{}", own.reason, block.reason),
            None => self.block = Some(block),
        }
        self.ask = None;
    }

    /// The result of an event whose hooks have answered, with the failure of the hook system itself. What the hooks decided
    /// counts: an error beside them must not turn a block into an allow.
    pub(crate) fn with_failure(self, failure: Self) -> Self {
        let block = self.block.or(failure.block);
        let ask = self.ask.filter(|_| block.is_none());
        Self { ask, block, stop: self.stop, runs: self.runs, ..failure }
    }

    /// What went wrong in the hook system itself, as opposed to in a hook.
    pub fn infrastructure_failure(&self) -> Option<&HookError> {
        self.aggregated.errors.iter().find(|error| error.hook.is_none())
    }

    /// What kept hooks from deciding that is not their doing: a failure of the hook system, a shortage of resources, or
    /// an exit status that was lost, which may have been a block.
    pub(crate) fn own_failure(&self) -> Option<String> {
        let of_run = |run: &HookRun| {
            let failure = run.failure()?;
            let is_own = failure.is_shortage() || *failure == HookFailure::StatusUnknown;
            is_own.then(|| format!("hook `{}` {failure}", run.hook.name))
        };
        let system = self.infrastructure_failure().map(ToString::to_string);
        system.or_else(|| self.runs.iter().find_map(of_run))
    }

    /// The result of an event to which no hook listens.
    pub fn empty(event: EventName) -> Self {
        process_common_hook_output_fields(event, make_empty_success_result(), Vec::new())
    }
}

/// A hook that was planned and is not run for this event. Its text names the hook and the reason.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Why it is not run.
    pub why: RefusalReason,
}

/// Why a planned hook is not run for an event. The text of each goes on from the name of the hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
#[non_exhaustive]
pub enum RefusalReason {
    /// It is a hook of the project, and the event comes from a folder outside of it.
    #[error("belongs to the project in {} and does not run for {}", .project.display(), .cwd.display())]
    OtherFolder { project: PathBuf, cwd: PathBuf },
    /// It changed since it was approved.
    #[error("changed since it was approved ({what}); run `hookrail trust` to approve it again")]
    Changed { what: String },
    /// It is a guard as it was approved, and the file that it is started with cannot be executed.
    #[error("cannot be started: {0}, then approve it with `hookrail trust`")]
    CannotStart(StartObstacle),
    /// It is an approved guard whose file is open for writing, so that the system would not execute it.
    #[error(
        "cannot be started: `{}` is open for writing, so it may be changing; close it, or run `hookrail trust` to look \
         at it",
        .file.display()
    )]
    OpenForWriting { file: PathBuf },
}

impl RefusalReason {
    /// Whether guarded events are blocked: an approved guard is not what was approved, or cannot be started.
    pub const fn blocks(&self) -> bool {
        matches!(self, Self::Changed { .. } | Self::CannotStart(_) | Self::OpenForWriting { .. })
    }
}

impl fmt::Display for RefusedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_guard =
            matches!(self.why, RefusalReason::CannotStart(_) | RefusalReason::OpenForWriting { .. });
        let kind = if is_guard { "guard" } else { "hook" };
        write!(f, "{kind} `{}` {}", self.hook.name, self.why)
    }
}

/// Why the agent is to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopReason(String);

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StopReason {
    /// A reason with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The reason as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The reason as an owned text.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// A block that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The text that the model and the user get.
    pub reason: String,
    /// A hook's decision, or its failure to give one.
    pub cause: BlockCause,
}

impl Block {
    /// A block for this reason.
    pub fn new(reason: impl Into<String>, cause: BlockCause) -> Self {
        Self { reason: reason.into(), cause }
    }
}

/// Why an operation is blocked. Exhaustive on purpose: something decided so, or could not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockCause {
    /// A hook decided so.
    Policy,
    /// A hook with `onFailure: "block"` gave no verdict, or a guard changed since it was approved.
    Failure,
}

fn as_milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
