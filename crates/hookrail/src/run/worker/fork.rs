//! `"worker": "fork"`: an unmodified Python script, each event in a fork of an interpreter that was started once.
//!
//! Where that is not possible (another kind of command, an interpreter that is too old, a loader that does not become
//! ready), each event gets a process of its own, which is always correct.

pub(in crate::run) mod loader;

use std::ffi::OsString;
use std::io::{Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use self::loader::{Loader, LoaderPipes, NoExit};
use super::fingerprint::{CommandFiles, FilesFingerprint};
use super::health::Health;
use super::recognise::{Launch, recognise};
use super::{KeptProcess, Question};
use crate::hook::Hook;
use crate::run::command::PreparedCommand;
use crate::run::environment::{EnvironmentVariable, get};
use crate::run::payload::Payload;
use crate::run::process::{Finished, LONGEST_WAIT, Streams, start};
use crate::run::reaper::Reaper;
use crate::run::unix::lock;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The text of the loader; see `docs/design/workers.md`.
const LOADER: &str = include_str!("fork_loader.py");

/// A script that runs in forks, whether or not its loader runs.
#[derive(Debug)]
pub(in crate::run) struct ForkWorker {
    hook: Hook,
    command: PreparedCommand,
    found: Mutex<Option<KnownLaunch>>,
    running: Mutex<Option<RunningLoader>>,
    /// Held while a loader is started, so that no second one is started.
    starting: tokio::sync::Mutex<()>,
    health: Mutex<Health>,
    reaper: Reaper,
}

/// How the script is run, while the files that decide it do not change.
#[derive(Debug)]
struct KnownLaunch {
    launch: Option<Arc<Launch>>,
    files: CommandFiles,
    then: FilesFingerprint,
    /// A loader for this did not become ready.
    failed_to_load: bool,
}

#[derive(Debug)]
struct RunningLoader {
    launch: Arc<Launch>,
    loader: Arc<Loader>,
    last_used: Instant,
}

impl ForkWorker {
    /// A worker for a command. Nothing is started.
    pub(super) fn new(hook: &Hook, command: &PreparedCommand, reaper: &Reaper) -> Self {
        Self {
            hook: hook.clone(),
            command: command.clone(),
            found: Mutex::default(),
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            health: Mutex::default(),
            reaper: reaper.clone(),
        }
    }

    /// Runs one event in a fork; `None` if it has to have a process of its own. The deadline counts from here.
    pub(super) async fn answer(
        &self,
        question: Question<'_>,
        timeout: Duration,
        keep: usize,
    ) -> Option<Finished> {
        let begin = Instant::now();
        let deadline = begin + timeout.min(LONGEST_WAIT);
        let launch = self.launch()?;
        let loader = self.loader(&launch, timeout, deadline).await?;
        let is_new =
            |variable: &&EnvironmentVariable| get(&launch.env, &variable.0.to_string_lossy()).is_none();
        let variables = environment_file(question.variables.iter().filter(is_new))?;
        let finished = run_event(&loader, question.payload, variables, timeout, begin, keep).await;
        let mut health = lock(&self.health);
        match &finished {
            Some(Finished { exit: Exit::NoAnswer(why), .. }) => health.failed(why.clone(), Instant::now()),
            Some(Finished { exit: Exit::TimedOut(_), .. }) => {
                health.last_failure = Some(WorkerFailure::TimedOut(timeout));
            }
            Some(_) => health.answered(),
            None => health.last_failure = Some(WorkerFailure::NoFork { output: loader.own_output() }),
        }
        drop(health);
        if loader.failed_to_load() {
            // The next attempt would fail too, unless the files change.
            if let Some(found) = &mut *lock(&self.found) {
                found.failed_to_load = true;
            }
        }
        finished
    }

    /// How the script is run now.
    fn launch(&self) -> Option<Arc<Launch>> {
        let mut found = lock(&self.found);
        if let Some(found) = found.as_mut()
            && found.files.are_as(&mut found.then)
        {
            return found.launch.clone().filter(|_| !found.failed_to_load);
        }
        let launch = recognise(&self.hook, &self.command).ok().map(Arc::new);
        let files = match &launch {
            Some(launch) => CommandFiles::of(launch.files(&self.command.cwd)),
            None => CommandFiles::named_in(self.hook.command(), &self.command),
        };
        let then = files.load_fingerprint();
        *found = Some(KnownLaunch { launch: launch.clone(), files, then, failed_to_load: false });
        launch
    }

    async fn loader(
        &self,
        launch: &Arc<Launch>,
        timeout: Duration,
        deadline: Instant,
    ) -> Option<Arc<Loader>> {
        let _starting = self.starting.lock().await;
        if let Some(running) = &mut *lock(&self.running)
            && running.launch == *launch
            && running.loader.is_alive()
        {
            running.last_used = Instant::now();
            return Some(Arc::clone(&running.loader));
        }
        self.end();
        if lock(&self.health).pause(Instant::now()).is_some() {
            return None;
        }
        let command = self.loader_command(launch);
        let left = || deadline.saturating_duration_since(Instant::now());
        let (group, pipes) = match start(&command, &self.reaper, timeout, &left, LoaderPipes::open).await {
            Ok(started) => started,
            Err(why) => {
                lock(&self.health).failed(WorkerFailure::NotStarted(why), Instant::now());
                return None;
            }
        };
        lock(&self.health).started += 1;
        let loader = Loader::new(group, pipes, &self.reaper).ok()?;
        let running = RunningLoader {
            launch: Arc::clone(launch),
            loader: Arc::clone(&loader),
            last_used: Instant::now(),
        };
        *lock(&self.running) = Some(running);
        Some(loader)
    }

    fn loader_command(&self, launch: &Launch) -> PreparedCommand {
        let mut args = launch.options.clone();
        args.extend(["-c", LOADER].map(OsString::from));
        args.extend([self.command.cwd.clone().into_os_string(), launch.script.clone()]);
        args.extend_from_slice(&launch.args);
        PreparedCommand {
            program: launch.interpreter.clone(),
            arg0: Some(launch.arg0.clone()),
            args,
            env: Arc::clone(&launch.env),
            // No file of a project can be imported while the interpreter starts.
            cwd: PathBuf::from("/"),
            fallback: None,
        }
    }
}

impl KeptProcess for ForkWorker {
    /// A forked script reads its files anew for each event.
    fn also_watch(&self, _patterns: &[String]) {}

    fn end(&self) {
        if let Some(running) = lock(&self.running).take() {
            running.loader.retire();
        }
    }

    fn tidy(&self, idle: Duration) {
        let mut running = lock(&self.running);
        let Some(current) = running.as_ref().filter(|current| !current.loader.is_busy()) else { return };
        if current.last_used.elapsed() >= idle || !current.loader.is_alive() {
            current.loader.retire();
            *running = None;
        }
    }

    fn process_id(&self) -> Option<i32> {
        lock(&self.running).as_ref()?.loader.process_id()
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        lock(&self.health)
    }
}

/// A file in memory with these variables, each ended by a NUL; `Some(None)` if there are none, `None` if it cannot be made.
#[expect(clippy::option_option, reason = "no file is needed, or none can be had")]
fn environment_file<'v>(variables: impl Iterator<Item = &'v EnvironmentVariable>) -> Option<Option<OwnedFd>> {
    let mut text = Vec::new();
    for (name, value) in variables {
        text.extend([name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"].concat());
    }
    if text.is_empty() {
        return Some(None);
    }
    let file = rustix::fs::memfd_create("hookrail-env", rustix::fs::MemfdFlags::CLOEXEC).ok()?;
    let mut file = std::fs::File::from(file);
    file.write_all(&text).and_then(|()| file.rewind()).ok()?;
    Some(Some(file.into()))
}

/// Runs one event in a fork, fed, drained and timed like a process of its own. `None` if nothing was begun, so that a process
/// of its own can do it.
async fn run_event(
    loader: &Arc<Loader>,
    payload: &Payload,
    variables: Option<OwnedFd>,
    timeout: Duration,
    begin: Instant,
    keep: usize,
) -> Option<Finished> {
    let (child_streams, mut streams) = Streams::open(payload, keep).ok()?;
    let descriptors: Vec<OwnedFd> = child_streams.into_iter().chain(variables).collect();
    let mut fork = loader.begin(&descriptors).ok()?;
    drop(descriptors);
    let end = streams.watch(&mut fork, begin + timeout.min(LONGEST_WAIT)).await;
    let (stdout, stderr, open) = streams.into_parts();
    let exit = match end {
        Some(Ok(exit)) => exit,
        Some(Err(NoExit::NotBegun)) => return None,
        Some(Err(NoExit::Lost)) => Exit::NoAnswer(WorkerFailure::InterpreterEnded),
        None => {
            fork.terminate(open);
            Exit::TimedOut(timeout)
        }
    };
    Some(Finished { exit, stdout, stderr, duration: begin.elapsed() })
}
