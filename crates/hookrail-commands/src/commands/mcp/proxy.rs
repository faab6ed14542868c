//! The two streams between client and server, and the calls that are held between them.
//!
//! One task reads each stream, one writes each. A call that hooks decide about is taken out of its stream and has a task
//! of its own; everything else goes on in order. Everything that waits is bounded: the length of a line, what is queued
//! for each side, and the calls and results that hooks have to look at.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookrail::{HookSession, SessionStartSource};
use hookrail_bridge::{OurCall, mcp_call};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::guard::{self, Gate, Guard};
use super::lines::{LONGEST, Line, Lines};
use super::message::{
    CallId, ClientLine, Id, ResultChange, ServerLine, ToolCall, error, read_client_line, read_server_line,
    refusal, result_of, with_arguments, with_result,
};
use crate::commands::serve::descriptor::Descriptor;
use crate::signals::boxed;
use crate::terminal::printer::{Printer, escape_line};

/// The memory of all held calls, and that of all held results, in kibibytes.
const HELD: usize = 4 * (LONGEST >> 10);
/// How many cancelled calls are remembered, because the server may answer them nevertheless.
const CANCELLED: usize = 256;
/// Codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// What both directions share.
pub(super) struct Proxy {
    /// The hooks, or why every call is refused.
    pub(super) guard: Result<Guard, String>,
    server: String,
    calls: Mutex<Calls>,
    tasks: Mutex<JoinSet<()>>,
    held: Arc<Semaphore>,
    results: Arc<Semaphore>,
    /// For calls without an id.
    unanswered: AtomicU64,
    /// When the server last wrote something, and whether its next line is waited for.
    last_output: Mutex<Instant>,
    is_reading: AtomicBool,
    has_session: AtomicBool,
}

/// The calls that are not finished.
#[derive(Default)]
struct Calls {
    open: HashMap<Id, OpenCall>,
    cancelled: VecDeque<Id>,
}

/// A call that hooks decide about, or whose result they will see.
struct OpenCall {
    stage: Stage,
    call: Arc<HeldCall>,
}

/// Where a call is.
enum Stage {
    /// Its hooks are asked; the server has not seen it.
    Before(AbortHandle),
    /// The server works on it. These texts are added to the result, which hooks see where `is_after`.
    Server { added: Vec<String>, is_after: bool },
    /// Its hooks see the result; the client has not.
    After(AbortHandle),
}

/// A call in both forms.
pub(super) struct HeldCall {
    pub(super) id: Option<CallId>,
    pub(super) tool: String,
    pub(super) ours: OurCall,
    session: Arc<HookSession>,
}

/// What leads to the two sides. The server's input is closed when the last one of these is gone.
#[derive(Clone)]
pub(super) struct Pipes {
    pub(super) to_server: Sender<Vec<u8>>,
    pub(super) to_client: Sender<Vec<u8>>,
}

impl Proxy {
    pub(super) fn new(guard: Result<Guard, String>, server: &str) -> Self {
        Self {
            guard,
            server: server.to_owned(),
            calls: Mutex::default(),
            tasks: Mutex::default(),
            held: Arc::new(Semaphore::new(HELD)),
            results: Arc::new(Semaphore::new(HELD)),
            unanswered: AtomicU64::new(0),
            last_output: Mutex::new(Instant::now()),
            is_reading: AtomicBool::new(false),
            has_session: AtomicBool::new(false),
        }
    }

    /// Reads the client until its end.
    pub(super) async fn read_client(self: Arc<Self>, mut lines: Lines, pipes: Pipes) {
        while let Some(line) = lines.next().await {
            match line {
                Line::Text(line) => self.client_line(line, &pipes).await,
                Line::TooLong(id) => {
                    let why = format!("hookrail: the message is longer than {LONGEST} bytes");
                    note(&why);
                    let answer = error(id.as_deref().unwrap_or("null"), INVALID_REQUEST, &why);
                    let _ = pipes.to_client.send(answer).await;
                }
            }
        }
    }

    async fn client_line(self: &Arc<Self>, line: Vec<u8>, pipes: &Pipes) {
        match read_client_line(&line) {
            ClientLine::Batch(parts) => {
                // Each message on its own line: they are answered one by one, under their ids.
                for part in parts {
                    let part = [part.as_bytes(), b"\n"].concat();
                    match read_client_line(&part) {
                        ClientLine::Batch(_) => {
                            self.refuse_unclear(None, "it is a list in a list", pipes).await;
                        }
                        message => self.client_message(message, part.clone(), pipes).await,
                    }
                }
            }
            ClientLine::Other => {
                let _ = pipes.to_server.send(line).await;
            }
            message => self.client_message(message, line.clone(), pipes).await,
        }
    }

    async fn client_message(self: &Arc<Self>, message: ClientLine<'_>, line: Vec<u8>, pipes: &Pipes) {
        match message {
            ClientLine::Call(call) => return self.tool_call(call, line, pipes).await,
            ClientLine::Unclear { id, why } if self.is_guarded() => {
                return self.refuse_unclear(id.as_deref(), &why, pipes).await;
            }
            ClientLine::NotJson(why) if self.is_guarded() => {
                let why = format!("hookrail: the message is not JSON: {why}");
                note(&why);
                let _ = pipes.to_client.send(error("null", PARSE_ERROR, &why)).await;
                return;
            }
            ClientLine::Initialize(info) => self.begin_session(info.as_ref()),
            ClientLine::Cancelled(id) => self.cancel(&id),
            ClientLine::Other
            | ClientLine::Batch(_)
            | ClientLine::Unclear { .. }
            | ClientLine::NotJson(_) => {}
        }
        let _ = pipes.to_server.send(line).await;
    }

    /// Whether any tool call may have to be refused.
    fn is_guarded(&self) -> bool {
        self.guard.as_ref().map_or(true, |guard| guard::listens(&guard.current()))
    }

    /// Answers a message that servers would read in different ways.
    async fn refuse_unclear(&self, id: Option<&str>, why: &str, pipes: &Pipes) {
        let why = format!("hookrail cannot tell what this call does: {why}");
        note(&why);
        if let Ok(guard) = &self.guard {
            guard.note_refused(&why);
        }
        if let Some(id) = id {
            let _ = pipes.to_client.send(refusal(id, &[why])).await;
        }
    }

    /// Passes a call on, or holds it until its hooks have decided.
    async fn tool_call(self: &Arc<Self>, call: ToolCall, line: Vec<u8>, pipes: &Pipes) {
        let guard = match &self.guard {
            Ok(guard) => guard,
            Err(why) => {
                if let Some(id) = call.id {
                    let _ = pipes.to_client.send(refusal(&id.raw, std::slice::from_ref(why))).await;
                }
                return;
            }
        };
        let session = guard.current();
        let ours = mcp_call(&self.server, &call.tool, call.arguments);
        let (is_before, is_after) = guard::would_run(&session, &ours);
        if !is_before && !is_after {
            let _ = pipes.to_server.send(line).await;
            return;
        }
        let key = match &call.id {
            Some(id) => id.key.clone(),
            None => Id::Unanswered(self.unanswered.fetch_add(1, Ordering::Relaxed)),
        };
        if self.lock().open.contains_key(&key) {
            let id = call.id.as_ref().map(|id| id.raw.as_str());
            return self.refuse_unclear(id, "a call with this id is not finished", pipes).await;
        }
        guard.log_as_mcp();
        let call = HeldCall { id: call.id, tool: call.tool, ours, session };
        if !is_before {
            let stage = Stage::Server { added: Vec::new(), is_after };
            self.lock().open.insert(key, OpenCall { stage, call: Arc::new(call) });
            let _ = pipes.to_server.send(line).await;
            return;
        }
        let permit = permit(&self.held, line.len()).await;
        let call = Arc::new(call);
        let task =
            Arc::clone(self).decide(key.clone(), Arc::clone(&call), line, is_after, pipes.clone(), permit);
        let stage = Stage::Before(self.spawn(task));
        self.lock().open.insert(key, OpenCall { stage, call });
    }

    /// Asks the hooks about a call, and passes it on or answers it.
    async fn decide(
        self: Arc<Self>,
        key: Id,
        call: Arc<HeldCall>,
        line: Vec<u8>,
        is_after: bool,
        pipes: Pipes,
        _memory: Option<OwnedSemaphorePermit>,
    ) {
        let Ok(guard) = &self.guard else { return };
        let gate = guard::before(&call.session, &call.ours, &guard.extra(&call, None)).await;
        let texts = match gate {
            Gate::Run { arguments, added } => match changed(&call, line, arguments) {
                Some((call, line)) => {
                    if call.id.is_some() && (is_after || !added.is_empty()) {
                        let stage = Stage::Server { added, is_after };
                        self.lock().open.insert(key, OpenCall { stage, call });
                    } else {
                        self.lock().open.remove(&key);
                    }
                    let _ = pipes.to_server.send(line).await;
                    return;
                }
                None => vec!["hookrail: the changed arguments cannot be written".to_owned()],
            },
            Gate::Refuse(texts) => texts,
        };
        self.lock().open.remove(&key);
        if let Some(id) = &call.id {
            let _ = pipes.to_client.send(refusal(&id.raw, &texts)).await;
        }
    }

    /// The client no longer waits for a call. One that the server has not seen never reaches it.
    fn cancel(&self, id: &Id) {
        let mut calls = self.lock();
        let is_at_server = match calls.open.get(id).map(|open| &open.stage) {
            None => return,
            Some(Stage::Before(task) | Stage::After(task)) => {
                task.abort();
                false
            }
            Some(Stage::Server { .. }) => true,
        };
        let forgotten = if is_at_server {
            calls.cancelled.push_back(id.clone());
            (calls.cancelled.len() > CANCELLED).then(|| calls.cancelled.pop_front()).flatten()
        } else {
            Some(id.clone())
        };
        if let Some(id) = forgotten {
            calls.open.remove(&id);
        }
    }

    /// The session begins with the client's first request.
    fn begin_session(self: &Arc<Self>, info: Option<&Value>) {
        let Ok(guard) = &self.guard else { return };
        guard.name_client(info);
        if !self.has_session.swap(true, Ordering::Relaxed) {
            let session = guard.current();
            self.spawn(async move {
                let _ = session.fire_session_start(SessionStartSource::Startup).await;
            });
        }
    }

    pub(super) fn has_session(&self) -> bool {
        self.has_session.load(Ordering::Relaxed)
    }

    /// Reads the server until its end.
    pub(super) async fn read_server(self: Arc<Self>, mut lines: Lines, to_client: Sender<Vec<u8>>) {
        loop {
            self.is_reading.store(true, Ordering::Relaxed);
            let Some(line) = lines.next().await else { return };
            self.is_reading.store(false, Ordering::Relaxed);
            *self.last_output.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            match line {
                Line::Text(line) => self.server_line(line, &to_client).await,
                Line::TooLong(id) => self.too_long_answer(id, &to_client).await,
            }
        }
    }

    /// When the server last wrote something; `None` while its next line is not waited for.
    pub(super) fn quiet_since(&self) -> Option<Instant> {
        let since = *self.last_output.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_reading.load(Ordering::Relaxed).then_some(since)
    }

    async fn server_line(self: &Arc<Self>, line: Vec<u8>, to_client: &Sender<Vec<u8>>) {
        let read = if self.lock().open.is_empty() {
            ServerLine::Other
        } else {
            read_server_line(&line, &|id| self.lock().open.contains_key(id))
        };
        match read {
            ServerLine::Other => {
                let _ = to_client.send(line).await;
            }
            ServerLine::Answer(id) => self.answer(id, line.clone(), to_client).await,
            ServerLine::UnclearAnswer(id) => self.unclear_answer(&id, to_client).await,
            ServerLine::Batch(parts) => {
                for part in parts {
                    let part = [part.as_bytes(), b"\n"].concat();
                    match read_server_line(&part, &|id| self.lock().open.contains_key(id)) {
                        ServerLine::Answer(id) => self.answer(id, part.clone(), to_client).await,
                        ServerLine::UnclearAnswer(id) => self.unclear_answer(&id, to_client).await,
                        ServerLine::Other | ServerLine::Batch(_) => {
                            let _ = to_client.send(part.clone()).await;
                        }
                    }
                }
            }
        }
    }

    /// Takes a call that the server works on.
    fn take_at_server(&self, id: &Id) -> Option<(Arc<HeldCall>, Vec<String>, bool)> {
        let mut calls = self.lock();
        match calls.open.remove(id) {
            Some(OpenCall { stage: Stage::Server { added, is_after }, call }) => {
                calls.cancelled.retain(|cancelled| cancelled != id);
                Some((call, added, is_after))
            }
            Some(open) => {
                calls.open.insert(id.clone(), open);
                None
            }
            None => None,
        }
    }

    /// The answer to a call that hooks know of. One to a call that the server cannot have seen, or a second one, is
    /// dropped: the call has its own answer.
    async fn answer(self: &Arc<Self>, id: Id, line: Vec<u8>, to_client: &Sender<Vec<u8>>) {
        let Some((call, added, is_after)) = self.take_at_server(&id) else {
            return note("hookrail: the server answered a call that it was not given");
        };
        if !is_after {
            let change = ResultChange { added, ..ResultChange::default() };
            let _ = to_client.send(with_result(&line, &change).unwrap_or(line)).await;
            return;
        }
        let memory = permit(&self.results, line.len()).await;
        let task =
            Arc::clone(self).finish(id.clone(), Arc::clone(&call), line, added, to_client.clone(), memory);
        let stage = Stage::After(self.spawn(task));
        self.lock().open.insert(id, OpenCall { stage, call });
    }

    /// Runs the hooks after a call, and passes its result on as they left it.
    async fn finish(
        self: Arc<Self>,
        id: Id,
        call: Arc<HeldCall>,
        line: Vec<u8>,
        mut added: Vec<String>,
        to_client: Sender<Vec<u8>>,
        _memory: Option<OwnedSemaphorePermit>,
    ) {
        let Ok(guard) = &self.guard else { return };
        let result = result_of(&line);
        let extra = guard.extra(&call, result.as_ref().ok());
        let mut change = guard::after(&call.session, &call.ours, &result, &extra).await;
        added.append(&mut change.added);
        change.added = added;
        self.lock().open.remove(&id);
        let line = if change == ResultChange::default() {
            line
        } else {
            with_result(&line, &change).unwrap_or_else(|| {
                let why = "hookrail: the result cannot be changed as hooks want it";
                let id = call.id.as_ref().map_or("null", |id| id.raw.as_str());
                refusal(id, &[why.to_owned()])
            })
        };
        let _ = to_client.send(line).await;
    }

    /// An answer that clients would read in different ways.
    async fn unclear_answer(&self, id: &Id, to_client: &Sender<Vec<u8>>) {
        let Some((call, ..)) = self.take_at_server(id) else { return };
        let why = "hookrail: the server's answer has a key twice, and what it says depends on the reader";
        note(why);
        let id = call.id.as_ref().map_or("null", |id| id.raw.as_str());
        let _ = to_client.send(refusal(id, &[why.to_owned()])).await;
    }

    /// An answer that is too long to be passed on.
    async fn too_long_answer(&self, id: Option<String>, to_client: &Sender<Vec<u8>>) {
        let why = format!("hookrail: the server's message is longer than {LONGEST} bytes");
        note(&why);
        let Some(id) = id else { return };
        let call = Id::read(&id).and_then(|key| self.take_at_server(&key));
        let answer = if call.is_some() { refusal(&id, &[why]) } else { error(&id, INTERNAL_ERROR, &why) };
        let _ = to_client.send(answer).await;
    }

    /// Gives up calls that the server has not seen: nobody waits for them any longer, or the server is gone.
    pub(super) fn give_up(&self) {
        for open in self.lock().open.values() {
            if let Stage::Before(task) = &open.stage {
                task.abort();
            }
        }
    }

    pub(super) async fn finish_tasks(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }

    /// Answers every call that is left, because the server has ended.
    pub(super) async fn answer_the_rest(&self, to_client: &Sender<Vec<u8>>) {
        let left: Vec<OpenCall> = self.lock().open.drain().map(|(_, open)| open).collect();
        for id in left.iter().filter_map(|open| open.call.id.as_ref()) {
            let why = "hookrail: the server ended before it answered";
            let _ = to_client.send(error(&id.raw, INTERNAL_ERROR, why)).await;
        }
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(boxed(task))
    }

    /// Held for moments only, never across an await.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call and its line with the arguments that hooks changed; `None` if they cannot be written.
fn changed(
    call: &Arc<HeldCall>,
    line: Vec<u8>,
    arguments: Option<hookrail::JsonObject>,
) -> Option<(Arc<HeldCall>, Vec<u8>)> {
    let Some(arguments) = arguments else { return Some((Arc::clone(call), line)) };
    let line = with_arguments(&line, &arguments)?;
    let ours = OurCall { input: arguments, ..call.ours.clone() };
    let (id, tool) = (call.id.clone(), call.tool.clone());
    Some((Arc::new(HeldCall { id, tool, ours, session: Arc::clone(&call.session) }), line))
}

/// Memory for a line that is held; waits until there is so much.
async fn permit(memory: &Arc<Semaphore>, bytes: usize) -> Option<OwnedSemaphorePermit> {
    let wanted = u32::try_from((bytes >> 10) + 1).unwrap_or(u32::MAX);
    Arc::clone(memory).acquire_many_owned(wanted).await.ok()
}

/// Writes lines until no more come. `false` if nobody reads them; what comes then is dropped where `is_patient`.
pub(super) async fn write_lines(mut lines: Receiver<Vec<u8>>, output: Descriptor, is_patient: bool) {
    let mut is_gone = false;
    while let Some(line) = lines.recv().await {
        let mut rest = line.as_slice();
        while !is_gone && !rest.is_empty() {
            match output.write(rest).await {
                Ok(count) if count > 0 => rest = rest.get(count..).unwrap_or_default(),
                _ => is_gone = true,
            }
        }
        if is_gone && !is_patient {
            return;
        }
    }
}

/// Tells the person, in the client's log of the server.
fn note(text: &str) {
    Printer::new().message(escape_line(text));
}
