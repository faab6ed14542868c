//! The connection to one worker process: questions in, answers out.
//!
//! No task of its own drives it. Every caller that waits for an answer drives the connection while it is polled and hands
//! answers to the other callers; a caller that leaves wakes the others so that one continues. So it works in any runtime,
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

use self::state::ConnectionState;
use super::answer::WorkerAnswer;
use super::start::StartedProcess;
use super::turns::Turns;
use crate::run::payload::Payload;
use crate::verdict::failure::WorkerFailure;

/// After so long without an answer the process itself is looked at, because its pipes do not show everything.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// A worker that answered within this time is waited for on the calling thread the next time: being woken by the runtime
/// takes longer than such an answer.
const QUICK_ANSWER: Duration = Duration::from_micros(100);
/// How long the calling thread waits at most. It is longer than a tick of the system, because a timer that ends before
/// the next tick takes three times as long as the whole question.
const BUSY_WAIT_LIMIT: Duration = Duration::from_millis(5);

/// A running worker process.
#[derive(Debug)]
pub(super) struct WorkerConnection {
    state: Mutex<ConnectionState>,
}

/// The outcome of a question.
#[derive(Debug)]
pub(super) enum Outcome {
    /// An answer.
    Answered(WorkerAnswer),
    /// The worker failed at this question and was ended.
    Failed(Failure),
    /// There was no answer by the deadline, and the worker was ended. What it wrote to stderr.
    TimedOut(Vec<u8>),
    /// The worker ended for another reason than this question, which may be asked once more.
    AskAgain,
}

/// Why a worker gave no answer.
#[derive(Debug)]
pub(super) struct Failure {
    /// The failure.
    pub(super) why: WorkerFailure,
    /// What it wrote instead of an answer.
    pub(super) unexpected_output: Vec<u8>,
    /// What it wrote to stderr.
    pub(super) stderr: Vec<u8>,
}

/// The payload and the limits of one question.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuestionLimits<'p> {
    /// What a hook would have found on its stdin.
    pub(super) payload: &'p Payload,
    /// The timeout that the request names.
    pub(super) timeout: Duration,
    /// When there has to be an answer.
    pub(super) deadline: Instant,
    /// How much is kept of each stream.
    pub(super) keep: usize,
    /// No other hook waits for this thread, so that it may block for a moment.
    pub(super) alone: bool,
}

impl WorkerConnection {
    /// The connection to a process that was just started. The concurrency that it announces is given to the queue.
    pub(super) fn new(started: StartedProcess<io::PipeWriter>, turns: Arc<Turns>) -> Self {
        Self { state: Mutex::new(ConnectionState::new(started, turns)) }
    }

    /// Whether the process can be asked. One that ended, closed a stream or wrote something while no question was open is
    /// ended here.
    pub(super) fn is_usable(&self) -> bool {
        self.lock().is_usable()
    }

    /// Whether a question is unanswered.
    pub(super) fn is_busy(&self) -> bool {
        self.lock().is_busy()
    }

    /// The id of the process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        self.lock().process_id()
    }

    /// Ends the process as soon as no question is open.
    pub(super) fn retire(&self) {
        self.lock().retire();
    }

    /// Asks, and waits for the answer until the deadline. Dropping the future gives the question up.
    pub(super) async fn ask(self: &Arc<Self>, limits: QuestionLimits<'_>) -> Outcome {
        let begin = Instant::now();
        let (number, outcome) = {
            let mut state = self.lock();
            let number = match state.enter(limits) {
                Ok(number) => number,
                Err(error) => {
                    let why = WorkerFailure::NotAsked((&error).into());
                    return Outcome::Failed(Failure {
                        why,
                        unexpected_output: Vec::new(),
                        stderr: Vec::new(),
                    });
                }
            };
            let until = limits.deadline.min(begin + BUSY_WAIT_LIMIT);
            (number, if limits.alone { state.ask_blocking(number, until) } else { None })
        };
        if let Some(outcome) = outcome {
            return outcome;
        }
        Asked { connection: Arc::clone(self), number }.wait(limits.deadline, begin).await
    }

    /// Begins to send a question while its payload is still being written. `None` if that cannot be done at once.
    pub(super) fn begin(self: &Arc<Self>, payload: &Payload) -> Option<Asked> {
        let number = self.lock().begin(payload)?;
        Some(Asked { connection: Arc::clone(self), number })
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that was asked and not answered yet. Dropping it gives the question up.
#[derive(Debug)]
pub(super) struct Asked {
    connection: Arc<WorkerConnection>,
    number: u64,
}

impl Asked {
    /// Sends what was added to the payload.
    pub(super) fn grow(&self, payload: &Payload) {
        self.connection.lock().grow(self.number, payload);
    }

    /// Sends the rest of the complete payload, and waits for the answer until the deadline.
    pub(super) async fn complete(self, limits: QuestionLimits<'_>) -> Outcome {
        self.connection.lock().complete(self.number, limits);
        self.wait(limits.deadline, Instant::now()).await
    }

    async fn wait(self, deadline: Instant, begin: Instant) -> Outcome {
        let mut alarm_at = deadline.min(begin + LOOK_AFTER);
        let mut alarm = pin!(sleep_until(alarm_at.into()));
        poll_fn(|cx| {
            loop {
                let mut state = self.connection.lock();
                // The caller that drives the connection must not wake itself.
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
                // The alarm may be late: what the worker wrote in the meantime counts.
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
    /// Questions whose outcome was taken are no longer in the list, so this concerns only those that are given up.
    fn drop(&mut self) {
        self.connection.lock().give_up(self.number);
    }
}
