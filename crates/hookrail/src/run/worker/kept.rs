//! The process of a worker, as all see it who may have to end it: those who ask it, those who read from it, and the pool.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::runtime::{Handle, Id};
use tokio::sync::watch;

use crate::run::process::ProcessGroup;
use crate::run::unix::{ChildState, lock};

/// A process that is kept until it is retired. It can be ended at any moment, whether or not anything drives its runtime.
#[derive(Debug)]
pub(super) struct KeptProcess {
    /// The runtime that it belongs to. From another one it cannot be asked.
    runtime: Option<Id>,
    turns: Arc<Turns>,
    state: Mutex<KeptState>,
}

#[derive(Debug)]
struct KeptState {
    /// `None` once it was ended.
    group: Option<ProcessGroup>,
    /// Its outputs, which are read until it has ended: the first write into a closed pipe would end it.
    outputs: Vec<OwnedFd>,
    /// How many wait for something of it.
    users: usize,
    /// It takes no new questions, and ends when nobody waits for it.
    is_retired: bool,
}

impl KeptProcess {
    /// A process that was just started in this runtime, and copies of its outputs. `turns` is the queue before it.
    pub(super) fn new(group: ProcessGroup, outputs: Vec<OwnedFd>, turns: &Arc<Turns>) -> Arc<Self> {
        let state = KeptState { group: Some(group), outputs, users: 0, is_retired: false };
        let (runtime, turns) = (this_runtime(), Arc::clone(turns));
        Arc::new(Self { runtime, turns, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, KeptState> {
        lock(&self.state)
    }

    /// Whether it belongs to the runtime of the caller.
    pub(super) fn is_of_this_runtime(&self) -> bool {
        self.runtime.is_some() && self.runtime == this_runtime()
    }

    /// Its id, until it is ended.
    pub(super) fn id(&self) -> Option<i32> {
        self.lock().group.as_ref().map(|group| group.leader.as_raw_pid())
    }

    /// What is known of it; `None` once it was ended.
    pub(super) fn peek(&self) -> Option<ChildState> {
        self.lock().group.as_ref().map(ProcessGroup::peek)
    }

    /// Whether it runs and takes questions.
    pub(super) fn is_usable(&self) -> bool {
        !self.lock().is_retired && self.peek() == Some(ChildState::Running)
    }

    /// It takes so many questions at once. After it was retired that is for the next process to say.
    pub(super) fn allow(&self, at_once: usize) {
        // The lock is held meanwhile, so that it is not retired in between.
        let state = self.lock();
        if !state.is_retired {
            self.turns.allow(at_once);
        }
    }

    /// Whether somebody waits for something of it.
    pub(super) fn is_in_use(&self) -> bool {
        self.lock().users > 0
    }

    /// Ends it as soon as nobody waits for it.
    pub(super) fn retire(&self) {
        let mut state = self.lock();
        state.is_retired = true;
        state.end_if_left();
    }

    /// Ends its group: `SIGTERM`, a grace, `SIGKILL`.
    pub(super) fn end(&self) {
        self.lock().end();
    }

    /// Notes that somebody waits for something of it.
    pub(super) fn enter(self: &Arc<Self>) -> InUse {
        self.lock().users += 1;
        InUse { process: Arc::clone(self) }
    }
}

impl KeptState {
    fn end(&mut self) {
        if let Some(group) = self.group.take() {
            group.terminate(std::mem::take(&mut self.outputs));
        }
    }

    fn end_if_left(&mut self) {
        if self.is_retired && self.users == 0 {
            self.end();
        }
    }
}

fn this_runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}

/// Somebody waits for something of a process, until this is dropped.
#[derive(Debug)]
pub(super) struct InUse {
    process: Arc<KeptProcess>,
}

impl InUse {
    /// What is waited for is not wanted any more. The process is killed like any hook that is given up, unless others wait
    /// for it too: then it takes no new questions.
    pub(super) fn give_up(&self) {
        self.process.allow(1);
        let mut state = self.process.lock();
        if state.users == 1 {
            // The group is killed as it is dropped.
            state.group = None;
        }
        state.is_retired = true;
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.process.lock();
        state.users -= 1;
        state.end_if_left();
    }
}

/// The queue of callers before one worker: in the order of arrival, as many at once as the worker allows. Waiting here does
/// not use up a hook's timeout.
#[derive(Debug)]
pub(super) struct Turns {
    /// Held by the caller who is next.
    next: tokio::sync::Mutex<()>,
    count: watch::Sender<TurnCount>,
}

#[derive(Debug)]
struct TurnCount {
    most: usize,
    taken: usize,
}

/// The right to ask, given back when it is dropped.
#[derive(Debug)]
pub(in crate::run) struct Turn<'t>(&'t Turns);

impl Turns {
    /// A queue that admits so many callers at once.
    pub(super) fn new(most: usize) -> Self {
        let (count, _) = watch::channel(TurnCount { most, taken: 0 });
        Self { next: tokio::sync::Mutex::default(), count }
    }

    /// Admits so many callers at once from now on. Those already admitted keep their turns.
    pub(super) fn allow(&self, most: usize) {
        self.count.send_modify(|count| count.most = most.max(1));
    }

    pub(super) async fn take(&self) -> Turn<'_> {
        let _next = self.next.lock().await;
        // The other end of the channel is here, so that there is always an answer.
        let _ = self.count.subscribe().wait_for(|count| count.taken < count.most).await;
        self.count.send_modify(|count| count.taken += 1);
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.count.send_modify(|count| count.taken -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut cx) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn a_worker_may_allow_several_at_once_and_fewer_again() {
        let turns = Turns::new(1);
        let taken = |count: usize| -> Vec<_> { (0..count).map_while(|_| at_once(turns.take())).collect() };
        let first = taken(9);
        assert_eq!(first.len(), 1);
        turns.allow(3);
        let more = taken(9);
        assert_eq!(more.len(), 2, "three at once, one of which asks already");
        turns.allow(0);
        drop(first);
        assert_eq!(taken(9).len(), 0, "two still ask");
        turns.allow(2);
        assert_eq!(taken(9).len(), 0, "as many as may");
        turns.allow(1);
        drop(more);
        assert_eq!(taken(9).len(), 1);
        turns.allow(4);
        assert_eq!(taken(9).len(), 4);
    }
}
