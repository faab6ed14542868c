//! The server's process: started as the client would start it, ended as the client would end it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::watch;

use crate::commands::serve::descriptor::Descriptor;

/// How long a server may take to end after its input was closed, counted from its last output.
pub(super) const END_GRACE: Duration = Duration::from_secs(10);
/// How long it may take after a signal. Clients kill what has not ended after two seconds, and then nobody is left to
/// end the server.
pub(super) const SIGNAL_GRACE: Duration = Duration::from_millis(1500);

pub(super) struct Server {
    group: Pid,
    exit: watch::Receiver<Option<u8>>,
}

impl Server {
    /// Starts it, in a process group of its own: what ends it ends what it started, too. Its stderr and its environment
    /// are ours.
    pub(super) fn start(command: &[OsString]) -> io::Result<(Self, Descriptor, Descriptor)> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::Other)?;
        let exit = wait_for(child);
        Ok((Self { group, exit }, Descriptor::owned(stdin.into())?, Descriptor::owned(stdout.into())?))
    }

    /// Waits for its end; the exit code that is ours then.
    pub(super) async fn ended(&self) -> u8 {
        let mut exit = self.exit.clone();
        let code = exit.wait_for(Option::is_some).await.ok().and_then(|code| *code);
        code.unwrap_or(1)
    }

    /// Sends a signal to it and what it started, unless it has ended.
    pub(super) fn signal(&self, signal: Signal) {
        if self.exit.borrow().is_none() {
            let _ = kill_process_group(self.group, signal);
        }
    }

    /// Asks it to end, and kills it if it does not.
    pub(super) async fn end(&self, first: Signal) -> u8 {
        self.signal(first);
        if let Ok(code) = tokio::time::timeout(SIGNAL_GRACE, self.ended()).await {
            return code;
        }
        self.signal(Signal::KILL);
        self.ended().await
    }
}

/// Waits in a thread of its own.
fn wait_for(mut child: Child) -> watch::Receiver<Option<u8>> {
    let (sender, receiver) = watch::channel(None);
    std::thread::spawn(move || {
        let code = child.wait().map_or(1, exit_code);
        let _ = sender.send(Some(code));
    });
    receiver
}

/// Its own code; for one that a signal ended, the code that shells give it.
fn exit_code(status: ExitStatus) -> u8 {
    let by_signal = || status.signal().map(|signal| 128 + signal);
    status.code().or_else(by_signal).and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(1)
}
