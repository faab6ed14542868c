//! Runs a plan: hooks side by side or chained.

mod ahead;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Semaphore;

use super::command::CommandPreparer;
use super::handover::Handovers;
use super::payload::Payload;
use super::process::{Captured, Finished, run_from, spawn};
use super::reading::{self, OutputReader};
use super::reaper::Reaper;
use super::rules::RuleCheck;
use super::shortage::{Shortage, Waiting};
use super::worker::{WeakPool, WorkerPool};
use crate::event::EventName;
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind, Level, WorkerMode};
use crate::settings::{Limits, Redaction};
use crate::verdict::chain::{apply_hook_output_to_input, ends_chain};
use crate::verdict::hook_run::{Exit, HookRun};

/// What is kept of each output stream, unless the settings say otherwise or the payload is large.
const KEPT_OUTPUT: usize = 16 * 1024 * 1024;
/// Between `SIGTERM` and `SIGKILL`.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// The descriptors that one hook takes while it is being spawned, and those left to the rest of the program.
const DESCRIPTORS_PER_HOOK: u64 = 6;
const RESERVED_DESCRIPTORS: u64 = 32;

/// Hears of each hook just before it is started.
pub type StartListener = Arc<dyn Fn(&Hook) + Send + Sync>;

/// How hooks are run.
#[derive(Clone)]
pub struct RunnerOptions {
    /// How many at once, and how much of their output is kept.
    pub limits: Limits,
    /// What they do not see of the environment.
    pub redaction: Redaction,
    /// Limits and redaction of the project's own hooks, where its settings differ.
    pub project: Option<(Limits, Redaction)>,
    /// The environment they inherit; `inherited_environment` gives the one of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether commands without any shell syntax are executed without a shell. No hook can tell.
    pub direct_execution: bool,
    /// How long a hook that ran out of time may clean up before it is killed.
    pub grace: Duration,
    /// No hook may run past this moment, whatever its settings say; for a host that has to answer by then itself.
    pub answer_by: Option<Instant>,
    /// Hears of each hook just before it is started; for a display of progress.
    pub on_start: Option<StartListener>,
    /// The workers of an earlier session; new ones are made without it.
    pub workers: Option<WorkerPool>,
}

impl RunnerOptions {
    /// The default options for hooks that inherit this environment.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            limits: Limits::default(),
            redaction: Redaction::default(),
            project: None,
            environment,
            direct_execution: true,
            grace: GRACE,
            answer_by: None,
            on_start: None,
            workers: None,
        }
    }
}

/// Executes hooks. A hook that fails is data like any other, so nothing here returns an error.
pub struct HookRunner {
    terms: Terms,
    /// For the project's own hooks, where its settings differ: they must not change how others run.
    project_terms: Option<Terms>,
    reaper: Reaper,
    workers: WorkerPool,
    handovers: Handovers,
    answer_by: Option<Instant>,
    outputs: OutputReader,
    shortage: Shortage,
    on_start: Option<StartListener>,
}

/// What the settings say about running hooks.
struct Terms {
    commands: CommandPreparer,
    /// One permit for each hook that may run now, whichever event it belongs to. Waiting for one does not
    /// count as running.
    slots: Semaphore,
    max_output_bytes: Option<u64>,
}

impl Terms {
    fn new(
        limits: Limits,
        redaction: &Redaction,
        environment: Vec<(OsString, OsString)>,
        direct_execution: bool,
    ) -> Self {
        let at_once =
            limits.max_concurrent.min(descriptor_bound(descriptor_limit())).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            commands: CommandPreparer::new(environment, redaction, direct_execution),
            slots: Semaphore::new(at_once),
            max_output_bytes: limits.max_output_bytes,
        }
    }

    /// How much of each output stream is kept.
    fn keep(&self, payload: &Payload) -> usize {
        match self.max_output_bytes {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => KEPT_OUTPUT.max(payload.len().saturating_mul(2)),
        }
    }
}

/// The hooks that ran out of time and are given a moment to clean up. It outlives the hook system, for a
/// program that has to exit at once.
#[derive(Debug, Clone)]
pub struct Escalations {
    reaper: Reaper,
    workers: WeakPool,
}

impl Escalations {
    /// The process groups that are still given time to clean up.
    pub fn groups(&self) -> Vec<i32> {
        self.reaper.groups()
    }

    /// Kills all of them and all workers, and from now on every hook that runs out of time.
    pub fn kill(&self) {
        self.workers.end();
        self.reaper.kill_all();
    }
}

/// Which thread starts a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpawnOn {
    /// This one, and no other hook of the event waits for it.
    ThisThreadAlone,
    ThisThread,
    AnotherThread,
}

impl HookRunner {
    /// Makes a runner.
    pub fn new(options: RunnerOptions) -> Self {
        let RunnerOptions {
            limits,
            redaction,
            project,
            environment,
            direct_execution,
            grace,
            answer_by,
            on_start,
            workers,
        } = options;
        let workers = workers.unwrap_or_else(|| WorkerPool::new(grace));
        let project_terms = project
            .map(|(limits, redaction)| Terms::new(limits, &redaction, environment.clone(), direct_execution));
        Self {
            terms: Terms::new(limits, &redaction, environment, direct_execution),
            project_terms,
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
        // them. It gets the first, and this thread spawns the next meanwhile.
        let threads = [SpawnOn::AnotherThread, SpawnOn::ThisThread].into_iter().cycle();
        let runs: FuturesOrdered<_> = hooks
            .iter()
            .zip(threads)
            .map(|(hook, thread)| self.execute(hook, input, cwd, thread, waiting))
            .collect();
        runs.collect().await
    }

    /// Runs hooks one after another. What a successful one puts out is applied to the input of the next; a
    /// block ends the chain. `on_finish` is called for each hook with the input it was given. Returns the input as it
    /// was changed last, too. Rules and conditions are not asked; the event handler does that first.
    pub async fn execute_hooks_sequential(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        input: JsonObject,
        cwd: &Path,
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        self.execute_chain(hooks, event, input, cwd, &|_, _| RuleCheck::Start, on_finish).await
    }

    /// Like [`HookRunner::execute_hooks_sequential`], with `ask` to say of each hook whether it has to be started, given
    /// the input as the hooks before it have left it.
    pub(crate) async fn execute_chain(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        mut input: JsonObject,
        cwd: &Path,
        ask: &(dyn Fn(&Arc<Hook>, &JsonObject) -> RuleCheck + Sync),
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        let mut runs = Vec::with_capacity(hooks.len());
        let mut payload = None;
        let waiting = &self.shortage.waiting_from(Instant::now());
        for hook in hooks {
            let asked = ask(hook, &input);
            if matches!(asked, RuleCheck::DoesNotHold) {
                continue;
            }
            let made = match payload.take() {
                Some(payload) => Ok(payload),
                None => Payload::new(&input),
            };
            let run = match made {
                Ok(made) => {
                    let run = match asked {
                        RuleCheck::Answered(run) => *run,
                        _ => self.execute(hook, &made, cwd, SpawnOn::ThisThreadAlone, waiting).await,
                    };
                    on_finish(&run, &made);
                    payload = Some(made);
                    run
                }
                Err(error) => reading::interpreted(hook, not_started(with_causes(&error)), 0),
            };
            let ends_chain = run.output.as_ref().is_some_and(|output| ends_chain(event, output));
            if !ends_chain
                && run.success()
                && run
                    .output
                    .as_ref()
                    .is_some_and(|output| apply_hook_output_to_input(event, &mut input, output))
            {
                // Made again for the next hook, if there is one.
                payload = None;
            }
            runs.push(run);
            if ends_chain {
                break;
            }
        }
        (runs, input)
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

    async fn execute(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
        waiting: &Waiting<'_>,
    ) -> HookRun {
        let finished = match hook.kind {
            HookKind::Plugin => not_started("hooks of type `plugin` cannot be run yet".to_owned()),
            // Rules are asked before anything is started; see `rules.rs`.
            HookKind::Rule(_) | HookKind::UnreadableRule { .. } => {
                not_started("a rule is no program".to_owned())
            }
            HookKind::Command(_) => self.execute_command(hook, payload, cwd, thread, waiting).await,
        };
        self.outputs.read(hook, finished, self.terms_of(hook).keep(payload)).await
    }

    fn terms_of(&self, hook: &Hook) -> &Terms {
        match &self.project_terms {
            Some(terms) if hook.origin.level == Level::Project => terms,
            _ => &self.terms,
        }
    }

    /// Puts an event to the worker of a hook. `None` if it has to be run by a process of its own.
    async fn ask_worker(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
    ) -> Option<Finished> {
        let terms = self.terms_of(hook);
        let worker = self.workers.worker(hook, cwd, || terms.commands.prepare(hook, cwd));
        // Whoever waits for a busy worker keeps no other hook from running.
        let admitted = worker.admit().await;
        let _slot = terms.slots.acquire().await;
        if let Some(on_start) = &self.on_start {
            on_start(hook);
        }
        let asking = self.workers.asking();
        let alone = thread == SpawnOn::ThisThreadAlone && asking.is_only_one();
        admitted.ask(payload, self.time_for(hook), terms.keep(payload), alone).await
    }

    /// How long a hook may run that starts now.
    fn time_for(&self, hook: &Hook) -> Duration {
        let left = self.answer_by.map(|by| by.saturating_duration_since(Instant::now()));
        left.map_or(hook.timeout, |left| hook.timeout.min(left))
    }

    async fn execute_command(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        thread: SpawnOn,
        waiting: &Waiting<'_>,
    ) -> Finished {
        let has_worker = hook.worker != WorkerMode::Off;
        // In a box, so that hooks without a worker do not carry its state along.
        if has_worker && let Some(finished) = Box::pin(self.ask_worker(hook, payload, cwd, thread)).await {
            return finished;
        }
        // Nobody closes the semaphore, so this waits at most.
        let terms = self.terms_of(hook);
        let _slot = terms.slots.acquire().await;
        let timeout = self.time_for(hook);
        if self.answer_by.is_some() && timeout.is_zero() {
            return not_started("there was no time left to run it".to_owned());
        }
        if let Some(on_start) = self.on_start.as_ref().filter(|_| !has_worker) {
            on_start(hook);
        }
        let command = terms.commands.prepare(hook, cwd);
        let keep = terms.keep(payload);
        let elsewhere = match thread {
            SpawnOn::AnotherThread => self.handovers.spawn(&command, payload, &self.reaper).await,
            SpawnOn::ThisThreadAlone | SpawnOn::ThisThread => None,
        };
        // Without another thread, this one spawns.
        let first = elsewhere.unwrap_or_else(|| spawn(&command, payload, &self.reaper));
        run_from(first, &command, payload, timeout, keep, &self.reaper, waiting).await
    }
}

/// How many descriptors this process may open; `None` for any number.
fn descriptor_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// How many hooks can run at once with so many descriptors.
fn descriptor_bound(descriptors: Option<u64>) -> usize {
    let left = descriptors.unwrap_or(u64::MAX).saturating_sub(RESERVED_DESCRIPTORS);
    usize::try_from(left / DESCRIPTORS_PER_HOOK).unwrap_or(usize::MAX)
}

fn not_started(why: String) -> Finished {
    Finished {
        exit: Exit::NotStarted(why),
        stdout: Captured::default(),
        stderr: Captured::default(),
        duration: Duration::ZERO,
    }
}

/// An error in one line, causes included.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// What the checks of `crate::fuzzing` need of the inside.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing {
    use std::ffi::OsString;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::process::{Captured, Finished};
    use super::{Exit, Hook, HookRun, KEPT_OUTPUT};

    pub(crate) use super::super::expand::quote_project_dirs;

    pub(crate) fn interpreted(
        hook: &Arc<Hook>,
        exit: Exit,
        (stdout, truncated): (&[u8], bool),
        stderr: &[u8],
    ) -> HookRun {
        let captured = |bytes: &[u8], truncated| Captured { bytes: bytes.to_vec(), truncated };
        let (stdout, stderr) = (captured(stdout, truncated), captured(stderr, false));
        super::super::reading::interpreted(
            hook,
            Finished { exit, stdout, stderr, duration: Duration::ZERO },
            KEPT_OUTPUT,
        )
    }

    pub(crate) fn plain_words(command: &str, directory: &Path) -> Option<Vec<OsString>> {
        let words = super::super::direct::plain_words(command)?;
        Some(words.iter().map(|word| word.resolve(directory)).collect())
    }
}

#[cfg(test)]
pub(super) mod tests;
