//! One event in a fork: fed, drained and timed like a process of its own.

use std::future::poll_fn;
use std::os::fd::AsFd as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::sleep_until;

use super::loader::{Loader, Progress};
use crate::run::capture::{Capture, output_pipe};
use crate::run::payload::{Payload, PayloadCursor};
use crate::run::process::{Finished, LINGER, QUIET};
use crate::run::watch::{Ticker, WatchedDescriptor};
use crate::verdict::failure::WorkerFailure;
use crate::verdict::hook_run::Exit;

/// The payload and the limits of one event.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForkLimits<'p> {
    /// What the script finds on its stdin.
    pub(super) payload: &'p Payload,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// When the event began, and when it has to be over.
    pub(super) begin: Instant,
    pub(super) deadline: Instant,
    /// How much is kept of each output.
    pub(super) keep: usize,
}

/// Runs one event. `None` if nothing was begun, so that a process of its own can do it.
pub(super) async fn run(loader: &Arc<Loader>, limits: ForkLimits<'_>) -> Option<Finished> {
    let (child_stdin, feed) = limits.payload.stdin_pipe().ok()?;
    let (stdout, child_stdout) = output_pipe().ok()?;
    let (stderr, child_stderr) = output_pipe().ok()?;
    let number = loader.begin([child_stdin.as_fd(), child_stdout.as_fd(), child_stderr.as_fd()]).ok()?;
    let mut fork = Fork { loader, number, settled: false };
    drop((child_stdin, child_stdout, child_stderr));

    let mut run = Streams {
        feed: feed.map(|feed| (WatchedDescriptor::writable(feed.pipe), feed.cursor)),
        stdout: Capture::new(stdout, limits.keep),
        stderr: Capture::new(stderr, limits.keep),
        scratch: Vec::new(),
        ticker: Ticker::default(),
    };
    let mut ended: Option<(Exit, Instant)> = None;
    let mut quiet = limits.deadline;
    let mut alarm = pin!(sleep_until(limits.deadline.into()));
    let end = poll_fn(|cx| {
        let mut news = run.poll(cx);
        if ended.is_none() {
            match loader.poll(cx, number) {
                Progress::Running => {}
                Progress::Ended(exit) => {
                    let now = Instant::now();
                    ended = Some((exit, limits.deadline.min(now + LINGER)));
                    quiet = now;
                    run.read_available();
                    news = true;
                }
                other => return Poll::Ready(ForkEnd::Without(other)),
            }
        }
        let Some((exit, latest)) = &ended else {
            if alarm.as_mut().poll(cx).is_ready() {
                // The alarm may be late: what the fork did in the meantime counts.
                let progress = loader.look(number);
                run.read_available();
                return Poll::Ready(match progress {
                    Progress::Ended(exit) => ForkEnd::Exited(exit),
                    Progress::Running => ForkEnd::DeadlinePassed,
                    other => ForkEnd::Without(other),
                });
            }
            run.ticker.arm(cx);
            return Poll::Pending;
        };
        let all_read = run.stdout.has_ended() && run.stderr.has_ended();
        if !all_read {
            if news {
                quiet = Instant::now() + QUIET;
            }
            alarm.as_mut().reset(quiet.min(*latest).into());
        }
        if all_read || alarm.as_mut().poll(cx).is_ready() {
            return Poll::Ready(ForkEnd::Exited(exit.clone()));
        }
        run.ticker.arm(cx);
        Poll::Pending
    })
    .await;

    let ((stdout, open_stdout), (stderr, open_stderr)) = (run.stdout.into_parts(), run.stderr.into_parts());
    fork.settled = true;
    let exit = match end {
        ForkEnd::Exited(exit) => {
            loader.done(number);
            exit
        }
        ForkEnd::DeadlinePassed => {
            loader.terminate(number, [open_stdout, open_stderr].into_iter().flatten().collect());
            Exit::TimedOut(limits.timeout)
        }
        ForkEnd::Without(Progress::NotBegun) => {
            loader.done(number);
            return None;
        }
        ForkEnd::Without(_) => {
            loader.done(number);
            Exit::NoAnswer(WorkerFailure::InterpreterEnded)
        }
    };
    Some(Finished { exit, stdout, stderr, duration: limits.begin.elapsed() })
}

/// How an event ended.
enum ForkEnd {
    Exited(Exit),
    DeadlinePassed,
    /// There is no fork, or its loader has ended.
    Without(Progress),
}

/// The streams of one fork.
struct Streams {
    feed: Option<(WatchedDescriptor<std::io::PipeWriter>, PayloadCursor)>,
    stdout: Capture,
    stderr: Capture,
    scratch: Vec<u8>,
    ticker: Ticker,
}

impl Streams {
    /// Feeds and drains; whether anything was read.
    fn poll(&mut self, cx: &mut std::task::Context<'_>) -> bool {
        if let Some((pipe, cursor)) = &mut self.feed {
            match pipe.poll_write(cx, &mut self.ticker, |pipe| cursor.push(pipe)) {
                Poll::Pending => {}
                Poll::Ready(Ok(false)) => cx.waker().wake_by_ref(),
                Poll::Ready(Ok(true) | Err(_)) => self.feed = None,
            }
        }
        let news = self.stdout.poll(cx, &mut self.ticker, &mut self.scratch);
        self.stderr.poll(cx, &mut self.ticker, &mut self.scratch) || news
    }

    /// Reads what is there without asking the reactor.
    fn read_available(&mut self) {
        self.stdout.read_available(&mut self.scratch);
        self.stderr.read_available(&mut self.scratch);
    }
}

/// A fork, which is given up if it is dropped before it is settled.
struct Fork<'l> {
    loader: &'l Arc<Loader>,
    number: u64,
    settled: bool,
}

impl Drop for Fork<'_> {
    /// The caller has left.
    fn drop(&mut self) {
        if !self.settled {
            self.loader.give_up(self.number);
        }
    }
}
