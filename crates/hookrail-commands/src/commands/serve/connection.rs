//! One client: requests in, answers out.

use std::sync::Arc;

use hookrail::HookSession;
use hookrail::components::{HookExecutionRequest, HookExecutionResponse};
use tokio::sync::OwnedSemaphorePermit;

use super::Server;
use super::descriptor::Descriptor;
use super::lines::{Refusal, RequestLine, RequestLines};
use super::outbox::{Outbox, PendingResponse};
use super::signals::{Phase, reached};

/// Answers are handed over when they reach this size, however many lines were read at once.
const BATCH: usize = 128 * 1024;

/// A client that sends this much at once is likely to send more.
const FLOOD: usize = 32 * 1024;

/// Serves one client until its input ends or the server stops, and everything is answered.
pub(super) async fn serve_client(server: Arc<Server>, input: Descriptor, output: Descriptor) {
    let outbox = Arc::new(Outbox::default());
    let requests = async {
        take_requests(&server, &input, &outbox).await;
        outbox.finish();
    };
    // Both in one task: what is answered at once is written without waking another task.
    tokio::join!(requests, outbox.deliver(&output, &server.phase));
}

/// Reads until the input ends, the client is gone or the server stops. Requests are started in the order of their
/// lines; answers come when they are ready, each with its request's id.
async fn take_requests(server: &Arc<Server>, input: &Descriptor, outbox: &Arc<Outbox>) {
    let mut lines = RequestLines::new(server.max_line_bytes, Arc::clone(&server.line_memory));
    let mut answers = Vec::new();
    loop {
        // From a client that does not read its answers nothing is read.
        outbox.room().await;
        let read = tokio::select! {
            biased;
            () = reached(server.phase.clone(), Phase::Stopping) => return,
            () = outbox.gone() => return,
            read = input.read(lines.space()) => read,
        };
        // A connection that broke ends like one that was closed.
        let count = read.unwrap_or(0);
        if count == 0 {
            lines.finish();
        }
        lines.filled(count);
        while let Some(line) = lines.next() {
            take_line(server, &line, outbox, &mut answers).await;
            if answers.len() >= BATCH {
                outbox.send(&mut answers);
                outbox.room().await;
            }
        }
        if count == 0 {
            outbox.send(&mut answers);
            return;
        }
        outbox.send(&mut answers);
        if count >= FLOOD {
            // The answers are written, and other clients are served, before more is read.
            tokio::task::yield_now().await;
        }
    }
}

/// Answers a line on the spot, or starts the hooks that will.
async fn take_line(
    server: &Arc<Server>,
    line: &RequestLine<'_>,
    outbox: &Arc<Outbox>,
    answers: &mut Vec<u8>,
) {
    let hooks = server.engines.current();
    let request = match check_line(server, &hooks, line) {
        Ok(request) => request,
        Err(answer) => return write_answer(&answer, answers),
    };
    let mut permit = Arc::clone(&server.in_flight).try_acquire_owned().ok();
    if permit.is_none() {
        // Nothing more is read meanwhile, which slows the client down.
        outbox.send(answers);
        permit = Arc::clone(&server.in_flight).acquire_owned().await.ok();
    }
    tokio::spawn(run_hooks(Arc::clone(server), hooks, request, outbox.expect_response(), permit));
}

/// The request of a line, if hooks have to run for it; else the answer, which most events of most agents get without a task.
/// A line that is refused is answered too, so that a client never waits for nothing.
#[expect(clippy::result_large_err, reason = "the answer goes to the client and no further")]
fn check_line(
    server: &Server,
    hooks: &HookSession,
    line: &RequestLine<'_>,
) -> Result<HookExecutionRequest, HookExecutionResponse> {
    let text = match line {
        RequestLine::Text(text) => text,
        RequestLine::Refused(why) => {
            let longest = server.max_line_bytes;
            let message = match why {
                Refusal::TooLong => {
                    format!("the line is longer than {longest} bytes; see `hookrail serve --max-line-bytes`")
                }
                Refusal::NoMemory => {
                    "the unfinished lines of all clients together are too long; send it again later"
                        .to_owned()
                }
            };
            return Err(HookExecutionResponse::invalid_request(&message));
        }
    };
    let request = HookExecutionRequest::parse_text(text)?;
    match hooks.hook_system() {
        Some(system) if system.has_hooks_for(&request) => Ok(request),
        _ => Err(request.answer_without_hooks()),
    }
}

/// Runs to its end also when the client has gone.
/// Its hooks have begun to act, so the log has to record how they ended.
async fn run_hooks(
    server: Arc<Server>,
    hooks: Arc<HookSession>,
    request: HookExecutionRequest,
    pending: PendingResponse,
    permit: Option<OwnedSemaphorePermit>,
) {
    let Some(system) = hooks.hook_system() else { return };
    let answer = tokio::select! {
        answer = system.execute(request) => answer,
        () = reached(server.phase.clone(), Phase::Killed) => return,
    };
    let line = answer_line(answer).await;
    // Other requests may start while this client reads slowly.
    drop(permit);
    pending.send(line);
}

/// An answer as one line. A long one is written on another thread, because no other client is to wait for it.
pub(super) async fn answer_line(answer: HookExecutionResponse) -> Vec<u8> {
    let mut line = Bounded { bytes: Vec::with_capacity(512), most: BATCH };
    if serde_json::to_writer(&mut line, &answer).is_ok() {
        line.bytes.push(b'\n');
        return line.bytes;
    }
    let id = answer.correlation_id.clone();
    let written = tokio::task::spawn_blocking(move || {
        let mut line = Vec::new();
        write_answer(&answer, &mut line);
        line
    });
    written.await.unwrap_or_else(|problem| {
        let mut line = Vec::new();
        write_answer(&HookExecutionResponse::internal_error(id, &problem.to_string()), &mut line);
        line
    })
}

/// Takes so many bytes, then refuses.
/// Used to find out whether an answer is short without making all of it.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl std::io::Write for Bounded {
    fn write(&mut self, more: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + more.len() > self.most {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Adds an answer as one line.
/// An answer that cannot be written becomes an error with the same id.
fn write_answer(answer: &HookExecutionResponse, lines: &mut Vec<u8>) {
    let start = lines.len();
    if let Err(problem) = serde_json::to_writer(&mut *lines, answer) {
        lines.truncate(start);
        let message = format!("the answer cannot be written: {problem}");
        let failure = HookExecutionResponse::internal_error(answer.correlation_id.clone(), &message);
        // Texts alone, which cannot fail.
        let _ = serde_json::to_writer(&mut *lines, &failure);
    }
    lines.push(b'\n');
}
