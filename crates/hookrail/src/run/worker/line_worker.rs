//! A worker that answers line by line: one process at a time, started when an event needs it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::answer::WorkerAnswer;
use super::connection::{Outcome, QuestionLimits, WorkerConnection};
use super::fingerprint::{CommandFiles, FilesFingerprint};
use super::health::Health;
use super::pipes::WorkerPipes;
use super::{KeptProcess, Question};
use crate::run::command::PreparedCommand;
use crate::run::environment::{EnvironmentVariable, get};
use crate::run::process::{Captured, Finished, LONGEST_WAIT, start};
use crate::run::reaper::Reaper;
use crate::run::unix::lock;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The variable that marks the process of a worker.
const VARIABLE: &str = "HOOKRAIL_WORKER";

/// One worker, whether or not a process of it runs.
#[derive(Debug)]
pub(in crate::run) struct LineWorker {
    command: PreparedCommand,
    files: Mutex<CommandFiles>,
    turns: Arc<Turns>,
    running: Mutex<Option<RunningProcess>>,
    /// Held while a process is started, so that no second one is started.
    starting: tokio::sync::Mutex<()>,
    health: Mutex<Health>,
    reaper: Reaper,
}

#[derive(Debug)]
struct RunningProcess {
    connection: Arc<WorkerConnection>,
    files: FilesFingerprint,
    last_used: Instant,
}

/// The queue of callers before one worker: in the order of arrival, as many at once as the worker allows. Waiting here does
/// not use up a hook's timeout.
#[derive(Debug)]
pub(super) struct Turns {
    permits: Semaphore,
    count: Mutex<TurnCount>,
}

#[derive(Debug)]
struct TurnCount {
    /// How many turns there are.
    all: usize,
    /// How many of these end with their present holder.
    surplus: usize,
}

/// The right to ask, given back when it is dropped.
#[derive(Debug)]
pub(in crate::run) struct Turn<'t> {
    turns: &'t Turns,
    permit: Option<SemaphorePermit<'t>>,
}

impl Turns {
    /// A queue that admits one caller at a time.
    fn new() -> Self {
        Self { permits: Semaphore::new(1), count: Mutex::new(TurnCount { all: 1, surplus: 0 }) }
    }

    /// Admits so many callers at once from now on. Those already admitted keep their turns.
    pub(super) fn allow(&self, at_once: usize) {
        let at_once = at_once.max(1);
        let mut count = lock(&self.count);
        let TurnCount { all, surplus } = *count;
        let wanted = all - surplus;
        *count = if at_once >= wanted {
            let kept = surplus.min(at_once - wanted);
            let added = at_once - wanted - kept;
            self.permits.add_permits(added);
            TurnCount { all: all + added, surplus: surplus - kept }
        } else {
            let forgotten = self.permits.forget_permits(wanted - at_once);
            TurnCount { all: all - forgotten, surplus: surplus + wanted - at_once - forgotten }
        };
    }

    async fn take(&self) -> Turn<'_> {
        // The semaphore is never closed.
        Turn { turns: self, permit: self.permits.acquire().await.ok() }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut count = lock(&self.turns.count);
        if count.surplus > 0
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
            *count = TurnCount { all: count.all - 1, surplus: count.surplus - 1 };
        }
    }
}

impl LineWorker {
    /// A worker for a command. Nothing is started.
    pub(super) fn new(text: &str, command: &PreparedCommand, reaper: &Reaper) -> Self {
        Self {
            files: Mutex::new(CommandFiles::named_in(text, command)),
            command: as_worker(command),
            turns: Arc::new(Turns::new()),
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            health: Mutex::default(),
            reaper: reaper.clone(),
        }
    }

    /// Waits until the worker may be asked.
    pub(super) async fn turn(&self) -> Turn<'_> {
        self.turns.take().await
    }

    /// Asks the worker about one event. The deadline counts from here and covers the start of a process.
    pub(super) async fn answer(&self, question: Question<'_>, timeout: Duration, keep: usize) -> Finished {
        let begin = Instant::now();
        let deadline = begin + timeout.min(LONGEST_WAIT);
        let finished = |exit, stdout, stderr| Finished { exit, stdout, stderr, duration: begin.elapsed() };
        let silent = |exit| finished(exit, Captured::default(), Captured::default());
        let text = |bytes| Captured { bytes, truncated: false };
        // A process may end for another reason than this question. Its turn is kept meanwhile, so that it is asked again
        // before questions that have not been sent at all.
        let is_new =
            |variable: &&EnvironmentVariable| get(&self.command.env, &variable.0.to_string_lossy()).is_none();
        let variables: Vec<&EnvironmentVariable> = question.variables.iter().filter(is_new).collect();
        let (payload, variables) = (question.payload, variables.as_slice());
        let mut limits = QuestionLimits { payload, variables, timeout, deadline, keep };
        for _ in 0..2 {
            let outcome = match self.connection(timeout, deadline).await {
                Ok(connection) => connection.exchange(limits).await,
                Err(why) => return silent(Exit::NoAnswer(why)),
            };
            match outcome {
                Outcome::Answered(WorkerAnswer { exit, stdout, stderr }) => {
                    lock(&self.health).answered();
                    return finished(exit, stdout, stderr);
                }
                Outcome::Failed { why, unexpected_output, stderr } => {
                    lock(&self.health).failed(why.clone(), Instant::now());
                    return finished(Exit::NoAnswer(why), text(unexpected_output), text(stderr));
                }
                Outcome::TimedOut(stderr) => {
                    lock(&self.health).failed(WorkerFailure::TimedOut(timeout), Instant::now());
                    return finished(Exit::TimedOut(timeout), Captured::default(), text(stderr));
                }
                Outcome::Retry => limits.timeout = deadline.saturating_duration_since(Instant::now()),
            }
        }
        silent(Exit::NoAnswer(WorkerFailure::EndedTwice))
    }

    /// The process to ask: the one that runs, or a new one.
    async fn connection(
        &self,
        timeout: Duration,
        deadline: Instant,
    ) -> Result<Arc<WorkerConnection>, WorkerFailure> {
        let _starting = self.starting.lock().await;
        if let Some(connection) = self.running_connection() {
            return Ok(connection);
        }
        if let Some(why) = lock(&self.health).pause(Instant::now()) {
            return Err(why);
        }
        let files = lock(&self.files).load_fingerprint();
        let left = || deadline.saturating_duration_since(Instant::now());
        let started = start(&self.command, &self.reaper, timeout, &left, WorkerPipes::open).await;
        let started = started.map_err(WorkerFailure::NotStarted);
        let (group, pipes) =
            started.inspect_err(|why| lock(&self.health).failed(why.clone(), Instant::now()))?;
        lock(&self.health).started += 1;
        self.turns.allow(1);
        let connection = Arc::new(WorkerConnection::new(group, pipes, Arc::clone(&self.turns)));
        let running =
            RunningProcess { connection: Arc::clone(&connection), files, last_used: Instant::now() };
        *lock(&self.running) = Some(running);
        Ok(connection)
    }

    /// The process that runs, if it can be asked and its files are what they were.
    fn running_connection(&self) -> Option<Arc<WorkerConnection>> {
        let mut running = lock(&self.running);
        let current = running.as_mut()?;
        if lock(&self.files).are_as(&mut current.files) && current.connection.is_usable() {
            current.last_used = Instant::now();
            return Some(Arc::clone(&current.connection));
        }
        current.connection.retire();
        *running = None;
        None
    }
}

impl KeptProcess for LineWorker {
    fn also_watch(&self, patterns: &[String]) {
        lock(&self.files).also_watch(patterns);
    }

    fn end(&self) {
        if let Some(current) = lock(&self.running).take() {
            current.connection.retire();
        }
    }

    fn tidy(&self, idle: Duration) {
        let mut running = lock(&self.running);
        let Some(current) = running.as_mut().filter(|current| !current.connection.is_busy()) else { return };
        if current.last_used.elapsed() >= idle
            || !current.connection.is_usable()
            || !lock(&self.files).are_as(&mut current.files)
        {
            current.connection.retire();
            *running = None;
        }
    }

    fn process_id(&self) -> Option<i32> {
        lock(&self.running).as_ref()?.connection.process_id()
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        lock(&self.health)
    }
}

/// The same command with the variable that marks the process of a worker.
fn as_worker(command: &PreparedCommand) -> PreparedCommand {
    let mut worker = command.clone();
    let mut env = command.env.to_vec();
    crate::run::environment::set(&mut env, VARIABLE.into(), "1".into());
    worker.env = env.into();
    worker.fallback = command.fallback.as_deref().map(|fallback| Box::new(as_worker(fallback)));
    worker
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::fixtures::hook;
    use crate::run::command::CommandPreparer;
    use crate::run::inherited_environment;
    use crate::run::payload::Payload;
    use crate::settings::Redaction;

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
        let hook = Arc::new(hook("python3 answers.py"));
        let preparer = CommandPreparer::new(inherited_environment(), &Redaction::default(), true);
        let command = preparer.prepare(&hook, folder.path());
        let reaper = Reaper::with_grace(Duration::from_millis(200));
        let worker = LineWorker::new(hook.command(), &command, &reaper);
        let payload = Payload::new(&json!({})).unwrap();
        let question = Question { payload: &payload, variables: &[] };
        let finished = worker.answer(question, Duration::from_mins(1), 1_000).await;
        assert_eq!(finished.exit, Exit::Code(0));

        worker.tidy(Duration::MAX);
        assert!(worker.process_id().is_some(), "nothing changed");
        std::fs::write(&script, format!("{ANSWERS}# changed\n")).unwrap();
        worker.tidy(Duration::MAX);
        assert_eq!(worker.process_id(), None);
        reaper.drain().await;
    }

    fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut cx) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn a_worker_may_allow_several_at_once_and_fewer_again() {
        let turns = Turns::new();
        let taken = |count: usize| -> Vec<_> { (0..count).map_while(|_| at_once(turns.take())).collect() };
        let first = taken(9);
        assert_eq!(first.len(), 1);
        turns.allow(3);
        let more = taken(9);
        assert_eq!(more.len(), 2, "three at once, one of which asks already");
        turns.allow(0);
        drop(first);
        assert_eq!(taken(9).len(), 0, "two still ask");
        turns.allow(2);
        assert_eq!(taken(9).len(), 0, "as many as may");
        turns.allow(1);
        drop(more);
        assert_eq!(taken(9).len(), 1);
        turns.allow(4);
        assert_eq!(taken(9).len(), 4);
    }
}
