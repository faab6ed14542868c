//! Workers: processes that are kept for the next event instead of being started for each one.
//!
//! A pool holds one worker for each command, environment and directory. Nothing is started before an event needs it, and
//! hooks without a worker never come here.

mod answer;
mod fingerprint;
#[cfg(target_os = "linux")]
pub(super) mod forks;
mod health;
mod kept;
mod lines;
mod pool;
mod recognise;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use self::fingerprint::{CommandFiles, FilesFingerprint};
#[cfg(target_os = "linux")]
use self::forks::{Loader, LoaderPipes};
use self::health::Health;
use self::kept::{KeptProcess, Turn, Turns};
use self::lines::{Asked, LinePipes, Outcome, Questions};
pub(super) use self::pool::PoolShared;
pub use self::pool::{WorkerPool, WorkerStatus};
pub use self::recognise::ForkObstacle;
use self::recognise::{Launch, recognise};
use super::command::{CommandPreparer, PreparedCommand};
use super::environment::{EnvironmentVariable, get, set};
use super::payload::Payload;
use super::process::{Finished, LONGEST_WAIT, start};
use super::reaper::Reaper;
use super::unix::lock;
use crate::hook::{Hook, WorkerMode};
use crate::settings::Redaction;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The variable that marks the process of a worker that reads lines.
const VARIABLE: &str = "HOOKRAIL_WORKER";

/// A worker, whether or not a process of it runs: one at a time, started when an event needs it.
#[derive(Debug)]
pub(super) struct Worker {
    /// The first hook with this command.
    hook: Arc<Hook>,
    command: PreparedCommand,
    files: Mutex<CommandFiles>,
    turns: Arc<Turns>,
    running: Mutex<Option<Running>>,
    /// Held while a process is started, so that no second one is started.
    starting: tokio::sync::Mutex<()>,
    /// What an interpreter failed to load. It would fail again.
    not_loaded: Mutex<Option<Launch>>,
    health: Mutex<Health>,
    reaper: Reaper,
}

/// The process that runs. Dropping it ends the process as soon as nobody waits for it.
#[derive(Debug)]
struct Running {
    process: Arc<KeptProcess>,
    access: Access,
    /// How its script is run, where it makes forks.
    launch: Option<Launch>,
    files: FilesFingerprint,
    last_used: Instant,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.retire();
    }
}

/// How a process is asked.
#[derive(Debug, Clone)]
enum Access {
    Lines(Questions),
    #[cfg(target_os = "linux")]
    Forks(Arc<Loader>),
}

/// What a worker is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) payload: &'q Payload,
    /// Variables of the session that asks, where that is another process's. None replaces one that the worker has.
    pub(super) variables: &'q [EnvironmentVariable],
}

impl Worker {
    /// Whether hooks of this mode are asked at all, instead of being run once per event.
    pub(super) const fn is_used(mode: WorkerMode) -> bool {
        match mode {
            WorkerMode::Off => false,
            WorkerMode::Lines => true,
            WorkerMode::Fork => cfg!(target_os = "linux"),
        }
    }

    /// A worker for a command. Nothing is started.
    fn new(hook: &Arc<Hook>, command: &PreparedCommand, reaper: &Reaper) -> Self {
        // A forked script reads its files anew for each event, and forks run side by side.
        let (command, files, at_once) = match hook.worker {
            WorkerMode::Fork => (command.clone(), CommandFiles::default(), usize::MAX),
            _ => (as_worker(command), CommandFiles::named_in(hook.command(), command), 1),
        };
        Self {
            hook: Arc::clone(hook),
            command,
            files: Mutex::new(files),
            turns: Arc::new(Turns::new(at_once)),
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            not_loaded: Mutex::default(),
            health: Mutex::default(),
            reaper: reaper.clone(),
        }
    }

    /// The process ends when a file changes that these patterns match.
    fn also_watch(&self, patterns: &[String]) {
        if self.hook.worker != WorkerMode::Fork {
            lock(&self.files).also_watch(patterns);
        }
    }

    /// Waits until this worker may be asked. That does not use up the hook's timeout.
    pub(super) async fn turn(&self) -> Turn<'_> {
        self.turns.take().await
    }

    /// Asks the worker about an event. `None` if it has to be run by a process of its own. The deadline counts from here and
    /// covers the start of a process.
    pub(super) async fn answer(
        &self,
        _turn: Turn<'_>,
        question: Question<'_>,
        timeout: Duration,
        keep: usize,
    ) -> Option<Finished> {
        let begin = Instant::now();
        let deadline = begin + timeout.min(LONGEST_WAIT);
        let launch = if self.hook.worker == WorkerMode::Fork { Some(self.launch()?) } else { None };
        let env = launch.as_ref().map_or(&self.command.env, |launch| &launch.env);
        let is_new = |variable: &&EnvironmentVariable| get(env, &variable.0.to_string_lossy()).is_none();
        let variables: Vec<EnvironmentVariable> = question.variables.iter().filter(is_new).cloned().collect();
        // A process may end for another reason than this question. Its turn is kept meanwhile, so that it is asked again
        // before questions that have not been sent at all.
        let (mut has_ended, mut left) = (false, timeout);
        let finished = loop {
            let (process, access) = match self.process(launch.as_ref(), timeout, deadline).await {
                Ok(running) => running,
                Err(_) if launch.is_some() => return None,
                Err(why) => break silent(why),
            };
            let outcome = match &access {
                Access::Lines(questions) => {
                    let (payload, variables) = (question.payload.clone(), variables.clone());
                    let asked = |caller| Asked { payload, variables, timeout, left, deadline, keep, caller };
                    lines::ask(&process, questions, asked).await
                }
                #[cfg(target_os = "linux")]
                Access::Forks(loader) => {
                    let finished = loader.run(question.payload, &variables, begin, timeout, keep).await;
                    if loader.failed_to_load() {
                        *lock(&self.not_loaded) = launch;
                    }
                    let exit =
                        finished.as_ref().map_or_else(|_| loader.no_fork(), |finished| finished.exit.clone());
                    let was_asked = self.note(&exit);
                    return finished.ok().filter(|_| was_asked);
                }
            };
            match outcome {
                Outcome::Settled(answer) => {
                    self.note(&answer.exit);
                    break answer;
                }
                Outcome::Ended if has_ended => break silent(WorkerFailure::EndedTwice),
                Outcome::Ended => has_ended = true,
                Outcome::NotAsked => {}
            }
            left = deadline.saturating_duration_since(Instant::now());
        };
        Some(Finished { duration: begin.elapsed(), ..finished })
    }

    /// How the script is run in forks now; `None` if it cannot be.
    fn launch(&self) -> Option<Launch> {
        let launch = recognise(&self.hook, &self.command).ok()?;
        (lock(&self.not_loaded).as_ref() != Some(&launch)).then_some(launch)
    }

    /// Notes what came of an event. Returns whether it was asked about at all.
    fn note(&self, exit: &Exit) -> bool {
        let mut health = lock(&self.health);
        match exit {
            Exit::NoAnswer(why @ WorkerFailure::NoFork { .. }) => {
                health.last_failure = Some(why.clone());
                return false;
            }
            Exit::NoAnswer(why) => health.failed(why.clone(), Instant::now()),
            // The next event is another fork.
            Exit::TimedOut(timeout) if self.hook.worker == WorkerMode::Fork => {
                health.last_failure = Some(WorkerFailure::TimedOut(*timeout));
            }
            Exit::TimedOut(timeout) => health.failed(WorkerFailure::TimedOut(*timeout), Instant::now()),
            _ => health.answered(),
        }
        true
    }

    /// The process to ask: the one that runs, or a new one.
    async fn process(
        &self,
        launch: Option<&Launch>,
        timeout: Duration,
        deadline: Instant,
    ) -> Result<(Arc<KeptProcess>, Access), WorkerFailure> {
        let _starting = self.starting.lock().await;
        if let Some(running) = self.running_process(launch) {
            return Ok(running);
        }
        if let Some(why) = lock(&self.health).pause(Instant::now()) {
            return Err(why);
        }
        let files = lock(&self.files).load_fingerprint();
        let left = || deadline.saturating_duration_since(Instant::now());
        let started = match launch {
            #[cfg(target_os = "linux")]
            Some(launch) => {
                let command = forks::loader_command(launch, &self.command.cwd);
                let started = start(&command, &self.reaper, timeout, &left, LoaderPipes::open).await;
                started.map(|(group, pipes)| {
                    let (process, loader) = Loader::new(group, pipes, &self.turns, &self.reaper);
                    (process, Access::Forks(loader))
                })
            }
            _ => {
                let started = start(&self.command, &self.reaper, timeout, &left, LinePipes::open).await;
                started.map(|(group, pipes)| {
                    let (process, questions) = lines::serve(group, pipes, &self.turns);
                    (process, Access::Lines(questions))
                })
            }
        };
        let mut health = lock(&self.health);
        let (process, access) = started
            .map_err(WorkerFailure::NotStarted)
            .inspect_err(|why| health.failed(why.clone(), Instant::now()))?;
        health.started += 1;
        *lock(&self.running) = Some(Running {
            process: Arc::clone(&process),
            access: access.clone(),
            launch: launch.cloned(),
            files,
            last_used: Instant::now(),
        });
        Ok((process, access))
    }

    /// The process that runs, if it can be asked here and would be started in the same way.
    fn running_process(&self, launch: Option<&Launch>) -> Option<(Arc<KeptProcess>, Access)> {
        let mut slot = lock(&self.running);
        let running = slot.as_mut()?;
        let is_same = running.launch.as_ref() == launch && running.process.is_of_this_runtime();
        if is_same && self.is_usable(running) {
            running.last_used = Instant::now();
            return Some((Arc::clone(&running.process), running.access.clone()));
        }
        *slot = None;
        None
    }

    fn is_usable(&self, running: &mut Running) -> bool {
        lock(&self.files).are_as(&mut running.files) && running.process.is_usable()
    }

    /// Ends the process as soon as nobody waits for it.
    fn end(&self) {
        *lock(&self.running) = None;
    }

    /// Ends the process if it has had nothing to do for so long, or is of no use any more.
    fn tidy(&self, idle: Duration) {
        let mut slot = lock(&self.running);
        let ends = |running: &mut Running| {
            let is_idle = running.last_used.elapsed() >= idle;
            !running.process.is_in_use() && (is_idle || !self.is_usable(running))
        };
        if slot.as_mut().is_some_and(ends) {
            *slot = None;
        }
    }

    /// The id of the process that runs.
    fn process_id(&self) -> Option<i32> {
        lock(&self.running).as_ref()?.process.id()
    }
}

/// What is left behind by a worker that could not be asked.
fn silent(why: WorkerFailure) -> Finished {
    Finished::new(Exit::NoAnswer(why), Vec::new(), Vec::new())
}

/// The same command with the variable that marks the process of a worker.
fn as_worker(command: &PreparedCommand) -> PreparedCommand {
    let mut env = command.env.to_vec();
    set(&mut env, VARIABLE.into(), "1".into());
    let fallback = command.fallback.as_deref().map(|fallback| Box::new(as_worker(fallback)));
    PreparedCommand { env: env.into(), fallback, ..command.clone() }
}

/// Why a hook with `"worker": "fork"` would be run once per event in this directory; `None` if it runs in forks, or has
/// no such setting.
pub fn fork_obstacle(hook: &Hook, environment: Vec<EnvironmentVariable>, cwd: &Path) -> Option<ForkObstacle> {
    if hook.worker != WorkerMode::Fork {
        return None;
    }
    let preparer = CommandPreparer::new(environment, &Redaction::default(), true);
    recognise(hook, &preparer.prepare(hook, cwd)).err()
}

/// Access to private functions for the checks of `crate::fuzzing`.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing {
    use super::answer::{Line, read_line};

    /// What a line means, as far as the checks compare it.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct LineMeaning {
        line: Line,
        /// How many bytes were kept of each stream of an answer.
        pub(crate) kept: Option<(usize, usize)>,
    }

    /// Reads a line.
    pub(crate) fn meaning(bytes: &[u8], keep: usize) -> LineMeaning {
        let line = read_line(bytes, keep);
        let kept = match &line {
            Line::Answer(_, Ok(answer)) => Some((answer.stdout.bytes.len(), answer.stderr.bytes.len())),
            _ => None,
        };
        LineMeaning { line, kept }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::fixtures::hook;
    use crate::run::inherited_environment;

    const ANSWERS: &str = r#"
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "exitCode": 0}), flush=True)
"#;

    #[tokio::test]
    async fn an_idle_process_ends_when_its_script_changes() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("answers.py");
        std::fs::write(&script, ANSWERS).unwrap();
        let mut hook = hook("python3 answers.py");
        hook.worker = WorkerMode::Lines;
        let hook = Arc::new(hook);
        let preparer = CommandPreparer::new(inherited_environment(), &Redaction::default(), true);
        let command = preparer.prepare(&hook, folder.path());
        let reaper = Reaper::with_grace(Duration::from_millis(200));
        let worker = Worker::new(&hook, &command, &reaper);
        let payload = Payload::new(&json!({})).unwrap();
        let question = Question { payload: &payload, variables: &[] };
        let finished = worker.answer(worker.turn().await, question, Duration::from_mins(1), 1_000).await;
        assert_eq!(finished.map(|finished| finished.exit), Some(Exit::Code(0)));

        worker.tidy(Duration::MAX);
        assert!(worker.process_id().is_some(), "nothing changed");
        std::fs::write(&script, format!("{ANSWERS}# changed\n")).unwrap();
        worker.tidy(Duration::MAX);
        assert_eq!(worker.process_id(), None);
        reaper.drain().await;
    }
}
