//! The one thread that waits for hooks, and the signals that ask a program to end and must not leave hooks behind.

use std::fs::File;
use std::io::{self, Read as _};
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Context as _;
use rustix::process::Signal;
use tokio::runtime::{EnterGuard, Runtime};
use tokio::signal::unix::{self, SignalKind, signal};

/// A runtime of one thread: what runs at once are processes and connections, which are only waited for.
pub(crate) fn runtime() -> anyhow::Result<EventLoop> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(EventLoop(runtime.context("cannot start the event loop")?))
}

/// The runtime of a command.
pub(crate) struct EventLoop(Runtime);

impl EventLoop {
    /// Runs a future to its end. It is boxed, so that all commands share one copy of what the runtime does around it.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut result = None;
        let work: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async { result = Some(future.await) });
        self.0.block_on(work);
        #[expect(clippy::expect_used, reason = "the future above has ended, and so has set it")]
        result.expect("a result")
    }

    /// Makes it the runtime of what follows, as long as the guard is there.
    pub(crate) fn enter(&self) -> EnterGuard<'_> {
        self.0.enter()
    }

    /// Ends without waiting for threads that are blocked.
    pub(crate) fn shutdown_background(self) {
        self.0.shutdown_background();
    }
}

/// A task for the runtime. What the runtime does around tasks is there once for all that are boxed.
pub(crate) fn boxed<T>(task: impl Future<Output = T> + Send + 'static) -> BoxedTask<T> {
    Box::pin(task)
}

/// A task of any kind.
type BoxedTask<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Undoes an ignored `SIGCHLD`, which programs inherit from whoever starts them: while it is ignored the system drops the
/// exit statuses of hooks, and with them their blocks. What this program starts gets the default back.
pub(crate) fn keep_exit_statuses() {
    // Without it, a status that is lost refuses what is guarded.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::default());
}

/// Listens to Ctrl-C, Ctrl-\\, `SIGTERM` and the end of the terminal. By themselves these would end the program at
/// once, and its hooks, each in a group of its own, would not get the signal.
pub(crate) struct EndSignals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    quit: unix::Signal,
    /// `None` where the program was started so that it outlives its terminal (`nohup`).
    hang_up: Option<unix::Signal>,
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

    /// Waits for the next one of them.
    /// The caller decides what it means: most end what runs at the first one, and kill it at the second.
    pub(crate) async fn next(&mut self) -> Signal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::INT,
            _ = self.terminate.recv() => Signal::TERM,
            _ = self.quit.recv() => Signal::QUIT,
            _ = hang_up => Signal::HUP,
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
