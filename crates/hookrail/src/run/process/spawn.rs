//! One attempt to start a command, and what its failure means for the next one.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::time::Instant;

use rustix::io::Errno;

use super::super::capture::output_pipe;
use super::super::command::PreparedCommand;
use super::super::image::Image;
use super::super::payload::{Feed, Payload};
use super::super::reaper::Reaper;
use super::group::ProcessGroup;
use crate::verdict::failure::StartFailure;

/// Why an attempt to spawn did not work.
#[derive(Debug)]
pub(crate) enum SpawnError {
    /// Descriptors, processes or memory have run out for the moment.
    Scarce(io::Error),
    /// The program is open for writing, or was when another thread spawned something.
    Busy(io::Error),
    /// It will not work, for the reason given.
    Failed(StartFailure),
}

/// Why another attempt to start a process may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::run) enum RetryReason {
    /// Descriptors, processes or memory have run out for the moment.
    Scarce,
    /// The program is open for writing, or was when another thread spawned something.
    Busy,
}

impl RetryReason {
    /// Reads an error of the system; `None` if the next attempt would fail like this one.
    pub(in crate::run) fn of(error: &io::Error) -> Option<Self> {
        match Errno::from_io_error(error)? {
            Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM => Some(Self::Scarce),
            Errno::TXTBSY => Some(Self::Busy),
            _ => None,
        }
    }
}

/// A process that runs and is not yet waited for. Dropping it kills its group.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(super) group: ProcessGroup,
    pub(super) started: Instant,
    pub(super) feed: Option<Feed>,
    pub(super) stdout: PipeReader,
    pub(super) stderr: PipeReader,
}

/// Makes one attempt to start a command, and its shell form if it cannot be executed directly.
pub(crate) fn spawn(
    command: &PreparedCommand,
    payload: &Payload,
    reaper: &Reaper,
) -> Result<Spawned, SpawnError> {
    match try_spawn(command, payload, reaper) {
        Ok(spawned) => Ok(spawned),
        Err(error) => match (RetryReason::of(&error), &command.fallback) {
            (Some(RetryReason::Scarce), _) => Err(SpawnError::Scarce(error)),
            (Some(RetryReason::Busy), _) => Err(SpawnError::Busy(error)),
            // The shell either runs this or reports why it cannot be run.
            (None, Some(fallback)) => spawn(fallback, payload, reaper),
            (None, None) => Err(SpawnError::Failed(start_failure(command, &error))),
        },
    }
}

/// Opens the pipes and starts the process. The image is made once for each command, because it copies the
/// environment.
fn try_spawn(command: &PreparedCommand, payload: &Payload, reaper: &Reaper) -> io::Result<Spawned> {
    let (child_stdin, feed) = payload.stdin_pipe()?;
    let (stdout, child_stdout) = output_pipe()?;
    let (stderr, child_stderr) = output_pipe()?;
    let image = command.image.get_or_try_init(|| image_of(command))?;
    let started = Instant::now();
    let leader = image.spawn([child_stdin.into(), child_stdout.into(), child_stderr.into()])?;
    let group = ProcessGroup::new(leader, reaper);
    Ok(Spawned { group, started, feed, stdout, stderr })
}

/// What `posix_spawn` needs of a command, in the form it needs it.
pub(in crate::run) fn image_of(command: &PreparedCommand) -> io::Result<Image> {
    let name = command.arg0.as_ref().unwrap_or(&command.program);
    let argv = [name].into_iter().chain(&command.args).map(OsString::as_os_str);
    Image::new(&command.program, argv, &command.env, &command.cwd)
}

/// Why a command did not start. A missing working directory looks like a missing program to the system.
pub(in crate::run) fn start_failure(command: &PreparedCommand, error: &io::Error) -> StartFailure {
    let directory = || command.cwd.clone();
    match command.cwd.metadata() {
        Err(cause) => StartFailure::NoDirectory { directory: directory(), error: (&cause).into() },
        Ok(metadata) if !metadata.is_dir() => StartFailure::NotADirectory { directory: directory() },
        Ok(_) => StartFailure::Program { program: command.program.clone().into(), error: error.into() },
    }
}
