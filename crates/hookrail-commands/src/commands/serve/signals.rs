//! What signals ask for: end, end now, reload.

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::Server;

/// How far the end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Requests are taken.
    Running,
    /// What runs is finished and answered; nothing new is taken.
    Stopping,
    /// Everything ends at once.
    Killed,
}

/// The signals that matter here.
pub(super) struct ServeSignals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl ServeSignals {
    /// From now on these signals no longer end the program by themselves.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The first request to end starts the end, the second completes it.
    pub(super) async fn handle(mut self, phases: watch::Sender<Phase>, server: Arc<Server>) {
        loop {
            tokio::select! {
                Some(()) = self.terminate.recv() => {}
                Some(()) = self.interrupt.recv() => {}
                Some(()) = self.hang_up.recv() => {
                    server.engines.reload();
                    continue;
                }
                else => return,
            }
            phases.send_modify(|phase| {
                *phase = if *phase == Phase::Running { Phase::Stopping } else { Phase::Killed };
            });
        }
    }
}

/// Waits until the end is as far as this.
pub(super) async fn reached(mut phase: watch::Receiver<Phase>, wanted: Phase) {
    if phase.wait_for(|phase| *phase >= wanted).await.is_err() {
        // The task that receives signals has ended, so that none will come.
        std::future::pending::<()>().await;
    }
}
