//! One process: started in a group of its own, fed, drained and waited for under one deadline. The only place that starts
//! programs.
//!
//! What a process inherits: descriptors 0, 1 and 2 and nothing else; the default action of `SIGPIPE`, which Rust
//! programs ignore; no blocked signals. The standard library sees to that, by `posix_spawn`, as long as nothing asks for
//! `pre_exec`.

use std::future::poll_fn;
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::{sleep, sleep_until};

use super::command::PreparedCommand;
use super::payload::Payload;
use super::reaper::Reaper;
use super::unix::{self, ChildState, Pid};
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::Exit;

/// The first pause between attempts when descriptors, processes or memory have run out. Each further one is twice as
/// long, …
const FIRST_SCARCE_PAUSE: Duration = Duration::from_millis(2);
/// … up to this.
const LONGEST_SCARCE_PAUSE: Duration = Duration::from_millis(50);
/// Attempts on a program that is just being written, …
const BUSY_ATTEMPTS: u32 = 20;
/// … and the pause between them.
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// After the hook's exit, an output that another process keeps open is read until it is silent for this long, …
const QUIET: Duration = Duration::from_millis(200);
/// … but for no longer than this.
const LINGER: Duration = Duration::from_millis(450);
/// Longer timeouts are as good as none; clocks overflow beyond.
pub(super) const LONGEST_WAIT: Duration = Duration::from_hours(10 * 365 * 24);
/// How often an output is read without asking the reactor: more than what a pipe holds.
const READS_AT_ONCE: usize = 16;

/// What became of a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) exit: Exit,
    /// What is kept of its stdout.
    pub(crate) stdout: Captured,
    /// What is kept of its stderr.
    pub(crate) stderr: Captured,
    /// From the spawn to here.
    pub(crate) duration: Duration,
}

/// The kept beginning of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    /// The first bytes.
    pub(crate) bytes: Vec<u8>,
    /// There were more.
    pub(crate) truncated: bool,
}

impl Finished {
    /// An end that took no time.
    pub(super) fn new(exit: Exit, stdout: Vec<u8>, stderr: Vec<u8>) -> Self {
        let captured = |bytes| Captured { bytes, truncated: false };
        Self { exit, stdout: captured(stdout), stderr: captured(stderr), duration: Duration::ZERO }
    }
}

/// Why a hook did not run, in the form of a process that ended at once.
pub(super) fn not_started(why: StartFailure) -> Finished {
    Finished::new(Exit::NotStarted(why), Vec::new(), Vec::new())
}

/// Waits for the end of a process, or for its timeout counted from its spawn. Dropping the future kills the process group.
pub(super) async fn finish(mut group: ProcessGroup, mut streams: Streams, timeout: Duration) -> Finished {
    let started = group.started;
    let end = streams.watch(&mut group, started + timeout.min(LONGEST_WAIT)).await;
    let (stdout, stderr, open) = streams.into_parts();
    let exit = end.unwrap_or_else(|| {
        group.terminate(open);
        Exit::TimedOut(timeout)
    });
    Finished { exit, stdout, stderr, duration: started.elapsed() }
}

/// Starts a command, or its shell form if it cannot be executed directly. `open` makes the streams of one attempt: the
/// process's, and our ends of them. A shortage of resources is waited out for as long as `left` says, which does not use up
/// the timeout.
pub(super) async fn start<T>(
    command: &PreparedCommand,
    reaper: &Reaper,
    timeout: Duration,
    left: &(dyn Fn() -> Duration + Sync),
    open: impl Fn() -> io::Result<([OwnedFd; 3], T)>,
) -> Result<(ProcessGroup, T), StartFailure> {
    let mut command = command;
    let (mut busy_attempts, mut pause) = (0, FIRST_SCARCE_PAUSE);
    loop {
        let attempt = open().and_then(|(streams, ours)| Ok((spawn(command, streams, reaper)?, ours)));
        let error = match attempt {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        match Errno::from_io_error(&error) {
            Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM) => {
                let left = left();
                if left.is_zero() {
                    let (program, within) = (command.program.clone().into(), timeout);
                    return Err(StartFailure::Scarce { program, within, error: (&error).into() });
                }
                sleep(pause.min(left)).await;
                pause = (pause * 2).min(LONGEST_SCARCE_PAUSE);
                continue;
            }
            // Open for writing, or it was when another thread spawned something.
            Some(Errno::TXTBSY) if busy_attempts < BUSY_ATTEMPTS => {
                busy_attempts += 1;
                sleep(BUSY_PAUSE).await;
                continue;
            }
            _ => {}
        }
        // The shell either runs this or reports why it cannot be run.
        command = command.fallback.as_deref().ok_or_else(|| start_failure(command, &error))?;
    }
}

/// Makes one attempt to start a command with these as its descriptors 0, 1 and 2.
fn spawn(command: &PreparedCommand, streams: [OwnedFd; 3], reaper: &Reaper) -> io::Result<ProcessGroup> {
    let [stdin, stdout, stderr] = streams.map(Stdio::from);
    let mut process = Command::new(&command.program);
    if let Some(name) = &command.arg0 {
        process.arg0(name);
    }
    let variables = command.env.iter().map(|(name, value)| (name, value));
    process.args(&command.args).env_clear().envs(variables).current_dir(&command.cwd).process_group(0);
    process.stdin(stdin).stdout(stdout).stderr(stderr);
    let started = Instant::now();
    let child = process.spawn()?;
    let leader = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let leader = leader.ok_or_else(|| io::Error::other("the system gave an impossible process id"))?;
    Ok(ProcessGroup { leader, started, child: Some(child), reaper: reaper.clone() })
}

/// Why a command did not start. A missing working directory looks like a missing program to the system.
fn start_failure(command: &PreparedCommand, error: &io::Error) -> StartFailure {
    let directory = || command.cwd.clone();
    match command.cwd.metadata() {
        Err(cause) => StartFailure::NoDirectory { directory: directory(), error: (&cause).into() },
        Ok(metadata) if !metadata.is_dir() => StartFailure::NotADirectory { directory: directory() },
        Ok(_) => StartFailure::Program { program: command.program.clone().into(), error: error.into() },
    }
}

/// A process group that has to be ended, whatever becomes of the future that waits for it.
///
/// As long as its leader is not reaped, the number of the group belongs to nobody else. So whoever wants to signal the group
/// may look at the leader, and must not wait for it.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    pub(super) leader: Pid,
    pub(super) started: Instant,
    /// `None` once the leader was reaped, or the reaper has it.
    child: Option<Child>,
    reaper: Reaper,
}

impl ProcessGroup {
    /// Looks at the leader without reaping it.
    pub(super) fn peek(&self) -> ChildState {
        unix::peek(self.leader)
    }

    /// The group has to end, and may clean up before. Until then it can write to these outputs.
    pub(super) fn terminate(mut self, outputs: Vec<OwnedFd>) {
        if let Some(child) = self.child.take() {
            self.reaper.terminate(self.leader, child.into(), outputs);
        }
    }
}

impl Drop for ProcessGroup {
    /// The verdict is no longer waited for: the caller gave up, or panicked.
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.reaper.kill(self.leader, child.into());
        }
    }
}

/// A process whose end can be waited for.
pub(super) trait Watched {
    /// Waits for its end. Can be dropped and called again.
    async fn ended(&mut self) -> Exit;

    /// Its end as far as it can be seen now, whether or not the reactor has reported it; `None` while it runs.
    fn look(&mut self) -> Option<Exit>;
}

impl Watched for ProcessGroup {
    /// Reaps the leader. The rest of the group, if any, is left alone from here on.
    async fn ended(&mut self) -> Exit {
        let Some(child) = &mut self.child else { return Exit::Unknown };
        let status = child.wait().await;
        self.child = None;
        exit_of(status)
    }

    fn look(&mut self) -> Option<Exit> {
        let status = self.child.as_mut()?.try_wait().transpose()?;
        self.child = None;
        Some(exit_of(status))
    }
}

/// How a process ended. Where another part of this program reaped it, that is not known.
fn exit_of(status: io::Result<ExitStatus>) -> Exit {
    status.map_or(Exit::Unknown, |status| match status.code() {
        Some(code) => Exit::Code(code),
        None => Exit::Signal(status.signal().unwrap_or_default()),
    })
}

/// Our ends of a hook's three streams.
#[derive(Debug)]
pub(super) struct Streams {
    stdin: Feed,
    stdout: Output,
    stderr: Output,
}

impl Streams {
    /// Opens the streams of a hook: its ends and ours. What the hook's stdin takes at once is in it already.
    pub(super) fn open(payload: &Payload, keep: usize) -> io::Result<([OwnedFd; 3], Self)> {
        let (stdin, feed) = Feed::open(payload)?;
        let (stdout, child_stdout) = Output::open(keep)?;
        let (stderr, child_stderr) = Output::open(keep)?;
        Ok(([stdin, child_stdout, child_stderr], Self { stdin: feed, stdout, stderr }))
    }

    /// Feeds, drains and waits. `None` if the process still runs at the deadline.
    ///
    /// The deadline may be noticed late: this process was stopped, the machine slept, or the thread was busy. What the hook
    /// did in the meantime counts.
    pub(super) async fn watch(&mut self, process: &mut impl Watched, deadline: Instant) -> Option<Exit> {
        let Self { stdin, stdout, stderr } = self;
        let mut alarm = pin!(sleep_until(deadline.into()));
        let mut feeding = pin!(stdin.write());
        let (mut fed, mut read) = (false, false);
        let exited = {
            let mut reading = pin!(async { tokio::join!(stdout.read_to_end(), stderr.read_to_end()) });
            loop {
                tokio::select! {
                    end = process.ended() => break Some(end),
                    () = &mut feeding, if !fed => fed = true,
                    _ = &mut reading, if !read => read = true,
                    () = &mut alarm => break None,
                }
            }
        };
        let Some(exit) = exited else {
            let exit = process.look();
            stdout.read_available();
            stderr.read_available();
            return exit;
        };
        // Another process may keep the outputs open.
        let latest = deadline.min(Instant::now() + LINGER);
        let mut quiet = Instant::now() + QUIET;
        loop {
            if stdout.read_available() | stderr.read_available() {
                quiet = Instant::now() + QUIET;
            }
            if (stdout.has_ended() && stderr.has_ended()) || Instant::now() >= quiet.min(latest) {
                return Some(exit);
            }
            alarm.as_mut().reset(quiet.min(latest).into());
            tokio::select! {
                () = stdout.readable() => {}
                () = stderr.readable() => {}
                () = &mut feeding, if !fed => fed = true,
                () = &mut alarm => {}
            }
        }
    }

    /// What was kept of stdout and stderr, and those of the two that are still open.
    pub(super) fn into_parts(self) -> (Captured, Captured, Vec<OwnedFd>) {
        let open = [self.stdout.pipe, self.stderr.pipe].into_iter().flatten();
        let open = open.filter_map(|pipe| pipe.into_nonblocking_fd().ok()).collect();
        (self.stdout.kept, self.stderr.kept, open)
    }
}

/// A payload on its way into one pipe.
#[derive(Debug)]
struct Feed {
    payload: Payload,
    /// How much the pipe took at once.
    sent: usize,
    /// `None` where that was everything.
    pipe: Option<pipe::Sender>,
}

impl Feed {
    /// No writer remains if the pipe takes all of the payload at once: the hook then finds the end of its input by itself.
    fn open(payload: &Payload) -> io::Result<(OwnedFd, Self)> {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        let sent = match rustix::io::retry_on_intr(|| rustix::io::write(&writer, payload.as_bytes())) {
            Ok(sent) => sent,
            Err(Errno::AGAIN) => 0,
            Err(error) => return Err(error.into()),
        };
        let is_complete = sent == payload.len();
        let pipe =
            if is_complete { None } else { Some(pipe::Sender::from_owned_fd_unchecked(writer.into())?) };
        Ok((reader.into(), Self { payload: payload.clone(), sent, pipe }))
    }

    /// Writes the rest. A hook may decide without reading its input to the end.
    async fn write(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(self.payload.as_bytes().get(self.sent..).unwrap_or_default()).await;
        }
    }
}

/// One output stream being read.
#[derive(Debug)]
struct Output {
    /// `None` once the stream has ended.
    pipe: Option<pipe::Receiver>,
    kept: Captured,
    keep: usize,
}

impl Output {
    fn open(keep: usize) -> io::Result<(Self, OwnedFd)> {
        let (reader, writer) = output_pipe()?;
        let pipe = Some(pipe::Receiver::from_owned_fd_unchecked(reader.into())?);
        Ok((Self { pipe, kept: Captured::default(), keep }, writer))
    }

    /// Whether every writer has closed its end, or reading failed.
    fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// Waits until there is something to read; for ever at the end of the stream. It counts against the task's budget, so
    /// that a flood cannot starve the deadline.
    async fn readable(&self) {
        match &self.pipe {
            Some(pipe) => _ = poll_fn(|cx| pipe.poll_read_ready(cx)).await,
            None => std::future::pending().await,
        }
    }

    async fn read_to_end(&mut self) {
        while let Some(pipe) = &self.pipe {
            let ready = poll_fn(|cx| pipe.poll_read_ready(cx)).await;
            let (kept, keep) = (&mut self.kept, self.keep);
            let read = ready.and_then(|()| pipe.try_io(|| read_once(pipe, kept, keep)));
            self.note(read);
        }
    }

    /// Reads what is there without asking the reactor, which may not have reported it yet. Returns whether there was any.
    fn read_available(&mut self) -> bool {
        for turn in 0..READS_AT_ONCE {
            let Some(pipe) = &self.pipe else { return turn > 0 };
            let read = read_once(pipe, &mut self.kept, self.keep);
            if !self.note(read) {
                return turn > 0;
            }
        }
        true
    }

    /// Whether there was news: bytes, or the end.
    fn note(&mut self, read: io::Result<usize>) -> bool {
        match read {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
            Ok(0) | Err(_) => self.pipe = None,
            Ok(_) => {}
        }
        true
    }
}

/// Opens a pipe for an output: our end does not wait, the process's end is an ordinary one.
pub(super) fn output_pipe() -> io::Result<(PipeReader, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    Ok((reader, writer.into()))
}

/// One read, of which what there is room for is kept; 0 at the end of the stream.
fn read_once(pipe: &pipe::Receiver, kept: &mut Captured, keep: usize) -> io::Result<usize> {
    let mut chunk = Vec::new();
    let count = unix::read_more(pipe, &mut chunk)?;
    let room = keep.saturating_sub(kept.bytes.len()).min(count);
    kept.bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
    // A stream of exactly the kept length is not truncated, so only a further byte says so.
    kept.truncated |= count > room;
    Ok(count)
}

#[cfg(test)]
pub(super) mod tests;
