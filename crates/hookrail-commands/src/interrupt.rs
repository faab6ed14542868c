//! What Ctrl-C means: it ends a run with one prompt, and at the interactive prompt it ends the turn first.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Two presses within this time end an interactive session.
const TWICE: Duration = Duration::from_secs(1);

/// What Ctrl-C interrupts: the turn, or the session.
/// The agent's session and the prompt share it: whichever of them sees the key reports it here.
pub(crate) struct Interrupt {
    /// Whether Ctrl-C ends the turn and keeps the session.
    keeps_session: bool,
    state: Mutex<InterruptState>,
    /// Set when the session is to end.
    end: CancellationToken,
}

/// A turn has a token of its own, so that giving up one does not give up the next.
struct InterruptState {
    turn: CancellationToken,
    last_press: Option<Instant>,
}

impl Interrupt {
    /// `keeps_session` for the interactive prompt.
    pub(crate) fn new(keeps_session: bool) -> Self {
        let state = InterruptState { turn: CancellationToken::new(), last_press: None };
        Self { keeps_session, state: Mutex::new(state), end: CancellationToken::new() }
    }

    /// Cancels the turn; a second time within a second, or without further turns, ends the session.
    pub(crate) fn press(&self) {
        self.press_at(Instant::now());
    }

    /// The time is passed in for tests.
    fn press_at(&self, now: Instant) {
        let mut state = self.state();
        state.turn.cancel();
        let twice = state.last_press.is_some_and(|last| now.duration_since(last) <= TWICE);
        state.last_press = Some(now);
        if twice || !self.keeps_session {
            self.end.cancel();
        }
    }

    /// The session is to end, whatever it is doing.
    pub(crate) fn end(&self) {
        self.state().turn.cancel();
        self.end.cancel();
    }

    /// Resolves when the session is to end.
    pub(crate) async fn ended(&self) {
        self.end.cancelled().await;
    }

    /// Whether the session is to end.
    pub(crate) fn is_ended(&self) -> bool {
        self.end.is_cancelled()
    }

    /// The token of the turn that runs or comes next: a fresh one if the last turn was interrupted.
    pub(crate) fn turn(&self) -> CancellationToken {
        let mut state = self.state();
        if state.turn.is_cancelled() && !self.end.is_cancelled() {
            state.turn = CancellationToken::new();
        }
        state.turn.clone()
    }

    /// Poisoned or not: an interrupt must work after a panic.
    fn state(&self) -> MutexGuard<'_, InterruptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
