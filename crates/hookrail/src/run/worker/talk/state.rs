//! Where a conversation stands: what was sent, what was heard, and how it ends.

mod pipes;

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::open::{OpenQuestions, Owner};
use super::{Failure, LOOK_AFTER, Outcome, PROMPT, Terms};
use crate::run::payload::Payload;
use crate::run::process::Group;
use crate::run::unix::{self, Peek};
use crate::run::watch::Ticker;
use crate::run::worker::answer::{Line, read_line};
use crate::run::worker::start::Started;
use crate::run::worker::turns::Turns;
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

use self::pipes::{PipeRead, Pipes};

/// Giving way for longer than this means that another program has the processor.
const CROWDED: Duration = Duration::from_micros(200);
/// How many answers are then waited for asleep.
const ASLEEP: u32 = 255;

/// What a line may take besides the output in it.
const AROUND_OUTPUT: usize = 64 * 1024;

/// One process and all who wait for its answers.
#[derive(Debug)]
pub(super) struct State {
    /// `None` once the process was ended.
    process: Option<Process>,
    open: OpenQuestions,
    turns: Arc<Turns>,
    /// How many questions were answered.
    answered: u64,
    past_first_line: bool,
    pace: Pace,
    /// For how many answers no processor is to be kept awake, because other programs want it.
    asleep_for: u32,
    /// No new questions: the process ends when the open ones are answered.
    retiring: bool,
    /// Since when a stream is closed. Most often the process is about to end, which says more.
    closed: Option<(Instant, WorkerFailure)>,
    pub(super) ticker: Ticker,
}

/// How a process is waited for.
#[derive(Debug, PartialEq, Eq)]
enum Pace {
    /// In the runtime.
    Usual,
    /// On the spot: it answered at once the last time.
    Prompt,
    /// In the runtime, because several questions are open at once.
    Concurrent,
}

#[derive(Debug)]
struct Process {
    group: Group,
    pipes: Pipes,
}

/// Which question a failure is charged to. The others are asked once more.
#[derive(Clone, Copy)]
enum Charge {
    /// The one that was asked first.
    Oldest,
    Question(u64),
}

impl State {
    /// Goes on from a process that was just started.
    pub(super) fn new(started: Started<io::PipeWriter>, turns: Arc<Turns>) -> Self {
        let Started { group, stdin, stdout, stderr } = started;
        let pipes = Pipes::new(group.leader(), stdin, stdout, stderr);
        Self {
            process: Some(Process { group, pipes }),
            open: OpenQuestions::new(),
            turns,
            answered: 0,
            past_first_line: false,
            pace: Pace::Usual,
            asleep_for: 0,
            retiring: false,
            closed: None,
            ticker: Ticker::default(),
        }
    }

    /// Whether an answer is waited for, be it by nobody any more.
    pub(super) fn is_busy(&self) -> bool {
        self.open.unanswered().next().is_some()
    }

    /// The id of the process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        self.process.as_ref().map(|process| process.group.leader().as_raw_nonzero().get())
    }

    /// Whether the process can be asked; one that cannot is given up.
    pub(super) fn is_usable(&mut self) -> bool {
        let Some(process) = self.process.as_ref().filter(|_| !self.retiring) else { return false };
        let (input_closed, has_output) = process.pipes.glance();
        if has_output {
            self.hear_available();
        }
        let idle = !self.is_busy();
        let babbles = self.process.as_ref().is_some_and(|process| process.pipes.has_half_line());
        if idle && (input_closed || self.closed.is_some() || babbles) {
            self.end();
        }
        self.process.is_some()
    }

    /// No new questions: the process ends when the open ones are answered.
    pub(super) fn retire(&mut self) {
        self.retiring = true;
        if !self.is_busy() {
            self.end();
        }
    }

    /// Adds a question. It is written when its turn comes.
    pub(super) fn enter(&mut self, terms: Terms<'_>) -> io::Result<u64> {
        let number = self.open.add(terms)?;
        match &mut self.process {
            Some(process) => process.pipes.expect(terms.payload.len()),
            // It ended a moment ago.
            None => self.open.settle(number, Outcome::AskAgain),
        }
        Ok(number)
    }

    /// Adds a question whose payload is still being written, unless somebody else asks.
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
    pub(super) fn complete(&mut self, number: u64, terms: Terms<'_>) {
        let Some(open) = self.open.get_mut(number) else { return };
        open.keep = terms.keep;
        if let Some(question) = &mut open.question {
            question.complete(terms.payload, terms.timeout);
        }
    }

    /// Whom to wake when there is news about a question.
    pub(super) fn set_waker(&mut self, number: u64, waker: Option<&Waker>) {
        if let Some(open) = self.open.get_mut(number) {
            open.waker = waker.cloned();
        }
    }

    /// Asks, and waits for the answer of a worker that is known to be quick, without giving way to other tasks. `None` if
    /// there is none by then: the question stays, and is waited for in the usual way.
    pub(super) fn ask_on_the_spot(&mut self, number: u64, until: Instant) -> Option<Outcome> {
        if self.pace != Pace::Prompt {
            return None;
        }
        let pipes = &mut self.process.as_mut()?.pipes;
        if !pipes.write_now(self.open.get_mut(number)?) {
            return None;
        }
        let outcome = self.wait_awake(number).or_else(|| self.wait_asleep(number, until));
        if outcome.is_none() {
            self.pace = Pace::Usual;
        }
        outcome
    }

    /// Waits for a moment without sleeping: until a processor that has nothing to do is awake again, more time passes than
    /// such an answer takes. Meanwhile other programs may run, of which the worker may be one. Where others take the
    /// processor for long, the next answers are waited for asleep.
    fn wait_awake(&mut self, number: u64) -> Option<Outcome> {
        if let Some(left) = self.asleep_for.checked_sub(1) {
            self.asleep_for = left;
            return None;
        }
        let begin = Instant::now();
        let mut now = begin;
        while self.closed.is_none() && now - begin < PROMPT {
            std::thread::yield_now();
            let outcome = if self.hear_once() { self.take(number) } else { None };
            let before = std::mem::replace(&mut now, Instant::now());
            if now - before > CROWDED {
                self.asleep_for = ASLEEP;
            }
            if outcome.is_some() {
                return outcome;
            }
        }
        None
    }

    /// Waits asleep; the answer itself wakes this thread.
    fn wait_asleep(&mut self, number: u64, until: Instant) -> Option<Outcome> {
        while self.closed.is_none() {
            let left = until.saturating_duration_since(Instant::now());
            let pipes = &self.process.as_ref()?.pipes;
            if left.is_zero() || !pipes.wait_for_output(left) {
                return None;
            }
            if self.hear_once()
                && let Some(outcome) = self.take(number)
            {
                return Some(outcome);
            }
        }
        None
    }

    /// Takes into account how long an answer took. A new process is believed to be quick until it is not: its first
    /// answer came late because it had to start.
    pub(super) fn answered_after(&mut self, time: Duration) {
        if self.pace != Pace::Concurrent {
            let is_prompt = self.answered == 1 || time <= PROMPT;
            self.pace = if is_prompt { Pace::Prompt } else { Pace::Usual };
        }
    }

    /// Takes what came of a question, if something did.
    pub(super) fn take(&mut self, number: u64) -> Option<Outcome> {
        self.open.get_mut(number)?.outcome.as_ref()?;
        let outcome = self.open.remove(number)?.outcome;
        if self.retiring && !self.is_busy() {
            self.end();
        }
        outcome
    }

    /// Nobody waits for this question any more. A process that works on it is killed like any hook that is given up,
    /// unless others wait for it too: then it gets no new questions, and its answer is dropped.
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

    /// Moves everything on as far as it goes without waiting, or to the answer of this question.
    pub(super) fn progress(&mut self, cx: &mut Context<'_>, number: u64) {
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

    /// Looks at the process itself, at a deadline or after a while; says when to look again.
    pub(super) fn look(&mut self, now: Instant, deadline: Instant, number: u64) -> Instant {
        self.hear_available();
        let Some(process) = &self.process else { return deadline };
        match unix::peek(process.group.leader()) {
            Peek::Running => {}
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
        let again =
            self.closed.is_some() || self.process.as_ref().is_some_and(|process| !process.pipes.tells_end());
        if again { deadline.min(now + LOOK_AFTER) } else { deadline }
    }

    /// When the process has to be looked at because a stream is closed.
    pub(super) fn look_at(&self) -> Option<Instant> {
        self.closed.as_ref().map(|(since, _)| *since + LOOK_AFTER)
    }

    /// Whether it is known what came of a question.
    fn is_settled(&mut self, number: u64) -> bool {
        self.open.get_mut(number).is_none_or(|open| open.outcome.is_some())
    }

    /// Hears lines as the reactor tells of them. Whatever comes behind the answer to this question is left to those
    /// who wait for it, or is found before the next question.
    fn poll_output(&mut self, cx: &mut Context<'_>, number: u64) {
        while let Some(Process { pipes, .. }) = &mut self.process {
            match pipes.poll_output(cx, &mut self.ticker) {
                PipeRead::Nothing => return,
                PipeRead::Something => self.hear_lines(),
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

    /// One read without asking the reactor; whether there may be more.
    fn hear_once(&mut self) -> bool {
        let Some(Process { pipes, .. }) = &mut self.process else { return false };
        match pipes.read_output() {
            PipeRead::Nothing => false,
            PipeRead::Something => {
                self.hear_lines();
                true
            }
            PipeRead::End => {
                self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdout));
                false
            }
        }
    }

    /// Hears what is there without asking the reactor, which may not have heard of it yet.
    fn hear_available(&mut self) {
        while self.hear_once() {}
    }

    /// Takes whole lines into account, and bounds what is none yet.
    fn hear_lines(&mut self) {
        while let Some(line) = self.process.as_mut().and_then(|process| process.pipes.next_line()) {
            self.hear(&line);
        }
        if self.retiring && !self.is_busy() {
            return self.end();
        }
        let keep = self.keep();
        let half = self.process.as_ref().map_or(0, |process| process.pipes.half_line().len());
        if half > keep.saturating_mul(2).saturating_add(AROUND_OUTPUT) {
            self.fail(WorkerFailure::TooLong, Charge::Oldest, Vec::new());
        }
    }

    /// How much of an answer is kept: enough for whoever wants most.
    fn keep(&self) -> usize {
        self.open.unanswered().map(|open| open.keep).max().unwrap_or_default()
    }

    /// Takes one line into account.
    fn hear(&mut self, line: &[u8]) {
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
                // It answered twice. Nobody waits for that, so that it is nobody's failure.
                Owner::Past => return self.abandon_others(),
                Owner::Nobody => (WorkerFailure::UnknownQuestion, Charge::Oldest),
            },
            Line::Malformed(id, fault) => match self.open.owner(&id) {
                Owner::Open(number) => (WorkerFailure::Malformed(fault), Charge::Question(number)),
                Owner::Past | Owner::Nobody => (WorkerFailure::UnknownQuestion, Charge::Oldest),
            },
            Line::Ready(_) | Line::Stray => (WorkerFailure::StrayLine, Charge::Oldest),
        };
        self.fail(why, charge, line.to_vec());
    }

    /// The process has ended by itself. What it said before counts.
    fn process_ended(&mut self, peek: &Peek) {
        self.hear_available();
        let why = match peek {
            Peek::Ended(Exit::Code(code)) => WorkerFailure::Exited { code: *code },
            Peek::Ended(Exit::Signal(signal)) => WorkerFailure::Signal { signal: *signal },
            _ => WorkerFailure::Ended,
        };
        self.fail(why, Charge::Oldest, Vec::new());
    }

    /// A question was not answered in time.
    fn time_out(&mut self, number: u64) {
        let stderr = self.process.as_mut().map(|process| process.pipes.last_words()).unwrap_or_default();
        self.open.settle(number, Outcome::TimedOut(stderr));
        self.abandon_others();
    }

    /// Ends the process because of what it did. One question pays for it.
    fn fail(&mut self, why: WorkerFailure, charge: Charge, mut stray: Vec<u8>) {
        let Some(Process { pipes, .. }) = &mut self.process else { return };
        if !stray.is_empty() {
            // What came along may tell more than the line itself.
            stray.truncate(AROUND_OUTPUT);
            stray.push(b'\n');
            let rest = pipes.half_line();
            stray.extend_from_slice(rest.get(..AROUND_OUTPUT).unwrap_or(rest));
        }
        let stderr = pipes.last_words();
        // A process that has answered before and has not read a byte of a question failed at something else.
        let read = pipes.read_by_process();
        let answered_before = self.answered > 0;
        let heard = |begins_at: Option<u64>| !answered_before || begins_at.is_some_and(|at| read > at);
        let charged = match charge {
            Charge::Question(number) => Some(number),
            Charge::Oldest => {
                self.open.unanswered().next().filter(|open| heard(open.begins_at)).map(|open| open.number)
            }
        };
        if let Some(number) = charged {
            self.open.settle(number, Outcome::Failed(Failure { why, stray, stderr }));
        }
        self.abandon_others();
    }

    /// Ends the process; whoever waits may ask another one.
    fn abandon_others(&mut self) {
        let waiting: Vec<u64> = self.open.unanswered().map(|open| open.number).collect();
        for number in waiting {
            self.open.settle(number, Outcome::AskAgain);
        }
        self.end();
    }

    /// Ends the process group: `SIGTERM`, a grace, `SIGKILL`.
    fn end(&mut self) {
        if let Some(Process { group, pipes }) = self.process.take() {
            self.turns.allow(1);
            group.terminate(pipes.into_outputs());
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.end();
    }
}
