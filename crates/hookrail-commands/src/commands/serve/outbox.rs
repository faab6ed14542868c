//! Answers on their way to one client: whole lines, in the order in which they are ready.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};

use super::descriptor::Descriptor;
use super::signals::{Phase, reached};

/// Beyond this nothing is read from the client until it has read some of its answers.
const HIGH_WATER: usize = 1024 * 1024;
/// A buffer that grew beyond this is given back.
const KEPT: usize = 256 * 1024;
/// After a request to end, a client that takes no byte for so long is given up.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Collects answers and writes them. Many may add to it, one writes. It is shared by the reader, the writer and every request in
/// flight.
#[derive(Default)]
pub(super) struct Outbox {
    state: Mutex<OutboxState>,
    /// For the writer: something changed.
    work: Notify,
    /// For the reader: there may be room again.
    room: Notify,
    /// For the reader: answers are no longer taken.
    gone: Notify,
}

/// `queued` and `writing` together are what the client has not read.
#[derive(Default)]
struct OutboxState {
    /// Whole lines that wait to be written.
    queued: Vec<u8>,
    /// Taken from the queue and not yet written.
    writing: usize,
    /// Responses that are registered and not yet queued.
    pending: usize,
    /// No more requests will come.
    finished: bool,
    /// The client has gone; its answers are dropped.
    gone: bool,
}

impl Outbox {
    /// Adds whole lines and empties the buffer they came in.
    pub(super) fn send(&self, lines: &mut Vec<u8>) {
        if lines.is_empty() {
            return;
        }
        let mut state = self.lock();
        if !state.gone {
            if state.queued.is_empty() {
                // Not copied: an answer may be long, and other clients would wait for that.
                std::mem::swap(&mut state.queued, lines);
            } else {
                state.queued.append(lines);
            }
        }
        drop(state);
        lines.clear();
        lines.shrink_to(KEPT);
        self.work.notify_one();
    }

    /// Registers a response that will be sent later. The writer does not end before it is sent or given up.
    pub(super) fn expect_response(self: &Arc<Self>) -> PendingResponse {
        self.lock().pending += 1;
        PendingResponse { outbox: Arc::clone(self) }
    }

    /// Waits while the client has too many answers to read. Only one may wait.
    pub(super) async fn room(&self) {
        loop {
            {
                let state = self.lock();
                if state.gone || state.queued.len() + state.writing < HIGH_WATER {
                    return;
                }
            }
            self.room.notified().await;
        }
    }

    /// Waits until the client takes no more answers. Only one may wait.
    pub(super) async fn gone(&self) {
        self.gone.notified().await;
    }

    /// No more requests will come.
    pub(super) fn finish(&self) {
        self.lock().finished = true;
        self.work.notify_one();
    }

    /// Writes until every registered response is written, or dropped because the client has gone.
    pub(super) async fn deliver(&self, output: &Descriptor, phase: &watch::Receiver<Phase>) {
        let mut lines = Vec::new();
        loop {
            {
                let mut state = self.lock();
                std::mem::swap(&mut state.queued, &mut lines);
                state.writing = lines.len();
                if lines.is_empty() && state.finished && state.pending == 0 {
                    return;
                }
            }
            if lines.is_empty() {
                self.work.notified().await;
                continue;
            }
            let written = write_all(output, &lines, phase).await;
            lines.clear();
            lines.shrink_to(KEPT);
            let mut state = self.lock();
            state.writing = 0;
            if !written {
                state.gone = true;
                state.queued = Vec::new();
                self.gone.notify_one();
            }
            drop(state);
            self.room.notify_one();
        }
    }

    /// Held for moments only, never across an await.
    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response that will be sent later. Dropping it unsent gives it up.
pub(super) struct PendingResponse {
    outbox: Arc<Outbox>,
}

impl PendingResponse {
    /// Queues the response for writing.
    pub(super) fn send(self, mut line: Vec<u8>) {
        self.outbox.send(&mut line);
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        self.outbox.lock().pending -= 1;
        self.outbox.work.notify_one();
    }
}

/// `false` when the client is gone or was given up.
async fn write_all(output: &Descriptor, mut bytes: &[u8], phase: &watch::Receiver<Phase>) -> bool {
    while !bytes.is_empty() {
        let written = tokio::select! {
            biased;
            written = output.write(bytes) => written,
            () = client_timeout(phase) => return false,
        };
        match written {
            Ok(count) if count > 0 => bytes = bytes.get(count..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Ends when the server is to end and has waited long enough for this client.
async fn client_timeout(phase: &watch::Receiver<Phase>) {
    reached(phase.clone(), Phase::Stopping).await;
    tokio::select! {
        () = tokio::time::sleep(CLIENT_TIMEOUT) => {}
        () = reached(phase.clone(), Phase::Killed) => {}
    }
}
