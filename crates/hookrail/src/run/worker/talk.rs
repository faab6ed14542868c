//! The conversation with one worker process: questions in, answers out.
//!
//! No task of its own drives it. Whoever waits for an answer moves all of it on while being polled, and hands answers to
//! those whom they are for; whoever leaves wakes the others, so that one of them goes on. So it works in any runtime,
//! and in several.

mod open;
mod state;

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;

use self::state::State;
use super::answer::WorkerAnswer;
use super::start::Started;
use super::turns::Turns;
use crate::run::payload::Payload;
use crate::verdict::failure::WorkerFailure;

/// After so long without an answer the process is looked at: what its pipes do not tell may show otherwise.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// A worker that answered within this time is waited for on the spot the next time. Sleeping in the runtime and being
/// woken by it takes longer than such an answer.
const PROMPT: Duration = Duration::from_micros(100);
/// How long it is waited for on the spot. Setting an alarm that comes before the next tick of the system takes three times
/// as long as the whole question, so this is longer than a tick.
const ON_THE_SPOT: Duration = Duration::from_millis(5);

/// A running worker process.
#[derive(Debug)]
pub(super) struct Talk {
    state: Mutex<State>,
}

/// What came of a question.
#[derive(Debug)]
pub(super) enum Outcome {
    /// An answer.
    Answered(WorkerAnswer),
    /// The worker failed at this question and was ended.
    Failed(Failure),
    /// There was no answer by the deadline, and the worker was ended. What it said on stderr.
    TimedOut(Vec<u8>),
    /// The worker ended for another reason than this question, which may be asked once more.
    AskAgain,
}

/// Why a worker gave no answer.
#[derive(Debug)]
pub(super) struct Failure {
    /// What it did.
    pub(super) why: WorkerFailure,
    /// What it wrote instead.
    pub(super) stray: Vec<u8>,
    /// What it said on stderr.
    pub(super) stderr: Vec<u8>,
}

/// What a question needs to be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'p> {
    /// What a hook would have found on its stdin.
    pub(super) payload: &'p Payload,
    /// The time that is told to the worker.
    pub(super) timeout: Duration,
    /// When there has to be an answer.
    pub(super) deadline: Instant,
    /// How much is kept of each stream.
    pub(super) keep: usize,
    /// Nobody else is known to wait for this thread, so that it may be occupied for a moment.
    pub(super) alone: bool,
}

impl Talk {
    /// Goes on from a process that was just started. What it announces is told to the queue.
    pub(super) fn new(started: Started<io::PipeWriter>, turns: Arc<Turns>) -> Self {
        Self { state: Mutex::new(State::new(started, turns)) }
    }

    /// Whether the process can be asked. One that ended, closed a stream or wrote something while nobody asked is
    /// given up here.
    pub(super) fn is_usable(&self) -> bool {
        self.lock().is_usable()
    }

    /// Whether somebody waits for an answer.
    pub(super) fn is_busy(&self) -> bool {
        self.lock().is_busy()
    }

    /// The id of the process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        self.lock().process_id()
    }

    /// Ends the process when nobody waits for an answer any more.
    pub(super) fn retire(&self) {
        self.lock().retire();
    }

    /// Asks, and waits for the answer until the deadline. Dropping the future gives the question up.
    pub(super) async fn ask(self: &Arc<Self>, terms: Terms<'_>) -> Outcome {
        let begin = Instant::now();
        let (number, outcome) = {
            let mut state = self.lock();
            let number = match state.enter(terms) {
                Ok(number) => number,
                Err(error) => {
                    let why = WorkerFailure::NotAsked((&error).into());
                    return Outcome::Failed(Failure { why, stray: Vec::new(), stderr: Vec::new() });
                }
            };
            let until = terms.deadline.min(begin + ON_THE_SPOT);
            (number, if terms.alone { state.ask_on_the_spot(number, until) } else { None })
        };
        if let Some(outcome) = outcome {
            return outcome;
        }
        Asked { talk: Arc::clone(self), number }.wait(terms.deadline, begin).await
    }

    /// Begins to ask while the payload is still being written. `None` if that cannot be done at once.
    pub(super) fn begin(self: &Arc<Self>, payload: &Payload) -> Option<Asked> {
        let number = self.lock().begin(payload)?;
        Some(Asked { talk: Arc::clone(self), number })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that was asked and not answered yet. Dropping it gives the question up.
#[derive(Debug)]
pub(super) struct Asked {
    talk: Arc<Talk>,
    number: u64,
}

impl Asked {
    /// There is more of the payload now.
    pub(super) fn grow(&self, payload: &Payload) {
        self.talk.lock().grow(self.number, payload);
    }

    /// The payload is whole; waits for the answer until the deadline.
    pub(super) async fn complete(self, terms: Terms<'_>) -> Outcome {
        self.talk.lock().complete(self.number, terms);
        self.wait(terms.deadline, Instant::now()).await
    }

    async fn wait(self, deadline: Instant, begin: Instant) -> Outcome {
        let mut alarm_at = deadline.min(begin + LOOK_AFTER);
        let mut alarm = pin!(sleep_until(alarm_at.into()));
        poll_fn(|cx| {
            loop {
                let mut state = self.talk.lock();
                // Whoever moves things on need not be woken by that.
                state.set_waker(self.number, None);
                state.progress(cx, self.number);
                if let Some(outcome) = state.take(self.number) {
                    state.answered_after(begin.elapsed());
                    return Poll::Ready(outcome);
                }
                state.set_waker(self.number, Some(cx.waker()));
                if let Some(at) = state.look_at().filter(|at| *at < alarm_at) {
                    alarm_at = at;
                    alarm.as_mut().reset(at.into());
                }
                if alarm.as_mut().poll(cx).is_pending() {
                    state.ticker.arm(cx);
                    return Poll::Pending;
                }
                // The alarm may have come late: what the worker said meanwhile counts.
                alarm_at = state.look(Instant::now(), deadline, self.number);
                if let Some(outcome) = state.take(self.number) {
                    return Poll::Ready(outcome);
                }
                alarm.as_mut().reset(alarm_at.into());
            }
        })
        .await
    }
}

impl Drop for Asked {
    /// Taken outcomes are gone from the list, so that this concerns only who gives up.
    fn drop(&mut self) {
        self.talk.lock().give_up(self.number);
    }
}
