//! The interpreter behind `"worker": "fork"`: what it is sent, and what it reports of its forks.
//!
//! As with workers that answer lines, no task of its own reads the control: every caller that waits for a fork reads it
//! for all of them.

mod state;

use std::collections::HashMap;
use std::io::{self, PipeReader};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

pub(super) use self::state::Progress;
use self::state::{ForkedEvent, LoaderState, receive};
use crate::run::reaper::{Parent, Reaper};
use crate::run::unix::{self, ChildState, Pid};
use crate::run::watch::{Ticker, WatchedDescriptor};
use crate::run::worker::start::StartedProcess;
use crate::verdict::hook_run::Exit;

/// How long a fork whose caller has left may take to report its process id.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(5);

/// A running loader.
#[derive(Debug)]
pub(super) struct Loader {
    this: Weak<Self>,
    reaper: Reaper,
    state: Mutex<LoaderState>,
}

/// Opens the control: the loader's end and ours.
pub(super) fn open_control() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    unix::set_nonblocking(&ours)?;
    Ok((theirs, ours))
}

impl Loader {
    /// The loader in a process that was just started.
    pub(super) fn new(started: StartedProcess<OwnedFd>, reaper: &Reaper) -> Arc<Self> {
        let StartedProcess { group, stdin: control, stdout, stderr } = started;
        let state = Mutex::new(LoaderState {
            process: Some((group, WatchedDescriptor::Unregistered(control))),
            runtime: None,
            outputs: vec![stdout, stderr],
            is_ready: false,
            next: 1,
            events: HashMap::new(),
            ticker: Ticker::default(),
        });
        Arc::new_cyclic(|this| Self { this: this.clone(), reaper: reaper.clone(), state })
    }

    /// Whether its process runs, as far as is known.
    pub(super) fn is_alive(&self) -> bool {
        let mut state = self.lock();
        self.read_available(&mut state);
        state.process.is_some()
    }

    /// Whether it has reported that it is ready.
    pub(super) fn was_ready(&self) -> bool {
        self.lock().is_ready
    }

    /// Whether an event waits for a fork.
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
        state.events.insert(number, ForkedEvent::default());
        Ok(number)
    }

    /// How far a fork is; wakes the caller when that changes.
    pub(super) fn poll(&self, cx: &mut Context<'_>, number: u64) -> Progress {
        let mut state = self.lock();
        state.register();
        loop {
            let LoaderState { process, ticker, .. } = &mut *state;
            let Some((_, control)) = process else { break };
            match control.poll_read(cx, ticker, receive) {
                Poll::Pending => break,
                Poll::Ready(message) => self.handle_message(&mut state, &message),
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

    /// Nothing more will be done to a fork's group. Other callers continue to read.
    pub(super) fn done(&self, number: u64) {
        let mut state = self.lock();
        let Some(event) = state.events.remove(&number) else { return };
        if event.end.is_some() && !event.lost {
            // A loader that does not take it has ended, or is ended at the next request.
            let _ = state.send(&format!("done {number}"), &[]);
        }
        state.wake_all();
    }

    /// Gives a fork up whose caller has left: it is killed as soon as its group is known.
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

    /// Reads the control until a given-up fork has reported its process id and was killed.
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
        if let Some(event) = self.lock().events.get_mut(&number) {
            event.given_up = true;
        }
        if let (Some(leader), Some(this)) = (self.leader(number), self.this.upgrade()) {
            self.reaper.terminate_of(leader, outputs, Arc::new(ForkParent { loader: this, number }));
        } else {
            self.end();
            self.done(number);
        }
    }

    /// Kills a fork's group.
    fn kill(&self, leader: Pid, number: u64) {
        if let Some(this) = self.this.upgrade() {
            self.reaper.kill_of(leader, Arc::new(ForkParent { loader: this, number }));
        }
    }

    /// Ends the loader, which ends its forks.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.lose();
    }

    /// The loader is not needed any more, and ends with the last event that waits for a fork. Forks that were given up
    /// before they reported their process id are not waited for: without the loader they end by themselves.
    pub(super) fn retire(&self) {
        let mut state = self.lock();
        self.read_available(&mut state);
        let is_orphan = |event: &ForkedEvent| event.given_up && event.leader.is_none();
        if state.events.values().any(is_orphan) && state.events.values().all(|event| event.given_up) {
            state.lose();
        }
    }

    /// What the loader itself wrote.
    pub(super) fn own_output(&self) -> String {
        let mut state = self.lock();
        let mut written = Vec::new();
        for output in &mut state.outputs {
            let mut bytes = Vec::with_capacity(4096);
            let _ = rustix::io::read(output, rustix::buffer::spare_capacity(&mut bytes));
            written.extend_from_slice(&bytes);
        }
        String::from_utf8_lossy(&written).trim().to_owned()
    }

    /// A panic while it was held leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, LoaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles available messages, without waiting.
    fn read_available(&self, state: &mut LoaderState) {
        while let Some((_, control)) = &state.process {
            match receive(control.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                message => self.handle_message(state, &message),
            }
        }
    }

    /// Handles one message. One that breaks the protocol ends the loader.
    fn handle_message(&self, state: &mut LoaderState, message: &io::Result<String>) {
        let Ok(message) = message.as_ref().map(|message| message.trim()) else { return state.lose() };
        let mut parts = message.split(' ');
        let (kind, number, value) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let number = number.and_then(|number| number.parse::<u64>().ok());
        let value = value.and_then(|value| value.parse::<i32>().ok());
        if kind == "ready" {
            state.is_ready = true;
            return;
        }
        let Some(event) = number.and_then(|number| state.events.get_mut(&number)) else {
            // The end of the control, or a message about an unknown event: the loader cannot be used any more.
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

impl Drop for Loader {
    fn drop(&mut self) {
        self.end();
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
            Progress::Running => ChildState::Running,
            Progress::Ended(exit) => ChildState::Ended(exit),
            Progress::NotBegun | Progress::Lost => {
                self.loader.done(self.number);
                ChildState::Lost
            }
        }
    }

    fn reap(&self) {
        self.loader.done(self.number);
    }
}
