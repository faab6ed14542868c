//! `"worker": "fork"`: an unmodified Python script, each event in a fork of an interpreter that was started once.
//!
//! Where that is not possible (another kind of command, an interpreter that is too old, a loader that does not become
//! ready), each event gets a process of its own, which is always correct.

mod event;
mod loader;
mod recognise;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use self::loader::{Loader, open_control};
pub use self::recognise::ForkObstacle;
use self::recognise::{Launch, recognise};
use super::files::{CommandFiles, FilesFingerprint};
use super::health::Health;
use super::start::start;
use crate::hook::Hook;
use crate::run::command::PreparedCommand;
use crate::run::image::OnceImage;
use crate::run::locks::lock;
use crate::run::payload::Payload;
use crate::run::process::{Finished, LONGEST_WAIT};
use crate::run::reaper::Reaper;
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

/// Why a hook with `"worker": "fork"` is run once per event; `None` if it runs in forks.
pub(in crate::run) fn obstacle(hook: &Hook, command: &PreparedCommand) -> Option<ForkObstacle> {
    recognise(hook, command).err()
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
    pub(super) async fn ask(&self, payload: &Payload, timeout: Duration, keep: usize) -> Option<Finished> {
        let begin = Instant::now();
        let deadline = begin + timeout.min(LONGEST_WAIT);
        let launch = self.launch()?;
        let loader = self.loader(&launch, deadline).await?;
        let limits = event::ForkLimits { payload, timeout, begin, deadline, keep };
        let finished = event::run(&loader, limits).await;
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
        if !loader.was_ready() && !loader.is_alive() {
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

    async fn loader(&self, launch: &Arc<Launch>, deadline: Instant) -> Option<Arc<Loader>> {
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
        let started = match start(&command, deadline, &self.reaper, open_control).await {
            Ok(started) => started,
            Err(why) => {
                lock(&self.health).failed(WorkerFailure::NotStarted(why), Instant::now());
                return None;
            }
        };
        lock(&self.health).started += 1;
        let loader = Loader::new(started, &self.reaper);
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
            image: OnceImage::default(),
        }
    }

    /// Ends the loader if it has had nothing to do for so long, or has ended by itself.
    pub(super) fn tidy(&self, idle: Duration) {
        let mut running = lock(&self.running);
        let Some(current) = running.as_ref().filter(|current| !current.loader.is_busy()) else { return };
        if current.last_used.elapsed() >= idle || !current.loader.is_alive() {
            *running = None;
        }
    }

    /// Ends the loader as soon as no event waits for a fork.
    pub(super) fn end(&self) {
        if let Some(running) = lock(&self.running).take() {
            running.loader.retire();
        }
    }

    /// The id of the loader's process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        lock(&self.running).as_ref()?.loader.process_id()
    }

    /// What it answered and how it failed.
    pub(super) fn health(&self) -> MutexGuard<'_, Health> {
        lock(&self.health)
    }
}
