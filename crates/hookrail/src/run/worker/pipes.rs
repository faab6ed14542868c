//! The streams of a worker process, and what is in them: questions as lines, and bytes that become lines.

use std::ffi::OsString;
use std::io::{self, IoSlice, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::time::Duration;

use serde_json::Value;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::net::unix::pipe;
use tokio::runtime::{Handle, Id};

use crate::run::environment::EnvironmentVariable;
use crate::run::payload::Payload;
use crate::run::process::output_pipe;
use crate::run::unix;

/// Our ends of a worker's streams. They do not wait.
#[derive(Debug)]
pub(super) struct WorkerPipes {
    pub(super) stdin: PipeWriter,
    /// `None` once it is closed.
    pub(super) stdout: Option<PipeReader>,
    pub(super) stderr: Option<PipeReader>,
}

impl WorkerPipes {
    /// Opens the streams of a process: its ends and ours.
    pub(super) fn open() -> io::Result<([OwnedFd; 3], Self)> {
        let (child_stdin, stdin) = io::pipe()?;
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let (stdout, child_stdout) = output_pipe()?;
        let (stderr, child_stderr) = output_pipe()?;
        let pipes = Self { stdin, stdout: Some(stdout), stderr: Some(stderr) };
        Ok(([child_stdin.into(), child_stdout, child_stderr], pipes))
    }

    /// Whether the process has closed its stdin, and whether it has written something. Does not wait.
    pub(super) fn glance(&self) -> (bool, bool) {
        let Some(stdout) = &self.stdout else { return (false, false) };
        let mut seen = [PollFd::new(&self.stdin, PollFlags::empty()), PollFd::new(stdout, PollFlags::IN)];
        if poll(&mut seen, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_err() {
            return (false, true);
        }
        let [stdin, stdout] = seen;
        (!stdin.revents().is_empty(), !stdout.revents().is_empty())
    }
}

/// Copies of a worker's streams that the reactor of one runtime watches.
#[derive(Debug)]
pub(super) struct WatchedPipes {
    pub(super) runtime: Id,
    pub(super) stdin: pipe::Sender,
    pub(super) stdout: pipe::Receiver,
    pub(super) stderr: pipe::Receiver,
}

impl WatchedPipes {
    /// `None` where there is no runtime or no descriptor left.
    pub(super) fn register(pipes: &WorkerPipes) -> Option<Self> {
        let runtime = Handle::try_current().ok()?.id();
        let receiver = |pipe: &Option<PipeReader>| {
            let copy = pipe.as_ref()?.try_clone().ok()?;
            pipe::Receiver::from_owned_fd_unchecked(copy.into()).ok()
        };
        let stdin = pipe::Sender::from_owned_fd_unchecked(pipes.stdin.try_clone().ok()?.into()).ok()?;
        Some(Self { runtime, stdin, stdout: receiver(&pipes.stdout)?, stderr: receiver(&pipes.stderr)? })
    }
}

/// What one read brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Bytes,
    /// There is nothing now, or the pipe was closed before.
    Nothing,
    /// The other end was closed; the pipe is closed here, too.
    End,
}

/// Reads once without waiting, within the bookkeeping of the reactor if it watches the pipe: what comes later is then
/// reported.
pub(super) fn receive(
    pipe: &mut Option<PipeReader>,
    watched: Option<&pipe::Receiver>,
    bytes: &mut Vec<u8>,
) -> Received {
    let Some(open) = pipe else { return Received::Nothing };
    let mut read = || unix::read_more(&*open, bytes);
    let read = match watched {
        Some(watched) => watched.try_io(read),
        None => read(),
    };
    match read {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Received::Nothing,
        Ok(1..) => Received::Bytes,
        Ok(0) | Err(_) => {
            *pipe = None;
            Received::End
        }
    }
}

/// Waits until a pipe can be read; for ever if nothing watches it.
pub(super) async fn readable(pipe: Option<&pipe::Receiver>) {
    match pipe {
        Some(pipe) if pipe.readable().await.is_ok() => {}
        _ => std::future::pending().await,
    }
}

/// The same for writing.
pub(super) async fn writable(pipe: Option<&pipe::Sender>) {
    match pipe {
        Some(pipe) if pipe.writable().await.is_ok() => {}
        _ => std::future::pending().await,
    }
}

/// Bytes on their way to becoming lines.
#[derive(Debug, Default)]
pub(super) struct Unread {
    pub(super) bytes: Vec<u8>,
    /// Up to where there is no line feed.
    scanned: usize,
}

impl Unread {
    /// Takes the next whole line, without its line feed.
    pub(super) fn next_line(&mut self) -> Option<Vec<u8>> {
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

/// The line `{"id":…,"input":…,"timeoutMs":…}`, with `env` where variables come with it, and how much of it the pipe has taken.
#[derive(Debug)]
pub(super) struct RequestLine {
    head: String,
    payload: Payload,
    tail: String,
    sent: usize,
}

impl RequestLine {
    pub(super) fn new(
        id: &str,
        payload: &Payload,
        variables: &[&EnvironmentVariable],
        timeout: Duration,
    ) -> Self {
        let head = format!("{{\"id\":\"{id}\",\"input\":");
        let env = if variables.is_empty() {
            String::new()
        } else {
            let text = |part: &OsString| Value::from(part.to_string_lossy());
            let env =
                variables.iter().map(|(name, value)| (name.to_string_lossy().into_owned(), text(value)));
            format!(",\"env\":{}", Value::Object(env.collect()))
        };
        let tail = format!(",\"timeoutMs\":{}{env}}}\n", timeout.as_millis());
        Self { head, payload: payload.clone(), tail, sent: 0 }
    }

    /// Writes what the pipe takes, within the bookkeeping of the reactor if it watches the pipe.
    pub(super) fn send(&mut self, pipe: &PipeWriter, watched: Option<&pipe::Sender>) -> io::Result<usize> {
        match watched {
            Some(watched) => watched.try_io(|| self.push(pipe)),
            None => self.push(pipe),
        }
    }

    /// Writes what the pipe takes; 0 when all is written. Any error but `WouldBlock` means that the other end is closed.
    fn push(&mut self, pipe: &PipeWriter) -> io::Result<usize> {
        let parts = [self.head.as_bytes(), self.payload.as_bytes(), self.tail.as_bytes()];
        if self.sent == parts.iter().map(|part| part.len()).sum::<usize>() {
            return Ok(0);
        }
        let mut slices = parts.map(IoSlice::new);
        let mut rest = &mut slices[..];
        IoSlice::advance_slices(&mut rest, self.sent);
        let count = rustix::io::retry_on_intr(|| rustix::io::writev(pipe, rest))?;
        self.sent += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_one_line_whatever_the_size() {
        for length in [0, 1, 70_000, 3_000_000] {
            let input = json!({ "text": "x\n".repeat(length / 2) });
            let payload = Payload::new(&input).unwrap();
            let (mut reader, writer) = io::pipe().unwrap();
            rustix::io::ioctl_fionbio(&writer, true).unwrap();
            let reading = std::thread::spawn(move || {
                let mut line = String::new();
                reader.read_to_string(&mut line).map(|_| line)
            });
            let mut request = RequestLine::new("a7", &payload, &[], Duration::from_millis(1500));
            loop {
                match request.push(&writer) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
            drop(writer);
            let line = reading.join().unwrap().unwrap();
            assert_eq!(line.matches('\n').count(), 1, "one line, ended");
            assert_eq!(request.sent, line.len());
            let read: Value = serde_json::from_str(&line).unwrap();
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
