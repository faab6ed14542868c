//! The interpreter behind `"worker": "fork"`: what it is sent, and what it reports of its forks.
//!
//! A thread waits for messages on the control, because a loader serves several runtimes. Whoever has to know how far a fork
//! is reads what has arrived without waiting for that thread.

use std::collections::HashMap;
use std::io::{self, IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, SocketFlags,
    SocketType, recv, sendmsg, shutdown, socketpair,
};
use tokio::sync::Notify;

use crate::run::process::{ProcessGroup, Watched, output_pipe};
use crate::run::reaper::{Leader, Reaper};
use crate::run::unix::{self, ChildState, Pid, Signal, lock};
use crate::verdict::hook_run::Exit;

/// How long a fork whose caller has left may take to report its process id.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether one has taken longer.
const ORPHAN_LOOK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
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
pub(in crate::run) struct Loader {
    reaper: Reaper,
    state: Mutex<LoaderState>,
    /// Something was read from the control, or the loader was ended.
    changed: Notify,
}

/// What is known of a loader and its forks.
#[derive(Debug)]
struct LoaderState {
    /// `None` once it has ended.
    process: Option<(ProcessGroup, OwnedFd)>,
    outputs: Vec<PipeReader>,
    is_ready: bool,
    /// It ends with the last event that waits for a fork.
    is_retired: bool,
    next: u64,
    events: HashMap<u64, ForkedEvent>,
}

/// What is known of one fork.
#[derive(Debug, Default)]
struct ForkedEvent {
    leader: Option<Pid>,
    end: Option<Result<Exit, NoExit>>,
    /// Since when nobody waits for it.
    given_up: Option<Instant>,
}

impl ForkedEvent {
    /// Whether nobody waits for it, and it has no group yet that could be killed.
    fn is_orphan(&self) -> bool {
        self.given_up.is_some() && self.leader.is_none() && self.end.is_none()
    }
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
    /// The loader in a process that was just started. An error means that nothing can wait for its messages.
    pub(super) fn new(group: ProcessGroup, pipes: LoaderPipes, reaper: &Reaper) -> io::Result<Arc<Self>> {
        let control = pipes.control.try_clone()?;
        let loader = Arc::new(Self {
            reaper: reaper.clone(),
            state: Mutex::new(LoaderState {
                process: Some((group, pipes.control)),
                outputs: pipes.outputs,
                is_ready: false,
                is_retired: false,
                next: 1,
                events: HashMap::new(),
            }),
            changed: Notify::new(),
        });
        let this = Arc::downgrade(&loader);
        let builder =
            std::thread::Builder::new().name("hookrail-forks".to_owned()).stack_size(crate::run::STACK_SIZE);
        builder.spawn(move || await_messages(&this, &control))?;
        Ok(loader)
    }

    /// Whether its process runs, as far as is known.
    pub(super) fn is_alive(self: &Arc<Self>) -> bool {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.process.is_some()
    }

    /// Whether it ended by itself before it was ready.
    pub(super) fn failed_to_load(self: &Arc<Self>) -> bool {
        let is_alive = self.is_alive();
        let state = lock(&self.state);
        !is_alive && !state.is_ready && !state.is_retired
    }

    /// Whether an event waits for a fork.
    pub(super) fn is_busy(&self) -> bool {
        !lock(&self.state).events.is_empty()
    }

    /// The id of its process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        lock(&self.state).process.as_ref().map(|(group, _)| group.leader.as_raw_pid())
    }

    /// Asks for a fork with these streams, and perhaps a file with further variables. An error means that nothing was begun.
    pub(super) fn begin(self: &Arc<Self>, streams: &[OwnedFd]) -> io::Result<Fork> {
        let mut state = lock(&self.state);
        let number = state.next;
        state.send(&format!("run {number}"), &streams.iter().map(OwnedFd::as_fd).collect::<Vec<_>>())?;
        state.next += 1;
        state.events.insert(number, ForkedEvent::default());
        Ok(Fork { loader: Arc::clone(self), number, is_terminated: false })
    }

    /// How a fork ended, by all messages that have arrived; `None` while it runs, or will.
    fn look(self: &Arc<Self>, number: u64) -> Option<Result<Exit, NoExit>> {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.events.get(&number).map_or(Some(Err(NoExit::NotBegun)), |event| event.end.clone())
    }

    /// Looks at the leader of a fork's group, which stays there as a zombie until [`Loader::done`].
    pub(in crate::run) fn peek(self: &Arc<Self>, number: u64) -> ChildState {
        match self.look(number) {
            None => ChildState::Running,
            Some(Ok(exit)) => ChildState::Ended(exit),
            Some(Err(_)) => {
                self.done(number);
                ChildState::Lost
            }
        }
    }

    /// Nothing more will be done to a fork's group.
    pub(in crate::run) fn done(&self, number: u64) {
        let mut state = lock(&self.state);
        if let Some(ForkedEvent { end: Some(Ok(_)), .. }) = state.events.remove(&number) {
            // A loader that does not take it has ended, or is ended at the next request.
            let _ = state.send(&format!("done {number}"), &[]);
        }
        self.end_if_retired(&mut state);
    }

    /// Gives a fork up whose caller has left: it is killed as soon as its group is known.
    fn give_up(self: &Arc<Self>, number: u64) {
        if self.look(number).is_some() {
            return self.done(number);
        }
        let mut state = lock(&self.state);
        if let Some(leader) = state.leave(number) {
            self.reaper.kill(leader, Leader::Fork(Arc::clone(self), number));
        }
    }

    /// Ends a fork whose time is over; it may clean up before. Without a group to signal, the loader itself is ended.
    fn terminate(self: &Arc<Self>, number: u64, outputs: Vec<OwnedFd>) {
        let leader = lock(&self.state).leave(number);
        if let Some(leader) = leader {
            self.reaper.terminate(leader, Leader::Fork(Arc::clone(self), number), outputs);
        } else {
            self.lose(&mut lock(&self.state));
            self.done(number);
        }
    }

    /// Ends the loader, or notes that it has ended. Running forks are killed, because their end would not be reported.
    fn lose(&self, state: &mut LoaderState) {
        let Some((group, control)) = state.process.take() else { return };
        // The thread that waits for messages has a copy.
        let _ = shutdown(control, Shutdown::Both);
        group.terminate(std::mem::take(&mut state.outputs).into_iter().map(OwnedFd::from).collect());
        for event in state.events.values_mut().filter(|event| event.end.is_none()) {
            event.end = Some(Err(if event.leader.is_some() { NoExit::Lost } else { NoExit::NotBegun }));
            if let Some(leader) = event.leader {
                unix::signal_group(leader, Signal::KILL);
            }
        }
        self.changed.notify_waiters();
    }

    /// The loader is not needed any more, and ends with the last event that waits for a fork. Forks that were given up
    /// before they reported their process id are not waited for: without the loader they end by themselves.
    pub(super) fn retire(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        self.read_available(&mut state);
        state.is_retired = true;
        self.end_if_retired(&mut state);
    }

    fn end_if_retired(&self, state: &mut LoaderState) {
        let has_orphan = state.events.values().any(ForkedEvent::is_orphan);
        let is_left = state.events.values().all(|event| event.given_up.is_some());
        if state.is_retired && (state.events.is_empty() || (has_orphan && is_left)) {
            self.lose(state);
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
    fn read_available(self: &Arc<Self>, state: &mut LoaderState) {
        while let Some((_, control)) = &state.process {
            match receive(control) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                message => self.handle_message(state, &message.unwrap_or_default()),
            }
            self.changed.notify_waiters();
        }
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
            ("pid", Some(value)) => {
                event.leader = Pid::from_raw(value);
                if let Some(leader) = event.leader.filter(|_| event.given_up.is_some()) {
                    self.reaper.kill(leader, Leader::Fork(Arc::clone(self), number));
                }
                return;
            }
            ("exit", Some(code)) => event.end = Some(Ok(Exit::Code(code))),
            ("signal", Some(signal)) => event.end = Some(Ok(Exit::Signal(signal))),
            ("failed", _) => event.end = Some(Err(NoExit::NotBegun)),
            _ => return self.lose(state),
        }
        // It ended before it could be killed.
        if event.given_up.is_some() && (event.leader.is_none() || matches!(event.end, Some(Err(_)))) {
            state.events.remove(&number);
            let _ = state.send(&format!("done {number}"), &[]);
            self.end_if_retired(state);
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.lose(&mut lock(&self.state));
    }
}

/// The loop of the thread that handles messages while nobody looks. It ends with the loader.
fn await_messages(loader: &Weak<Loader>, control: &OwnedFd) {
    loop {
        let _ = poll(&mut [PollFd::new(control, PollFlags::IN)], Some(&ORPHAN_LOOK));
        let Some(loader) = loader.upgrade() else { return };
        let mut state = lock(&loader.state);
        loader.read_available(&mut state);
        let is_late = |since: Instant| since.elapsed() > ORPHAN_PATIENCE;
        let mut orphans = state.events.values().filter(|event| event.is_orphan());
        if orphans.any(|event| event.given_up.is_some_and(is_late)) {
            loader.lose(&mut state);
        }
        if state.process.is_none() {
            return;
        }
    }
}

impl LoaderState {
    /// Nobody waits for a fork any more. Returns its leader, if there is one.
    fn leave(&mut self, number: u64) -> Option<Pid> {
        let event = self.events.get_mut(&number)?;
        event.given_up = Some(Instant::now());
        event.leader
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
            let mut changed = pin!(self.loader.changed.notified());
            changed.as_mut().enable();
            if let Some(end) = self.loader.look(self.number) {
                return end;
            }
            changed.await;
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
