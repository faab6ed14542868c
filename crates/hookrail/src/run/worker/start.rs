//! Starts the process of a worker, which is like any other hook but for its stdin.

use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::time::Instant;

use tokio::time::sleep;

use crate::run::capture::output_pipe;
use crate::run::command::PreparedCommand;
use crate::run::process::{
    BUSY_ATTEMPTS, BUSY_PAUSE, FIRST_SCARCE_PAUSE, LONGEST_SCARCE_PAUSE, ProcessGroup, RetryReason, image_of,
    start_failure,
};
use crate::run::reaper::Reaper;
use crate::verdict::failure::StartFailure;

/// A process that was just started.
#[derive(Debug)]
pub(super) struct StartedProcess<S> {
    /// Its group, which its owner has to end.
    pub(super) group: ProcessGroup,
    /// Our end of its stdin.
    pub(super) stdin: S,
    /// Its stdout; does not wait.
    pub(super) stdout: PipeReader,
    /// Its stderr; does not wait.
    pub(super) stderr: PipeReader,
}

/// Starts a command, with a stdin made by `open_stdin` (the process's end and ours). A shortage of
/// resources is waited out until the deadline.
pub(super) async fn start<S>(
    command: &PreparedCommand,
    deadline: Instant,
    reaper: &Reaper,
    open_stdin: impl Fn() -> io::Result<(OwnedFd, S)>,
) -> Result<StartedProcess<S>, StartFailure> {
    let mut command = command;
    let mut busy_attempts = 0;
    let mut pause = FIRST_SCARCE_PAUSE;
    loop {
        let error = match try_start(command, reaper, &open_stdin) {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        match RetryReason::of(&error) {
            Some(RetryReason::Scarce) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(start_failure(command, &error));
                }
                sleep(pause.min(left)).await;
                pause = (pause * 2).min(LONGEST_SCARCE_PAUSE);
                continue;
            }
            Some(RetryReason::Busy) if busy_attempts < BUSY_ATTEMPTS => {
                busy_attempts += 1;
                sleep(BUSY_PAUSE).await;
                continue;
            }
            Some(RetryReason::Busy) | None => {}
        }
        // The shell runs it in its own way, or reports why it cannot be run.
        command = command.fallback.as_deref().ok_or_else(|| start_failure(command, &error))?;
    }
}

fn try_start<S>(
    command: &PreparedCommand,
    reaper: &Reaper,
    open_stdin: &impl Fn() -> io::Result<(OwnedFd, S)>,
) -> io::Result<StartedProcess<S>> {
    let (child_stdin, stdin) = open_stdin()?;
    let (stdout, child_stdout) = output_pipe()?;
    let (stderr, child_stderr) = output_pipe()?;
    let image = command.image.get_or_try_init(|| image_of(command))?;
    let leader = image.spawn([child_stdin, child_stdout.into(), child_stderr.into()])?;
    Ok(StartedProcess { group: ProcessGroup::new(leader, reaper), stdin, stdout, stderr })
}
