//! Reads what the process writes and settles the questions that its lines answer.

use std::task::{Context, Poll};
use std::time::Instant;

use super::blocking::Pace;
use super::failing::Charge;
use super::pipes::PipeRead;
use super::{ConnectionState, MAX_LINE_OVERHEAD, Process};
use crate::run::unix::{self, ChildState};
use crate::run::worker::answer::{Line, read_line};
use crate::run::worker::connection::open::Owner;
use crate::run::worker::connection::{LOOK_AFTER, Outcome};
use crate::verdict::failure::WorkerFailure;

impl ConnectionState {
    /// Writes and reads as far as possible without waiting, at most up to the answer to this question.
    pub(in crate::run::worker::connection) fn progress(&mut self, cx: &mut Context<'_>, number: u64) {
        let Some(Process { pipes, .. }) = &mut self.process else { return };
        pipes.register();
        if pipes.write(&mut self.open, cx, &mut self.ticker).is_err() {
            self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdin));
        }
        self.poll_output(cx, number);
        if self.is_settled(number) {
            return;
        }
        let Some(Process { pipes, .. }) = &mut self.process else { return };
        pipes.poll_errors(cx, &mut self.ticker);
        if let Poll::Ready(peek) = pipes.poll_exit(cx, &mut self.ticker) {
            self.process_ended(&peek);
        }
    }

    /// Looks at the process itself, at a deadline or after a while. Returns when to look again.
    pub(in crate::run::worker::connection) fn look(
        &mut self,
        now: Instant,
        deadline: Instant,
        number: u64,
    ) -> Instant {
        self.read_available();
        let Some(process) = &self.process else { return deadline };
        match unix::peek(process.group.leader()) {
            ChildState::Running => {}
            peek => self.process_ended(&peek),
        }
        let Some(process) = &self.process else { return deadline };
        let (input_closed, _) = process.pipes.glance();
        if now >= deadline {
            self.time_out(number);
        } else if let Some((since, why)) = self.closed.clone() {
            if now >= since + LOOK_AFTER {
                self.fail(why, Charge::Oldest, Vec::new());
            }
        } else if input_closed {
            self.closed = Some((now, WorkerFailure::ClosedStdin));
        }
        let again = self.closed.is_some()
            || self.process.as_ref().is_some_and(|process| !process.pipes.reports_end());
        if again { deadline.min(now + LOOK_AFTER) } else { deadline }
    }

    /// When the process has to be looked at because a stream is closed.
    pub(in crate::run::worker::connection) fn look_at(&self) -> Option<Instant> {
        self.closed.as_ref().map(|(since, _)| *since + LOOK_AFTER)
    }

    /// Whether a question has its outcome.
    fn is_settled(&mut self, number: u64) -> bool {
        self.open.get_mut(number).is_none_or(|open| open.outcome.is_some())
    }

    /// Reads lines while the reactor reports output. What follows the answer to this question is read by the callers that
    /// wait for it, or before the next question.
    fn poll_output(&mut self, cx: &mut Context<'_>, number: u64) {
        while let Some(Process { pipes, .. }) = &mut self.process {
            match pipes.poll_output(cx, &mut self.ticker) {
                PipeRead::Nothing => return,
                PipeRead::Something => self.handle_lines(),
                PipeRead::End => {
                    self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdout));
                    return;
                }
            }
            if self.is_settled(number) {
                return;
            }
        }
    }

    /// One read without asking the reactor. Returns whether there may be more.
    pub(super) fn read_once_unwatched(&mut self) -> bool {
        let Some(Process { pipes, .. }) = &mut self.process else { return false };
        match pipes.read_output() {
            PipeRead::Nothing => false,
            PipeRead::Something => {
                self.handle_lines();
                true
            }
            PipeRead::End => {
                self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdout));
                false
            }
        }
    }

    /// Reads available output without asking the reactor, which may not have reported it yet.
    pub(super) fn read_available(&mut self) {
        while self.read_once_unwatched() {}
    }

    /// Handles whole lines, and bounds the length of an unfinished one.
    fn handle_lines(&mut self) {
        while let Some(line) = self.process.as_mut().and_then(|process| process.pipes.next_line()) {
            self.handle_line(&line);
        }
        if self.retiring && !self.is_busy() {
            return self.end();
        }
        let keep = self.keep();
        let half = self.process.as_ref().map_or(0, |process| process.pipes.half_line().len());
        if half > keep.saturating_mul(2).saturating_add(MAX_LINE_OVERHEAD) {
            self.fail(WorkerFailure::TooLong, Charge::Oldest, Vec::new());
        }
    }

    /// How much of an answer is kept: the largest bound of the open questions.
    fn keep(&self) -> usize {
        self.open.unanswered().map(|open| open.keep).max().unwrap_or_default()
    }

    /// Handles one line.
    fn handle_line(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.past_first_line, true);
        let (why, charge) = match read_line(line, self.keep()) {
            Line::Ready(at_once) if is_first => {
                if at_once > 1 {
                    self.pace = Pace::Concurrent;
                }
                if !self.retiring {
                    self.turns.allow(at_once);
                }
                return;
            }
            Line::Answer(id, answer) => match self.open.owner(&id) {
                Owner::Open(number) => {
                    self.answered += 1;
                    self.open.settle(number, Outcome::Answered(answer));
                    return;
                }
                // A second answer. No caller waits for it, so no question fails.
                Owner::Past => return self.abandon_others(),
                Owner::Unknown => (WorkerFailure::UnknownQuestion, Charge::Oldest),
            },
            Line::Malformed(id, fault) => match self.open.owner(&id) {
                Owner::Open(number) => (WorkerFailure::Malformed(fault), Charge::Question(number)),
                Owner::Past | Owner::Unknown => (WorkerFailure::UnknownQuestion, Charge::Oldest),
            },
            Line::Ready(_) | Line::NoAnswer => (WorkerFailure::StrayLine, Charge::Oldest),
        };
        self.fail(why, charge, line.to_vec());
    }
}
