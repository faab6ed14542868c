//! The interpreter behind `"worker": "fork"`: what it is sent, and what it reports of its forks.
//!
//! As with workers that answer lines, no task of its own reads the control: every caller that waits for a fork reads it
//! for all of them, from a copy of the socket that its own runtime watches.

use std::collections::HashMap;
use std::io::{self, IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixDatagram as StdDatagram;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, sendmsg, socketpair,
};
use tokio::io::Interest;
use tokio::net::UnixDatagram;
use tokio::sync::Notify;

use crate::run::process::{ProcessGroup, Watched, output_pipe};
use crate::run::reaper::{Leader, Parent, Reaper};
use crate::run::unix::{self, ChildState, Pid, Signal, lock};
use crate::verdict::hook_run::Exit;

/// How long a fork whose caller has left may take to report its process id.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(5);
/// The longest message of the protocol, generously.
const MESSAGE: usize = 256;

/// Our ends of a loader's streams.
#[derive(Debug)]
pub(super) struct LoaderPipes {
    control: OwnedFd,
    /// Its own outputs; read when it has failed.
    outputs: Vec<PipeReader>,
}

impl LoaderPipes {
    /// Opens the streams of a loader: its ends and ours. Its stdin is the control.
    pub(super) fn open() -> io::Result<([OwnedFd; 3], Self)> {
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        rustix::io::ioctl_fionbio(&control, true)?;
        let (stdout, child_stdout) = output_pipe()?;
        let (stderr, child_stderr) = output_pipe()?;
        Ok(([theirs, child_stdout, child_stderr], Self { control, outputs: vec![stdout, stderr] }))
    }
}

/// A running loader.
#[derive(Debug)]
pub(super) struct Loader {
    this: Weak<Self>,
    reaper: Reaper,
    state: Mutex<LoaderState>,
    /// The loader was ended.
    lost: Notify,
}

/// What is known of a loader and its forks.
#[derive(Debug)]
struct LoaderState {
    /// `None` once it has ended.
    process: Option<(ProcessGroup, OwnedFd)>,
    outputs: Vec<PipeReader>,
    is_ready: bool,
    next: u64,
    events: HashMap<u64, ForkedEvent>,
}

/// What is known of one fork.
#[derive(Debug, Default)]
struct ForkedEvent {
    leader: Option<Pid>,
    end: Option<Exit>,
    failed: bool,
    /// The loader ended first.
    lost: bool,
    given_up: bool,
}

/// Why the exit of a fork is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoExit {
    /// There is no such fork, and never was.
    NotBegun,
    /// The loader ended while it ran.
    Lost,
}

impl Loader {
    /// The loader in a process that was just started.
    pub(super) fn new(group: ProcessGroup, pipes: LoaderPipes, reaper: &Reaper) -> Arc<Self> {
        let state = Mutex::new(LoaderState {
            process: Some((group, pipes.control)),
            outputs: pipes.outputs,
            is_ready: false,
            next: 1,
            events: HashMap::new(),
        });
        Arc::new_cyclic(|this| Self {
            this: this.clone(),
            reaper: reaper.clone(),
            state,
            lost: Notify::new(),
        })
    }

    /// Whether its process runs, as far as is known.
    pub(super) fn is_alive(&self) -> bool {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.process.is_some()
    }

    /// Whether it has reported that it is ready.
    pub(super) fn was_ready(&self) -> bool {
        lock(&self.state).is_ready
    }

    /// Whether an event waits for a fork.
    pub(super) fn is_busy(&self) -> bool {
        !lock(&self.state).events.is_empty()
    }

    /// The id of its process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        lock(&self.state).process.as_ref().map(|(group, _)| group.leader().as_raw_pid())
    }

    /// Asks for a fork with these streams, and perhaps a file with further variables. An error means that nothing was begun.
    pub(super) fn begin(self: &Arc<Self>, streams: &[OwnedFd]) -> io::Result<Fork> {
        let mut state = lock(&self.state);
        let (_, control) = state.process.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        let control = UnixDatagram::from_std(StdDatagram::from(control.try_clone()?))?;
        let number = state.next;
        state.send(&format!("run {number}"), &streams.iter().map(OwnedFd::as_fd).collect::<Vec<_>>())?;
        state.next += 1;
        state.events.insert(number, ForkedEvent::default());
        Ok(Fork { loader: Arc::clone(self), number, control, is_terminated: false })
    }

    /// How far a fork is, by all messages that have arrived.
    fn look(&self, number: u64) -> Option<Result<Exit, NoExit>> {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.end_of(number)
    }

    /// Nothing more will be done to a fork's group.
    fn done(&self, number: u64) {
        let mut state = lock(&self.state);
        let Some(event) = state.events.remove(&number) else { return };
        if event.end.is_some() && !event.lost {
            // A loader that does not take it has ended, or is ended at the next request.
            let _ = state.send(&format!("done {number}"), &[]);
        }
    }

    /// Gives a fork up whose caller has left: it is killed as soon as its group is known.
    fn give_up(&self, number: u64) {
        if self.look(number).is_some() {
            return self.done(number);
        }
        let leader = {
            let mut state = lock(&self.state);
            let Some(event) = state.events.get_mut(&number) else { return };
            event.given_up = true;
            event.leader
        };
        if let Some(leader) = leader {
            return self.kill(leader, number);
        }
        let Some(this) = self.this.upgrade() else { return };
        let builder =
            std::thread::Builder::new().name("hookrail-forks".to_owned()).stack_size(crate::run::STACK_SIZE);
        if builder.spawn(move || this.await_orphan(number)).is_err() {
            self.end();
        }
    }

    /// Reads the control until a given-up fork has reported its process id and was killed.
    fn await_orphan(&self, number: u64) {
        let deadline = Instant::now() + ORPHAN_PATIENCE;
        while Instant::now() < deadline {
            let mut state = lock(&self.state);
            self.read_available(&mut state);
            let waits = state.events.get(&number).is_some_and(|event| event.leader.is_none() && !event.lost);
            drop(state);
            if !waits {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.end();
    }

    /// Ends a fork whose time is over; it may clean up before. Without a group to signal, the loader itself is ended.
    fn terminate(&self, number: u64, outputs: Vec<OwnedFd>) {
        let leader = lock(&self.state).events.get_mut(&number).and_then(|event| {
            event.given_up = true;
            event.leader
        });
        if let (Some(leader), Some(parent)) = (leader, self.parent_of(number)) {
            self.reaper.terminate(leader, parent, outputs);
        } else {
            self.end();
            self.done(number);
        }
    }

    /// Kills a fork's group.
    fn kill(&self, leader: Pid, number: u64) {
        if let Some(parent) = self.parent_of(number) {
            self.reaper.kill(leader, parent);
        }
    }

    fn parent_of(&self, number: u64) -> Option<Leader> {
        let loader = self.this.upgrade()?;
        Some(Leader::ChildOf(Arc::new(ForkParent { loader, number })))
    }

    /// Ends the loader, which ends its forks.
    fn end(&self) {
        self.lose(&mut lock(&self.state));
    }

    /// Ends the loader, or notes that it has ended. Running forks are killed, because their end would not be reported.
    fn lose(&self, state: &mut LoaderState) {
        let Some((group, _control)) = state.process.take() else { return };
        group.terminate(std::mem::take(&mut state.outputs).into_iter().map(OwnedFd::from).collect());
        for event in state.events.values_mut().filter(|event| event.end.is_none()) {
            event.lost = true;
            if let Some(leader) = event.leader {
                unix::signal_group(leader, Signal::KILL);
            }
        }
        self.lost.notify_waiters();
    }

    /// The loader is not needed any more, and ends with the last event that waits for a fork. Forks that were given up
    /// before they reported their process id are not waited for: without the loader they end by themselves.
    pub(super) fn retire(&self) {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        let is_orphan = |event: &ForkedEvent| event.given_up && event.leader.is_none();
        if state.events.values().any(is_orphan) && state.events.values().all(|event| event.given_up) {
            self.lose(&mut state);
        }
    }

    /// What the loader itself wrote.
    pub(super) fn own_output(&self) -> String {
        let mut written = Vec::new();
        for output in &lock(&self.state).outputs {
            let _ = unix::read_more(output, &mut written);
        }
        String::from_utf8_lossy(&written).trim().to_owned()
    }

    /// Handles available messages, without waiting.
    fn read_available(&self, state: &mut LoaderState) {
        while let Some((_, control)) = &state.process {
            match receive(control) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                message => self.handle_message(state, &message),
            }
        }
    }

    /// Handles one message. One that breaks the protocol ends the loader.
    fn handle_message(&self, state: &mut LoaderState, message: &io::Result<String>) {
        let Ok(message) = message.as_ref().map(|message| message.trim()) else { return self.lose(state) };
        let mut parts = message.split(' ');
        let (kind, number, value) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let number = number.and_then(|number| number.parse::<u64>().ok());
        let value = value.and_then(|value| value.parse::<i32>().ok());
        if kind == "ready" {
            state.is_ready = true;
            return;
        }
        let Some((number, event)) = number.and_then(|number| Some((number, state.events.get_mut(&number)?)))
        else {
            // The end of the control, or a message about an unknown event: the loader cannot be used any more.
            return self.lose(state);
        };
        match (kind, value) {
            ("pid", Some(value)) => {
                event.leader = Pid::from_raw(value);
                if let Some(leader) = event.leader.filter(|_| event.given_up) {
                    return self.kill(leader, number);
                }
            }
            ("exit", Some(code)) => event.end = Some(Exit::Code(code)),
            ("signal", Some(signal)) => event.end = Some(Exit::Signal(signal)),
            ("failed", _) => event.failed = true,
            _ => return self.lose(state),
        }
        // It ended before it could be killed.
        if event.given_up && (event.failed || event.leader.is_none()) {
            state.events.remove(&number);
            let _ = state.send(&format!("done {number}"), &[]);
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.end();
    }
}

impl LoaderState {
    /// How a fork ended, by the messages read so far; `None` while it runs, or will.
    fn end_of(&self, number: u64) -> Option<Result<Exit, NoExit>> {
        let Some(event) = self.events.get(&number) else { return Some(Err(NoExit::NotBegun)) };
        match &event.end {
            _ if event.failed => Some(Err(NoExit::NotBegun)),
            Some(exit) => Some(Ok(exit.clone())),
            None if event.lost && event.leader.is_none() => Some(Err(NoExit::NotBegun)),
            None if event.lost => Some(Err(NoExit::Lost)),
            None => None,
        }
    }

    /// Sends one message, with descriptors. Does not wait.
    fn send(&self, message: &str, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let Some((_, control)) = &self.process else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let bytes = [IoSlice::new(message.as_bytes())];
        sendmsg(control.as_fd(), &bytes, &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// One message; empty at the end of the control.
fn receive(control: &OwnedFd) -> io::Result<String> {
    let mut buffer = [0; MESSAGE];
    let (length, _) = rustix::io::retry_on_intr(|| recv(control, &mut buffer, RecvFlags::DONTWAIT))?;
    Ok(String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned())
}

/// A fork that was asked for. Dropping it lets it go, or kills it if it runs.
#[derive(Debug)]
pub(super) struct Fork {
    loader: Arc<Loader>,
    number: u64,
    /// A copy of the control.
    control: UnixDatagram,
    is_terminated: bool,
}

impl Fork {
    /// Its time is over; it may clean up.
    pub(super) fn terminate(mut self, outputs: Vec<OwnedFd>) {
        self.is_terminated = true;
        self.loader.terminate(self.number, outputs);
    }
}

impl Watched for Fork {
    type Unknown = NoExit;

    async fn ended(&mut self) -> Result<Exit, NoExit> {
        loop {
            let lost = self.loader.lost.notified();
            let mut end = None;
            // Within the reactor's bookkeeping, so that a message that arrives meanwhile wakes us again. Whoever reads
            // it, it is handled before the lock is free.
            let _ = self.control.try_io(Interest::READABLE, || -> io::Result<()> {
                end = self.loader.look(self.number);
                Err(io::ErrorKind::WouldBlock.into())
            });
            if let Some(end) = end.or_else(|| self.loader.look(self.number)) {
                return end;
            }
            tokio::select! {
                () = lost => {}
                ready = self.control.readable() => if ready.is_err() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        }
    }

    fn look(&mut self) -> Option<Result<Exit, NoExit>> {
        self.loader.look(self.number)
    }
}

impl Drop for Fork {
    fn drop(&mut self) {
        if !self.is_terminated {
            self.loader.give_up(self.number);
        }
    }
}

/// The loader as the parent of one fork.
#[derive(Debug)]
struct ForkParent {
    loader: Arc<Loader>,
    number: u64,
}

impl Parent for ForkParent {
    fn peek(&self) -> ChildState {
        match self.loader.look(self.number) {
            None => ChildState::Running,
            Some(Ok(exit)) => ChildState::Ended(exit),
            Some(Err(_)) => {
                self.loader.done(self.number);
                ChildState::Lost
            }
        }
    }

    fn reap(&self) {
        self.loader.done(self.number);
    }
}
