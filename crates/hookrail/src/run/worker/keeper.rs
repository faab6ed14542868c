//! Ends workers that have nothing to do, from a thread that exists while there are workers.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::{Shared, lock};

/// The pauses between two rounds, whatever is waited for.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_mins(1));

/// Looks after idle workers.
#[derive(Debug)]
pub(super) struct Keeper {
    idle: Duration,
    desk: Arc<Desk>,
}

/// Where the thread waits.
#[derive(Debug, Default)]
struct Desk {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct State {
    has_thread: bool,
    stopped: bool,
}

impl Keeper {
    /// Nothing is started before there is a worker.
    pub(super) fn new(idle: Duration) -> Self {
        Self { idle, desk: Arc::default() }
    }

    /// Makes sure that somebody looks after the workers. Without a thread they end with the session.
    pub(super) fn start(shared: &Arc<Shared>) {
        let desk = &shared.keeper.desk;
        let mut state = desk.lock();
        if state.has_thread {
            return;
        }
        let (pool, kept) = (Arc::downgrade(shared), Arc::clone(desk));
        let pause = (shared.keeper.idle / 4).clamp(PAUSES.0, PAUSES.1);
        let builder = std::thread::Builder::new().name("hookrail-workers".to_owned());
        state.has_thread = builder.spawn(move || kept.work(&pool, pause)).is_ok();
    }

    /// Sends the thread home.
    pub(super) fn stop(&self) {
        self.desk.lock().stopped = true;
        self.desk.news.notify_all();
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, pool: &Weak<Shared>, pause: Duration) {
        let mut state = self.lock();
        while !state.stopped {
            state = self.news.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
            if state.stopped {
                return;
            }
            // Ending the pool from here takes this lock again.
            drop(state);
            let Some(shared) = pool.upgrade() else { return };
            let workers: Vec<_> = lock(&shared.workers).values().cloned().collect();
            for worker in &workers {
                worker.tidy(shared.keeper.idle);
            }
            drop((workers, shared));
            state = self.lock();
        }
    }
}
