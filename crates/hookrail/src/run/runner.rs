//! Runs a plan: hooks side by side, or one after another, each with the input that those before it have changed.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use self::limits::{HookLimits, Shortage};
use super::environment::EnvironmentSource;
use super::keeper::{KeeperQuestion, KeptAnswer, KeptQuestion, WorkerKeeper};
use super::payload::{Payload, PayloadError};
use super::process::{self, Finished, Streams, not_started};
use super::reading::OutputReader;
use super::reaper::Reaper;
use super::rules::{RuleCheck, subject_of_payload};
use super::worker::{PoolShared, Question, Worker, WorkerPool};
use crate::event::{CallReading, Caller, EventName};
use crate::formats::json_object::JsonObject;
use crate::hook::{Hook, HookKind};
use crate::rules::{Facts, Folders, Subject};
use crate::settings::{EffectiveSettings, Limits, Redaction};
use crate::verdict::chain::{apply_hook_output_to_input, ends_chain};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::{Exit, HookRun};

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod limits;
#[cfg(test)]
pub(super) mod tests;

/// Executes hooks. A hook that fails is data like any other, so nothing here returns an error.
pub struct HookRunner {
    limits: HookLimits,
    /// For the project's own hooks, where its settings differ: they must not change how others run.
    project_limits: Option<HookLimits>,
    reaper: Reaper,
    workers: WorkerPool,
    keeper: Option<Arc<dyn WorkerKeeper>>,
    answer_by: Option<Instant>,
    outputs: OutputReader,
    shortage: Shortage,
    on_start: Option<StartListener>,
    services: Option<Arc<dyn ServiceClient>>,
}

impl HookRunner {
    /// Makes a runner.
    pub fn new(options: RunnerOptions) -> Self {
        let RunnerOptions { limits, redaction, project, environment, direct_execution: direct, .. } = options;
        let workers = options.workers.unwrap_or_else(|| WorkerPool::new(options.grace));
        let inherited =
            (project.is_some() || options.trusted_path.is_some()).then(|| Arc::clone(&environment));
        let environment = match options.trusted_path {
            Some(path) => Arc::new(move || {
                let mut environment = environment();
                environment.retain(|(name, _)| name != "PATH");
                environment.push(("PATH".into(), path()));
                environment
            }),
            None => environment,
        };
        let all = HookLimits::new(limits, redaction.clone(), environment, direct);
        let project_limits = inherited.map(|inherited| match project {
            Some(own) => HookLimits::new(own.limits, own.redaction, inherited, direct),
            None => HookLimits {
                slots: Arc::clone(&all.slots),
                ..HookLimits::new(limits, redaction, inherited, direct)
            },
        });
        Self {
            limits: all,
            project_limits,
            reaper: workers.shared.reaper.clone(),
            workers,
            keeper: options.keeper,
            answer_by: options.answer_by,
            outputs: OutputReader::new(),
            shortage: Shortage::default(),
            on_start: options.on_start,
            services: options.services,
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
        self.execute_at(hooks, input, Place { cwd, call: None }).await
    }

    /// The same for a call of which more is known.
    pub(crate) async fn execute_at(
        &self,
        hooks: &[Arc<Hook>],
        input: &Payload,
        place: Place<'_>,
    ) -> Vec<HookRun> {
        let asked = Instant::now();
        join_all(hooks.iter().map(|hook| self.execute(hook, input, place, asked))).await
    }

    /// Runs hooks one after another. What a successful one puts out is applied to the input of the next; a block ends the
    /// chain. `on_finish` is called for each hook with the input it was given. Returns the input as it was changed last, too.
    /// Rules and conditions are not checked; the event handler does that first.
    pub async fn execute_hooks_sequential(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        input: JsonObject,
        cwd: &Path,
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        let place = Place { cwd, call: None };
        self.execute_chain(hooks, event, input, place, &|_, _| RuleCheck::Start, on_finish).await
    }

    /// The same for a call of which more is known. `check` says of each hook whether it has to be started, given the input
    /// as the hooks before it have left it.
    pub(crate) async fn execute_chain(
        &self,
        hooks: &[Arc<Hook>],
        event: EventName,
        mut input: JsonObject,
        place: Place<'_>,
        check: &(dyn Fn(&Arc<Hook>, &JsonObject) -> RuleCheck + Sync),
        on_finish: &(dyn Fn(&HookRun, &Payload) + Sync),
    ) -> (Vec<HookRun>, JsonObject) {
        let mut runs = Vec::with_capacity(hooks.len());
        let mut payload = None;
        let asked = Instant::now();
        for hook in hooks {
            let checked = check(hook, &input);
            if matches!(checked, RuleCheck::DoesNotHold) {
                continue;
            }
            let made = match payload.take() {
                Some(payload) => Ok(payload),
                None => Payload::new(&input),
            };
            let run = match made {
                Ok(made) => {
                    let run = match checked {
                        RuleCheck::Answered(run) => *run,
                        _ => self.execute(hook, &made, place, asked).await,
                    };
                    on_finish(&run, &made);
                    payload = Some(made);
                    run
                }
                Err(PayloadError::Serialize(error)) => {
                    let error = (&io::Error::from(error)).into();
                    HookRun::not_started(hook, StartFailure::InputNotWritten { error })
                }
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
        Escalations { reaper: self.reaper.clone(), workers: Arc::downgrade(&self.workers.shared) }
    }

    /// Ends the workers, and waits until they and every hook that ran out of time or was given up have really ended.
    /// A program does this before it exits.
    pub async fn drain(&self) {
        self.workers.end();
        self.reaper.drain().await;
    }

    /// The workers, to be handed to the next session or looked at.
    pub fn workers(&self) -> &WorkerPool {
        &self.workers
    }

    /// Whether [`HookRunner::drain`] would return at once.
    pub(crate) fn is_drained(&self) -> bool {
        self.reaper.is_drained()
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
        place: Place<'_>,
        asked: Instant,
    ) -> HookRun {
        let cwd = hook.folder(place.cwd);
        let own_payload = payload;
        let given = hook.dialect.payload(&hook.matcher, payload.as_bytes());
        let in_dialect = given.as_ref().and_then(|given| Payload::new(given).ok());
        let payload = in_dialect.as_ref().unwrap_or(payload);
        let finished = match hook.kind {
            HookKind::Plugin => not_started(StartFailure::Plugin),
            // Rules are checked before anything is started; see `rules.rs`.
            HookKind::Rule(_) | HookKind::UnreadableRule(_) => not_started(StartFailure::Rule),
            HookKind::Command(_) => {
                self.execute_command(hook, payload, cwd, asked).await.unwrap_or_else(not_started)
            }
            HookKind::Http(_) | HookKind::Remote(_) => {
                self.ask_service(hook, payload, place).await.unwrap_or_else(not_started)
            }
        };
        let run = self.outputs.read(hook, finished, self.limits_of(hook).keep(payload)).await;
        match given {
            Some(given) => run.in_claudes_terms(own_payload.as_bytes(), &given),
            None => run,
        }
    }

    /// Limits and environment of a hook: a project's settings count for its own hooks only.
    fn limits_of(&self, hook: &Hook) -> &HookLimits {
        match &self.project_limits {
            Some(limits) if hook.is_own_projects() => limits,
            _ => &self.limits,
        }
    }

    /// Reports to the host that a hook is about to start.
    fn report_start(&self, hook: &Hook) {
        if let Some(on_start) = &self.on_start {
            on_start(hook);
        }
    }

    /// How long the host can wait, where that is limited.
    fn left(&self) -> Option<Duration> {
        self.answer_by.map(|by| by.saturating_duration_since(Instant::now()))
    }

    /// Asks the worker of a hook for another process. `None` if it has none that can answer; nothing else is started then.
    pub(crate) async fn ask_worker(
        &self,
        hook: &Arc<Hook>,
        question: &KeptQuestion<'_>,
        cwd: &Path,
    ) -> Option<KeptAnswer> {
        if !Worker::is_used(hook.worker) {
            return None;
        }
        let (limits, cwd, payload) = (self.limits_of(hook), hook.folder(cwd), question.payload);
        let worker = self.workers.worker(hook, cwd, || limits.commands.prepare(hook, cwd));
        let turn = worker.turn().await;
        let _slot = limits.slots.acquire().await;
        (question.on_begin)();
        let asked = Question { payload, variables: question.variables };
        worker.answer(turn, asked, question.timeout, limits.keep(payload)).await.and_then(KeptAnswer::of)
    }

    /// How long a hook may run that starts now.
    fn time_for(&self, hook: &Hook) -> Result<Duration, StartFailure> {
        match self.left() {
            Some(Duration::ZERO) => Err(StartFailure::NoTimeLeft),
            left => Ok(left.map_or(hook.timeout, |left| hook.timeout.min(left))),
        }
    }

    /// Asks the service that a hook names, by the client of the host.
    async fn ask_service(
        &self,
        hook: &Hook,
        payload: &Payload,
        place: Place<'_>,
    ) -> Result<Finished, StartFailure> {
        let _slot = self.limits_of(hook).slots.acquire().await;
        let timeout = self.time_for(hook)?;
        self.report_start(hook);
        let begin = Instant::now();
        let asked = match &self.services {
            Some(client) => {
                let caller = matches!(hook.kind, HookKind::Remote(_)).then(|| place.caller(hook, payload));
                let question = ServiceQuestion { hook, payload, timeout, caller: caller.as_ref() };
                tokio::time::timeout(timeout.min(process::LONGEST_WAIT), client.ask(question)).await
            }
            None => Ok(Err(format!("this program cannot ask hooks of type `{}`", hook.type_name()))),
        };
        let (exit, bytes) = match asked {
            Ok(Ok(body)) => (Exit::Answered, body),
            Ok(Err(why)) => (Exit::NotAnswered(why), Vec::new()),
            Err(_) => (Exit::TimedOut(timeout), Vec::new()),
        };
        Ok(Finished { duration: begin.elapsed(), ..Finished::new(exit, bytes, Vec::new()) })
    }

    /// Asks the hook's worker if it has one, and starts a process if it has none or the worker cannot answer.
    async fn execute_command(
        &self,
        hook: &Arc<Hook>,
        payload: &Payload,
        cwd: &Path,
        asked: Instant,
    ) -> Result<Finished, StartFailure> {
        let limits = self.limits_of(hook);
        let keep = limits.keep(payload);
        let has_worker = Worker::is_used(hook.worker);
        if has_worker {
            if let Some(keeper) = &self.keeper {
                let _slot = limits.slots.acquire().await;
                let timeout = self.time_for(hook)?;
                self.report_start(hook);
                let question = KeeperQuestion {
                    hook,
                    payload,
                    directory: cwd,
                    environment: &limits.commands.inherited,
                    timeout,
                    left: self.left(),
                };
                if let Some(answer) = keeper.ask(question).await {
                    return Ok(answer.finished(timeout));
                }
            }
            let worker = self.workers.worker(hook, cwd, || limits.commands.prepare(hook, cwd));
            // A hook that waits for a busy worker holds no slot, so other hooks can run.
            let turn = worker.turn().await;
            let _slot = limits.slots.acquire().await;
            let timeout = self.time_for(hook)?;
            if self.keeper.is_none() {
                self.report_start(hook);
            }
            let question = Question { payload, variables: &[] };
            if let Some(finished) = worker.answer(turn, question, timeout, keep).await {
                return Ok(finished);
            }
        }
        // The semaphore is never closed, so this cannot fail.
        let _slot = limits.slots.acquire().await;
        let timeout = self.time_for(hook)?;
        // For a hook that its worker could not answer, the start was reported before.
        if !has_worker {
            self.report_start(hook);
        }
        let command = limits.commands.prepare(hook, cwd);
        let left = || timeout.saturating_sub(self.shortage.since(asked).elapsed());
        let open = || Streams::open(payload, keep);
        let (group, streams) = process::start(&command, &self.reaper, timeout, &left, open).await?;
        self.shortage.over();
        Ok(process::finish(group, streams, timeout).await)
    }
}

/// The hooks that ran out of time and are given a moment to clean up. It outlives the hook system, for a
/// program that has to exit at once.
#[derive(Debug, Clone)]
pub struct Escalations {
    reaper: Reaper,
    workers: Weak<PoolShared>,
}

impl Escalations {
    /// The process groups that are still given time to clean up.
    pub fn groups(&self) -> Vec<i32> {
        self.reaper.groups()
    }

    /// Kills all of them and all workers, and from now on every hook that runs out of time.
    pub fn kill(&self) {
        if let Some(workers) = self.workers.upgrade() {
            workers.end();
        }
        self.reaper.kill_all();
    }
}

/// Between `SIGTERM` and `SIGKILL`.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// Where hooks run, and where the call is made that they are asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The folder that commands are started in.
    pub(crate) cwd: &'a Path,
    /// What is known of the call; `None` for a caller that knows nothing but the payload.
    pub(crate) call: Option<Call<'a>>,
}

/// What is known of a tool call besides its payload.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Where it is made, seen from the session's project.
    pub(crate) folders: Folders<'a>,
    /// Whether it can be read; `None` where nobody has a table of the tools.
    pub(crate) reading: Option<&'a CallReading>,
    /// Other names of the tool.
    pub(crate) also_matches: &'a [String],
    /// What another machine says about itself, where the call is made there.
    pub(crate) told: Option<&'a Caller>,
}

impl Place<'_> {
    /// What a service on another machine has to be told.
    fn caller(&self, hook: &Hook, payload: &Payload) -> Caller {
        let fields: JsonObject = serde_json::from_slice(payload.as_bytes()).unwrap_or_default();
        let here = Folders { project: self.cwd, cwd: self.cwd, home: None };
        let Some(call) = self.call else { return Facts::caller(subject_of_payload(&fields), here) };
        if let Some(told) = call.told {
            return told.clone();
        }
        let subject = Subject { reading: call.reading, ..subject_of_payload(&fields) };
        let folders = Folders { project: hook.folder(call.folders.project), ..call.folders };
        Caller { also_matches: call.also_matches.to_vec(), ..Facts::caller(subject, folders) }
    }
}

/// Called with each hook just before it is started.
pub(crate) type StartListener = Arc<dyn Fn(&Hook) + Send + Sync>;

/// A question to a service.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ServiceQuestion<'a> {
    /// The hook, which names the service.
    pub hook: &'a Hook,
    /// What a command would read from stdin.
    pub payload: &'a Payload,
    /// How long there is. What takes longer is dropped.
    pub timeout: Duration,
    /// What a service on another machine has to be told about this one. `http` hooks have none.
    pub caller: Option<&'a Caller>,
}

/// What a service says: its answer, empty where it has nothing to say, or why there is none.
pub type ServiceAnswer<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + Send + 'a>>;

/// Asks the services of `http` and `remote` hooks. The engine has no network, so that the host brings this.
pub trait ServiceClient: Send + Sync {
    /// Asks one service.
    fn ask<'a>(&'a self, question: ServiceQuestion<'a>) -> ServiceAnswer<'a>;
}

/// How hooks are run.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunnerOptions {
    /// How many at once, and how much of their output is kept.
    pub limits: Limits,
    /// What they do not see of the environment.
    pub redaction: Redaction,
    /// Limits and redaction of the project's own hooks, where its settings differ.
    pub project: Option<EffectiveSettings>,
    /// The environment they inherit; `inherited_environment` gives the one of this process. Asked for when the first
    /// process is started, because most events start none.
    pub environment: EnvironmentSource,
    /// The `PATH` of hooks that are not the project's, where it is not the one they inherit.
    pub trusted_path: Option<Arc<dyn Fn() -> OsString + Send + Sync>>,
    /// Whether commands without any shell syntax are executed without a shell. No hook can observe it.
    pub direct_execution: bool,
    /// How long a hook that ran out of time may clean up before it is killed.
    pub grace: Duration,
    /// No hook may run past this moment, whatever its settings say; for a host that has to answer by then itself.
    pub answer_by: Option<Instant>,
    /// Called with each hook just before it is started; for a display of progress.
    pub on_start: Option<StartListener>,
    /// The workers of an earlier session; new ones are made without it.
    pub workers: Option<WorkerPool>,
    /// Asks the services of `http` and `remote` hooks, which fail without it.
    pub services: Option<Arc<dyn ServiceClient>>,
    /// Another process that keeps workers and is asked first.
    pub keeper: Option<Arc<dyn WorkerKeeper>>,
}

impl RunnerOptions {
    /// The default options for hooks that inherit this environment.
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            limits: Limits::default(),
            redaction: Redaction::default(),
            project: None,
            environment: Arc::new(move || environment.clone()),
            trusted_path: None,
            direct_execution: true,
            grace: GRACE,
            answer_by: None,
            on_start: None,
            workers: None,
            services: None,
            keeper: None,
        }
    }
}
