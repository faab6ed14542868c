//! The signals that ask a program to end, for programs that must not leave hooks behind.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Undoes an ignored `SIGCHLD`, which programs inherit from whoever starts them: while it is ignored the system drops the
/// exit statuses of hooks, and with them their blocks. What this program starts gets the default back.
pub(crate) fn keep_exit_statuses() {
    // Without it, a status that is lost refuses what is guarded.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::default());
}

/// Listens to Ctrl-C, Ctrl-\\, `SIGTERM` and the end of the terminal. By themselves these would end the program at
/// once, and its hooks, each in a group of its own, would not get the signal.
pub(crate) struct EndSignals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    /// `None` where the program was started so that it outlives its terminal (`nohup`).
    hang_up: Option<Signal>,
}

impl EndSignals {
    /// From now on these signals no longer end the program by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next one of them; whether it is Ctrl-C, which a person pressed.
    /// The caller decides what it means: most end what runs at the first one, and kill it at the second.
    pub(crate) async fn next(&mut self) -> bool {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => false,
            _ = self.quit.recv() => false,
            _ = hang_up => false,
        }
    }
}

/// Whether the program was started by `nohup` or the like. Only Linux can be asked without changing it.
fn ignores_hang_up() -> bool {
    // One read is enough for it; `read_to_string` begins with many small ones.
    let mut buffer = [0; 4096];
    let length = File::open("/proc/self/status").and_then(|mut file| file.read(&mut buffer)).unwrap_or(0);
    let status = String::from_utf8_lossy(buffer.get(..length).unwrap_or_default());
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
