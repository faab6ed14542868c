//! A child process that leads a group of its own, its output kept within bounds, and its end.

mod kept;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;

use self::kept::KeptOutput;

/// How often a system without process handles is asked whether the child has ended.
const POLL: Duration = Duration::from_millis(10);

/// A running child and everything that stays in its process group.
///
/// The child is not reaped before the group is killed: as long as it is a zombie its id belongs to it,
/// and a signal to the group cannot reach another process.
pub(super) struct ProcessGroup {
    child: Option<Child>,
    id: Pid,
    ended: Option<AsyncFd<OwnedFd>>,
}

impl ProcessGroup {
    /// Starts the command as the leader of a new group, with nothing to read and both outputs piped.
    pub(super) fn spawn(mut command: Command) -> io::Result<(Self, ChildOutput, ChildOutput)> {
        let mut child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let id = Pid::from_child(&child);
        // From here on the group ends with this value, also when a line below fails.
        let mut group = Self { child: Some(child), id, ended: None };
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            return Err(io::Error::other("the pipes of the command are missing"));
        };
        group.ended = process_handle(id);
        Ok((group, ChildOutput::new(stdout.into())?, ChildOutput::new(stderr.into())?))
    }

    /// Waits until the leader has ended, without reaping it.
    pub(super) async fn leader_ended(&self) {
        if let Some(handle) = &self.ended
            && handle.readable().await.is_ok()
        {
            return;
        }
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while matches!(waitid(WaitId::Pid(self.id), look), Ok(None)) {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Asks every process of the group to end.
    pub(super) fn terminate(&self) {
        // It fails only if no process is left, which is what is wanted.
        let _ = kill_process_group(self.id, Signal::TERM);
    }

    /// Ends every process of the group.
    pub(super) fn kill(&self) {
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    /// Reaps the leader, once it has ended.
    pub(super) fn reap(mut self) -> io::Result<ExitStatus> {
        match self.child.take() {
            Some(mut child) => child.wait(),
            None => Err(io::Error::other("the command has been waited for already")),
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
        if let Some(mut child) = self.child.take() {
            // A killed process is gone at once unless a device holds it; that is not waited for here. If
            // no thread can be started, the zombie is reaped with this program's own end.
            let _ = std::thread::Builder::new().name("reap".to_owned()).spawn(move || child.wait());
        }
    }
}

/// A handle that becomes readable when the process ends; `None` where the system has no such thing.
#[cfg(target_os = "linux")]
fn process_handle(id: Pid) -> Option<AsyncFd<OwnedFd>> {
    let handle = rustix::process::pidfd_open(id, rustix::process::PidfdFlags::empty()).ok()?;
    #[expect(
        deprecated,
        reason = "the replacement is an unsafe function; its condition, a handle that is owned and never exchanged, holds"
    )]
    AsyncFd::with_interest(handle, tokio::io::Interest::READABLE).ok()
}

#[cfg(not(target_os = "linux"))]
fn process_handle(_: Pid) -> Option<AsyncFd<OwnedFd>> {
    None
}

/// One output of a child: read to its end, kept at its beginning and its end.
pub(super) struct ChildOutput {
    pipe: pipe::Receiver,
    kept: KeptOutput,
}

impl ChildOutput {
    fn new(pipe: OwnedFd) -> io::Result<Self> {
        Ok(Self { pipe: pipe::Receiver::from_owned_fd(pipe)?, kept: KeptOutput::default() })
    }

    /// Reads until no process can write to it. May be dropped and called again.
    pub(super) async fn drain(&mut self) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            if self.pipe.readable().await.is_err() {
                return;
            }
            match self.pipe.try_read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => self.kept.add(buffer.get(..read).unwrap_or_default()),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(_) => return,
            }
        }
    }

    /// The beginning and the end of what was read so far.
    pub(super) fn kept(&self) -> &KeptOutput {
        &self.kept
    }
}
