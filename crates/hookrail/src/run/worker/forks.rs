//! `"worker": "fork"`: an unmodified Python script, each event in a fork of an interpreter that was started once.
//!
//! The interpreter, the *loader*, is sent each event with its streams, and reports of its forks; see
//! `docs/design/workers.md`. Whoever has to know how far a fork is reads the messages of all.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IoSlice, PipeReader, Seek as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, SocketFlags,
    SocketType, recv, sendmsg, shutdown, socketpair,
};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::Notify;

use super::kept::{InUse, KeptProcess, Turns};
use super::recognise::Launch;
use crate::run::command::PreparedCommand;
use crate::run::environment::EnvironmentVariable;
use crate::run::payload::Payload;
use crate::run::process::{Finished, LONGEST_WAIT, ProcessGroup, Streams, Watched, output_pipe};
use crate::run::reaper::{Leader, Reaper};
use crate::run::unix::{self, ChildState, Pid, Signal, lock};
use crate::texts::TEXTS;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The file with the loader.
const LOADER: &str = "fork_loader.py";
/// The longest message of the protocol, generously.
const MESSAGE: usize = 256;

/// How the loader of a script is started.
pub(super) fn loader_command(launch: &Launch, cwd: &Path) -> PreparedCommand {
    let mut args = launch.options.clone();
    args.extend(["-c", TEXTS.get(LOADER)].map(OsString::from));
    args.extend([cwd.as_os_str().to_owned(), launch.script.clone()]);
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

/// Our ends of a loader's streams.
#[derive(Debug)]
pub(super) struct LoaderPipes {
    control: UnixStream,
    /// Its own outputs; read when it has failed.
    outputs: [PipeReader; 2],
    copies: Vec<OwnedFd>,
}

impl LoaderPipes {
    /// Opens the streams of a loader: its ends and ours. Its stdin is the control.
    pub(super) fn open() -> io::Result<([OwnedFd; 3], Self)> {
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        rustix::io::ioctl_fionbio(&control, true)?;
        // Packets instead of a stream: sent and received here, and watched by the reactor.
        let control = UnixStream::from_std(control.into())?;
        let (stdout, child_stdout) = output_pipe()?;
        let (stderr, child_stderr) = output_pipe()?;
        let copies = vec![stdout.try_clone()?.into(), stderr.try_clone()?.into()];
        let pipes = Self { control, outputs: [stdout, stderr], copies };
        Ok(([theirs, child_stdout, child_stderr], pipes))
    }
}

/// A running loader.
#[derive(Debug)]
pub(in crate::run) struct Loader {
    process: Arc<KeptProcess>,
    control: UnixStream,
    outputs: [PipeReader; 2],
    reaper: Reaper,
    state: Mutex<LoaderState>,
    /// Something was read from the control, or the loader was ended.
    changed: Notify,
}

#[derive(Debug, Default)]
struct LoaderState {
    is_ready: bool,
    /// The number of the last event.
    last: u64,
    events: HashMap<u64, ForkedEvent>,
}

/// What is known of one fork.
#[derive(Debug)]
struct ForkedEvent {
    leader: Option<Pid>,
    end: Option<Exit>,
    /// Nobody waits for it.
    is_given_up: bool,
    _place: InUse,
}

impl Loader {
    /// The loader in a process that was just started.
    pub(super) fn new(
        group: ProcessGroup,
        pipes: LoaderPipes,
        turns: &Arc<Turns>,
        reaper: &Reaper,
    ) -> (Arc<KeptProcess>, Arc<Self>) {
        let LoaderPipes { control, outputs, copies } = pipes;
        let process = KeptProcess::new(group, copies, turns);
        let (reaper, state, changed) = (reaper.clone(), Mutex::default(), Notify::new());
        let loader = Self { process: Arc::clone(&process), control, outputs, reaper, state, changed };
        (process, Arc::new(loader))
    }

    /// Runs one event in a fork, fed, drained and timed like a process of its own. An error means that nothing was begun.
    pub(super) async fn run(
        self: &Arc<Self>,
        payload: &Payload,
        variables: &[EnvironmentVariable],
        begin: Instant,
        timeout: Duration,
        keep: usize,
    ) -> io::Result<Finished> {
        let variables = environment_file(variables)?;
        let (child_streams, mut streams) = Streams::open(payload, keep)?;
        let descriptors: Vec<OwnedFd> = child_streams.into_iter().chain(variables).collect();
        let mut fork = self.begin(&descriptors)?;
        drop(descriptors);
        let end = streams.watch(&mut fork, begin + timeout.min(LONGEST_WAIT)).await;
        let (stdout, stderr, open) = streams.into_parts();
        let exit = end.unwrap_or_else(|| {
            fork.late = Some(open);
            Exit::TimedOut(timeout)
        });
        Ok(Finished { exit, stdout, stderr, duration: begin.elapsed() })
    }

    /// Whether it ended by itself before it was ready.
    pub(super) fn failed_to_load(self: &Arc<Self>) -> bool {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        !state.is_ready && self.process.id().is_none()
    }

    /// Asks for a fork with these streams, and perhaps a file with further variables. An error means that nothing was begun.
    fn begin(self: &Arc<Self>, streams: &[OwnedFd]) -> io::Result<Fork> {
        let mut state = lock(&self.state);
        let number = state.last + 1;
        self.send(&format!("run {number}"), &streams.iter().map(OwnedFd::as_fd).collect::<Vec<_>>())?;
        state.last = number;
        let (end, leader, is_given_up) = (None, None, false);
        state.events.insert(number, ForkedEvent { leader, end, is_given_up, _place: self.process.enter() });
        Ok(Fork { loader: Arc::clone(self), number, late: None })
    }

    /// How a fork ended, by all messages that have arrived; `None` while it runs, or will.
    fn look(self: &Arc<Self>, number: u64) -> Option<Exit> {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.events.get(&number).map_or_else(|| Some(self.no_fork()), |event| event.end.clone())
    }

    /// Looks at the leader of a fork's group, which stays there as a zombie until [`Loader::done`].
    pub(in crate::run) fn peek(self: &Arc<Self>, number: u64) -> ChildState {
        match self.look(number) {
            None => ChildState::Running,
            Some(Exit::NoAnswer(_)) => {
                self.done(number);
                ChildState::Lost
            }
            Some(exit) => ChildState::Ended(exit),
        }
    }

    /// Nothing more will be done to a fork's group.
    pub(in crate::run) fn done(&self, number: u64) {
        self.forget(&mut lock(&self.state), number);
    }

    fn forget(&self, state: &mut LoaderState, number: u64) {
        let event = state.events.remove(&number);
        if event.is_some_and(|event| matches!(event.end, Some(Exit::Code(_) | Exit::Signal(_)))) {
            // A loader that does not take it has ended, or is ended at the next request.
            let _ = self.send(&format!("done {number}"), &[]);
        }
        self.end_if_orphaned(state);
    }

    /// Ends a fork that nobody waits for any more: with outputs that it may write to until its end its time is over, and it
    /// may clean up; else it is killed. One that has not reported its group is killed when it does.
    fn leave(self: &Arc<Self>, number: u64, outputs: Option<Vec<OwnedFd>>) {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        let Some(event) = state.events.get_mut(&number) else { return };
        if event.end.is_some() {
            return self.forget(&mut state, number);
        }
        event.is_given_up = true;
        let process = Leader::Fork(Arc::clone(self), number);
        match (event.leader, outputs) {
            (Some(leader), Some(outputs)) => self.reaper.terminate(leader, process, outputs),
            (Some(leader), None) => self.reaper.kill(leader, process),
            (None, _) => self.end_if_orphaned(&mut state),
        }
    }

    /// Ends a loader of which nothing is left but forks that nobody waits for and that have not reported their groups.
    /// Nobody reads their messages any more; without the loader they end by themselves.
    fn end_if_orphaned(&self, state: &mut LoaderState) {
        let is_orphan = |event: &ForkedEvent| event.is_given_up && event.leader.is_none();
        if !state.events.is_empty() && state.events.values().all(is_orphan) {
            self.lose(state);
            state.events.clear();
        }
    }

    /// Ends the loader, or notes that it has ended. Running forks are killed, because their end would not be reported.
    fn lose(&self, state: &mut LoaderState) {
        let no_fork = self.no_fork();
        let _ = shutdown(&self.control, Shutdown::Both);
        self.process.end();
        for event in state.events.values_mut().filter(|event| event.end.is_none()) {
            event.end = Some(match event.leader {
                Some(leader) => {
                    unix::signal_group(leader, Signal::KILL);
                    Exit::NoAnswer(WorkerFailure::InterpreterEnded)
                }
                None => no_fork.clone(),
            });
        }
        self.changed.notify_waiters();
    }

    /// There is no such fork, and never was. What the loader itself wrote may say why.
    pub(super) fn no_fork(&self) -> Exit {
        let mut written = Vec::new();
        for output in &self.outputs {
            let _ = unix::read_more(output, &mut written);
        }
        let output = String::from_utf8_lossy(&written).trim().to_owned();
        Exit::NoAnswer(WorkerFailure::NoFork { output })
    }

    /// Handles available messages, without waiting.
    fn read_available(self: &Arc<Self>, state: &mut LoaderState) {
        while self.process.id().is_some() {
            match receive(&self.control) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                message => self.handle_message(state, &message.unwrap_or_default()),
            }
            self.changed.notify_waiters();
        }
    }

    /// Lets the reactor report what comes from here on. What is there is read after this.
    fn expect_more(&self) {
        let nothing = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
        let _ = self.control.try_io(Interest::READABLE, nothing);
    }

    /// Handles one message. One that breaks the protocol ends the loader, as does the end of the control.
    fn handle_message(self: &Arc<Self>, state: &mut LoaderState, message: &str) {
        let mut parts = message.trim().split(' ');
        let (kind, number, value) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let number = number.and_then(|number| number.parse::<u64>().ok());
        let value = value.and_then(|value| value.parse::<i32>().ok());
        if kind == "ready" {
            state.is_ready = true;
            return;
        }
        let Some((number, event)) = number.and_then(|number| Some((number, state.events.get_mut(&number)?)))
        else {
            return self.lose(state);
        };
        match (kind, value) {
            // What is no process id would be signals to others: -1 stands for every process there is.
            ("pid", Some(value @ 2..)) => {
                event.leader = Pid::from_raw(value);
                if let Some(leader) = event.leader.filter(|_| event.is_given_up) {
                    self.reaper.kill(leader, Leader::Fork(Arc::clone(self), number));
                }
                return;
            }
            ("exit", Some(code)) => event.end = Some(Exit::Code(code)),
            ("signal", Some(signal)) => event.end = Some(Exit::Signal(signal)),
            ("failed", _) => event.end = Some(self.no_fork()),
            _ => return self.lose(state),
        }
        // It ended before it could be killed.
        if event.is_given_up && event.leader.is_none() {
            self.forget(state, number);
        }
    }

    /// Sends one message, with descriptors. Does not wait.
    fn send(&self, message: &str, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let bytes = [IoSlice::new(message.as_bytes())];
        sendmsg(self.control.as_fd(), &bytes, &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// One message; empty at the end of the control.
fn receive(control: &UnixStream) -> io::Result<String> {
    let mut buffer = [0; MESSAGE];
    let (length, _) = rustix::io::retry_on_intr(|| recv(control, &mut buffer, RecvFlags::DONTWAIT))?;
    Ok(String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned())
}

/// A file in memory with these variables, each ended by a NUL; none if there are none.
fn environment_file(variables: &[EnvironmentVariable]) -> io::Result<Option<OwnedFd>> {
    if variables.is_empty() {
        return Ok(None);
    }
    let line = |(name, value): &EnvironmentVariable| {
        [name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"].concat()
    };
    let mut file = std::fs::File::from(memfd_create("hookrail-env", MemfdFlags::CLOEXEC)?);
    file.write_all(&variables.iter().flat_map(line).collect::<Vec<u8>>())?;
    file.rewind()?;
    Ok(Some(file.into()))
}

/// A fork that was asked for. Dropping it lets it go, or ends it if it runs.
#[derive(Debug)]
struct Fork {
    loader: Arc<Loader>,
    number: u64,
    /// Its outputs, if its time is over.
    late: Option<Vec<OwnedFd>>,
}

impl Watched for Fork {
    async fn ended(&mut self) -> Exit {
        loop {
            let mut changed = pin!(self.loader.changed.notified());
            changed.as_mut().enable();
            if let Some(end) = self.loader.look(self.number) {
                return end;
            }
            tokio::select! {
                () = changed => {}
                Ok(()) = self.loader.control.readable() => self.loader.expect_more(),
            }
        }
    }

    fn look(&mut self) -> Option<Exit> {
        self.loader.look(self.number)
    }
}

impl Drop for Fork {
    fn drop(&mut self) {
        self.loader.leave(self.number, self.late.take());
    }
}
