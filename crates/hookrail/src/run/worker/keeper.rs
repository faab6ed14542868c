//! Ends workers that have nothing to do, from a thread that exists while there are workers.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::pool::PoolShared;

/// The shortest pause between two rounds.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause between two rounds.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Ends idle workers.
#[derive(Debug)]
pub(super) struct Keeper {
    idle: Duration,
    control: Arc<ThreadControl>,
}

/// What the thread waits on.
#[derive(Debug, Default)]
struct ThreadControl {
    state: Mutex<ThreadState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct ThreadState {
    has_thread: bool,
    stopped: bool,
}

impl Keeper {
    /// A keeper without a thread. The first worker starts one.
    pub(super) fn new(idle: Duration) -> Self {
        Self { idle, control: Arc::default() }
    }

    /// Starts the thread that ends idle workers, if none runs. Without a thread they end with the session.
    pub(super) fn start(shared: &Arc<PoolShared>) {
        let control = &shared.keeper.control;
        let mut state = control.lock();
        if state.has_thread {
            return;
        }
        let (pool, kept) = (Arc::downgrade(shared), Arc::clone(control));
        let pause = (shared.keeper.idle / 4).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        let builder = std::thread::Builder::new().name("hookrail-workers".to_owned());
        state.has_thread = builder.spawn(move || kept.work(&pool, pause)).is_ok();
    }

    /// Ends the thread.
    pub(super) fn stop(&self) {
        self.control.lock().stopped = true;
        self.control.changed.notify_all();
    }
}

impl ThreadControl {
    fn lock(&self) -> MutexGuard<'_, ThreadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, pool: &Weak<PoolShared>, pause: Duration) {
        let mut state = self.lock();
        while !state.stopped {
            state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
            if state.stopped {
                return;
            }
            // Ending the pool from here takes this lock again.
            drop(state);
            let Some(shared) = pool.upgrade() else { return };
            for worker in shared.workers() {
                worker.tidy(shared.keeper.idle);
            }
            drop(shared);
            state = self.lock();
        }
    }
}
