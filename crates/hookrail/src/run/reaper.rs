//! Ends process groups whose hooks ran out of time, after the verdict and apart from any runtime.

use std::cell::LazyCell;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::process::Child;
use tokio::sync::watch;

use super::unix::{self, ChildState, Pid, ProcessTable, Signal, lock};
#[cfg(target_os = "linux")]
use super::worker::forks::Loader;

/// How long `kill_all` waits until the last group is gone.
const KILL_ALL_WAIT: Duration = Duration::from_millis(500);

/// How long the end of a killed group is waited for before its leader is reaped regardless. Only a process that
/// hangs inside the kernel takes this long.
const REAP_AFTER_KILL: Duration = Duration::from_secs(10);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How often an output that is no longer needed is read in one look.
const DRAINS_PER_LOOK: usize = 16;

/// Takes over process groups that are to end: `SIGTERM`, a grace, `SIGKILL`, reap.
///
/// The work is done by a thread that exists only while there is some. It does not depend on the handles:
/// dropping them all neither waits nor stops an escalation. Clones share the work.
#[derive(Debug, Clone)]
pub(crate) struct Reaper {
    shared: Arc<ReaperShared>,
}

/// What the handles and the thread share.
#[derive(Debug)]
struct ReaperShared {
    grace: Duration,
    /// The program ends now: no group gets the grace any more.
    no_grace: AtomicBool,
    queue: Mutex<EndingQueue>,
    /// New work came in.
    wake: Condvar,
    /// How many groups are being ended.
    pending: watch::Sender<usize>,
}

/// Groups that are to end. While the thread looks at them they are not in here.
#[derive(Debug, Default)]
struct EndingQueue {
    groups: Vec<Ending>,
    has_thread: bool,
}

impl Reaper {
    /// A reaper with the default grace.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::with_grace(super::runner::GRACE)
    }

    /// A reaper that waits so long between `SIGTERM` and `SIGKILL`.
    pub(crate) fn with_grace(grace: Duration) -> Self {
        let (pending, _) = watch::channel(0);
        let (queue, wake) = (Mutex::default(), Condvar::new());
        let no_grace = AtomicBool::new(false);
        Self { shared: Arc::new(ReaperShared { grace, no_grace, queue, wake, pending }) }
    }

    /// Waits until no group is left to be ended.
    pub(crate) async fn drain(&self) {
        let mut pending = self.shared.pending.subscribe();
        loop {
            // Should there have been no thread to be had, there may be one now.
            self.shared.start_thread(self.shared.lock());
            let empty = pending.wait_for(|&count| count == 0);
            if tokio::time::timeout(Duration::from_millis(100), empty).await.is_ok() {
                return;
            }
        }
    }

    /// Ends every group that is still given time to clean up, now and from now on. Waits a moment for the
    /// signals to be sent, because the caller is about to exit.
    pub(super) fn kill_all(&self) {
        self.end_grace();
        let deadline = Instant::now() + KILL_ALL_WAIT;
        while *self.shared.pending.borrow() > 0 && Instant::now() < deadline {
            self.shared.start_thread(self.shared.lock());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends `SIGTERM` to a group at once, and `SIGKILL` when the grace is over. Until its end the group can
    /// still write to the given (non-blocking) pipes.
    pub(super) fn terminate(&self, leader: Pid, process: Leader, outputs: Vec<OwnedFd>) {
        self.take_over(leader, process, outputs, Signal::TERM);
    }

    /// Sends `SIGKILL` to a group at once.
    pub(super) fn kill(&self, leader: Pid, process: Leader) {
        self.take_over(leader, process, Vec::new(), Signal::KILL);
    }

    /// Sends the first signal on this thread, so that it does not depend on whether another one can be started.
    fn take_over(&self, leader: Pid, process: Leader, outputs: Vec<OwnedFd>, signal: Signal) {
        unix::signal_group(leader, signal);
        let since = Instant::now();
        let killed = signal == Signal::KILL;
        let kill_at = if killed { since } else { since + self.shared.grace };
        self.shared.pending.send_modify(|count| *count += 1);
        let mut queue = self.shared.lock();
        queue.groups.push(Ending { leader, process, since, kill_at, killed, outputs });
        self.shared.start_thread(queue);
    }

    /// Kills every group that is still cleaning up, and from now on every new one without a grace.
    pub(super) fn end_grace(&self) {
        self.shared.no_grace.store(true, Ordering::Release);
        let queue = self.shared.lock();
        self.shared.start_thread(queue);
    }

    /// The leaders of the groups that are still given time to clean up.
    pub(super) fn groups(&self) -> Vec<i32> {
        self.shared
            .lock()
            .groups
            .iter()
            .filter(|ending| !ending.killed)
            .map(|ending| ending.leader.as_raw_pid())
            .collect()
    }

    /// Whether no group is left to be ended.
    pub(super) fn is_drained(&self) -> bool {
        *self.shared.pending.borrow() == 0
    }
}

impl ReaperShared {
    fn lock(&self) -> MutexGuard<'_, EndingQueue> {
        lock(&self.queue)
    }

    /// Makes sure that a thread looks after the queue, and looks soon.
    fn start_thread(self: &Arc<Self>, mut queue: MutexGuard<'_, EndingQueue>) {
        if queue.groups.is_empty() {
            return;
        }
        if queue.has_thread {
            self.wake.notify_one();
            return;
        }
        let shared = Arc::clone(self);
        let builder =
            std::thread::Builder::new().name("hookrail-reaper".to_owned()).stack_size(crate::run::STACK_SIZE);
        if builder.spawn(move || shared.work()).is_ok() {
            queue.has_thread = true;
        } else {
            // Without a thread the end of the grace cannot be waited for. The groups stay queued and are reaped later.
            for group in &mut queue.groups {
                unix::signal_group(group.leader, Signal::KILL);
                group.killed = true;
            }
        }
    }

    /// The thread's loop. It ends when no group is left; the next group starts another thread.
    fn work(&self) {
        let mut queue = self.lock();
        loop {
            let mut groups = std::mem::take(&mut queue.groups);
            // Signals and looks into the process table are done without the lock: handing over must not wait.
            drop(queue);
            let before = groups.len();
            // Loaded at most once for all groups of a round, and only if a leader has ended.
            let table = LazyCell::<Option<ProcessTable>>::new(ProcessTable::load);
            if self.no_grace.load(Ordering::Acquire) {
                groups.iter_mut().for_each(Ending::end_grace);
            }
            groups.retain_mut(|group| !group.step(&table));
            let ended = before - groups.len();
            if ended > 0 {
                self.pending.send_modify(|count| *count -= ended);
            }
            let pause = groups.iter().map(Ending::pause).min();

            queue = self.lock();
            // Groups that were added in the meantime are handled without a pause.
            let fresh = !queue.groups.is_empty();
            queue.groups.append(&mut groups);
            match pause {
                _ if fresh => {}
                Some(pause) => {
                    let waited = self.wake.wait_timeout(queue, pause);
                    queue = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => {
                    queue.has_thread = false;
                    return;
                }
            }
        }
    }
}

/// The leader of a group, which only the reaper reaps from here on.
#[derive(Debug)]
pub(super) enum Leader {
    /// A child of this process.
    Child(Child),
    /// A fork of another process, which reports its end.
    #[cfg(target_os = "linux")]
    Fork(Arc<Loader>, u64),
}

impl From<Child> for Leader {
    fn from(child: Child) -> Self {
        Self::Child(child)
    }
}

impl Leader {
    fn peek(&self, pid: Pid) -> ChildState {
        match self {
            Self::Child(_) => unix::peek(pid),
            #[cfg(target_os = "linux")]
            Self::Fork(loader, number) => loader.peek(*number),
        }
    }

    fn reap(&mut self) {
        match self {
            Self::Child(child) => _ = child.try_wait(),
            #[cfg(target_os = "linux")]
            Self::Fork(loader, number) => loader.done(*number),
        }
    }
}

/// A group that has to end. Its leader stays unreaped until the last signal is sent, because that keeps the
/// kernel from giving the group's number to another process.
#[derive(Debug)]
struct Ending {
    leader: Pid,
    process: Leader,
    since: Instant,
    kill_at: Instant,
    killed: bool,
    /// The group's outputs. Were they closed, the first write of a hook that cleans up would end it:
    /// bash itself reports that a signal ended its child, before it runs the trap for that signal.
    outputs: Vec<OwnedFd>,
}

impl Ending {
    /// Makes the kill due now.
    fn end_grace(&mut self) {
        self.kill_at = self.kill_at.min(Instant::now());
    }

    /// Does what is due; `true` when nothing is left to do for the group.
    fn step(&mut self, table: &LazyCell<Option<ProcessTable>>) -> bool {
        self.drain_outputs();
        let leader_ended = match self.process.peek(self.leader) {
            ChildState::Running => false,
            ChildState::Ended(_) => true,
            // Another part of this program reaped it; its number is not ours to signal.
            ChildState::Lost => return true,
        };
        let mut group_ended = false;
        let mut unknown = false;
        if leader_ended {
            match &**table {
                Some(table) => group_ended = table.shows_end_of_group(self.leader),
                None => unknown = true,
            }
        }
        let now = Instant::now();
        if !group_ended && !self.killed && now >= self.kill_at {
            unix::signal_group(self.leader, Signal::KILL);
            self.killed = true;
        }
        let waited_long = now.saturating_duration_since(self.kill_at) > REAP_AFTER_KILL;
        if group_ended || (self.killed && ((leader_ended && unknown) || waited_long)) {
            // The table is not a snapshot: a member that forked while it was read can be missing from it.
            unix::signal_group(self.leader, Signal::KILL);
            self.process.reap();
            return true;
        }
        false
    }

    /// Reads and drops what the group still writes, a bounded amount for each look.
    fn drain_outputs(&mut self) {
        if self.outputs.is_empty() {
            return;
        }
        let mut dropped = Vec::new();
        self.outputs.retain(|output| {
            for _ in 0..DRAINS_PER_LOOK {
                dropped.clear();
                match unix::read_more(output, &mut dropped) {
                    Ok(1..) => {}
                    Ok(0) => return false,
                    Err(error) => return Errno::from_io_error(&error) == Some(Errno::AGAIN),
                }
            }
            true
        });
    }

    /// Most groups end within milliseconds of a signal: look often at first, then less so.
    fn pause(&self) -> Duration {
        let last_signal = if self.killed { self.kill_at } else { self.since };
        let now = Instant::now();
        let pause =
            (now.saturating_duration_since(last_signal) / 4).clamp(Duration::from_millis(1), LONGEST_PAUSE);
        if self.killed { pause } else { pause.min(self.kill_at.saturating_duration_since(now)) }
    }
}
