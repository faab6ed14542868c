//! The keeping process: takes questions until it has had none for a while, or its place is gone.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixListener as StdListener;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hookrail::HookSession;
use hookrail::components::{KeptAnswer, KeptQuestion, Payload};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, Semaphore};

use super::place;
use super::projects::{Project, Projects, session_variables};
use super::wire::{self, Ask, LONGEST_QUESTION, Reply, Request, Status};
use crate::cli::Places;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::signals::boxed;

/// A keeper without a question ends after this time.
const IDLE: Duration = Duration::from_mins(10);
/// How often it looks whether it is still wanted.
const LOOK: Duration = Duration::from_secs(1);
/// How many clients there may be at once. Others are turned away, and run their hook themselves.
const MOST_CLIENTS: u32 = 128;
/// How long a client may take to say what it wants.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);
/// How much memory all questions together may take, in KiB.
const QUESTION_MEMORY: usize = 64 << 10;

struct Keeper {
    user: Context,
    projects: Mutex<Projects>,
    /// Settings are read for one question at a time.
    loading: tokio::sync::Mutex<()>,
    since: String,
    last_asked: Mutex<Instant>,
    stop: Notify,
    memory: Semaphore,
}

/// Keeps workers. Nothing of the agent that started it reaches in here but the search path, where `connect` stored none.
pub(super) fn serve(places: &Places, user: &Context) -> anyhow::Result<ExitStatus> {
    // Out of the agent's session, and away from whatever it has open.
    let _ = rustix::process::setsid();
    close_inherited();
    std::env::set_current_dir("/").context("cannot leave the folder")?;
    let state = user.state_dir();
    place::make_folder(&state).context("cannot make the folder of sockets")?;
    let path = super::client::path_of_agent(&state);
    let socket = place::socket(&state, places, path.as_ref()).context("keepers cannot be told apart here")?;
    // Never removed: one that another keeper has opened meanwhile would lock nothing.
    let lock_file = socket.with_extension("lock");
    let held = File::options().create(true).truncate(false).write(true).mode(0o600).open(lock_file)?;
    if held.try_lock().is_err() {
        return Ok(ExitStatus::Success); // Another one is here already.
    }
    let _ = fs::remove_file(&socket);
    let listener = StdListener::bind(&socket).context("cannot listen")?;
    listener.set_nonblocking(true)?;
    let made = fs::symlink_metadata(&socket)?;
    let identity = (made.dev(), made.ino());
    let program = std::env::current_exe().ok();
    let own = place::own_program();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build()?;
    runtime.block_on(async {
        let listener = UnixListener::from_std(listener)?;
        let keeper = Arc::new(Keeper {
            user: user.clone(),
            projects: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            since: hookrail::components::timestamp_now(),
            last_asked: Mutex::new(Instant::now()),
            stop: Notify::new(),
            memory: Semaphore::new(QUESTION_MEMORY),
        });
        let clients = Arc::new(Semaphore::new(MOST_CLIENTS as usize));
        let is_ours = || fs::symlink_metadata(&socket).is_ok_and(|found| (found.dev(), found.ino()) == identity);
        let mut ticks = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                () = keeper.stop.notified() => break,
                _ = ticks.tick() => {
                    let is_idle = lock_of(&keeper.last_asked).elapsed() >= IDLE && clients.available_permits() == MOST_CLIENTS as usize;
                    let is_replaced = program.as_deref().and_then(place::program_at) != own;
                    if is_idle || is_replaced || !is_ours() {
                        break;
                    }
                }
                accepted = listener.accept() => {
                    let Ok((stream, _)) = accepted else {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    let Ok(place) = Arc::clone(&clients).try_acquire_owned() else { continue };
                    if !super::client::is_same_user(&stream) {
                        continue;
                    }
                    let keeper = Arc::clone(&keeper);
                    tokio::spawn(boxed(async move {
                        let _ = keeper.serve_client(stream).await;
                        drop(place);
                    }));
                }
            }
        }
        if is_ours() {
            let _ = fs::remove_file(&socket);
        }
        // Those that were taken are answered; a worker that does not is ended by its own deadline.
        let _ = tokio::time::timeout(Duration::from_secs(5), clients.acquire_many(MOST_CLIENTS)).await;
        let mut projects = std::mem::take(&mut *lock_of(&keeper.projects));
        projects.end().await;
        anyhow::Ok(())
    })?;
    runtime.shutdown_background();
    Ok(ExitStatus::Success)
}

fn lock_of<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Agents leave descriptors open in what they start; one that waits for the end of a pipe would wait for us.
fn close_inherited() {
    let open: Vec<i32> = fs::read_dir("/dev/fd")
        .map(|entries| {
            entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
        })
        .unwrap_or_default();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        let _ = nix::unistd::close(descriptor);
    }
}

impl Keeper {
    async fn serve_client(&self, mut stream: UnixStream) -> std::io::Result<()> {
        wire::send(&mut stream, &Reply::Hello, &[]).await?;
        let received = wire::receive::<Request>(&mut stream, LONGEST_QUESTION);
        let (request, body) = tokio::time::timeout(ASK_TIMEOUT, received).await??;
        match request {
            Request::Stop => {
                self.stop.notify_one();
                Ok(())
            }
            Request::Status => {
                let (workers, answered) = lock_of(&self.projects).counts();
                let (version, pid) = (env!("CARGO_PKG_VERSION").to_owned(), std::process::id());
                let status = Status { version, pid, since: self.since.clone(), workers, answered };
                wire::send(&mut stream, &Reply::Status(status), &[]).await
            }
            Request::Ask(ask) => {
                *lock_of(&self.last_asked) = Instant::now();
                let size = u32::try_from(body.len() >> 10).unwrap_or(u32::MAX);
                let Ok(_memory) = self.memory.try_acquire_many(size) else {
                    return wire::send(&mut stream, &Reply::Unavailable("it is full".to_owned()), &[]).await;
                };
                self.answer(&mut stream, &ask, body).await
            }
        }
    }

    /// Answers one question. A client that leaves before its worker is free is forgotten; after that the worker goes on.
    async fn answer(&self, stream: &mut UnixStream, ask: &Ask, mut body: Vec<u8>) -> std::io::Result<()> {
        let until = Instant::now() + Duration::from_millis(ask.left_ms).min(Duration::from_hours(24));
        let payload = body.split_off(ask.variable_bytes.min(body.len()));
        let variables = session_variables(wire::variables_of(&body));
        let (Some(payload), Some(session)) = (Payload::from_line(payload), self.session(&ask.project).await)
        else {
            return wire::send(stream, &Reply::Unavailable("it cannot read that".to_owned()), &[]).await;
        };
        let begun = Notify::new();
        let on_begin = || begun.notify_one();
        let answering = ask_worker(&session, ask, &payload, &variables, until, &on_begin);
        tokio::pin!(answering);
        let early = tokio::select! {
            biased;
            answer = &mut answering => Some(answer),
            () = begun.notified() => None,
            () = has_left(stream) => return Ok(()),
        };
        let _ = wire::send(stream, &Reply::Begun, &[]).await;
        let answer = match early {
            Some(answer) => answer,
            None => answering.await,
        };
        let Some(KeptAnswer { exit, stdout, stdout_truncated, stderr, duration }) = answer else {
            return wire::send(stream, &Reply::Unavailable("it cannot ask this hook".to_owned()), &[]).await;
        };
        let duration_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let reply = Reply::Answer { exit, stdout_bytes: stdout.len(), stdout_truncated, duration_us };
        wire::send(stream, &reply, &[&stdout, &stderr]).await
    }

    /// The session of a project with its settings as they are.
    async fn session(&self, folder: &Path) -> Option<Arc<HookSession>> {
        if let Some(session) = lock_of(&self.projects).get(folder) {
            return Some(session);
        }
        let _one_at_a_time = self.loading.lock().await;
        if let Some(session) = lock_of(&self.projects).get(folder) {
            return Some(session);
        }
        let workers = lock_of(&self.projects).workers(folder);
        let (user, path) = (self.user.clone(), folder.to_owned());
        let loaded = tokio::task::spawn_blocking(move || Project::load(&user, &path, workers));
        let project = tokio::time::timeout(ASK_TIMEOUT, loaded).await.ok()?.ok()??;
        Some(lock_of(&self.projects).keep(project))
    }
}

/// Waits until the other end has left. A client says nothing more, so that whatever can be read is its end; that something
/// can be read is told without cause, too.
async fn has_left(stream: &UnixStream) {
    while stream.readable().await.is_ok() {
        match stream.try_read(&mut [0]) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            _ => return,
        }
    }
}

async fn ask_worker(
    session: &HookSession,
    ask: &Ask,
    payload: &Payload,
    variables: &[(std::ffi::OsString, std::ffi::OsString)],
    until: Instant,
    on_begin: &(dyn Fn() + Send + Sync),
) -> Option<KeptAnswer> {
    let handler = session.hook_system()?.event_handler().ok()?;
    let is_it = |hook: &hookrail::Hook| {
        let origin = &hook.origin;
        (origin.line, &origin.file) == (ask.line, &ask.file)
            && origin.level.to_string() == ask.level
            && wire::hook_digest(hook) == ask.digest
    };
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Duration::from_millis(ask.timeout_ms).min(left);
    handler.ask_worker(&KeptQuestion { hook: &is_it, payload, variables, timeout, on_begin }).await
}
