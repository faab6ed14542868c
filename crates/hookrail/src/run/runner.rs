//! Runs a plan: hooks side by side or chained.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;

pub use self::escalations::Escalations;
use self::hook_limits::HookLimits;
pub(super) use self::options::GRACE;
pub use self::options::{ProjectOptions, RunnerOptions, StartListener};
use super::handover::Handovers;
use super::payload::Payload;
use super::process::{Finished, not_started, run_from, spawn};
use super::reading::OutputReader;
use super::reaper::Reaper;
use super::shortage::{Shortage, ShortageWait};
use super::worker::{Worker, WorkerPool};
use crate::hook::{Hook, HookKind, WorkerMode};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::HookRun;

mod ahead;
mod chain;
mod escalations;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod hook_limits;
mod options;
#[cfg(test)]
pub(super) mod tests;

/// Executes hooks. A hook that fails is data like any other, so nothing here returns an error.
pub struct HookRunner {
    limits: HookLimits,
    /// For the project's own hooks, where its settings differ: they must not change how others run.
    project_limits: Option<HookLimits>,
    reaper: Reaper,
    workers: WorkerPool,
    handovers: Handovers,
    answer_by: Option<Instant>,
    outputs: OutputReader,
    shortage: Shortage,
    on_start: Option<StartListener>,
}

/// Which thread starts a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpawnOn {
    /// This one, and no other hook of the event waits for it.
    ThisThreadAlone,
    /// This one, while other hooks of the event are waiting for it or run already.
    ThisThread,
    /// Another one, if one can be had; this one otherwise.
    AnotherThread,
}

impl HookRunner {
    /// Makes a runner.
    pub fn new(options: RunnerOptions) -> Self {
        let RunnerOptions {
            limits,
            redaction,
            project,
            mut environment,
            trusted_path,
            direct_execution,
            grace,
            answer_by,
            on_start,
            workers,
        } = options;
        let workers = workers.unwrap_or_else(|| WorkerPool::new(grace));
        let inherited = (project.is_some() || trusted_path.is_some()).then(|| environment.clone());
        if let Some(path) = trusted_path {
            environment.retain(|(name, _)| name != "PATH");
            environment.push(("PATH".into(), path));
        }
        let all = HookLimits::new(limits, &redaction, environment, direct_execution);
        let project_limits = inherited.map(|inherited| match project {
            Some(own) => HookLimits::new(own.limits, &own.redaction, inherited, direct_execution),
            None => all.with_environment(inherited, &redaction, direct_execution),
        });
        Self {
            limits: all,
            project_limits,
            reaper: workers.reaper().clone(),
            workers,
            handovers: Handovers::new(),
            answer_by,
            outputs: OutputReader::new(),
            shortage: Shortage::default(),
            on_start,
        }
    }

    /// Runs hooks side by side, as many at once as the limit allows. The results keep the order of the
    /// hooks. Dropping the future ends all of them.
    pub async fn execute_hooks_parallel(
        &self,
        hooks: &[Arc<Hook>],
        input: &Payload,
        cwd: &Path,
    ) -> Vec<HookRun> {
        let waiting = &self.shortage.waiting_from(Instant::now());
        if let [hook] = hooks {
            return vec![self.execute(hook, input, cwd, SpawnOn::ThisThreadAlone, waiting).await];
        }
        // A thread is occupied by a spawn until the new program is executed, so a second one takes half of
        // them. It gets the first, and this thread spawns the next at the same time.
        let threads = [SpawnOn::AnotherThread, SpawnOn::ThisThread].into_iter().cycle();
        let runs: FuturesOrdered<_> = hooks
            .iter()
            .zip(threads)
            .map(|(hook, thread)| self.execute(hook, input, cwd, thread, waiting))
            .collect();
        runs.collect().await
    }

    /// A handle on the hooks that ran out of time.
    pub fn escalations(&self) -> Escalations {
        Escalations { reaper: self.reaper.clone(), workers: self.workers.downgrade() }
    }

    /// Ends the workers, and waits until they and every hook that ran out of time or was given up have really ended.
    /// A program does this before it exits.
    pub async fn drain(&self) {
        self.workers.end();
        self.handovers.drain().await;
        self.reaper.drain().await;
    }

    /// The workers, to be handed to the next session or looked at.
    pub fn workers(&self) -> &WorkerPool {
        &self.workers
    }

    /// Whether [`HookRunner::drain`] would return at once.
    pub(crate) fn is_drained(&self) -> bool {
        self.handovers.is_drained() && self.reaper.is_drained()
    }

    /// Kills hooks that ran out of time and are still cleaning up.
    pub(crate) fn end_grace(&self) {
        self.reaper.end_grace();
    }

    /// Runs one hook to its result. Nothing of it can fail: a hook that cannot be run is a result too.
    async fn execute(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
        waiting: &ShortageWait<'_>,
    ) -> HookRun {
        let cwd = hook.folder(cwd);
        let finished = match hook.kind {
            HookKind::Plugin => not_started(StartFailure::Plugin),
            // Rules are asked before anything is started; see `rules.rs`.
            HookKind::Rule(_) | HookKind::UnreadableRule(_) => not_started(StartFailure::Rule),
            HookKind::Command(_) => self.execute_command(hook, payload, cwd, thread, waiting).await,
        };
        self.outputs.read(hook, finished, self.limits_of(hook).keep(payload)).await
    }

    /// Limits and environment of a hook: a project's settings count for its own hooks only.
    fn limits_of(&self, hook: &Hook) -> &HookLimits {
        match &self.project_limits {
            Some(limits) if hook.is_own_projects() => limits,
            _ => &self.limits,
        }
    }

    /// Asks the worker of a hook about an event. `None` if it has to be run by a process of its own.
    async fn ask_worker(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
    ) -> Option<Finished> {
        let limits = self.limits_of(hook);
        let worker = self.worker_of(hook, cwd);
        // A hook that waits for a busy worker holds no slot, so other hooks can run.
        let admitted = worker.admit().await;
        let _slot = limits.slots.acquire().await;
        self.report_start(hook);
        let counted = self.workers.count_question();
        let alone = thread == SpawnOn::ThisThreadAlone && counted.is_only_one();
        admitted.ask(payload, self.time_for(hook), limits.keep(payload), alone).await
    }

    /// The worker of a hook that has one.
    fn worker_of(&self, hook: &Arc<Hook>, cwd: &Path) -> Arc<Worker> {
        self.workers.worker(hook, cwd, || self.limits_of(hook).commands.prepare(hook, cwd))
    }

    /// Reports to the host that a hook is about to start.
    fn report_start(&self, hook: &Hook) {
        if let Some(on_start) = &self.on_start {
            on_start(hook);
        }
    }

    /// How long a hook may run that starts now.
    fn time_for(&self, hook: &Hook) -> Duration {
        let left = self.answer_by.map(|by| by.saturating_duration_since(Instant::now()));
        left.map_or(hook.timeout, |left| hook.timeout.min(left))
    }

    /// Asks the hook's worker if it has one, and starts a process if it has none or the worker cannot answer.
    async fn execute_command(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
        waiting: &ShortageWait<'_>,
    ) -> Finished {
        let has_worker = hook.worker != WorkerMode::Off;
        // In a box, so that hooks without a worker do not carry its state along.
        if has_worker && let Some(finished) = Box::pin(self.ask_worker(hook, payload, cwd, thread)).await {
            return finished;
        }
        // The semaphore is never closed, so this cannot fail.
        let limits = self.limits_of(hook);
        let _slot = limits.slots.acquire().await;
        let timeout = self.time_for(hook);
        if self.answer_by.is_some() && timeout.is_zero() {
            return not_started(StartFailure::NoTimeLeft);
        }
        // For a hook that its worker could not answer, the start was reported before.
        if !has_worker {
            self.report_start(hook);
        }
        let command = limits.commands.prepare(hook, cwd);
        let keep = limits.keep(payload);
        let elsewhere = match thread {
            SpawnOn::AnotherThread => self.handovers.spawn(&command, payload, &self.reaper).await,
            SpawnOn::ThisThreadAlone | SpawnOn::ThisThread => None,
        };
        // Without another thread, this one spawns.
        let first = elsewhere.unwrap_or_else(|| spawn(&command, payload, &self.reaper));
        run_from(first, &command, payload, timeout, keep, &self.reaper, waiting).await
    }
}
