//! The state of a loader: the control, and what was reported of each fork.

use std::collections::HashMap;
use std::io::{self, IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::task::Waker;

use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv, sendmsg};
use tokio::runtime::{Handle, Id};

use crate::run::process::ProcessGroup;
use crate::run::unix::{self, Pid, Signal};
use crate::run::watch::{Ticker, WatchedDescriptor};
use crate::verdict::hook_run::Exit;

/// The longest message of the protocol, generously.
const MESSAGE: usize = 256;

/// What is known of a loader and its forks.
#[derive(Debug)]
pub(super) struct LoaderState {
    /// `None` once it has ended.
    pub(super) process: Option<(ProcessGroup, WatchedDescriptor<OwnedFd>)>,
    pub(super) runtime: Option<Id>,
    /// Its own outputs; read when it has failed.
    pub(super) outputs: Vec<PipeReader>,
    pub(super) is_ready: bool,
    pub(super) next: u64,
    pub(super) events: HashMap<u64, ForkedEvent>,
    pub(super) ticker: Ticker,
}

/// What is known of one fork.
#[derive(Debug, Default)]
pub(super) struct ForkedEvent {
    pub(super) leader: Option<Pid>,
    pub(super) end: Option<Exit>,
    pub(super) failed: bool,
    /// The loader ended first.
    pub(super) lost: bool,
    pub(super) given_up: bool,
    pub(super) waker: Option<Waker>,
}

/// How far a fork is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run::worker::fork) enum Progress {
    /// It runs, or will.
    Running,
    /// It ended.
    Ended(Exit),
    /// There is no such fork, and never was.
    NotBegun,
    /// The loader ended while it ran.
    Lost,
}

impl LoaderState {
    /// How far a fork is, by the messages read so far.
    pub(super) fn progress(&self, number: u64) -> Progress {
        let Some(event) = self.events.get(&number) else { return Progress::NotBegun };
        match &event.end {
            _ if event.failed => Progress::NotBegun,
            Some(exit) => Progress::Ended(exit.clone()),
            None if event.lost && event.leader.is_none() => Progress::NotBegun,
            None if event.lost => Progress::Lost,
            None => Progress::Running,
        }
    }

    /// Whether a fork has not reported its process id.
    pub(super) fn leader_is_unknown(&self, number: u64) -> bool {
        self.events.get(&number).is_some_and(|event| event.leader.is_none())
    }

    /// Has the control watched by the reactor of the runtime that polls us.
    pub(super) fn register(&mut self) {
        let now = Handle::try_current().ok().map(|handle| handle.id());
        if now.is_none() || self.runtime == now {
            return;
        }
        self.runtime = now;
        self.process = self
            .process
            .take()
            .map(|(group, control)| (group, WatchedDescriptor::readable(control.into_inner())));
    }

    /// Sends one message, with descriptors. Does not wait.
    pub(super) fn send(&self, message: &str, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
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

    /// Ends the loader, or notes that it has ended. Running forks are killed, because their end would not be reported.
    pub(super) fn lose(&mut self) {
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

    /// Wakes every caller that waits for a fork: one of them has to continue to read.
    pub(super) fn wake_all(&mut self) {
        for waker in self.events.values_mut().filter_map(|event| event.waker.take()) {
            waker.wake();
        }
    }
}

/// One message; empty at the end of the control.
pub(super) fn receive(control: &OwnedFd) -> io::Result<String> {
    let mut buffer = [0; MESSAGE];
    let (length, _) = rustix::io::retry_on_intr(|| recv(control, &mut buffer, RecvFlags::DONTWAIT))?;
    Ok(String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned())
}
