//! Reads what finished hooks wrote.
//!
//! Most answers are short and are read at once. Reading a long one takes so long that other hooks and
//! other clients of the same thread would wait: another thread does it, until the hook's deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::process::{Captured, Finished};
use crate::hook::Hook;
use crate::verdict::hook_run::{Exit, HookRun};

/// Longer outputs are read on another thread.
const LONG: usize = 128 * 1024;
/// How many long outputs are read at once: each may become a tree of twice its size before the bound is reached.
const READERS: usize = 2;
/// A hook that ended just before its deadline, or was noticed after it, still gets so long to be read, …
const LEAST_TIME: Duration = Duration::from_millis(500);
/// … and no hook needs longer than this.
const MOST_TIME: Duration = Duration::from_hours(1);

/// Reads outputs, the long ones on other threads and few at once.
#[derive(Debug)]
pub(super) struct OutputReader {
    permits: Arc<Semaphore>,
}

impl OutputReader {
    /// A reader without long outputs under way.
    pub(super) fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(READERS)) }
    }

    /// Reads what a finished hook asks for, without occupying this thread for long. `keep` is what may be kept of
    /// each output.
    pub(super) async fn read(&self, hook: &Arc<Hook>, finished: Finished, keep: usize) -> HookRun {
        if finished.stdout.bytes.len() + finished.stderr.bytes.len() <= LONG {
            return interpreted(hook, finished, keep);
        }
        let (exit, duration) = (finished.exit.clone(), finished.duration);
        let begin = Instant::now();
        let reading = async {
            // The semaphore is never closed. The permit goes along, because a thread cannot be called back.
            let permit = Arc::clone(&self.permits).acquire_owned().await;
            let hook = Arc::clone(hook);
            let read = spawn_blocking(move || (interpreted(&hook, finished, keep), permit)).await;
            read.ok().map(|(run, _permit)| run)
        };
        let left = hook.timeout.saturating_sub(duration).clamp(LEAST_TIME, MOST_TIME);
        let read = timeout(left, reading).await.ok().flatten();
        // The time was over, or the runtime is being shut down.
        let mut run = read.unwrap_or_else(|| unread(hook, exit));
        run.duration = duration + begin.elapsed();
        run
    }
}

/// Does `work` here, or on a thread that may block if `is_long`: copying and merging long outputs takes so long that
/// other clients of this thread would wait.
pub(crate) async fn on_blocking_thread_if<T: Send + 'static>(
    is_long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if !is_long {
        return work();
    }
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is being shut down, and drops this future next.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Whether these hooks wrote so much that nothing should be done with all of it on a thread that others wait for.
pub(crate) fn is_long(runs: &[HookRun]) -> bool {
    runs.iter().map(|run| run.stdout.len() + run.stderr.len()).sum::<usize>() > LONG
}

/// A hook whose answer could not be read in time. An exit code that decides by itself still counts.
fn unread(hook: &Arc<Hook>, exit: Exit) -> HookRun {
    let exit = if exit == Exit::Code(0) { Exit::TimedOut(hook.timeout) } else { exit };
    interpreted(hook, Finished::new(exit, Vec::new(), Vec::new()), 0)
}

/// Reads what a finished hook asks for. `keep` is what may be kept of each output.
pub(super) fn interpreted(hook: &Arc<Hook>, finished: Finished, keep: usize) -> HookRun {
    let Finished { exit, stdout, stderr, duration } = finished;
    let (stdout, stdout_truncated) = lossy(stdout, keep);
    let (stderr, _) = lossy(stderr, keep);
    HookRun::finished(hook, exit, (stdout, stdout_truncated), stderr, duration)
}

/// Decodes output that may not be UTF-8, and reports whether it was truncated. Copies only what is not UTF-8.
///
/// Each byte that is not text becomes a character of three, so that the text is cut where the bytes would
/// have been: a flood of them would otherwise take three times the memory in every copy.
fn lossy(captured: Captured, keep: usize) -> (String, bool) {
    let Captured { bytes, truncated } = captured;
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, truncated),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len().min(keep));
    for chunk in bytes.utf8_chunks() {
        let replacement = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
        for part in [chunk.valid(), replacement] {
            let fitting = part.floor_char_boundary(keep.saturating_sub(text.len()));
            text.push_str(part.get(..fitting).unwrap_or_default());
            if fitting < part.len() {
                return (text, true);
            }
        }
    }
    (text, truncated)
}

#[cfg(test)]
mod tests;
