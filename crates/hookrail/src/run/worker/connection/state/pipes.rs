//! The streams of a worker process, and the descriptor that reports its end.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::runtime::{Handle, Id};

use crate::run::capture::READS_PER_TURN;
use crate::run::payload::{PIPE_CAPACITY, WIDE_PIPE};
use crate::run::unix::{self, ChildState, Pid};
use crate::run::watch::{Ticker, WatchedDescriptor};
use crate::run::worker::connection::open::{OpenQuestion, OpenQuestions};
use crate::run::worker::lines::{LineBuffer, StderrTail};

/// The streams of one process.
#[derive(Debug)]
pub(super) struct Pipes {
    leader: Pid,
    stdin: PipeWriter,
    /// A copy that is watched while the pipe is full.
    full: Option<WatchedDescriptor<PipeWriter>>,
    is_wide: bool,
    stdout: Option<WatchedDescriptor<PipeReader>>,
    stderr: Option<WatchedDescriptor<PipeReader>>,
    /// Becomes readable when the process ends; `None` where the system has no such descriptor.
    exit: Option<WatchedDescriptor<OwnedFd>>,
    /// The runtime whose reactor watches all these.
    runtime: Option<Id>,
    lines: LineBuffer,
    errors: StderrTail,
    /// How many bytes were written to stdin.
    sent: u64,
    /// Reads done in this turn.
    reads: usize,
}

/// The result of one read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PipeRead {
    Nothing,
    Something,
    End,
}

impl Pipes {
    /// The streams of a process that was just started. Nothing is watched yet.
    pub(super) fn new(leader: Pid, stdin: PipeWriter, stdout: PipeReader, stderr: PipeReader) -> Self {
        Self {
            leader,
            stdin,
            full: None,
            is_wide: false,
            stdout: Some(WatchedDescriptor::Unregistered(stdout)),
            stderr: Some(WatchedDescriptor::Unregistered(stderr)),
            exit: unix::exit_descriptor(leader).map(WatchedDescriptor::Unregistered),
            runtime: None,
            lines: LineBuffer::default(),
            errors: StderrTail::default(),
            sent: 0,
            reads: 0,
        }
    }

    /// Has everything watched by the reactor of the runtime that polls us, which may be another than last time.
    pub(super) fn register(&mut self) {
        self.reads = 0;
        let now = Handle::try_current().ok().map(|handle| handle.id());
        if now.is_none() || self.runtime == now {
            return;
        }
        self.runtime = now;
        self.full = None;
        let again = |pipe: WatchedDescriptor<PipeReader>| WatchedDescriptor::readable(pipe.into_inner());
        self.stdout = self.stdout.take().map(again);
        self.stderr = self.stderr.take().map(again);
        self.exit = self.exit.take().map(|watch| WatchedDescriptor::readable(watch.into_inner()));
    }

    /// Prepares for a payload of this size.
    pub(super) fn expect(&mut self, length: usize) {
        if length > PIPE_CAPACITY && !self.is_wide {
            unix::widen(&self.stdin, WIDE_PIPE);
            self.is_wide = true;
        }
    }

    /// Whether the process has closed its stdin, and whether it has written something. Does not wait.
    pub(super) fn glance(&self) -> (bool, bool) {
        let Some(stdout) = &self.stdout else { return (false, false) };
        let mut seen =
            [PollFd::new(&self.stdin, PollFlags::empty()), PollFd::new(stdout.get_ref(), PollFlags::IN)];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut seen, Some(&none)).is_err() {
            return (false, true);
        }
        let [stdin, stdout] = seen;
        (!stdin.revents().is_empty(), !stdout.revents().is_empty())
    }

    /// Sleeps until there is output; `false` if there is none after so long.
    pub(super) fn wait_for_output(&self, longest: Duration) -> bool {
        let Some(stdout) = &self.stdout else { return false };
        let mut seen = [PollFd::new(stdout.get_ref(), PollFlags::IN)];
        Timespec::try_from(longest).is_ok_and(|longest| matches!(poll(&mut seen, Some(&longest)), Ok(1..)))
    }

    /// Writes the questions as far as the pipe takes them. An error means that the other end is closed.
    pub(super) fn write(
        &mut self,
        questions: &mut OpenQuestions,
        cx: &mut Context<'_>,
        ticker: &mut Ticker,
    ) -> io::Result<()> {
        for open in questions.iter_mut().filter(|open| open.question.is_some() && open.outcome.is_none()) {
            loop {
                match self.push(open, cx, ticker) {
                    Poll::Pending => return Ok(()),
                    Poll::Ready(Ok(true)) => break,
                    Poll::Ready(Ok(false)) => {
                        cx.waker().wake_by_ref();
                        return Ok(());
                    }
                    Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                        // The reactor reports when there is room again.
                        let Ok(copy) = self.stdin.try_clone() else {
                            ticker.want();
                            return Ok(());
                        };
                        self.full = Some(WatchedDescriptor::writable(copy));
                    }
                    Poll::Ready(Err(error)) => return Err(error),
                }
            }
        }
        self.full = None;
        Ok(())
    }

    /// Writes one question without waiting; whether the pipe took all of it.
    pub(super) fn write_now(&mut self, open: &mut OpenQuestion) -> bool {
        let Some(question) = &mut open.question else { return true };
        let before = question.sent();
        let pushed = question.push(&self.stdin);
        self.note_sent(open, before);
        if let Ok(true) = pushed {
            open.question = None;
        }
        open.question.is_none()
    }

    /// Writes one question as far as the pipe takes it.
    fn push(
        &mut self,
        open: &mut OpenQuestion,
        cx: &mut Context<'_>,
        ticker: &mut Ticker,
    ) -> Poll<io::Result<bool>> {
        let Some(question) = &mut open.question else { return Poll::Ready(Ok(true)) };
        let before = question.sent();
        let pushed = match &self.full {
            Some(full) => full.poll_write(cx, ticker, |pipe| question.push(pipe)),
            None => Poll::Ready(question.push(&self.stdin)),
        };
        self.note_sent(open, before);
        if let Poll::Ready(Ok(true)) = pushed {
            open.question = None;
        }
        pushed
    }

    /// Counts what was written of a question, given how much of it had been before.
    fn note_sent(&mut self, open: &mut OpenQuestion, before: u64) {
        let count = open.question.as_ref().map_or(0, |question| question.sent() - before);
        if count > 0 {
            open.begins_at.get_or_insert(self.sent);
        }
        self.sent += count;
    }

    /// How many of the bytes that were written the process has read.
    pub(super) fn read_by_process(&self) -> u64 {
        self.sent.saturating_sub(rustix::io::ioctl_fionread(&self.stdin).unwrap_or_default())
    }

    /// Reads from stdout as the reactor allows it, a bounded number of times in a turn.
    pub(super) fn poll_output(&mut self, cx: &mut Context<'_>, ticker: &mut Ticker) -> PipeRead {
        let Some(pipe) = &self.stdout else { return PipeRead::Nothing };
        self.reads += 1;
        if self.reads > READS_PER_TURN {
            cx.waker().wake_by_ref();
            return PipeRead::Nothing;
        }
        let lines = &mut self.lines;
        match pipe.poll_read(cx, ticker, |pipe| lines.read_once(pipe)) {
            Poll::Pending => PipeRead::Nothing,
            Poll::Ready(Ok(0) | Err(_)) => {
                self.stdout = None;
                PipeRead::End
            }
            Poll::Ready(Ok(_)) => PipeRead::Something,
        }
    }

    /// Reads without asking the reactor.
    pub(super) fn read_output(&mut self) -> PipeRead {
        let Some(pipe) = &self.stdout else { return PipeRead::Nothing };
        match self.lines.read_once(pipe.get_ref()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => PipeRead::Nothing,
            Ok(0) | Err(_) => {
                self.stdout = None;
                PipeRead::End
            }
            Ok(_) => PipeRead::Something,
        }
    }

    /// Drains stderr, of which the end is kept.
    pub(super) fn poll_errors(&mut self, cx: &mut Context<'_>, ticker: &mut Ticker) {
        for _ in 0..READS_PER_TURN {
            let Some(pipe) = &self.stderr else { return };
            let errors = &mut self.errors;
            match pipe.poll_read(cx, ticker, |pipe| errors.read_once(pipe)) {
                Poll::Pending => return,
                Poll::Ready(Ok(0) | Err(_)) => self.stderr = None,
                Poll::Ready(Ok(_)) => {}
            }
        }
        cx.waker().wake_by_ref();
    }

    /// The end of what the process has written to stderr so far.
    pub(super) fn stderr_tail(&mut self) -> Vec<u8> {
        for _ in 0..READS_PER_TURN {
            let Some(pipe) = &self.stderr else { break };
            if !matches!(self.errors.read_once(pipe.get_ref()), Ok(1..)) {
                break;
            }
        }
        self.errors.bytes().to_vec()
    }

    /// Whether a descriptor reports the end of the process.
    pub(super) fn reports_end(&self) -> bool {
        self.exit.is_some()
    }

    /// Waits for the end of the process.
    pub(super) fn poll_exit(&mut self, cx: &mut Context<'_>, ticker: &mut Ticker) -> Poll<ChildState> {
        let Some(watch) = &self.exit else { return Poll::Pending };
        let leader = self.leader;
        let look = |_: &OwnedFd| match unix::peek(leader) {
            ChildState::Running => Err(io::ErrorKind::WouldBlock.into()),
            peek => Ok(peek),
        };
        match watch.poll_read(cx, ticker, look) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(peek)) => Poll::Ready(peek),
            Poll::Ready(Err(_)) => {
                self.exit = None;
                Poll::Pending
            }
        }
    }

    /// Takes the next whole line.
    pub(super) fn next_line(&mut self) -> Option<Vec<u8>> {
        self.lines.next_line()
    }

    /// What was read and is no whole line yet.
    pub(super) fn half_line(&self) -> &[u8] {
        self.lines.rest()
    }

    /// Whether there is something that is no whole line yet.
    pub(super) fn has_half_line(&self) -> bool {
        !self.lines.rest().is_empty()
    }

    /// The outputs, which the process may still write to while it is being ended.
    pub(super) fn into_outputs(self) -> Vec<PipeReader> {
        [self.stdout, self.stderr].into_iter().flatten().map(WatchedDescriptor::into_inner).collect()
    }
}
