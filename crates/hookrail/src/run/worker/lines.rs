//! The conversation with a worker that answers line by line: one task owns its pipes and the questions that are open.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep_until;

use super::answer::{Line, read_line};
use super::kept::{InUse, KeptProcess, Turns};
use crate::run::environment::EnvironmentVariable;
use crate::run::payload::Payload;
use crate::run::process::{Finished, ProcessGroup, output_pipe};
use crate::run::unix::{self, ChildState};
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// While an answer is waited for, the process itself is looked at this often, because its pipes do not show everything.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// The same while a stream is closed: most often the process is about to end, and its exit says more.
const LOOK_AFTER_CLOSED: Duration = Duration::from_millis(2);
/// How many bytes of a line may be something else than the output in it.
const MAX_LINE_OVERHEAD: usize = 64 * 1024;
/// How much of stderr is kept: its end, which is closest to the failure.
const KEPT_ERRORS: usize = 16 * 1024;
/// How often stderr is read at the end of a worker, which may not stop writing.
const LAST_READS: usize = 16;

/// Where the task of a process takes its questions.
pub(super) type Questions = mpsc::UnboundedSender<Asked>;

/// A question, and the caller who waits for its outcome.
#[derive(Debug)]
pub(super) struct Asked {
    /// What a hook would have found on its stdin.
    pub(super) payload: Payload,
    /// Variables that a new process would have had and this one does not.
    pub(super) variables: Vec<EnvironmentVariable>,
    pub(super) timeout: Duration,
    /// How much of it is left; the request names it.
    pub(super) left: Duration,
    /// When there has to be an answer.
    pub(super) deadline: Instant,
    /// How much is kept of each stream.
    pub(super) keep: usize,
    pub(super) caller: oneshot::Sender<Outcome>,
}

/// The outcome of a question.
#[derive(Debug)]
pub(super) enum Outcome {
    /// An answer; or that there was none, by the deadline or because the worker failed, and was ended.
    Settled(Finished),
    /// The worker had ended before it could be asked.
    NotAsked,
    /// The worker ended for another reason than this question, which may be asked once more.
    Ended,
}

/// Asks, and waits for the outcome. Dropping the future gives the question up.
pub(super) async fn ask(
    process: &Arc<KeptProcess>,
    questions: &Questions,
    question: impl FnOnce(oneshot::Sender<Outcome>) -> Asked,
) -> Outcome {
    let (caller, mut outcome) = oneshot::channel();
    let mut asking = Asking { place: process.enter(), has_outcome: false };
    let _ = questions.send(question(caller));
    let outcome = tokio::select! {
        biased;
        outcome = &mut outcome => outcome.ok(),
        // The task has ended. A question that came at that moment stays in the channel, which is open for as long as it is
        // waited for here.
        () = questions.closed() => outcome.try_recv().ok(),
    };
    asking.has_outcome = true;
    outcome.unwrap_or(Outcome::Ended)
}

/// A question that was asked. Dropping it gives the question up if it has no outcome yet.
struct Asking {
    place: InUse,
    has_outcome: bool,
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.has_outcome {
            self.place.give_up();
        }
    }
}

/// Our ends of a worker's streams.
#[derive(Debug)]
pub(super) struct LinePipes {
    stdin: pipe::Sender,
    /// `None` once it is closed.
    stdout: Option<pipe::Receiver>,
    stderr: Option<pipe::Receiver>,
    /// Copies of both outputs.
    outputs: Vec<OwnedFd>,
}

impl LinePipes {
    /// Opens the streams of a process: its ends and ours.
    pub(super) fn open() -> io::Result<([OwnedFd; 3], Self)> {
        let (child_stdin, stdin) = io::pipe()?;
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let (stdout, child_stdout) = output_pipe()?;
        let (stderr, child_stderr) = output_pipe()?;
        let pipes = Self {
            outputs: vec![stdout.try_clone()?.into(), stderr.try_clone()?.into()],
            stdin: pipe::Sender::from_owned_fd_unchecked(stdin.into())?,
            stdout: Some(pipe::Receiver::from_owned_fd_unchecked(stdout.into())?),
            stderr: Some(pipe::Receiver::from_owned_fd_unchecked(stderr.into())?),
        };
        Ok(([child_stdin.into(), child_stdout, child_stderr], pipes))
    }
}

/// Starts the task of a process that was just started. It ends with the process, with its runtime, and when nobody can ask
/// any more; each of the three ends the others.
pub(super) fn serve(
    group: ProcessGroup,
    mut pipes: LinePipes,
    turns: &Arc<Turns>,
) -> (Arc<KeptProcess>, Questions) {
    let process = KeptProcess::new(group, std::mem::take(&mut pipes.outputs), turns);
    process.allow(1);
    let (questions, asked) = mpsc::unbounded_channel();
    let conversation = Conversation {
        process: Arc::clone(&process),
        pipes,
        unread: Unread::default(),
        errors: Vec::new(),
        prefix: format!("{:08x}x", RandomState::new().hash_one(0) >> 32),
        asked: 0,
        answered: 0,
        unsent: Vec::new(),
        written: 0,
        sent: 0,
        open: VecDeque::new(),
        past_first_line: false,
        closed: None,
    };
    tokio::spawn(conversation.hold(asked));
    (process, questions)
}

/// What the task of a process knows.
#[derive(Debug)]
struct Conversation {
    process: Arc<KeptProcess>,
    pipes: LinePipes,
    unread: Unread,
    /// The end of what the process wrote to stderr.
    errors: Vec<u8>,
    /// The beginning of all ids. It cannot be guessed, so that no worker can answer before it is asked.
    prefix: String,
    /// How many questions there were; the last one has this number.
    asked: u64,
    answered: u64,
    /// What is to be written, how far that has come, and how many bytes were written in all.
    unsent: Vec<u8>,
    written: usize,
    sent: u64,
    /// The questions without an outcome, in the order in which they are asked.
    open: VecDeque<OpenQuestion>,
    past_first_line: bool,
    /// Since when a stream is closed.
    closed: Option<(Instant, WorkerFailure)>,
}

#[derive(Debug)]
struct OpenQuestion {
    number: u64,
    /// Where its line begins and ends in all that is written to the process.
    line: Range<u64>,
    asked: Asked,
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

impl Conversation {
    async fn hold(mut self, mut questions: mpsc::UnboundedReceiver<Asked>) {
        let mut look_at = None;
        while self.process.id().is_some() {
            // What happens in between does not put a look off.
            look_at = self.next_look().map(|next| look_at.map_or(next, |at: Instant| at.min(next)));
            let alarm = look_at.unwrap_or_else(Instant::now);
            let unsent = self.unsent.get(self.written..).unwrap_or_default();
            // The alarm comes before the pipes: whatever is written without an end does not put it off.
            tokio::select! {
                biased;
                question = questions.recv() => match question {
                    Some(question) => self.enter(question),
                    None => return,
                },
                () = sleep_until(alarm.into()), if look_at.is_some() => {
                    look_at = None;
                    self.look();
                }
                // Before the first question nobody could be told how the process failed.
                read = next_bytes(&mut self.pipes.stdout, &mut self.unread.bytes), if self.asked > 0 => {
                    self.note_output(read.ok());
                    if self.open.is_empty() && self.closed.is_some() {
                        return;
                    }
                }
                // An idle process may fill the pipe. To read what it writes without an end would keep this one busy.
                read = next_bytes(&mut self.pipes.stderr, &mut self.errors), if !self.open.is_empty() => {
                    self.note_errors(read);
                }
                written = self.pipes.stdin.write(unsent), if !unsent.is_empty() && self.closed.is_none() => {
                    self.note_written(written.ok());
                }
            }
        }
    }

    /// When to look at the process itself at the latest, if anybody waits for it.
    fn next_look(&self) -> Option<Instant> {
        let deadline = self.awaited().map(|open| open.asked.deadline).min()?;
        let pause = if self.closed.is_some() { LOOK_AFTER_CLOSED } else { LOOK_AFTER };
        Some(deadline.min(Instant::now() + pause))
    }

    /// The questions whose callers are still there.
    fn awaited(&self) -> impl Iterator<Item = &OpenQuestion> {
        self.open.iter().filter(|open| !open.asked.caller.is_closed())
    }

    /// Adds a question behind the others. A process that closed a stream or wrote something while no question was open is
    /// ended instead.
    fn enter(&mut self, question: Asked) {
        if self.asked > 0 {
            let (is_stdin_closed, has_output) = self.glance();
            if has_output {
                self.read_available();
            }
            let has_news = is_stdin_closed || self.closed.is_some() || !self.unread.bytes.is_empty();
            if self.open.is_empty() && has_news {
                self.process.end();
            }
            if self.process.id().is_none() {
                let _ = question.caller.send(Outcome::NotAsked);
                return;
            }
        }
        self.asked += 1;
        let number = self.asked;
        let line = request_line(&format!("{}{number}", self.prefix), &question);
        let begin = self.sent + (self.unsent.len() - self.written) as u64;
        let end = begin + line.len() as u64;
        if self.unsent.is_empty() {
            self.unsent = line;
        } else {
            self.unsent.extend(line);
        }
        self.open.push_back(OpenQuestion { number, line: begin..end, asked: question });
    }

    /// Whether the process has closed its stdin, and whether it has written something. Does not wait.
    fn glance(&self) -> (bool, bool) {
        let Some(stdout) = &self.pipes.stdout else { return (false, false) };
        let mut seen =
            [PollFd::new(&self.pipes.stdin, PollFlags::empty()), PollFd::new(stdout, PollFlags::IN)];
        if poll(&mut seen, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_err() {
            return (false, true);
        }
        let [stdin, stdout] = seen;
        (!stdin.revents().is_empty(), !stdout.revents().is_empty())
    }

    /// Counts what was written of the questions.
    fn note_written(&mut self, written: Option<usize>) {
        let Some(count) = written else { return self.note_closed(WorkerFailure::ClosedStdin) };
        self.sent += count as u64;
        self.written += count;
        if self.written == self.unsent.len() {
            (self.unsent, self.written) = (Vec::new(), 0);
        }
    }

    fn note_closed(&mut self, why: WorkerFailure) {
        self.closed.get_or_insert((Instant::now(), why));
    }

    /// Reads what there is, whether or not the reactor has reported it.
    fn read_available(&mut self) {
        while let Some(stdout) = &self.pipes.stdout {
            match unix::read_more(stdout, &mut self.unread.bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                read => self.note_output(read.ok()),
            }
        }
    }

    /// Handles what was read of stdout.
    fn note_output(&mut self, read: Option<usize>) {
        if let Some(1..) = read {
            self.handle_lines();
        } else {
            self.pipes.stdout = None;
            self.note_closed(WorkerFailure::ClosedStdout);
        }
    }

    /// Keeps the end of what was read of stderr. Returns whether there may be more.
    fn note_errors(&mut self, read: io::Result<usize>) -> bool {
        let surplus = self.errors.len().saturating_sub(KEPT_ERRORS);
        self.errors.drain(..surplus);
        match read {
            Ok(1..) => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => self.pipes.stderr = None,
        }
        false
    }

    /// The end of what the process has written to stderr so far.
    fn last_errors(&mut self) -> Vec<u8> {
        for _ in 0..LAST_READS {
            let Some(stderr) = &self.pipes.stderr else { break };
            let read = unix::read_more(stderr, &mut self.errors);
            if !self.note_errors(read) {
                break;
            }
        }
        self.errors.clone()
    }

    /// Looks at the process itself, at a deadline or after a while.
    fn look(&mut self) {
        self.read_available();
        let ended = match self.process.peek() {
            None => return,
            Some(ChildState::Running) => None,
            Some(ChildState::Ended(Exit::Code(code))) => Some(WorkerFailure::Exited { code }),
            Some(ChildState::Ended(Exit::Signal(signal))) => Some(WorkerFailure::Signal { signal }),
            Some(_) => Some(WorkerFailure::Ended),
        };
        if let Some(why) = ended {
            // What it wrote before its end counts.
            self.read_available();
            return self.fail(why, None, Vec::new());
        }
        let now = Instant::now();
        if self.awaited().any(|open| open.asked.deadline <= now) {
            return self.time_out(now);
        }
        match &self.closed {
            Some((since, why)) if now >= *since + LOOK_AFTER => self.fail(why.clone(), None, Vec::new()),
            None if self.glance().0 => self.note_closed(WorkerFailure::ClosedStdin),
            _ => {}
        }
    }

    /// Handles whole lines, and bounds the length of an unfinished one.
    fn handle_lines(&mut self) {
        while let Some(line) = self.unread.next_line() {
            self.handle_line(&line);
        }
        if self.unread.bytes.len() > self.keep().saturating_mul(2).saturating_add(MAX_LINE_OVERHEAD) {
            self.fail(WorkerFailure::TooLong, None, Vec::new());
        }
    }

    /// How much of an answer is kept: the largest bound of the open questions.
    fn keep(&self) -> usize {
        self.open.iter().map(|open| open.asked.keep).max().unwrap_or_default()
    }

    fn handle_line(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.past_first_line, true);
        let (why, charged) = match read_line(line, self.keep()) {
            Line::Ready(at_once) if is_first => return self.process.allow(at_once),
            Line::Answer(id, answer) => match (self.owner(&id), answer) {
                (Owner::Open(number), Ok(answer)) => {
                    self.answered += 1;
                    return self.settle(number, answer);
                }
                (Owner::Open(number), Err(fault)) => (WorkerFailure::Malformed(fault), Some(number)),
                // A second answer. No caller waits for it, so no question fails.
                (Owner::Past, Ok(_)) => return self.end(),
                _ => (WorkerFailure::UnknownQuestion, None),
            },
            Line::Ready(_) | Line::NoAnswer => (WorkerFailure::StrayLine, None),
        };
        self.fail(why, charged, line.to_vec());
    }

    /// Finds the question of an id.
    fn owner(&self, id: &str) -> Owner {
        let number = id.strip_prefix(&self.prefix).and_then(|number| number.parse::<u64>().ok());
        let Some(number) = number.filter(|number| (1..=self.asked).contains(number)) else {
            return Owner::Unknown;
        };
        match self.open.iter().find(|open| open.number == number) {
            Some(open) if open.line.end <= self.sent => Owner::Open(number),
            Some(_) => Owner::Unknown,
            None => Owner::Past,
        }
    }

    /// Gives a question its outcome.
    fn settle(&mut self, number: u64, outcome: Finished) {
        let at = self.open.iter().position(|open| open.number == number);
        if let Some(open) = at.and_then(|at| self.open.remove(at)) {
            let _ = open.asked.caller.send(Outcome::Settled(outcome));
        }
    }

    /// Settles the questions that were not answered in time, and ends the process.
    fn time_out(&mut self, now: Instant) {
        let stderr = self.last_errors();
        for open in self.open.drain(..).filter(|open| open.asked.deadline <= now) {
            let exit = Exit::TimedOut(open.asked.timeout);
            let outcome = Finished::new(exit, Vec::new(), stderr.clone());
            let _ = open.asked.caller.send(Outcome::Settled(outcome));
        }
        self.end();
    }

    /// Ends the process because of what it did. At most one question fails, this one or the oldest; the others are asked once
    /// more.
    fn fail(&mut self, why: WorkerFailure, charged: Option<u64>, mut unexpected_output: Vec<u8>) {
        if !unexpected_output.is_empty() {
            // What follows the line may say more than the line itself.
            unexpected_output.truncate(MAX_LINE_OVERHEAD);
            unexpected_output.push(b'\n');
            unexpected_output.extend(self.unread.bytes.iter().take(MAX_LINE_OVERHEAD));
        }
        let stderr = self.last_errors();
        // A process that has answered before and has not read a byte of a question failed at something else.
        let unread = rustix::io::ioctl_fionread(&self.pipes.stdin).unwrap_or_default();
        let read = self.sent.saturating_sub(unread);
        let was_read = |open: &&OpenQuestion| self.answered == 0 || read > open.line.start;
        let oldest = self.open.front().filter(was_read).map(|open| open.number);
        if let Some(number) = charged.or(oldest) {
            self.settle(number, Finished::new(Exit::NoAnswer(why), unexpected_output, stderr));
        }
        self.end();
    }

    /// Ends the process, and reads no more of it. Callers that wait may ask another one.
    fn end(&mut self) {
        self.open.clear();
        self.pipes.stdout = None;
        self.unread = Unread::default();
        self.process.end();
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.end();
        self.process.allow(1);
    }
}

/// Reads what comes next; waits for ever at the end of the stream.
async fn next_bytes(pipe: &mut Option<pipe::Receiver>, bytes: &mut Vec<u8>) -> io::Result<usize> {
    match pipe {
        Some(pipe) => {
            bytes.reserve(unix::PIPE);
            pipe.read_buf(bytes).await
        }
        None => std::future::pending().await,
    }
}

/// Bytes on their way to becoming lines.
#[derive(Debug, Default)]
struct Unread {
    bytes: Vec<u8>,
    /// Up to where there is no line feed.
    scanned: usize,
}

impl Unread {
    /// Takes the next whole line, without its line feed.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        let Some(length) = memchr::memchr(b'\n', self.bytes.get(self.scanned..)?) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(self.scanned + length + 1);
        let mut line = std::mem::replace(&mut self.bytes, rest);
        line.pop();
        self.scanned = 0;
        Some(line)
    }
}

/// The line `{"id":…,"input":…,"timeoutMs":…}`, with `env` where variables come with it.
fn request_line(id: &str, question: &Asked) -> Vec<u8> {
    let Asked { payload, variables, left, .. } = question;
    let head = format!("{{\"id\":\"{id}\",\"input\":");
    let env = if variables.is_empty() {
        String::new()
    } else {
        let text = |(name, value): &EnvironmentVariable| {
            (name.to_string_lossy().into_owned(), Value::from(value.to_string_lossy()))
        };
        format!(",\"env\":{}", Value::Object(variables.iter().map(text).collect()))
    };
    let tail = format!(",\"timeoutMs\":{}{env}}}\n", left.as_millis());
    [head.as_bytes(), payload.as_bytes(), tail.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::fixtures::hook;
    use crate::run::command::CommandPreparer;
    use crate::run::inherited_environment;
    use crate::run::process::start;
    use crate::run::reaper::Reaper;
    use crate::settings::Redaction;

    const LONG: Duration = Duration::from_mins(2);

    fn question(caller: oneshot::Sender<Outcome>) -> Asked {
        let payload = Payload::new(&json!({})).unwrap();
        let (variables, deadline) = (Vec::new(), Instant::now() + LONG);
        Asked { payload, variables, timeout: LONG, left: LONG, deadline, keep: 1_000, caller }
    }

    /// A process of this command, and our ends of its streams.
    async fn process(reaper: &Reaper, command: &str) -> (ProcessGroup, LinePipes) {
        let preparer = CommandPreparer::new(inherited_environment(), &Redaction::default(), true);
        let command = preparer.prepare(&hook(command), &std::env::temp_dir());
        start(&command, reaper, LONG, &|| LONG, LinePipes::open).await.unwrap()
    }

    #[tokio::test]
    async fn a_process_that_ends_before_it_is_asked_says_how() {
        let reaper = Reaper::new();
        let (group, pipes) = process(&reaper, "echo why >&2; exit 3").await;
        let turns = Arc::new(Turns::new(1));
        let (process, questions) = serve(group, pipes, &turns);
        while process.peek() == Some(ChildState::Running) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let outcome = ask(&process, &questions, question).await;
        let Outcome::Settled(finished) = outcome else { panic!("it is not asked again: {outcome:?}") };
        assert_eq!(finished.exit, Exit::NoAnswer(WorkerFailure::Exited { code: 3 }));
        assert_eq!(finished.stderr.bytes, b"why\n");
        reaper.drain().await;
    }

    /// Whoever sends while the other end is dropped may find the channel open, and send nowhere.
    #[tokio::test]
    async fn a_question_that_its_task_never_sees_is_not_waited_for() {
        let reaper = Reaper::new();
        let (group, _pipes) = process(&reaper, "sleep 600").await;
        let process = KeptProcess::new(group, Vec::new(), &Arc::new(Turns::new(1)));
        let (questions, mut asked) = mpsc::unbounded_channel();
        let waiting = ask(&process, &questions, question);
        let ending = async { asked.close() };
        let (outcome, ()) =
            tokio::time::timeout(LONG, async { tokio::join!(waiting, ending) }).await.unwrap();
        assert!(matches!(outcome, Outcome::Ended), "{outcome:?}");
        drop(process);
        reaper.drain().await;
    }

    #[test]
    fn a_request_is_one_line_whatever_the_size() {
        for length in [0, 1, 70_000, 3_000_000] {
            let input = json!({ "text": "x\n".repeat(length / 2) });
            let question = Asked {
                payload: Payload::new(&input).unwrap(),
                left: Duration::from_millis(1500),
                ..question(oneshot::channel().0)
            };
            let line = request_line("a7", &question);
            assert_eq!(memchr::memchr(b'\n', &line), Some(line.len() - 1), "one line, ended");
            let read: Value = serde_json::from_slice(&line).unwrap();
            assert!(read == json!({ "id": "a7", "input": input, "timeoutMs": 1500 }));
        }
    }

    #[test]
    fn lines_are_found_whatever_the_pieces() {
        let long = "x".repeat(300_000);
        let text = format!("a\n\nbc\n{long}\nend");
        for piece in [1, 2, 7, 65_536, text.len()] {
            let mut unread = Unread::default();
            let mut lines = Vec::new();
            for chunk in text.as_bytes().chunks(piece) {
                unread.bytes.extend_from_slice(chunk);
                while let Some(line) = unread.next_line() {
                    lines.push(String::from_utf8(line).unwrap());
                }
            }
            assert!(lines == ["a", "", "bc", &long], "pieces of {piece}");
            assert_eq!(unread.bytes, b"end");
        }
    }
}
