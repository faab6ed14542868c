//! Runs one process: spawn, feed, drain, deadline. The only place that starts hooks.
//!
//! A run is two steps. [`spawn`] is synchronous, because `posix_spawn` occupies its thread until the new program
//! is executed; several hooks can be spawned from several threads. [`finish`] is one future that polls the
//! stdin feed, both outputs, the exit and the deadline together.
//!
//! What hooks inherit: descriptors 0, 1 and 2 and nothing else; the default action of `SIGPIPE`, which Rust
//! programs ignore; no blocked signals.

use std::ffi::OsString;
use std::future::poll_fn;
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::time::{Sleep, sleep, sleep_until};

pub(crate) use super::capture::Captured;
use super::capture::{Capture, output_pipe};
use super::command::PreparedCommand;
use super::image::Image;
use super::payload::{Cursor, Feed, Payload};
use super::reaper::Reaper;
#[cfg(test)]
use super::shortage::Shortage;
use super::shortage::Waiting;
use super::unix::{self, Peek, Pid};
use super::watch::{Ticker, Watched};
use crate::verdict::hook_run::Exit;

/// Most hooks end within milliseconds, and their outputs with them: nothing else has to be watched for that. This
/// is how long one may take that leaves its outputs to another process.
const PATIENCE: Duration = Duration::from_millis(25);
/// After the hook's exit, an output that another process keeps open is read until it is silent for this long, …
pub(super) const QUIET: Duration = Duration::from_millis(200);
/// … but for no longer than this.
pub(super) const LINGER: Duration = Duration::from_millis(450);
/// Pauses between attempts when descriptors, processes or memory have run out: the first and the longest.
const SCARCE_PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));
/// Attempts on a program that is just being written, and the pause between them.
const BUSY_ATTEMPTS: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// Longer timeouts are as good as none; clocks overflow beyond.
pub(super) const LONGEST_TIMEOUT: Duration = Duration::from_hours(10 * 365 * 24);

/// What became of a process.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// What is kept of its stdout.
    pub stdout: Captured,
    /// What is kept of its stderr.
    pub stderr: Captured,
    /// From the spawn to here.
    pub duration: Duration,
}

/// Runs a command alone.
#[cfg(test)]
pub(crate) async fn run_process(
    command: &PreparedCommand,
    payload: &Payload,
    timeout: Duration,
    keep: usize,
    reaper: &Reaper,
) -> Finished {
    let first = spawn(command, payload, reaper);
    let shortage = Shortage::default();
    run_from(first, command, payload, timeout, keep, reaper, &shortage.waiting_from(Instant::now())).await
}

/// Runs a command to its end or its timeout, keeping at most `keep` bytes of each output. Goes on from a first attempt
/// to spawn it, made here or on another thread; makes further ones if need be.
///
/// Waiting for scarce resources is bounded by the timeout as well, but does not use it up. Dropping the future kills the
/// process group. Needs a tokio runtime with I/O and time enabled.
pub(crate) async fn run_from(
    first: Result<Spawned, SpawnError>,
    command: &PreparedCommand,
    payload: &Payload,
    timeout: Duration,
    keep: usize,
    reaper: &Reaper,
    waiting: &Waiting<'_>,
) -> Finished {
    let mut attempt = first;
    let mut command = command;
    let mut busy_attempts = 0;
    let mut pause = SCARCE_PAUSES.0;
    loop {
        match attempt {
            Ok(spawned) => {
                waiting.over();
                return finish(spawned, timeout, keep).await;
            }
            Err(SpawnError::Scarce(error)) => {
                let left = timeout.saturating_sub(waiting.since().elapsed());
                if left.is_zero() {
                    return Finished::not_started(format!(
                        "cannot start `{}` within {timeout:?}: {error}",
                        command.program.display()
                    ));
                }
                sleep(pause.min(left)).await;
                pause = (pause * 2).min(SCARCE_PAUSES.1);
            }
            Err(SpawnError::Busy(error)) => {
                busy_attempts += 1;
                if busy_attempts >= BUSY_ATTEMPTS {
                    match &command.fallback {
                        Some(fallback) => command = fallback,
                        None => return Finished::not_started(failure_text(command, &error)),
                    }
                }
                sleep(BUSY_PAUSE).await;
            }
            Err(SpawnError::Failed(why)) => return Finished::not_started(why),
        }
        attempt = spawn(command, payload, reaper);
    }
}

/// Why an attempt to spawn did not work.
#[derive(Debug)]
pub(crate) enum SpawnError {
    /// Descriptors, processes or memory have run out for the moment.
    Scarce(io::Error),
    /// The program is open for writing, or was when another thread spawned something.
    Busy(io::Error),
    /// It will not work, for the reason given.
    Failed(String),
}

/// A process that runs and is not yet waited for. Dropping it kills its group.
#[derive(Debug)]
pub(crate) struct Spawned {
    group: Group,
    started: Instant,
    feed: Option<Feed>,
    stdout: PipeReader,
    stderr: PipeReader,
}

/// Makes one attempt to start a command, and its shell form if it cannot be executed directly.
pub(crate) fn spawn(
    command: &PreparedCommand,
    payload: &Payload,
    reaper: &Reaper,
) -> Result<Spawned, SpawnError> {
    match try_spawn(command, payload, reaper) {
        Ok(spawned) => Ok(spawned),
        Err(error) => match (Errno::from_io_error(&error), &command.fallback) {
            (Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM), _) => {
                Err(SpawnError::Scarce(error))
            }
            (Some(Errno::TXTBSY), _) => Err(SpawnError::Busy(error)),
            // The shell either runs this or reports why it cannot be run.
            (_, Some(fallback)) => spawn(fallback, payload, reaper),
            (_, None) => Err(SpawnError::Failed(failure_text(command, &error))),
        },
    }
}

fn try_spawn(command: &PreparedCommand, payload: &Payload, reaper: &Reaper) -> io::Result<Spawned> {
    let (child_stdin, feed) = payload.stdin_pipe()?;
    let (stdout, child_stdout) = output_pipe()?;
    let (stderr, child_stderr) = output_pipe()?;
    let image = command.image.get_or_try_init(|| image_of(command))?;
    let started = Instant::now();
    let leader = image.spawn([child_stdin.into(), child_stdout.into(), child_stderr.into()])?;
    let group = Group::new(leader, reaper);
    Ok(Spawned { group, started, feed, stdout, stderr })
}

pub(super) fn image_of(command: &PreparedCommand) -> io::Result<Image> {
    let name = command.arg0.as_ref().unwrap_or(&command.program);
    let argv = [name].into_iter().chain(&command.args).map(OsString::as_os_str);
    Image::new(&command.program, argv, &command.env, &command.cwd)
}

/// Says why a command did not start. A missing working directory looks like a missing program to the system.
pub(super) fn failure_text(command: &PreparedCommand, error: &io::Error) -> String {
    match command.cwd.metadata() {
        Err(cause) => format!("cannot enter the working directory `{}`: {cause}", command.cwd.display()),
        Ok(metadata) if !metadata.is_dir() => {
            format!("the working directory `{}` is not a directory", command.cwd.display())
        }
        Ok(_) => format!("cannot start `{}`: {error}", command.program.display()),
    }
}

/// Waits for the end of a process, or for its timeout counted from its spawn.
pub(crate) async fn finish(spawned: Spawned, timeout: Duration, keep: usize) -> Finished {
    let (started, deadline) = (spawned.started, spawned.started + timeout.min(LONGEST_TIMEOUT));
    let mut run = Run::new(spawned, deadline, keep);
    let mut alarm = pin!(sleep_until(run.alarm_at.into()));
    let end = poll_fn(|cx| run.poll(cx, alarm.as_mut())).await;

    let Run { group, stdout, stderr, .. } = run;
    let (stdout, stdout_pipe) = stdout.into_parts();
    let (stderr, stderr_pipe) = stderr.into_parts();
    let exit = match end {
        End::Exited(exit) => {
            group.reap();
            exit
        }
        End::Lost => {
            group.forget();
            Exit::NotStarted("its exit status was taken by another part of this program".to_owned())
        }
        End::DeadlinePassed => {
            group.terminate([stdout_pipe, stderr_pipe].into_iter().flatten().collect());
            Exit::TimedOut(timeout)
        }
    };
    Finished { exit, stdout, stderr, duration: started.elapsed() }
}

impl Finished {
    fn not_started(why: String) -> Self {
        Self {
            exit: Exit::NotStarted(why),
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: Duration::ZERO,
        }
    }
}

/// A process group that has to be reaped or ended.
#[derive(Debug)]
pub(super) struct Group {
    leader: Pid,
    reaper: Reaper,
    /// The leader is not reaped, so that its number is still that of our group.
    ours: bool,
}

impl Group {
    /// The group of a child that was just started.
    pub(super) fn new(leader: Pid, reaper: &Reaper) -> Self {
        Self { leader, reaper: reaper.clone(), ours: true }
    }

    /// The process that the group is named after.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// The leader has ended and the rest, if any, is left alone.
    fn reap(mut self) {
        self.ours = false;
        unix::reap(self.leader);
    }

    /// Somebody else reaped the leader.
    fn forget(mut self) {
        self.ours = false;
    }

    /// The group has to end, and may clean up before.
    pub(super) fn terminate(mut self, outputs: Vec<PipeReader>) {
        self.ours = false;
        self.reaper.terminate(self.leader, outputs);
    }
}

impl Drop for Group {
    /// Nobody waits for the verdict any more: the caller gave up, or panicked.
    fn drop(&mut self) {
        if self.ours {
            self.reaper.kill(self.leader);
        }
    }
}

/// A process being seen to its end.
struct Run {
    group: Group,
    exit_watch: ExitWatch,
    /// When the alarm goes off while the process runs: first for a look at how things stand, then at the deadline.
    alarm_at: Instant,
    /// `None` once everything is written, or the pipe is closed.
    feed: Option<(Watched<io::PipeWriter>, Cursor)>,
    stdout: Capture,
    stderr: Capture,
    /// Takes what is not kept.
    scratch: Vec<u8>,
    ticker: Ticker,
    deadline: Instant,
    ended: Option<Ended>,
}

/// How the end of the process is noticed.
enum ExitWatch {
    /// By the end of its outputs. A process that has not ended when they have, or after a while, is watched.
    Outputs,
    /// By a descriptor.
    Descriptor(Watched<OwnedFd>),
    /// Not at all, where the system has no such descriptor: we look from time to time.
    Ticker,
}

/// The process has ended, but its outputs may still be open.
struct Ended {
    exit: Exit,
    /// When its outputs are given up at the latest, …
    latest: Instant,
    /// … and when if they stay silent.
    quiet: Instant,
}

enum End {
    Exited(Exit),
    Lost,
    DeadlinePassed,
}

impl Run {
    fn new(spawned: Spawned, deadline: Instant, keep: usize) -> Self {
        let Spawned { group, started, feed, stdout, stderr } = spawned;
        Self {
            exit_watch: ExitWatch::Outputs,
            alarm_at: deadline.min(started + PATIENCE),
            feed: feed.map(|feed| (Watched::writable(feed.pipe), feed.cursor)),
            stdout: Capture::new(stdout, keep),
            stderr: Capture::new(stderr, keep),
            scratch: Vec::new(),
            ticker: Ticker::default(),
            deadline,
            ended: None,
            group,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>, mut alarm: Pin<&mut Sleep>) -> Poll<End> {
        self.poll_feed(cx);
        let mut news = self.stdout.poll(cx, &mut self.ticker, &mut self.scratch);
        news |= self.stderr.poll(cx, &mut self.ticker, &mut self.scratch);

        if self.ended.is_none() {
            match self.poll_exit(cx) {
                Poll::Ready(Peek::Ended(exit)) => {
                    let now = Instant::now();
                    self.ended = Some(Ended { exit, latest: self.deadline.min(now + LINGER), quiet: now });
                    self.stdout.read_available(&mut self.scratch);
                    self.stderr.read_available(&mut self.scratch);
                    news = true;
                }
                Poll::Ready(Peek::Lost) => return Poll::Ready(End::Lost),
                Poll::Ready(Peek::Running) | Poll::Pending => {}
            }
        }
        if let Some(ended) = &mut self.ended {
            let all_read = self.stdout.has_ended() && self.stderr.has_ended();
            if !all_read {
                if news {
                    ended.quiet = Instant::now() + QUIET;
                }
                alarm.as_mut().reset(ended.quiet.min(ended.latest).into());
            }
            if all_read || alarm.as_mut().poll(cx).is_ready() {
                return Poll::Ready(End::Exited(ended.exit.clone()));
            }
        } else if alarm.as_mut().poll(cx).is_ready() {
            if self.alarm_at >= self.deadline {
                return Poll::Ready(self.last_look());
            }
            if let ExitWatch::Outputs = self.exit_watch {
                self.watch_exit();
            }
            self.alarm_at = self.deadline;
            alarm.as_mut().reset(self.deadline.into());
            return self.poll(cx, alarm);
        }
        self.ticker.arm(cx);
        Poll::Pending
    }

    /// Decides at the deadline. It may be long past: this process was stopped, the machine slept, or the thread was
    /// busy. What the hook did meanwhile counts, whether or not the reactor has reported it.
    fn last_look(&mut self) -> End {
        let end = match unix::peek(self.group.leader) {
            Peek::Ended(exit) => End::Exited(exit),
            Peek::Lost => End::Lost,
            Peek::Running => End::DeadlinePassed,
        };
        // Whatever a process has written before its end fits into its pipes.
        self.stdout.read_available(&mut self.scratch);
        self.stderr.read_available(&mut self.scratch);
        end
    }

    fn poll_feed(&mut self, cx: &mut Context<'_>) {
        let Some((pipe, cursor)) = &mut self.feed else { return };
        match pipe.poll_write(cx, &mut self.ticker, |pipe| cursor.push(pipe)) {
            Poll::Pending => {}
            Poll::Ready(Ok(false)) => cx.waker().wake_by_ref(),
            // Written, or the pipe is closed: a hook may decide without reading its input to the end.
            Poll::Ready(Ok(true) | Err(_)) => self.feed = None,
        }
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<Peek> {
        let leader = self.group.leader;
        if let ExitWatch::Outputs = self.exit_watch {
            if !self.all_read() {
                return Poll::Pending;
            }
            match unix::peek(leader) {
                // It closed its outputs and goes on, or has a few microseconds to go.
                Peek::Running => self.watch_exit(),
                peek => return Poll::Ready(peek),
            }
        }
        let look = || match unix::peek(leader) {
            Peek::Running => Err(io::ErrorKind::WouldBlock.into()),
            peek => Ok(peek),
        };
        if let ExitWatch::Descriptor(watch) = &self.exit_watch {
            if let Ok(peek) = ready!(watch.poll_read(cx, &mut self.ticker, |_| look())) {
                return Poll::Ready(peek);
            }
            // The runtime is shutting down. It drops us next, or lets us look for ourselves.
            self.exit_watch = ExitWatch::Ticker;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match unix::peek(leader) {
            Peek::Running => {
                self.ticker.want();
                Poll::Pending
            }
            peek => Poll::Ready(peek),
        }
    }

    fn watch_exit(&mut self) {
        self.exit_watch = match unix::exit_descriptor(self.group.leader) {
            Some(descriptor) => ExitWatch::Descriptor(Watched::readable(descriptor)),
            None => ExitWatch::Ticker,
        };
    }

    fn all_read(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }
}

#[cfg(test)]
mod tests;
