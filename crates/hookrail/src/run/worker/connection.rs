//! The connection to one worker process: questions in, answers out.
//!
//! No task of its own drives it: a task ends with its runtime, and a worker outlives runtimes and serves several. Every
//! caller that waits for an answer writes and reads for all of them, and gets its own outcome by a channel.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::sleep_until;

use super::answer::{Line, WorkerAnswer, read_line};
use super::line_worker::Turns;
use super::pipes::{Received, RequestLine, Unread, WatchedPipes, WorkerPipes, readable, receive, writable};
use crate::run::environment::EnvironmentVariable;
use crate::run::payload::Payload;
use crate::run::process::ProcessGroup;
use crate::run::unix::{ChildState, lock};
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// While an answer is waited for, the process itself is looked at this often, because its pipes do not show everything.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// The same while a stream is closed: most often the process is about to end, and its exit says more. …
const LOOK_AFTER_CLOSED: Duration = Duration::from_millis(2);
/// … And where the reactor does not watch the pipes, for want of descriptors.
const LOOK_UNWATCHED: Duration = Duration::from_millis(5);
/// How many bytes of a line may be something else than the output in it.
const MAX_LINE_OVERHEAD: usize = 64 * 1024;
/// How much of stderr is kept: its end, which is closest to the failure.
const KEPT_ERRORS: usize = 16 * 1024;
/// How often a stream is read before other tasks have their turn.
const READS_PER_TURN: usize = 16;

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
    Failed {
        why: WorkerFailure,
        /// What it wrote instead of an answer.
        unexpected_output: Vec<u8>,
        stderr: Vec<u8>,
    },
    /// There was no answer by the deadline, and the worker was ended. What it wrote to stderr.
    TimedOut(Vec<u8>),
    /// The worker ended for another reason than this question, which may be asked once more.
    Retry,
}

/// The payload and the limits of one question.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuestionLimits<'p> {
    /// What a hook would have found on its stdin.
    pub(super) payload: &'p Payload,
    /// Variables that a new process would have had and this one does not.
    pub(super) variables: &'p [&'p EnvironmentVariable],
    /// The timeout that the request names.
    pub(super) timeout: Duration,
    /// When there has to be an answer.
    pub(super) deadline: Instant,
    /// How much is kept of each stream.
    pub(super) keep: usize,
}

/// What a caller has to wait for.
#[derive(Debug, Clone, Copy)]
struct Waits {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    /// When to look at the process itself at the latest, from now.
    look_within: Duration,
}

impl WorkerConnection {
    /// The connection to a process that was just started. The concurrency that it announces is given to the queue.
    pub(super) fn new(group: ProcessGroup, pipes: WorkerPipes, turns: Arc<Turns>) -> Self {
        let process =
            Process { group, pipes, sent: 0, unread: Unread::default(), errors: Vec::new(), watched: None };
        Self {
            state: Mutex::new(ConnectionState {
                process: Some(process),
                prefix: format!("{:08x}x", RandomState::new().hash_one(0) >> 32),
                next: 1,
                open: VecDeque::new(),
                turns,
                answered: 0,
                past_first_line: false,
                retiring: false,
                closed: None,
            }),
        }
    }

    /// Whether the process can be asked. One that ended, closed a stream or wrote something while no question was open is
    /// ended here.
    pub(super) fn is_usable(&self) -> bool {
        lock(&self.state).is_usable()
    }

    /// Whether a question is unanswered, even if its caller has left.
    pub(super) fn is_busy(&self) -> bool {
        !lock(&self.state).open.is_empty()
    }

    /// The id of the process, while it runs.
    pub(super) fn process_id(&self) -> Option<i32> {
        lock(&self.state).process.as_ref().map(|process| process.group.leader.as_raw_pid())
    }

    /// Takes no new questions: the process ends as soon as the open ones are answered.
    pub(super) fn retire(&self) {
        let mut state = lock(&self.state);
        state.retiring = true;
        if state.open.is_empty() {
            state.end();
        }
    }

    /// Asks, and waits for the answer until the deadline. Dropping the future gives the question up.
    pub(super) async fn exchange(&self, limits: QuestionLimits<'_>) -> Outcome {
        let QuestionLimits { deadline, .. } = limits;
        let (number, mut outcome, watched) = {
            let mut state = lock(&self.state);
            let (number, outcome) = state.enter(limits);
            (number, outcome, state.watched())
        };
        let _exchange = Exchange { connection: self, number };
        let watched = watched.as_deref();
        let (stdin, stdout, stderr) =
            (watched.map(|all| &all.stdin), watched.map(|all| &all.stdout), watched.map(|all| &all.stderr));
        let mut look_at = deadline;
        loop {
            let waits = lock(&self.state).progress(watched);
            let within =
                if watched.is_some() { waits.look_within } else { waits.look_within.min(LOOK_UNWATCHED) };
            look_at = look_at.min(Instant::now() + within);
            tokio::select! {
                biased;
                outcome = &mut outcome => return outcome.unwrap_or(Outcome::Retry),
                () = readable(stdout), if waits.stdout => {}
                () = readable(stderr), if waits.stderr => {}
                () = writable(stdin), if waits.stdin => {}
                // The alarm may be late: what the worker wrote in the meantime counts.
                () = sleep_until(look_at.into()) => look_at = lock(&self.state).look(deadline, number),
            }
        }
    }
}

/// A question that was asked. Dropping it gives the question up if it has no outcome yet.
struct Exchange<'c> {
    connection: &'c WorkerConnection,
    number: u64,
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        lock(&self.connection.state).give_up(self.number);
    }
}

/// One process and the questions that wait for its answers.
#[derive(Debug)]
struct ConnectionState {
    /// `None` once the process was ended.
    process: Option<Process>,
    /// The beginning of all ids. It cannot be guessed, so that no worker can answer before it is asked.
    prefix: String,
    /// The number of the next question.
    next: u64,
    /// The questions without an outcome, in the order in which they are asked.
    open: VecDeque<OpenQuestion>,
    turns: Arc<Turns>,
    /// How many questions were answered.
    answered: u64,
    past_first_line: bool,
    /// The process takes no new questions and ends when the open ones are answered.
    retiring: bool,
    /// Since when a stream is closed.
    closed: Option<(Instant, WorkerFailure)>,
}

#[derive(Debug)]
struct Process {
    group: ProcessGroup,
    pipes: WorkerPipes,
    /// How many bytes were written to it.
    sent: u64,
    unread: Unread,
    /// The end of what it wrote to stderr.
    errors: Vec<u8>,
    /// For the runtime of the last caller.
    watched: Option<Arc<WatchedPipes>>,
}

#[derive(Debug)]
struct OpenQuestion {
    number: u64,
    /// What is still to be written.
    line: Option<RequestLine>,
    /// How many bytes the process had been sent when this question began.
    begins_at: Option<u64>,
    keep: usize,
    caller: oneshot::Sender<Outcome>,
    /// The caller has left.
    given_up: bool,
}

/// The question that an id belongs to.
enum Owner {
    /// This question is open, and was sent as a whole.
    Open(u64),
    /// A question that was answered before.
    Past,
    /// No question that was sent as a whole.
    Unknown,
}

impl ConnectionState {
    fn is_usable(&mut self) -> bool {
        let Some(process) = self.process.as_ref().filter(|_| !self.retiring) else { return false };
        let (input_closed, has_output) = process.pipes.glance();
        if has_output {
            self.read_available();
        }
        let has_half_line = self.process.as_ref().is_some_and(|process| !process.unread.bytes.is_empty());
        if self.open.is_empty() && (input_closed || self.closed.is_some() || has_half_line) {
            self.end();
        }
        self.process.is_some()
    }

    /// The streams as the reactor of this runtime watches them.
    fn watched(&mut self) -> Option<Arc<WatchedPipes>> {
        let process = self.process.as_mut()?;
        let now = Handle::try_current().ok()?.id();
        if process.watched.as_ref().is_none_or(|watched| watched.runtime != now) {
            process.watched = WatchedPipes::register(&process.pipes).map(Arc::new);
        }
        process.watched.clone()
    }

    /// Adds a question behind the others, and writes what the pipe takes of it.
    fn enter(&mut self, limits: QuestionLimits<'_>) -> (u64, oneshot::Receiver<Outcome>) {
        let (caller, outcome) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        if self.process.is_none() {
            // It ended a moment ago.
            let _ = caller.send(Outcome::Retry);
            return (number, outcome);
        }
        let line = RequestLine::new(
            &format!("{}{number}", self.prefix),
            limits.payload,
            limits.variables,
            limits.timeout,
        );
        let (line, keep) = (Some(line), limits.keep);
        self.open.push_back(OpenQuestion { number, line, begins_at: None, keep, caller, given_up: false });
        self.write(None);
        (number, outcome)
    }

    /// Gives a question up whose caller has left. A process that works on it is killed like any hook that is given up,
    /// unless other callers wait for the process too: then it gets no new questions, and its answer is dropped.
    fn give_up(&mut self, number: u64) {
        let Some(at) = self.open.iter().position(|open| open.number == number) else { return };
        if let Some(open) = self.open.get_mut(at) {
            open.given_up = true;
            if open.begins_at.is_none() {
                self.open.remove(at);
                return;
            }
        }
        self.retiring = true;
        self.turns.allow(1);
        if self.open.iter().all(|open| open.given_up) {
            // Its group is killed as it is dropped.
            self.process = None;
        }
    }

    /// Writes and reads as far as possible without waiting. With `watched`, only what the reactor has reported, so that
    /// nothing it reports later is missed.
    fn progress(&mut self, watched: Option<&WatchedPipes>) -> Waits {
        self.write(watched);
        for _ in 0..READS_PER_TURN {
            if !self.read_once(watched) {
                break;
            }
        }
        if let Some(process) = &mut self.process {
            process.read_errors(watched);
        }
        let pipes = self.process.as_ref().map(|process| &process.pipes);
        Waits {
            stdin: self.closed.is_none() && self.open.iter().any(|open| open.line.is_some()),
            stdout: pipes.is_some_and(|pipes| pipes.stdout.is_some()),
            stderr: pipes.is_some_and(|pipes| pipes.stderr.is_some()),
            look_within: if self.closed.is_some() { LOOK_AFTER_CLOSED } else { LOOK_AFTER },
        }
    }

    /// Writes the questions as far as the pipe takes them.
    fn write(&mut self, watched: Option<&WatchedPipes>) {
        let Some(Process { pipes, sent, .. }) = &mut self.process else { return };
        for open in &mut self.open {
            while let Some(line) = &mut open.line {
                match line.send(&pipes.stdin, watched.map(|all| &all.stdin)) {
                    Ok(0) => open.line = None,
                    Ok(count) => {
                        open.begins_at.get_or_insert(*sent);
                        *sent += count as u64;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                    Err(_) => {
                        self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdin));
                        return;
                    }
                }
            }
        }
    }

    /// One read of stdout. Returns whether there may be more.
    fn read_once(&mut self, watched: Option<&WatchedPipes>) -> bool {
        let Some(Process { pipes, unread, .. }) = &mut self.process else { return false };
        let received = receive(&mut pipes.stdout, watched.map(|all| &all.stdout), &mut unread.bytes);
        match received {
            Received::Nothing => {}
            Received::End => {
                self.closed.get_or_insert((Instant::now(), WorkerFailure::ClosedStdout));
            }
            Received::Bytes => self.handle_lines(),
        }
        received == Received::Bytes
    }

    /// Reads what there is, whether or not the reactor has reported it.
    fn read_available(&mut self) {
        while self.read_once(None) {}
    }

    /// Looks at the process itself, at a deadline or after a while. Returns when to look again at the latest.
    fn look(&mut self, deadline: Instant, number: u64) -> Instant {
        self.read_available();
        let Some(process) = &self.process else { return deadline };
        match process.group.peek() {
            ChildState::Running => {}
            state => {
                let why = match state {
                    ChildState::Ended(Exit::Code(code)) => WorkerFailure::Exited { code },
                    ChildState::Ended(Exit::Signal(signal)) => WorkerFailure::Signal { signal },
                    _ => WorkerFailure::Ended,
                };
                // What it wrote before its end counts.
                self.read_available();
                self.fail(why, None, Vec::new());
            }
        }
        let Some(process) = &self.process else { return deadline };
        let (input_closed, _) = process.pipes.glance();
        let now = Instant::now();
        if now >= deadline {
            self.time_out(number);
        } else if let Some((since, why)) = self.closed.clone() {
            if now >= since + LOOK_AFTER {
                self.fail(why, None, Vec::new());
            }
        } else if input_closed {
            self.closed = Some((now, WorkerFailure::ClosedStdin));
        }
        deadline
    }

    /// Handles whole lines, and bounds the length of an unfinished one.
    fn handle_lines(&mut self) {
        while let Some(line) = self.process.as_mut().and_then(|process| process.unread.next_line()) {
            self.handle_line(&line);
        }
        if self.retiring && self.open.is_empty() {
            return self.end();
        }
        let half = self.process.as_ref().map_or(0, |process| process.unread.bytes.len());
        if half > self.keep().saturating_mul(2).saturating_add(MAX_LINE_OVERHEAD) {
            self.fail(WorkerFailure::TooLong, None, Vec::new());
        }
    }

    /// How much of an answer is kept: the largest bound of the open questions.
    fn keep(&self) -> usize {
        self.open.iter().map(|open| open.keep).max().unwrap_or_default()
    }

    fn handle_line(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.past_first_line, true);
        let (why, charged) = match read_line(line, self.keep()) {
            Line::Ready(at_once) if is_first => {
                if !self.retiring {
                    self.turns.allow(at_once);
                }
                return;
            }
            Line::Answer(id, answer) => match self.owner(&id) {
                Owner::Open(number) => {
                    self.answered += 1;
                    return self.settle(number, Outcome::Answered(answer));
                }
                // A second answer. No caller waits for it, so no question fails.
                Owner::Past => return self.abandon_others(),
                Owner::Unknown => (WorkerFailure::UnknownQuestion, None),
            },
            Line::Malformed(id, fault) => match self.owner(&id) {
                Owner::Open(number) => (WorkerFailure::Malformed(fault), Some(number)),
                Owner::Past | Owner::Unknown => (WorkerFailure::UnknownQuestion, None),
            },
            Line::Ready(_) | Line::NoAnswer => (WorkerFailure::StrayLine, None),
        };
        self.fail(why, charged, line.to_vec());
    }

    /// Finds the question of an id.
    fn owner(&self, id: &str) -> Owner {
        let number = id.strip_prefix(&self.prefix).and_then(|number| number.parse::<u64>().ok());
        let Some(number) = number.filter(|number| (1..self.next).contains(number)) else {
            return Owner::Unknown;
        };
        match self.open.iter().find(|open| open.number == number) {
            Some(open) if open.line.is_none() => Owner::Open(number),
            Some(_) => Owner::Unknown,
            None => Owner::Past,
        }
    }

    /// Gives a question its outcome.
    fn settle(&mut self, number: u64, outcome: Outcome) {
        let at = self.open.iter().position(|open| open.number == number);
        if let Some(open) = at.and_then(|at| self.open.remove(at)) {
            let _ = open.caller.send(outcome);
        }
    }

    /// Settles a question that was not answered in time, and ends the process.
    fn time_out(&mut self, number: u64) {
        let stderr = self.process.as_mut().map(Process::stderr_tail).unwrap_or_default();
        self.settle(number, Outcome::TimedOut(stderr));
        self.abandon_others();
    }

    /// Ends the process because of what it did. At most one question fails, this one or the oldest; the others are asked once
    /// more.
    fn fail(&mut self, why: WorkerFailure, charged: Option<u64>, mut unexpected_output: Vec<u8>) {
        let Some(process) = &mut self.process else { return };
        if !unexpected_output.is_empty() {
            // What follows the line may say more than the line itself.
            unexpected_output.truncate(MAX_LINE_OVERHEAD);
            unexpected_output.push(b'\n');
            unexpected_output.extend(process.unread.bytes.iter().take(MAX_LINE_OVERHEAD));
        }
        let stderr = process.stderr_tail();
        // A process that has answered before and has not read a byte of a question failed at something else.
        let unread = rustix::io::ioctl_fionread(&process.pipes.stdin).unwrap_or_default();
        let read = process.sent.saturating_sub(unread);
        let was_read =
            |open: &&OpenQuestion| self.answered == 0 || open.begins_at.is_some_and(|at| read > at);
        let oldest = || self.open.front().filter(was_read).map(|open| open.number);
        let charged = charged.or_else(oldest);
        if let Some(number) = charged {
            self.settle(number, Outcome::Failed { why, unexpected_output, stderr });
        }
        self.abandon_others();
    }

    /// Ends the process. Callers that wait may ask another process.
    fn abandon_others(&mut self) {
        for open in self.open.drain(..) {
            let _ = open.caller.send(Outcome::Retry);
        }
        self.end();
    }

    /// Ends the process group: `SIGTERM`, a grace, `SIGKILL`.
    fn end(&mut self) {
        if let Some(Process { group, pipes, .. }) = self.process.take() {
            self.turns.allow(1);
            group.terminate([pipes.stdout, pipes.stderr].into_iter().flatten().map(OwnedFd::from).collect());
        }
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        self.end();
    }
}

impl Process {
    /// Drains stderr, of which the end is kept.
    fn read_errors(&mut self, watched: Option<&WatchedPipes>) {
        let mut chunk = Vec::new();
        for _ in 0..READS_PER_TURN {
            chunk.clear();
            let watched = watched.map(|all| &all.stderr);
            if receive(&mut self.pipes.stderr, watched, &mut chunk) != Received::Bytes {
                return;
            }
            self.errors.append(&mut chunk);
            let surplus = self.errors.len().saturating_sub(KEPT_ERRORS);
            self.errors.drain(..surplus);
        }
    }

    /// The end of what the process has written to stderr so far.
    fn stderr_tail(&mut self) -> Vec<u8> {
        self.read_errors(None);
        self.errors.clone()
    }
}
