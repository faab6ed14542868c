//! The floor: what it takes to run commands at all.
//!
//! Bare `posix_spawn` with three pipes, a ready-made payload written, both outputs read to the end, the child
//! reaped. No JSON, no runtime, no timeout, nothing prepared for the case that something goes wrong.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};

use crate::sys::{Image, find_program, reap};

/// What a pipe holds.
const PIPE_CAPACITY: usize = 64 * 1024;

/// Commands that the floor runs.
pub(crate) struct Floor {
    images: Vec<Image>,
}

/// What a command said, to be looked at by whoever doubts that it ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) code: i32,
}

impl Floor {
    /// Each command under `bash -c`.
    pub(crate) fn shell(commands: &[String]) -> Self {
        let bash = find_program("bash").expect("bash is installed");
        Self { images: commands.iter().map(|command| Image::new(&[&bash, "-c", command], &[])).collect() }
    }

    /// A program as it is, with some variables of its own.
    pub(crate) fn program(arguments: &[&str], variables: &[(&str, PathBuf)]) -> Self {
        Self { images: vec![Image::new(arguments, variables)] }
    }

    /// Runs all commands at once: they are spawned from this thread, then fed and waited for.
    pub(crate) fn run(&self, payload: &[u8]) -> Vec<CommandOutput> {
        let mut running = Vec::with_capacity(self.images.len());
        let mut feeds = Vec::new();
        for image in &self.images {
            let (pid, stdin, stdout, stderr) = image.spawn().expect("spawns").into_parts();
            if payload.len() <= PIPE_CAPACITY {
                // A command that does not read its input may be gone already.
                let _ = File::from(stdin).write_all(payload);
            } else {
                fcntl_setfl(&stdin, OFlags::NONBLOCK).expect("sets the mode of a pipe");
                feeds.push((File::from(stdin), payload));
            }
            running.push((pid, stdout, stderr));
        }
        feed_all(feeds);
        running.into_iter().map(|(pid, stdout, stderr)| finish(pid, stdout, stderr)).collect()
    }
}

/// Writes to all pipes as each takes more.
fn feed_all(mut feeds: Vec<(File, &[u8])>) {
    while !feeds.is_empty() {
        feeds.retain_mut(|(pipe, rest)| {
            match pipe.write(rest) {
                Ok(count) => *rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return false,
            }
            !rest.is_empty()
        });
        let mut waiting: Vec<PollFd<'_>> =
            feeds.iter().map(|(pipe, _)| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::OUT)).collect();
        if !waiting.is_empty() {
            poll(&mut waiting, None).expect("polls pipes");
        }
    }
}

fn finish(pid: i32, stdout: OwnedFd, stderr: OwnedFd) -> CommandOutput {
    let mut said = CommandOutput::default();
    File::from(stdout).read_to_end(&mut said.stdout).expect("reads stdout");
    File::from(stderr).read_to_end(&mut said.stderr).expect("reads stderr");
    said.code = reap(pid).expect("reaps");
    said
}
