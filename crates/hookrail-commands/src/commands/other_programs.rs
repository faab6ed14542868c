//! Programs of others: where they are, and what they print before a time is over.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, PipeReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How much of what a program prints is looked at.
const MOST: u64 = 64 * 1024;

/// Where a program is, as the shell would find it: files that are not executable are passed over.
pub(super) fn find_in_path(program: impl AsRef<Path>, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(&program)).find(|file| is_executable(file))
}

/// A folder of the same name is not a program.
pub(super) fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Runs a program in a group of its own: its exit status, and what it wrote into the pipe that is read here. A program that
/// takes longer is ended, with what it started.
pub(super) fn run_within(
    limit: Duration,
    mut command: Command,
    mut output: PipeReader,
) -> io::Result<Option<(ExitStatus, String)>> {
    let until = Instant::now() + limit;
    let mut child = command.process_group(0).spawn()?;
    // And with it our ends of its pipes.
    drop(command);
    // Read meanwhile: a program that prints more than a pipe holds would not end.
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut printed = Vec::new();
        let _ = output.by_ref().take(MOST).read_to_end(&mut printed);
        let _ = sender.send(String::from_utf8_lossy(&printed).into_owned());
    });
    let printed = receiver.recv_timeout(limit).ok();
    let mut status = child.try_wait()?;
    while printed.is_some() && status.is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
        status = child.try_wait()?;
    }
    if status.is_none() {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = child.wait();
    }
    Ok(status.zip(printed))
}
