//! Runs one process: spawn, feed, drain, deadline. The only place that starts hooks.
//!
//! A run is two steps. [`spawn`] is synchronous, because `posix_spawn` occupies its thread until the new program
//! is executed; several hooks can be spawned from several threads. [`finish`] is one future that polls the
//! stdin feed, both outputs, the exit and the deadline together.
//!
//! What hooks inherit: descriptors 0, 1 and 2 and nothing else; the default action of `SIGPIPE`, which Rust
//! programs ignore; no blocked signals.

use std::time::Duration;
#[cfg(test)]
use std::time::Instant;

use tokio::time::sleep;

pub(super) use self::group::ProcessGroup;
pub(super) use self::spawn::{RetryReason, image_of, start_failure};
pub(crate) use self::spawn::{SpawnError, Spawned, spawn};
pub(crate) use self::watching::finish;
pub(super) use self::watching::{LINGER, LONGEST_WAIT, QUIET};
pub(crate) use super::capture::Captured;
use super::command::PreparedCommand;
use super::payload::Payload;
use super::reaper::Reaper;
#[cfg(test)]
use super::shortage::Shortage;
use super::shortage::ShortageWait;
use crate::verdict::failure::StartFailure;
use crate::verdict::hook_run::Exit;

mod group;
mod spawn;
mod watching;

/// The first pause between attempts when descriptors, processes or memory have run out. Each further one is twice as
/// long, …
pub(super) const FIRST_SCARCE_PAUSE: Duration = Duration::from_millis(2);
/// … up to this.
pub(super) const LONGEST_SCARCE_PAUSE: Duration = Duration::from_millis(50);
/// Attempts on a program that is just being written, …
pub(super) const BUSY_ATTEMPTS: u32 = 20;
/// … and the pause between them.
pub(super) const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// What became of a process.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// What is kept of its stdout.
    pub stdout: Captured,
    /// What is kept of its stderr.
    pub stderr: Captured,
    /// From the spawn to here.
    pub duration: Duration,
}

/// Runs a command alone.
#[cfg(test)]
pub(crate) async fn run_process(
    command: &PreparedCommand,
    payload: &Payload,
    timeout: Duration,
    keep: usize,
    reaper: &Reaper,
) -> Finished {
    let first = spawn(command, payload, reaper);
    let shortage = Shortage::default();
    run_from(first, command, payload, timeout, keep, reaper, &shortage.waiting_from(Instant::now())).await
}

/// Runs a command to its end or its timeout, keeping at most `keep` bytes of each output. Continues from a first attempt
/// to spawn it, made here or on another thread; makes further ones if need be.
///
/// Waiting for scarce resources is bounded by the timeout as well, but does not use it up. Dropping the future kills the
/// process group. Needs a tokio runtime with I/O and time enabled.
pub(crate) async fn run_from(
    first: Result<Spawned, SpawnError>,
    command: &PreparedCommand,
    payload: &Payload,
    timeout: Duration,
    keep: usize,
    reaper: &Reaper,
    waiting: &ShortageWait<'_>,
) -> Finished {
    let mut attempt = first;
    let mut command = command;
    let mut busy_attempts = 0;
    let mut pause = FIRST_SCARCE_PAUSE;
    loop {
        match attempt {
            Ok(spawned) => {
                waiting.over();
                return finish(spawned, timeout, keep).await;
            }
            Err(SpawnError::Scarce(error)) => {
                let left = timeout.saturating_sub(waiting.since().elapsed());
                if left.is_zero() {
                    return not_started(StartFailure::Scarce {
                        program: command.program.clone().into(),
                        within: timeout,
                        error: (&error).into(),
                    });
                }
                sleep(pause.min(left)).await;
                pause = (pause * 2).min(LONGEST_SCARCE_PAUSE);
            }
            Err(SpawnError::Busy(error)) => {
                busy_attempts += 1;
                if busy_attempts >= BUSY_ATTEMPTS {
                    match &command.fallback {
                        Some(fallback) => command = fallback,
                        None => return not_started(start_failure(command, &error)),
                    }
                }
                sleep(BUSY_PAUSE).await;
            }
            Err(SpawnError::Failed(why)) => return not_started(why),
        }
        attempt = spawn(command, payload, reaper);
    }
}

/// Why a hook did not run, in the form of a process that ended at once.
pub(super) fn not_started(why: StartFailure) -> Finished {
    Finished {
        exit: Exit::NotStarted(why),
        stdout: Captured::default(),
        stderr: Captured::default(),
        duration: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests;
