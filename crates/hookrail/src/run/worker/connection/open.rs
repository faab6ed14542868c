//! The questions that a worker has not answered yet, in the order in which they are asked.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::task::Waker;

use super::{Outcome, QuestionLimits};
use crate::run::payload::Payload;
use crate::run::worker::request_line::RequestLine;

/// The open questions of one process.
#[derive(Debug)]
pub(super) struct OpenQuestions {
    /// The beginning of all ids. It cannot be guessed, so that no worker can answer before it is asked.
    prefix: String,
    /// The number of the next question.
    next: u64,
    questions: VecDeque<OpenQuestion>,
}

/// One question.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) number: u64,
    /// What is still to be written.
    pub(super) question: Option<RequestLine>,
    /// How many bytes the process had been sent when this question began.
    pub(super) begins_at: Option<u64>,
    pub(super) keep: usize,
    pub(super) waker: Option<Waker>,
    pub(super) outcome: Option<Outcome>,
    /// The caller has left.
    pub(super) given_up: bool,
}

/// The question that an id belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This question is open, and was sent as a whole.
    Open(u64),
    /// A question that was answered before.
    Past,
    /// No question that was sent as a whole.
    Unknown,
}

impl OpenQuestions {
    /// No questions, with an id prefix of its own.
    pub(super) fn new() -> Self {
        let prefix = format!("{:08x}x", RandomState::new().hash_one(0) >> 32);
        Self { prefix, next: 1, questions: VecDeque::new() }
    }

    /// Adds a question behind the others.
    pub(super) fn add(&mut self, limits: QuestionLimits<'_>) -> io::Result<u64> {
        let question = RequestLine::new(&self.next_id(), limits.payload, limits.timeout)?;
        Ok(self.push(question, limits.keep))
    }

    /// Adds a question whose payload is still being written.
    pub(super) fn add_growing(&mut self, payload: &Payload) -> u64 {
        let question = RequestLine::growing(&self.next_id(), payload);
        self.push(question, 0)
    }

    fn next_id(&self) -> String {
        format!("{}{}", self.prefix, self.next)
    }

    fn push(&mut self, question: RequestLine, keep: usize) -> u64 {
        let number = self.next;
        self.next += 1;
        self.questions.push_back(OpenQuestion {
            number,
            question: Some(question),
            begins_at: None,
            keep,
            waker: None,
            outcome: None,
            given_up: false,
        });
        number
    }

    /// Finds the question of an id.
    pub(super) fn owner(&self, id: &str) -> Owner {
        let number = id.strip_prefix(&self.prefix).and_then(|number| number.parse::<u64>().ok());
        let Some(number) = number.filter(|number| (1..self.next).contains(number)) else {
            return Owner::Unknown;
        };
        match self.questions.iter().find(|open| open.number == number) {
            Some(open) if open.outcome.is_none() && open.question.is_none() => Owner::Open(number),
            Some(open) if open.outcome.is_none() => Owner::Unknown,
            _ => Owner::Past,
        }
    }

    /// The question of this number.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut OpenQuestion> {
        self.questions.iter_mut().find(|open| open.number == number)
    }

    /// All of them, the oldest first.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenQuestion> {
        self.questions.iter_mut()
    }

    /// Those that wait for an answer, the oldest first.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &OpenQuestion> {
        self.questions.iter().filter(|open| open.outcome.is_none())
    }

    /// Whether a caller waits for an answer.
    pub(super) fn are_awaited(&self) -> bool {
        self.unanswered().any(|open| !open.given_up)
    }

    /// Removes a question, and wakes the other callers: one of them has to drive the connection.
    pub(super) fn remove(&mut self, number: u64) -> Option<OpenQuestion> {
        let at = self.questions.iter().position(|open| open.number == number)?;
        let removed = self.questions.remove(at);
        self.wake_all();
        removed
    }

    /// Gives a question its outcome.
    pub(super) fn settle(&mut self, number: u64, outcome: Outcome) {
        let Some(open) = self.get_mut(number) else { return };
        if open.given_up {
            self.remove(number);
            return;
        }
        open.outcome = Some(outcome);
        if let Some(waker) = open.waker.take() {
            waker.wake();
        }
    }

    /// Wakes every caller that waits.
    pub(super) fn wake_all(&mut self) {
        for waker in self.questions.iter_mut().filter_map(|open| open.waker.take()) {
            waker.wake();
        }
    }
}
