//! Ends process groups whose hooks ran out of time, after the verdict and apart from any runtime.

use std::cell::LazyCell;
use std::io::PipeReader;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use self::ending::Ending;
pub(super) use self::ending::Parent;
use super::unix::{self, Pid, ProcessTable, Signal};

mod ending;

/// How long `kill_all` waits until the last group is gone.
const KILL_ALL_WAIT: Duration = Duration::from_millis(500);

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
    pub(super) fn terminate(&self, leader: Pid, outputs: Vec<PipeReader>) {
        self.take_over(leader, outputs, None, Signal::TERM);
    }

    /// The same for a group whose leader is the child of another process.
    pub(super) fn terminate_of(&self, leader: Pid, outputs: Vec<PipeReader>, parent: Arc<dyn Parent>) {
        self.take_over(leader, outputs, Some(parent), Signal::TERM);
    }

    /// Sends `SIGKILL` to a group at once.
    pub(super) fn kill(&self, leader: Pid) {
        self.take_over(leader, Vec::new(), None, Signal::KILL);
    }

    /// The same for a group whose leader is the child of another process.
    pub(super) fn kill_of(&self, leader: Pid, parent: Arc<dyn Parent>) {
        self.take_over(leader, Vec::new(), Some(parent), Signal::KILL);
    }

    /// Sends the first signal on this thread, so that it does not depend on whether another one can be started.
    fn take_over(
        &self,
        leader: Pid,
        outputs: Vec<PipeReader>,
        parent: Option<Arc<dyn Parent>>,
        signal: Signal,
    ) {
        unix::signal_group(leader, signal);
        let since = Instant::now();
        let killed = signal == Signal::KILL;
        let kill_at = if killed { since } else { since + self.shared.grace };
        self.take(Ending { leader, since, kill_at, killed, outputs, parent });
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

    fn take(&self, ending: Ending) {
        self.shared.pending.send_modify(|count| *count += 1);
        let mut queue = self.shared.lock();
        queue.groups.push(ending);
        self.shared.start_thread(queue);
    }
}

impl ReaperShared {
    fn lock(&self) -> MutexGuard<'_, EndingQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
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
        let builder = std::thread::Builder::new().name("hookrail-reaper".to_owned());
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
