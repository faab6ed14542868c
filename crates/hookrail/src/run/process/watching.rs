//! Watches one process to its end: feeds it, drains its outputs, notices its exit, ends at its deadline.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

use super::super::capture::Capture;
use super::super::payload::PayloadCursor;
use super::super::unix::{self, ChildState};
use super::super::watch::{Ticker, WatchedDescriptor};
use super::Finished;
use super::group::ProcessGroup;
use super::spawn::Spawned;
use crate::verdict::hook_run::Exit;

/// Most hooks end within milliseconds, and their outputs with them: nothing else has to be watched for that. This
/// is how long one may take that leaves its outputs to another process.
const WATCH_EXIT_AFTER: Duration = Duration::from_millis(25);
/// After the hook's exit, an output that another process keeps open is read until it is silent for this long, …
pub(in crate::run) const QUIET: Duration = Duration::from_millis(200);
/// … but for no longer than this.
pub(in crate::run) const LINGER: Duration = Duration::from_millis(450);
/// Longer timeouts are as good as none; clocks overflow beyond.
pub(in crate::run) const LONGEST_WAIT: Duration = Duration::from_hours(10 * 365 * 24);

/// Waits for the end of a process, or for its timeout counted from its spawn.
pub(crate) async fn finish(spawned: Spawned, timeout: Duration, keep: usize) -> Finished {
    let (started, deadline) = (spawned.started, spawned.started + timeout.min(LONGEST_WAIT));
    let mut run = ProcessRun::new(spawned, deadline, keep);
    let mut alarm = pin!(sleep_until(run.alarm_at.into()));
    let end = poll_fn(|cx| run.poll(cx, alarm.as_mut())).await;

    let ProcessRun { group, stdout, stderr, .. } = run;
    let (stdout, stdout_pipe) = stdout.into_parts();
    let (stderr, stderr_pipe) = stderr.into_parts();
    let exit = match end {
        ProcessEnd::Exited(exit) => {
            group.reap();
            exit
        }
        ProcessEnd::Lost => {
            group.forget();
            Exit::Unknown
        }
        ProcessEnd::DeadlinePassed => {
            group.terminate([stdout_pipe, stderr_pipe].into_iter().flatten().collect());
            Exit::TimedOut(timeout)
        }
    };
    Finished { exit, stdout, stderr, duration: started.elapsed() }
}

/// A process being seen to its end.
struct ProcessRun {
    group: ProcessGroup,
    exit_watch: ExitWatch,
    /// When `alarm` fires while the process runs: first to begin watching its exit, then at the deadline.
    alarm_at: Instant,
    /// `None` once everything is written, or the pipe is closed.
    feed: Option<(WatchedDescriptor<io::PipeWriter>, PayloadCursor)>,
    stdout: Capture,
    stderr: Capture,
    /// Takes what is not kept.
    scratch: Vec<u8>,
    ticker: Ticker,
    deadline: Instant,
    ended: Option<Ended>,
}

/// How the end of the process is noticed.
enum ExitWatch {
    /// By the end of its outputs. A process that has not ended when they have, or after a while, is watched.
    Outputs,
    /// By a descriptor.
    Descriptor(WatchedDescriptor<OwnedFd>),
    /// Not at all, where the system has no such descriptor: we look from time to time.
    Ticker,
}

/// The process has ended, but its outputs may still be open.
struct Ended {
    exit: Exit,
    /// When its outputs are given up at the latest, …
    latest: Instant,
    /// … and when if they stay silent.
    quiet: Instant,
}

/// How watching ends.
enum ProcessEnd {
    /// The process ended, and its outputs ended or were given up.
    Exited(Exit),
    /// Another part of this program reaped it, so that its status is not known.
    Lost,
    /// It still runs at its deadline.
    DeadlinePassed,
}

impl ProcessRun {
    fn new(spawned: Spawned, deadline: Instant, keep: usize) -> Self {
        let Spawned { group, started, feed, stdout, stderr } = spawned;
        Self {
            exit_watch: ExitWatch::Outputs,
            alarm_at: deadline.min(started + WATCH_EXIT_AFTER),
            feed: feed.map(|feed| (WatchedDescriptor::writable(feed.pipe), feed.cursor)),
            stdout: Capture::new(stdout, keep),
            stderr: Capture::new(stderr, keep),
            scratch: Vec::new(),
            ticker: Ticker::default(),
            deadline,
            ended: None,
            group,
        }
    }

    /// One step of everything that is open. `alarm` is the one timer of the run: it is set to the next moment at
    /// which something has to be decided without news.
    fn poll(&mut self, cx: &mut Context<'_>, mut alarm: Pin<&mut Sleep>) -> Poll<ProcessEnd> {
        self.poll_feed(cx);
        let mut news = self.stdout.poll(cx, &mut self.ticker, &mut self.scratch);
        news |= self.stderr.poll(cx, &mut self.ticker, &mut self.scratch);

        if self.ended.is_none() {
            match self.poll_exit(cx) {
                Poll::Ready(ChildState::Ended(exit)) => {
                    let now = Instant::now();
                    self.ended = Some(Ended { exit, latest: self.deadline.min(now + LINGER), quiet: now });
                    self.stdout.read_available(&mut self.scratch);
                    self.stderr.read_available(&mut self.scratch);
                    news = true;
                }
                Poll::Ready(ChildState::Lost) => return Poll::Ready(ProcessEnd::Lost),
                Poll::Ready(ChildState::Running) | Poll::Pending => {}
            }
        }
        if let Some(ended) = &mut self.ended {
            let all_read = self.stdout.has_ended() && self.stderr.has_ended();
            if !all_read {
                if news {
                    ended.quiet = Instant::now() + QUIET;
                }
                alarm.as_mut().reset(ended.quiet.min(ended.latest).into());
            }
            if all_read || alarm.as_mut().poll(cx).is_ready() {
                return Poll::Ready(ProcessEnd::Exited(ended.exit.clone()));
            }
        } else if alarm.as_mut().poll(cx).is_ready() {
            if self.alarm_at >= self.deadline {
                return Poll::Ready(self.last_look());
            }
            if let ExitWatch::Outputs = self.exit_watch {
                self.watch_exit();
            }
            self.alarm_at = self.deadline;
            alarm.as_mut().reset(self.deadline.into());
            return self.poll(cx, alarm);
        }
        self.ticker.arm(cx);
        Poll::Pending
    }

    /// Decides at the deadline. It may be long past: this process was stopped, the machine slept, or the thread was
    /// busy. What the hook did in the meantime counts, whether or not the reactor has reported it.
    fn last_look(&mut self) -> ProcessEnd {
        let end = match unix::peek(self.group.leader()) {
            ChildState::Ended(exit) => ProcessEnd::Exited(exit),
            ChildState::Lost => ProcessEnd::Lost,
            ChildState::Running => ProcessEnd::DeadlinePassed,
        };
        // Whatever a process has written before its end fits into its pipes.
        self.stdout.read_available(&mut self.scratch);
        self.stderr.read_available(&mut self.scratch);
        end
    }

    /// Writes what fits into the pipe.
    fn poll_feed(&mut self, cx: &mut Context<'_>) {
        let Some((pipe, cursor)) = &mut self.feed else { return };
        match pipe.poll_write(cx, &mut self.ticker, |pipe| cursor.push(pipe)) {
            Poll::Pending => {}
            Poll::Ready(Ok(false)) => cx.waker().wake_by_ref(),
            // Written, or the pipe is closed: a hook may decide without reading its input to the end.
            Poll::Ready(Ok(true) | Err(_)) => self.feed = None,
        }
    }

    /// Looks for the end of the process in the way that is in use, and changes to the next one when it no longer
    /// works.
    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<ChildState> {
        let leader = self.group.leader();
        if let ExitWatch::Outputs = self.exit_watch {
            if !self.all_read() {
                return Poll::Pending;
            }
            match unix::peek(leader) {
                // It closed its outputs and still runs, or has a few microseconds to go.
                ChildState::Running => self.watch_exit(),
                peek => return Poll::Ready(peek),
            }
        }
        let look = || match unix::peek(leader) {
            ChildState::Running => Err(io::ErrorKind::WouldBlock.into()),
            peek => Ok(peek),
        };
        if let ExitWatch::Descriptor(watch) = &self.exit_watch {
            if let Ok(peek) = ready!(watch.poll_read(cx, &mut self.ticker, |_| look())) {
                return Poll::Ready(peek);
            }
            // The runtime is shutting down. It drops us next, or lets us look for ourselves.
            self.exit_watch = ExitWatch::Ticker;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match unix::peek(leader) {
            ChildState::Running => {
                self.ticker.want();
                Poll::Pending
            }
            peek => Poll::Ready(peek),
        }
    }

    /// From here on the end of the process is watched for itself, with a descriptor where there is one.
    fn watch_exit(&mut self) {
        self.exit_watch = match unix::exit_descriptor(self.group.leader()) {
            Some(descriptor) => ExitWatch::Descriptor(WatchedDescriptor::readable(descriptor)),
            None => ExitWatch::Ticker,
        };
    }

    fn all_read(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }
}

#[cfg(test)]
mod tests;
