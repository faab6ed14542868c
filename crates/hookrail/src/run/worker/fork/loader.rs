//! The interpreter behind `"worker": "fork"`: who is told what, and what it says of its forks.
//!
//! As with workers that answer lines, no task of its own reads the control: whoever waits for a fork does so for all.

use std::collections::HashMap;
use std::io::{self, IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, sendmsg, socketpair,
};
use tokio::runtime::{Handle, Id};

use crate::run::process::Group;
use crate::run::reaper::{Parent, Reaper};
use crate::run::unix::{self, Peek, Pid, Signal};
use crate::run::watch::{Ticker, Watched};
use crate::run::worker::start::Started;
use crate::verdict::hook_run::Exit;

/// The longest message of the protocol, generously.
const MESSAGE: usize = 256;
/// How long a fork that nobody waits for any more may take to tell its number.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(5);

/// A running loader.
#[derive(Debug)]
pub(super) struct Loader {
    this: Weak<Self>,
    reaper: Reaper,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` once it has ended.
    process: Option<(Group, Watched<OwnedFd>)>,
    runtime: Option<Id>,
    /// What it says of itself; read when it has failed.
    outputs: Vec<PipeReader>,
    is_ready: bool,
    next: u64,
    events: HashMap<u64, Event>,
    ticker: Ticker,
}

/// What is known of one fork.
#[derive(Debug, Default)]
struct Event {
    leader: Option<Pid>,
    end: Option<Exit>,
    failed: bool,
    /// The loader ended first.
    lost: bool,
    given_up: bool,
    waker: Option<Waker>,
}

/// How far a fork is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Progress {
    /// It runs, or will.
    Running,
    /// It ended.
    Ended(Exit),
    /// There is no such fork, and never was.
    NotBegun,
    /// The loader ended while it ran.
    Lost,
}

/// Opens the control: the loader's end and ours.
pub(super) fn open_control() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    unix::set_nonblocking(&ours)?;
    Ok((theirs, ours))
}

impl Loader {
    /// Goes on from a process that was just started.
    pub(super) fn new(started: Started<OwnedFd>, reaper: &Reaper) -> Arc<Self> {
        let Started { group, stdin: control, stdout, stderr } = started;
        let state = Mutex::new(State {
            process: Some((group, Watched::Unregistered(control))),
            runtime: None,
            outputs: vec![stdout, stderr],
            is_ready: false,
            next: 1,
            events: HashMap::new(),
            ticker: Ticker::default(),
        });
        Arc::new_cyclic(|this| Self { this: this.clone(), reaper: reaper.clone(), state })
    }

    /// Whether it lives, as far as is known.
    pub(super) fn is_alive(&self) -> bool {
        let mut state = self.lock();
        self.read_available(&mut state);
        state.process.is_some()
    }

    /// Whether it has said that it is ready.
    pub(super) fn was_ready(&self) -> bool {
        self.lock().is_ready
    }

    /// Whether somebody waits for a fork.
    pub(super) fn is_busy(&self) -> bool {
        !self.lock().events.is_empty()
    }

    /// The id of its process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        let state = self.lock();
        state.process.as_ref().map(|(group, _)| group.leader().as_raw_nonzero().get())
    }

    /// Asks for a fork with these streams. An error means that nothing was begun.
    pub(super) fn begin(&self, streams: [BorrowedFd<'_>; 3]) -> io::Result<u64> {
        let mut state = self.lock();
        let number = state.next;
        state.send(&format!("run {number}"), &streams)?;
        state.next += 1;
        state.events.insert(number, Event::default());
        Ok(number)
    }

    /// How far a fork is; wakes the caller when there is news.
    pub(super) fn poll(&self, cx: &mut Context<'_>, number: u64) -> Progress {
        let mut state = self.lock();
        state.register();
        loop {
            let State { process, ticker, .. } = &mut *state;
            let Some((_, control)) = process else { break };
            match control.poll_read(cx, ticker, receive) {
                Poll::Pending => break,
                Poll::Ready(message) => self.hear(&mut state, message),
            }
        }
        if let Some(event) = state.events.get_mut(&number) {
            event.waker = Some(cx.waker().clone());
        }
        state.ticker.arm(cx);
        state.progress(number)
    }

    /// How far a fork is, without waiting for the reactor.
    pub(super) fn look(&self, number: u64) -> Progress {
        let mut state = self.lock();
        self.read_available(&mut state);
        state.progress(number)
    }

    /// The leader of a fork's group, once it is known.
    pub(super) fn leader(&self, number: u64) -> Option<Pid> {
        self.lock().events.get(&number)?.leader
    }

    /// Nothing more will be done to a fork's group. Others who wait go on reading.
    pub(super) fn done(&self, number: u64) {
        let mut state = self.lock();
        let Some(event) = state.events.remove(&number) else { return };
        if event.end.is_some() && !event.lost {
            // A loader that does not take it is gone, or will be ended by whoever asks next.
            let _ = state.send(&format!("done {number}"), &[]);
        }
        state.wake_all();
    }

    /// Nobody waits for this fork any more: it is killed as soon as its group is known.
    pub(super) fn give_up(&self, number: u64) {
        let mut state = self.lock();
        self.read_available(&mut state);
        state.wake_all();
        match state.progress(number) {
            Progress::Running => {}
            Progress::Ended(_) | Progress::NotBegun | Progress::Lost => {
                drop(state);
                return self.done(number);
            }
        }
        let Some(event) = state.events.get_mut(&number) else { return };
        event.given_up = true;
        if let Some(leader) = event.leader {
            drop(state);
            return self.kill(leader, number);
        }
        drop(state);
        let Some(this) = self.this.upgrade() else { return };
        let builder = std::thread::Builder::new().name("hookrail-forks".to_owned());
        if builder.spawn(move || this.await_orphan(number)).is_err() {
            self.end();
        }
    }

    /// Reads the control until a given-up fork has told its number, and was killed for it.
    fn await_orphan(&self, number: u64) {
        let deadline = Instant::now() + ORPHAN_PATIENCE;
        while Instant::now() < deadline {
            let mut state = self.lock();
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
    pub(super) fn terminate(&self, number: u64, outputs: Vec<PipeReader>) {
        match (self.leader(number), self.this.upgrade()) {
            (Some(leader), Some(loader)) => {
                self.reaper.terminate_of(leader, outputs, Arc::new(ForkParent { loader, number }));
            }
            _ => {
                self.end();
                self.done(number);
            }
        }
    }

    fn kill(&self, leader: Pid, number: u64) {
        if let Some(loader) = self.this.upgrade() {
            self.reaper.kill_of(leader, Arc::new(ForkParent { loader, number }));
        }
    }

    /// Ends the loader, which ends its forks.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.lose();
    }

    /// What the loader said of itself.
    pub(super) fn last_words(&self) -> String {
        let mut state = self.lock();
        let mut said = Vec::new();
        for output in &mut state.outputs {
            let mut bytes = Vec::with_capacity(4096);
            let _ = rustix::io::read(output, rustix::buffer::spare_capacity(&mut bytes));
            said.extend_from_slice(&bytes);
        }
        String::from_utf8_lossy(&said).trim().to_owned()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_available(&self, state: &mut State) {
        while let Some((_, control)) = &state.process {
            match receive(control.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                message => self.hear(state, message),
            }
        }
    }

    fn hear(&self, state: &mut State, message: io::Result<String>) {
        let Ok(message) = message.as_ref().map(|message| message.trim()) else { return state.lose() };
        let mut words = message.split(' ');
        let (kind, number, value) = (words.next().unwrap_or_default(), words.next(), words.next());
        let number = number.and_then(|number| number.parse::<u64>().ok());
        let value = value.and_then(|value| value.parse::<i32>().ok());
        if kind == "ready" {
            state.is_ready = true;
            return;
        }
        let Some(event) = number.and_then(|number| state.events.get_mut(&number)) else {
            // The end of the control, or a word about nothing that was asked: neither is to be gone on with.
            return state.lose();
        };
        let mut orphan = None;
        match (kind, value) {
            ("pid", Some(value)) => {
                event.leader = Pid::from_raw(value);
                orphan = event.leader.filter(|_| event.given_up);
            }
            ("exit", Some(code)) => event.end = Some(Exit::Code(code)),
            ("signal", Some(signal)) => event.end = Some(Exit::Signal(signal)),
            ("failed", _) => event.failed = true,
            _ => return state.lose(),
        }
        let given_up = event.given_up;
        if let Some(waker) = event.waker.take() {
            waker.wake();
        }
        match (orphan, number) {
            (Some(leader), Some(number)) => self.kill(leader, number),
            // It ended before it could be killed.
            (None, Some(number)) if given_up && (kind == "failed" || state.leader_is_unknown(number)) => {
                state.events.remove(&number);
                let _ = state.send(&format!("done {number}"), &[]);
            }
            _ => {}
        }
    }
}

impl State {
    fn progress(&self, number: u64) -> Progress {
        let Some(event) = self.events.get(&number) else { return Progress::NotBegun };
        match &event.end {
            _ if event.failed => Progress::NotBegun,
            Some(exit) => Progress::Ended(exit.clone()),
            None if event.lost && event.leader.is_none() => Progress::NotBegun,
            None if event.lost => Progress::Lost,
            None => Progress::Running,
        }
    }

    fn leader_is_unknown(&self, number: u64) -> bool {
        self.events.get(&number).is_some_and(|event| event.leader.is_none())
    }

    fn register(&mut self) {
        let now = Handle::try_current().ok().map(|handle| handle.id());
        if now.is_none() || self.runtime == now {
            return;
        }
        self.runtime = now;
        self.process =
            self.process.take().map(|(group, control)| (group, Watched::readable(control.into_inner())));
    }

    fn send(&self, message: &str, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let Some((_, control)) = &self.process else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let bytes = [IoSlice::new(message.as_bytes())];
        sendmsg(control.get_ref().as_fd(), &bytes, &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// The loader is gone, or has to go. Forks that run are killed: nobody will tell of their end.
    fn lose(&mut self) {
        let Some((group, _control)) = self.process.take() else { return };
        group.terminate(std::mem::take(&mut self.outputs));
        for event in self.events.values_mut().filter(|event| event.end.is_none()) {
            event.lost = true;
            if let Some(leader) = event.leader {
                unix::signal_group(leader, Signal::KILL);
            }
        }
        self.wake_all();
    }

    fn wake_all(&mut self) {
        for waker in self.events.values_mut().filter_map(|event| event.waker.take()) {
            waker.wake();
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.end();
    }
}

/// One message; empty at the end of the control.
fn receive(control: &OwnedFd) -> io::Result<String> {
    let mut buffer = [0; MESSAGE];
    let (length, _) = rustix::io::retry_on_intr(|| recv(control, &mut buffer, RecvFlags::DONTWAIT))?;
    Ok(String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned())
}

/// The loader as the parent of one fork.
#[derive(Debug)]
struct ForkParent {
    loader: Arc<Loader>,
    number: u64,
}

impl Parent for ForkParent {
    fn peek(&self) -> Peek {
        match self.loader.look(self.number) {
            Progress::Running => Peek::Running,
            Progress::Ended(exit) => Peek::Ended(exit),
            Progress::NotBegun | Progress::Lost => {
                self.loader.done(self.number);
                Peek::Lost
            }
        }
    }

    fn reap(&self) {
        self.loader.done(self.number);
    }
}
