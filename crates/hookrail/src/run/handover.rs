//! Spawning on another thread, so that two hooks can be started at the same time.
//!
//! A thread cannot be called back: when the caller gives up, the other thread may be in the middle of starting
//! a process. That process is killed as soon as it exists, and [`Handovers::drain`] waits for that moment.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};

use super::command::PreparedCommand;
use super::payload::Payload;
use super::process::{SpawnError, Spawned, spawn};
use super::reaper::Reaper;

/// The spawns that other threads are busy with.
#[derive(Debug)]
pub(super) struct Handovers {
    open: watch::Sender<usize>,
}

impl Handovers {
    /// No spawn is under way.
    pub(super) fn new() -> Self {
        Self { open: watch::Sender::new(0) }
    }

    /// Makes one attempt to start a command on another thread; `None` if there is no other thread.
    pub(super) async fn spawn(
        &self,
        command: &Arc<PreparedCommand>,
        payload: &Payload,
        reaper: &Reaper,
    ) -> Option<Result<Spawned, SpawnError>> {
        let handover = Handover::new(&self.open);
        let (command, payload, reaper) = (Arc::clone(command), payload.clone(), reaper.clone());
        // If the result is dropped, the process in it is killed first and the handover ends then.
        let attempt = spawn_blocking(move || (spawn(&command, &payload, &reaper), handover));
        let mut attempt = CancelIfNotStarted(attempt);
        let (spawned, _handover) = (&mut attempt.0).await.ok()?;
        Some(spawned)
    }

    /// Whether no other thread is busy with a spawn.
    pub(super) fn is_drained(&self) -> bool {
        *self.open.borrow() == 0
    }

    /// Waits until no other thread is busy with a spawn.
    pub(super) async fn drain(&self) {
        // The sender is here, so the channel is not closed.
        let _ = self.open.subscribe().wait_for(|open| *open == 0).await;
    }
}

/// One spawn on another thread, from the request until the process is taken over or killed.
struct Handover {
    open: watch::Sender<usize>,
}

impl Handover {
    fn new(open: &watch::Sender<usize>) -> Self {
        open.send_modify(|open| *open += 1);
        Self { open: open.clone() }
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        self.open.send_modify(|open| *open -= 1);
    }
}

/// Cancels a spawn whose caller is gone, unless a thread has started it already.
struct CancelIfNotStarted<T>(JoinHandle<T>);

impl<T> Drop for CancelIfNotStarted<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
