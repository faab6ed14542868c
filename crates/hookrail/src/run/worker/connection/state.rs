//! The state of a connection: its process, its open questions, and how it ends.

mod blocking;
mod failing;
mod pipes;
mod reading;

use std::io;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use self::blocking::Pace;
use self::pipes::Pipes;
use super::open::OpenQuestions;
use super::{Outcome, QuestionLimits};
use crate::run::payload::Payload;
use crate::run::process::ProcessGroup;
use crate::run::watch::Ticker;
use crate::run::worker::start::StartedProcess;
use crate::run::worker::turns::Turns;
use crate::verdict::failure::WorkerFailure;

/// How many bytes of a line may be something else than the output in it.
const MAX_LINE_OVERHEAD: usize = 64 * 1024;

/// One process and the questions that wait for its answers.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// `None` once the process was ended.
    process: Option<Process>,
    open: OpenQuestions,
    turns: Arc<Turns>,
    /// How many questions were answered.
    answered: u64,
    past_first_line: bool,
    pace: Pace,
    /// How many of the next waits sleep instead of spinning, because other programs need the processor.
    sleeping_waits_left: u32,
    /// The process takes no new questions and ends when the open ones are answered.
    retiring: bool,
    /// Since when a stream is closed. Most often the process is about to end, and its exit says more.
    closed: Option<(Instant, WorkerFailure)>,
    pub(super) ticker: Ticker,
}

#[derive(Debug)]
struct Process {
    group: ProcessGroup,
    pipes: Pipes,
}

impl ConnectionState {
    /// The state for a process that was just started.
    pub(super) fn new(started: StartedProcess<io::PipeWriter>, turns: Arc<Turns>) -> Self {
        let StartedProcess { group, stdin, stdout, stderr } = started;
        let pipes = Pipes::new(group.leader(), stdin, stdout, stderr);
        Self {
            process: Some(Process { group, pipes }),
            open: OpenQuestions::new(),
            turns,
            answered: 0,
            past_first_line: false,
            pace: Pace::Usual,
            sleeping_waits_left: 0,
            retiring: false,
            closed: None,
            ticker: Ticker::default(),
        }
    }

    /// Whether a question is unanswered, even if its caller has left.
    pub(super) fn is_busy(&self) -> bool {
        self.open.unanswered().next().is_some()
    }

    /// The id of the process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        self.process.as_ref().map(|process| process.group.leader().as_raw_nonzero().get())
    }

    /// Whether the process can be asked. One that cannot is ended.
    pub(super) fn is_usable(&mut self) -> bool {
        let Some(process) = self.process.as_ref().filter(|_| !self.retiring) else { return false };
        let (input_closed, has_output) = process.pipes.glance();
        if has_output {
            self.read_available();
        }
        let idle = !self.is_busy();
        let has_half_line = self.process.as_ref().is_some_and(|process| process.pipes.has_half_line());
        if idle && (input_closed || self.closed.is_some() || has_half_line) {
            self.end();
        }
        self.process.is_some()
    }

    /// Takes no new questions: the process ends when the open ones are answered.
    pub(super) fn retire(&mut self) {
        self.retiring = true;
        if !self.is_busy() {
            self.end();
        }
    }

    /// Adds a question. It is written when its turn comes.
    pub(super) fn enter(&mut self, limits: QuestionLimits<'_>) -> io::Result<u64> {
        let number = self.open.add(limits)?;
        match &mut self.process {
            Some(process) => process.pipes.expect(limits.payload.len()),
            // It ended a moment ago.
            None => self.open.settle(number, Outcome::AskAgain),
        }
        Ok(number)
    }

    /// Adds a question whose payload is still being written, unless another question is open.
    pub(super) fn begin(&mut self, payload: &Payload) -> Option<u64> {
        if self.pace == Pace::Concurrent || self.is_busy() {
            return None;
        }
        let pipes = &mut self.process.as_mut()?.pipes;
        pipes.expect(payload.len());
        let number = self.open.add_growing(payload);
        pipes.write_now(self.open.get_mut(number)?);
        Some(number)
    }

    /// Writes what there is now of a payload that is still being written.
    pub(super) fn grow(&mut self, number: u64, payload: &Payload) {
        let (Some(process), Some(open)) = (&mut self.process, self.open.get_mut(number)) else { return };
        if let Some(question) = &mut open.question {
            question.grow(payload);
            process.pipes.write_now(open);
        }
    }

    /// The payload is whole.
    pub(super) fn complete(&mut self, number: u64, limits: QuestionLimits<'_>) {
        let Some(open) = self.open.get_mut(number) else { return };
        open.keep = limits.keep;
        if let Some(question) = &mut open.question {
            question.complete(limits.payload, limits.timeout);
        }
    }

    /// Sets the waker of the caller that waits for a question.
    pub(super) fn set_waker(&mut self, number: u64, waker: Option<&Waker>) {
        if let Some(open) = self.open.get_mut(number) {
            open.waker = waker.cloned();
        }
    }

    /// Takes the outcome of a question, if there is one.
    pub(super) fn take(&mut self, number: u64) -> Option<Outcome> {
        self.open.get_mut(number)?.outcome.as_ref()?;
        let outcome = self.open.remove(number)?.outcome;
        if self.retiring && !self.is_busy() {
            self.end();
        }
        outcome
    }

    /// Gives a question up whose caller has left. A process that works on it is killed like any hook that is given up,
    /// unless other callers wait for the process too: then it gets no new questions, and its answer is dropped.
    pub(super) fn give_up(&mut self, number: u64) {
        let Some(open) = self.open.get_mut(number) else { return };
        if open.outcome.is_some() || open.begins_at.is_none() {
            self.open.remove(number);
            return;
        }
        open.given_up = true;
        open.waker = None;
        self.retiring = true;
        self.turns.allow(1);
        if !self.open.are_awaited() {
            // Its group is killed as it is dropped.
            self.process = None;
        }
        self.open.wake_all();
    }

    /// Ends the process group: `SIGTERM`, a grace, `SIGKILL`.
    fn end(&mut self) {
        if let Some(Process { group, pipes }) = self.process.take() {
            self.turns.allow(1);
            group.terminate(pipes.into_outputs());
        }
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        self.end();
    }
}
